"""Messages that ask for help, told by their words, and by what they mean where the words leave it open."""

import logging
from collections.abc import Mapping, Sequence
from typing import Final

from finassist.adapters.classifier.distress import (
    LinearDistressClassifier,
    decided,
    depends_on_earlier,
)
from finassist.application.ports.knowledge import Embedder, Vector
from finassist.domain.errors import EmbeddingError
from finassist.domain.safety import EMERGENCIES, Concern, Sign

_log = logging.getLogger(__name__)

_UNLIKELY: Final = -3.5
"""Log odds up to which the words alone rule a concern out: so it is for three of four ordinary messages."""
_CHARACTERS_MAX: Final = 300
"""Of a longer message the vector says too little: one sentence of it may be the cry for help."""
_DOUBT_SHARE: Final = 0.5
_DOUBT_FROM: Final = 3.0
_BY_WORDS_ALONE: Final = {
    concern: 0.0 if concern in EMERGENCIES else 2.2 if concern is Concern.SCAM else 1.5 for concern in Concern
}
"""Taken from the log odds of what is no emergency where no vector helps: words alone take an innocent sum in
another language for an offer too good to be true."""
_SHORT_WORDS: Final = 12
_IN_CONVERSATION: Final = {concern: 1.0 if concern is Concern.SELF_HARM else 2.0 for concern in Concern}
"""Taken from the log odds of a message of so few words in a conversation that was not about distress: "I just
don't stick to it" is about a budget then. Less of self-harm, where a call for help must not be missed."""
_LANGUAGE: Final = "en"
"""The language that the vectors are for."""


def _together(concern: Concern, words: float, meaning: float) -> float:
    """The log odds by both. Of an emergency only a strong doubt counts, and that by half."""
    both = words + meaning
    if concern not in EMERGENCIES:
        return both
    return max(both, words + _DOUBT_SHARE * min(0.0, meaning + _DOUBT_FROM))


class DistressClassifierByMeaning:
    """``DistressClassifier``: words and runs of letters for all messages and languages; in English, the
    vector of a short message as well, unless the words rule out every concern.

    The vector is that of the shipped sentence encoder, computed in this process. Without it, or when it
    fails, the words decide.
    """

    def __init__(self, words: LinearDistressClassifier, embedder: Embedder | None) -> None:
        self._words = words
        self._embedder = embedder

    async def concern(self, message: str, history: Sequence[str] = ()) -> Concern | None:
        """What the message asks help for, or None; ``history`` is what the same user wrote before it."""
        margins = await self._margins(message)
        before = None
        if history and depends_on_earlier(margins):
            before = decided(await self._margins(history[-1]))
        if history and before is None and len(message.split()) <= _SHORT_WORDS:
            margins = {concern: margin - _IN_CONVERSATION[concern] for concern, margin in margins.items()}
        return decided(margins, before)

    async def signs(self, message: str) -> Sequence[Sign]:
        """What is wrong with the offer that the message tells of, the clearest first."""
        scores = dict(self._words.signs(message))
        vector = await self._vector(message)
        if vector is not None:
            added = self._words.meaning(vector)
            scores = {sign: score + added[sign] for sign, score in scores.items()}
        found = [sign for sign, score in scores.items() if score > 0]
        return sorted(found, key=lambda sign: -scores[sign])

    def language(self, message: str) -> str:
        """The code of the language that the message is likeliest to be in."""
        return self._words.language(message)

    async def _margins(self, message: str) -> Mapping[Concern, float]:
        margins = self._words.margins(message)
        if max(margins.values()) <= _UNLIKELY:
            return margins
        vector = await self._vector(message)
        if vector is None:
            return {concern: margin - _BY_WORDS_ALONE[concern] for concern, margin in margins.items()}
        added = self._words.meaning(vector)
        return {concern: _together(concern, margin, added[concern]) for concern, margin in margins.items()}

    async def _vector(self, message: str) -> Vector | None:
        text = message.strip()
        if self._embedder is None or self._embedder.model != self._words.embedder:
            return None
        if not text or len(text) > _CHARACTERS_MAX or self._words.language(text) != _LANGUAGE:
            return None
        try:
            return await self._embedder.embed_query(text)
        except EmbeddingError as error:
            _log.warning("a message could not be embedded, its words decide: %s", error.kind)
            return None
