"""Calculations in other languages that words alone would take for a call for help."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from finassist.application.ports.classifiers import DistressClassifier
from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.safety import Concern, Sign

_SPARED: Final = frozenset((Concern.DEBT, Concern.SCAM))


class DistressClassifierBesideCalculations:
    """``DistressClassifier``: another one, but a message in another language than English, of which only the
    words speak, is no call for help with debts and no scam when it plainly asks for a calculation and gives
    every number: "debo 3.000 al 24 %, pago 150 al mes, cuánto tardo". With the sign of a scam it stays one.
    """

    def __init__(self, inner: DistressClassifier, calculates: Callable[[str], Awaitable[bool]]) -> None:
        """``calculates`` tells whether a text plainly asks for a calculation and lacks nothing."""
        self._inner = inner
        self._calculates = calculates

    async def concern(
        self,
        message: str,
        history: Sequence[str] = (),
        *,
        language: str = ENGLISH,
        beyond_doubt: bool = False,
    ) -> Concern | None:
        """What the message asks help for, or None; ``history`` is what the same user wrote before it."""
        found = await self._inner.concern(message, history, language=language, beyond_doubt=beyond_doubt)
        if found not in _SPARED or language == ENGLISH or not await self._calculates(message):
            return found
        return found if found is Concern.SCAM and await self.signs(message, language=language) else None

    async def signs(self, message: str, *, language: str = ENGLISH) -> Sequence[Sign]:
        """What is wrong with the offer that the message tells of, the clearest first."""
        return await self._inner.signs(message, language=language)
