"""What the recognition of calculations makes of a text, with the model that ships."""

import asyncio
from collections.abc import Sequence
from functools import cache

from finassist.adapters.embeddings.minilm.embedder import MiniLmEmbedder
from finassist.adapters.llm.offline_calculation import Calculations
from finassist.domain.calculators.recognition.arguments import recognised
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.reading import Recognised

CALCULATIONS = Calculations(MiniLmEmbedder(query_seconds=60.0))
BY_WORDS = Calculations()


@cache
def drafted(question: str, earlier: Sequence[str] = (), *, by_words: bool = False) -> Draft | None:
    """The calculation that a question asks for after earlier ones, whole or not."""
    asked = asyncio.run((BY_WORDS if by_words else CALCULATIONS).asked(question, earlier))
    return None if asked is None else asked.draft


def recognise(question: str, earlier: Sequence[str] = (), *, by_words: bool = False) -> Recognised | None:
    """The calculation that a question asks for when it lacks nothing."""
    draft = drafted(question, tuple(earlier), by_words=by_words)
    return None if draft is None or draft.missing else recognised(draft)


def missing_numbers(question: str, earlier: Sequence[str] = ()) -> Sequence[str] | None:
    """What a calculation lacks, in words; None when the question asks for none, or for a whole one."""
    draft = drafted(question, tuple(earlier))
    return draft.needed if draft and draft.missing else None
