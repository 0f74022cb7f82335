"""Telling by meaning which questions are vague, and which titles lead on from them."""

from collections.abc import Sequence
from typing import Final

from finassist.adapters.embeddings.likeness import VAGUE, Likeness
from finassist.application.ports.knowledge import Embedder
from finassist.domain.errors import EmbeddingError
from finassist.domain.retrieval.hybrid import asked_for

_CLEAR: Final = 0.15
"""From here on a question is vague: four of 600 ordinary questions by strangers are nearer to zero."""
_WIDTH: Final = 0.1
"""What a title's own vagueness counts beside its cosine to the question. Chosen by eye on 18 questions."""


class VagueByMeaning:
    """``VagueQuestions`` for the vectors of the model that ships."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder: Final = embedder
        self._likeness: Final = Likeness(VAGUE)

    async def is_vague(self, question: str) -> bool:
        """Whether a question names a subject and not what it wants to know of it."""
        try:
            return self._likeness(await self._embedder.embed_query(asked_for(question))) > _CLEAR
        except EmbeddingError:
            return False

    async def leads(self, question: str, titles: Sequence[str]) -> Sequence[float]:
        """How well each title leads on: near to the question, and itself as wide as it."""
        try:
            asked = await self._embedder.embed_query(asked_for(question))
            vectors = await self._embedder.embed([asked_for(title) for title in titles]) if titles else ()
        except EmbeddingError:
            return [0.0 for _ in titles]
        return [
            sum(a * b for a, b in zip(asked, vector, strict=True)) + _WIDTH * self._likeness(vector)
            for vector in vectors
        ]


class NeverVague:
    """``VagueQuestions`` without vectors: none is told."""

    async def is_vague(self, question: str) -> bool:
        """Nothing tells."""
        return False

    async def leads(self, question: str, titles: Sequence[str]) -> Sequence[float]:
        """All alike."""
        return [0.0 for _ in titles]
