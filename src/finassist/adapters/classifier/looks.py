"""What words, the vector and the tuned layers say of a text."""

import logging
from collections.abc import Mapping
from typing import Final

from finassist.adapters.classifier.distress import LinearDistressClassifier
from finassist.adapters.classifier.tuned import Tuned
from finassist.adapters.embeddings.help import LONG_FROM, HelpReader
from finassist.application.ports.knowledge import Embedder, Vector
from finassist.domain.errors import EmbeddingError
from finassist.domain.retrieval.hybrid import asked_for
from finassist.domain.retrieval.languages import ENGLISH, is_plainly_english
from finassist.domain.safety import Concern

_log = logging.getLogger(__name__)

UNLIKELY: Final = -3.5
"""Log odds up to which the words alone rule a concern out: so it is for three of four ordinary messages."""
_CHARACTERS_MAX: Final = LONG_FROM
"""Of a longer message the vector says too little: one sentence of it may be the cry for help."""
_LONG_MAX: Final = 1_200
"""A longer message the tuned layers do not read: they see no more than some 250 words at once."""


class Looks:
    """Reads a text with the words and vectors of the trained weights, and the layers of an embedder that were
    tuned for help. Where the embedder is another one, or fails, only the words say something."""

    def __init__(self, words: LinearDistressClassifier, embedder: Embedder | None) -> None:
        self._words = words
        self._embedder = embedder

    async def margins(self, message: str, language: str) -> Mapping[Concern, float]:
        """The log odds of each concern, by words and, where they leave it open, by meaning."""
        margins = self._words.margins(message)
        if max(margins.values()) <= UNLIKELY:
            return margins
        vector = await self.vector(message, language)
        if vector is not None:
            added = self._words.meaning(vector)
        elif language != ENGLISH:
            added = self._words.in_another_language()
        else:
            return margins
        return {concern: margin + added[concern] for concern, margin in margins.items()}

    async def tuned(self, message: str, language: str) -> Tuned | None:
        """What the tuned layers say of a message as it was written, except for idioms, for which plain words
        are in it by now. Hindi in Latin letters comes as English, and so may a few words in any language:
        they would take both for harmless."""
        if not isinstance(self._embedder, HelpReader) or not self._understands(language):
            return None
        if not 0 < len(message) <= _LONG_MAX or not is_plainly_english(message):
            return None
        try:
            odds = await self._embedder.help_odds(message.strip())
        except EmbeddingError as error:
            _log.warning("a message could not be read for help, its words decide: %s", error.kind)
            return None
        return None if odds is None else Tuned(odds, is_long=len(message.strip()) > LONG_FROM)

    async def vector(self, message: str, language: str) -> Vector | None:
        """What the encoder makes of a message that is short enough for it, as the search asks for it."""
        if self._embedder is None or not self._reads(message, language):
            return None
        try:
            return await self._embedder.embed_query(asked_for(message.strip()))
        except EmbeddingError as error:
            _log.warning("a message could not be embedded, its words decide: %s", error.kind)
            return None

    def _reads(self, message: str, language: str) -> bool:
        """Whether the embedder is that of the weights, and a message is one for it."""
        return 0 < len(asked_for(message.strip())) <= _CHARACTERS_MAX and self._understands(language)

    def _understands(self, language: str) -> bool:
        """Whether the embedder is that of the weights, and understands a language."""
        if self._embedder is None or self._embedder.model != self._words.embedder:
            return False
        return self._embedder.understands(language)
