"""What a follow-up is about: a part of what was quoted just before, or another entry; told by meaning."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from finassist.adapters.embeddings.minilm.embedder import MODEL
from finassist.adapters.llm.offline_again import parts_of
from finassist.adapters.llm.offline_words import ASKING_STEMS, stems_of
from finassist.application.ports.knowledge import Embedder, Vector
from finassist.domain.errors import EmbeddingError
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.hybrid import asked_for
from finassist.domain.retrieval.queries import without_sizes
from finassist.domain.retrieval.questions import telling_part

_PART_LEAST: Final = 0.25
_PART_VAGUE: Final = 0.15
_PART_CLEAR: Final = 0.45
_ENTRY_LEAST: Final = 0.45
"""From so much likeness on a part, or a title, is what a message is about: less for "is that safe", which has
no telling word that a part could lack, and more when the search goes on to another entry."""
_NEARER: Final = 0.1
"""How much more like the message another entry is than the part of one that was quoted."""
_WORDS: Final = 0.2
"""What it counts for that a text has all telling words of the message, beside the cosine of both."""
_ENTRIES_MAX: Final = 2


@dataclass(frozen=True, slots=True)
class Aspect:
    """The entry that a message is about, and the part of it; without one it is about the whole."""

    hit: Hit
    part: str = ""


class Aspects:
    """Tells what a message is about, for the vectors of the model that ships."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder: Final = embedder

    async def of(
        self, message: str, quoted: Sequence[Hit], fresh: Sequence[Hit], *, goes_on: bool
    ) -> Aspect | None:
        """The part of one of the ``quoted`` entries, or the ``fresh`` entry, that a message is most
        like; or None. When the search ``goes_on`` to a fresh entry, a part has to be clear."""
        if self._embedder is None or self._embedder.model != MODEL or not quoted:
            return None
        parts = [(hit, part) for hit in quoted[:_ENTRIES_MAX] for part in parts_of(hit.snippet)]
        rows = [part.rpartition("\n")[2] for _, part in parts]  # of a table, without its head
        texts = [*rows, *(hit.title for hit in fresh)]
        try:
            vector = await self._embedder.embed_query(asked_for(without_sizes(message)))
            vectors = await self._embedder.embed(texts)
        except EmbeddingError:
            return None
        words = stems_of(telling_part(message)) - ASKING_STEMS
        likeness = [
            _cosine(vector, each) + _WORDS * _share(words, text)
            for text, each in zip(texts, vectors, strict=True)
        ]
        of_parts, of_titles = likeness[: len(parts)], likeness[len(parts) :]
        part, title = max(of_parts, default=0.0), max(of_titles, default=0.0)
        least = _PART_CLEAR if goes_on else _PART_LEAST if words else _PART_VAGUE
        if part >= max(title - _NEARER, least):
            return Aspect(*parts[of_parts.index(part)])
        return Aspect(fresh[of_titles.index(title)]) if title >= _ENTRY_LEAST and not goes_on else None


def _share(words: frozenset[str], text: str) -> float:
    return len(words & stems_of(text)) / len(words) if words else 0.0


def _cosine(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
