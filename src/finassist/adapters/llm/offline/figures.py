"""Whether a message asks for a figure to be calculated, by its meaning."""

from typing import Final

from finassist.adapters.embeddings.likeness import FIGURES_ASKED, Likeness
from finassist.adapters.embeddings.minilm.embedder import MODEL
from finassist.application.ports.knowledge import Embedder
from finassist.domain.calculators.recognition.reading import read
from finassist.domain.calculators.recognition.sums.told.typed import typed_sum
from finassist.domain.calculators.recognition.threads.words import with_digits
from finassist.domain.errors import EmbeddingError


class Figures:
    """Tells messages in English that ask for a figure from others: people tell amounts, rates and dates
    beside most of what they ask."""

    def __init__(self, embedder: Embedder | None) -> None:
        """Without the embedder that ships any message may ask for one."""
        self._embedder: Final = embedder if embedder is not None and embedder.model == MODEL else None
        self._likeness: Final = Likeness(FIGURES_ASKED)

    async def may_be_asked(self, message: str) -> bool:
        """Whether a message may ask for a figure; a typed sum does."""
        if self._embedder is None or typed_sum(message):
            return True
        try:
            vector = await self._embedder.embed_query(read(with_digits(message)).sketch)
        except EmbeddingError:
            return True
        return self._likeness(vector) > 0
