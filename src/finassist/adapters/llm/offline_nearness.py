"""How near texts are in meaning, for the vectors of the model that ships."""

from collections.abc import Sequence
from typing import Final

from finassist.adapters.embeddings.minilm.embedder import MODEL
from finassist.application.ports.knowledge import Embedder, Vector
from finassist.domain.errors import EmbeddingError
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.hybrid import asked_for, texts_to_embed
from finassist.domain.retrieval.in_context import about_subject
from finassist.domain.retrieval.queries import without_sizes


class Nearness:
    """Compares a message or an entry with texts by the cosines of their vectors."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder: Final = embedder if embedder is not None and embedder.model == MODEL else None

    async def to_message(self, message: str, texts: Sequence[str]) -> Sequence[float]:
        """How near each text is to a message; nothing when that cannot be told."""
        if self._embedder is None or not texts:
            return ()
        try:
            vector = await self._embedder.embed_query(asked_for(without_sizes(message)))
            return [_cosine(vector, each) for each in await self._embedder.embed(texts)]
        except EmbeddingError:
            return ()

    async def in_context(self, message: str, subject: str, texts: Sequence[str]) -> Sequence[float]:
        """How near each text is to a message on a subject: the mean of what it is to the message alone, and
        to the message with the subject behind it; nothing when that cannot be told."""
        if self._embedder is None or not texts:
            return ()
        queries = (without_sizes(message), about_subject(without_sizes(message), subject))
        try:
            asked = [await self._embedder.embed_query(asked_for(query)) for query in queries]
            vectors = await self._embedder.embed(texts)
        except EmbeddingError:
            return ()
        return [sum(_cosine(query, each) for query in asked) / len(asked) for each in vectors]

    async def to_entry(self, hit: Hit, texts: Sequence[str]) -> Sequence[float]:
        """How near each text is to a whole entry; nothing when that cannot be told."""
        if self._embedder is None or not texts:
            return ()
        [whole] = texts_to_embed(hit.title, hit.answer, quotable=True)
        try:
            vector, *others = await self._embedder.embed([whole, *texts])
        except EmbeddingError:
            return ()
        return [_cosine(vector, each) for each in others]


def _cosine(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
