"""What the last answer is asked for once more: its sources, an example, a shorter one; told by meaning."""

from collections.abc import Mapping
from typing import Final

from finassist.adapters.embeddings.likeness import WISHES, Likeness
from finassist.adapters.embeddings.minilm.embedder import MODEL
from finassist.application.ports.knowledge import Embedder
from finassist.domain.errors import EmbeddingError
from finassist.domain.retrieval.hybrid import asked_for

DOUBT: Final = "doubt"
EXAMPLE: Final = "example"
SHORTER: Final = "shorter"

_WORDS_MAX: Final = 10
"""Longer messages say what they are about."""


class Wishes:
    """Tells what a message wishes of the answer before it, for the vectors of the model that ships."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder: Final = embedder
        self._likeness: Final[Mapping[str, Likeness]] = {
            kind: Likeness(file) for kind, file in WISHES.items()
        }

    async def of(self, message: str) -> str:
        """The kind that is likeliest; empty for none."""
        if self._embedder is None or self._embedder.model != MODEL or len(message.split()) > _WORDS_MAX:
            return ""
        try:
            vector = await self._embedder.embed_query(asked_for(message))
        except EmbeddingError:
            return ""
        odds = {kind: likeness(vector) for kind, likeness in self._likeness.items()}
        likeliest = max(odds, key=odds.__getitem__)
        return likeliest if odds[likeliest] > 0 else ""
