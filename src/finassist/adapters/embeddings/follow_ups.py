"""Telling by meaning which messages make sense only with what came before them."""

from typing import Final

from finassist.adapters.embeddings.likeness import (
    FEELINGS,
    FOLLOW_UPS,
    REACTIONS,
    Likeness,
    LikenessByKind,
)
from finassist.application.ports.knowledge import Embedder
from finassist.domain.errors import EmbeddingError
from finassist.domain.retrieval.hybrid import asked_for
from finassist.domain.retrieval.questions import asks_in_words, leans_on_earlier

_FEELS: Final = 0.5
_DOUBTFUL: Final = -1.3
"""From the first log odds of a feeling on a message is a reaction, unless those of a reaction are below the
second."""


class FollowUpsByMeaning:
    """``FollowUpClassifier`` for the vectors of the model that ships; by words when one cannot be had."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder: Final = embedder
        self._likeness: Final = Likeness(FOLLOW_UPS)
        self._reactions: Final = Likeness(REACTIONS)
        self._feelings: Final = LikenessByKind(FEELINGS)

    async def leans_on_earlier(self, message: str) -> bool:
        """Whether a message makes sense only with what came before it."""
        try:
            return self._likeness(await self._embedder.embed_query(asked_for(message))) > 0
        except EmbeddingError:
            return leans_on_earlier(message)

    async def asks_nothing(self, message: str) -> bool:
        """Whether a message only thanks, agrees, comments or takes leave."""
        if asks_in_words(message):
            return False
        try:
            vector = await self._embedder.embed_query(asked_for(message))
        except EmbeddingError:
            return False
        reacts = self._reactions(vector)
        return reacts > 0 or (reacts > _DOUBTFUL and max(self._feelings(vector).values()) > _FEELS)
