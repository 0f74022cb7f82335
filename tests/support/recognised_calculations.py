"""What the recognition of calculations makes of a text, with the model that ships.

Tests that use it are in the xdist group ``calculations``: a text is embedded once in a process, and would be
embedded again in another one.
"""

import asyncio
from collections.abc import Iterable, Sequence
from functools import cache

from finassist.adapters.embeddings.minilm.embedder import MiniLmEmbedder
from finassist.adapters.llm.offline_calculation import Calculations
from finassist.application.ports.knowledge import Vector
from finassist.domain.calculators.recognition.arguments import recognised
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.reading import Recognised, read


class RememberedVectors:
    """The shipped embedder, which embeds a text once in all tests of a process."""

    def __init__(self) -> None:
        self._embedder = MiniLmEmbedder(query_seconds=60.0)
        self._known: dict[str, Vector] = {}
        self.model = self._embedder.model

    def understands(self, language: str) -> bool:
        return self._embedder.understands(language)

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        unknown = [text for text in dict.fromkeys(texts) if text not in self._known]
        if unknown:
            self._known.update(zip(unknown, await self._embedder.embed(unknown), strict=True))
        return [self._known[text] for text in texts]

    async def embed_query(self, text: str) -> Vector:
        if text not in self._known:
            self._known[text] = await self._embedder.embed_query(text)
        return self._known[text]

    async def close(self) -> None:
        await self._embedder.close()


VECTORS = RememberedVectors()
CALCULATIONS = Calculations(VECTORS)
BY_WORDS = Calculations()


def embed_together(questions: Iterable[str]) -> None:
    """Embed what tests are going to ask, which takes less time than one question after the other."""
    asyncio.run(VECTORS.embed([read(question).sketch for question in questions]))


def drafted(question: str, earlier: Sequence[str] = (), *, by_words: bool = False) -> Draft | None:
    """The calculation that a question asks for after earlier ones, whole or not."""
    return _drafted(question, tuple(earlier), by_words)


@cache
def _drafted(question: str, earlier: Sequence[str], by_words: bool) -> Draft | None:
    asked = asyncio.run((BY_WORDS if by_words else CALCULATIONS).asked(question, earlier))
    return None if asked is None else asked.draft


def recognise(question: str, earlier: Sequence[str] = (), *, by_words: bool = False) -> Recognised | None:
    """The calculation that a question asks for when it lacks nothing."""
    draft = drafted(question, earlier, by_words=by_words)
    return None if draft is None or draft.missing else recognised(draft)


def missing_numbers(question: str, earlier: Sequence[str] = ()) -> Sequence[str] | None:
    """What a calculation lacks, in words; None when the question asks for none, or for a whole one."""
    draft = drafted(question, earlier)
    return draft.needed if draft and draft.missing else None
