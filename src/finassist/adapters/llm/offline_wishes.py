"""What a message asks of the last answer: its sources, an example, a shorter one, its reason, or a text to
send; told by meaning."""

from collections.abc import Mapping
from typing import Final

from finassist.adapters.embeddings.likeness import WISHES, Likeness
from finassist.adapters.embeddings.minilm.embedder import MODEL
from finassist.application.ports.knowledge import Embedder
from finassist.domain.errors import EmbeddingError
from finassist.domain.retrieval.hybrid import asked_for
from finassist.domain.retrieval.wishes import Wish

_WORDS_MAX: Final = 12
"""Longer messages say what they are about."""


class Wishes:
    """Tells what a message wishes of the answer before it, for the vectors of the model that ships."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder: Final = embedder
        self._likeness: Final[Mapping[Wish, Likeness]] = {
            wish: Likeness(file) for wish, file in WISHES.items()
        }

    async def of(self, message: str) -> Wish | None:
        """The likeliest wish; None for none."""
        if self._embedder is None or self._embedder.model != MODEL or len(message.split()) > _WORDS_MAX:
            return None
        try:
            vector = await self._embedder.embed_query(asked_for(message))
        except EmbeddingError:
            return None
        odds = {wish: likeness(vector) for wish, likeness in self._likeness.items()}
        likeliest = max(odds, key=odds.__getitem__)
        return likeliest if odds[likeliest] > 0 else None
