"""How near texts are in meaning, for the vectors of the model that ships."""

import math
from collections.abc import Sequence
from typing import Final

from finassist.adapters.embeddings.minilm.embedder import MODEL
from finassist.application.ports.knowledge import Embedder
from finassist.domain.errors import EmbeddingError
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.hybrid import asked_for, cosine, texts_to_embed
from finassist.domain.retrieval.in_context import about_subject
from finassist.domain.retrieval.queries import without_sizes

_LIKELIHOOD: Final = 0.2
"""What the logarithm of its score counts for how well an entry fits, beside how near its title is to the
message, alone and on the subject: chosen on 369 later messages."""
_HARDLY: Final = 0.001
"""Scores below this tell nothing more."""


def fit_in_conversation(hit: Hit, cosine: float) -> float:
    """How well an entry fits, whose title is so near."""
    return _LIKELIHOOD * math.log(max(hit.score, _HARDLY)) + cosine


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
            return [cosine(vector, each) for each in await self._embedder.embed(texts)]
        except EmbeddingError:
            return ()

    async def in_context(self, message: str, subject: str, texts: Sequence[str]) -> Sequence[float]:
        """How near each text is to a message on a subject: the mean of what it is to the message alone, and
        to the message with the subject behind it; nothing when that cannot be told."""
        _, in_context = await self.alone_and_in_context(message, subject, texts)
        return in_context

    async def alone_and_in_context(
        self, message: str, subject: str, texts: Sequence[str]
    ) -> tuple[Sequence[float], Sequence[float]]:
        """How near each text is to a message, and how near on a subject; each is embedded once."""
        if self._embedder is None or not texts:
            return (), ()
        queries = (without_sizes(message), about_subject(without_sizes(message), subject))
        try:
            alone, about = [await self._embedder.embed_query(asked_for(query)) for query in queries]
            vectors = await self._embedder.embed(texts)
        except EmbeddingError:
            return (), ()
        near = [cosine(alone, each) for each in vectors]
        return near, [(own + cosine(about, each)) / 2 for own, each in zip(near, vectors, strict=True)]

    async def to_entry(self, hit: Hit, texts: Sequence[str]) -> Sequence[float]:
        """How near each text is to a whole entry; nothing when that cannot be told."""
        if self._embedder is None or not texts:
            return ()
        [whole] = texts_to_embed(hit.title, hit.answer, quotable=True)
        try:
            vector, *others = await self._embedder.embed([whole, *texts])
        except EmbeddingError:
            return ()
        return [cosine(vector, each) for each in others]
