"""Calculations in other languages that words alone would take for a call for help."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from finassist.application.ports.classifiers import DistressClassifier
from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.safety import Concern, Distress, Sign

_SPARED: Final = frozenset((Concern.DEBT, Concern.SCAM))
_GROWING: Final = frozenset(
    (
        "compound_annual_growth_rate",
        "compound_interest",
        "fixed_deposit",
        "recurring_deposit",
        "regular_investment",
        "savings_goal",
        "simple_interest",
    )
)
"""Calculators of money that grows: elsewhere a high rate is no return."""


class DistressClassifierBesideCalculations:
    """``DistressClassifier``: another one, but a message in another language than English, of which only the
    words speak, is no call for help with debts and no scam when it plainly asks for a calculation and gives
    every number: "debo 3.000 al 24 %, pago 150 al mes, cuánto tardo". With the sign of a scam it stays one,
    unless that is a return that is too high and no money grows: "con la regla del 33 %, qué alquiler".
    """

    def __init__(self, inner: DistressClassifier, calculator_of: Callable[[str], Awaitable[str]]) -> None:
        """``calculator_of`` names the calculator that a text plainly asks for and lacks nothing of, or
        returns an empty text."""
        self._inner = inner
        self._calculator_of = calculator_of

    async def distress(
        self, message: str, history: Sequence[str] = (), *, language: str = ENGLISH
    ) -> Distress | None:
        """What the message asks help for, or None; ``history`` is what the same user wrote before it."""
        found = await self._inner.distress(message, history, language=language)
        if found is None or found.concern not in _SPARED or language == ENGLISH:
            return found
        calculator = await self._calculator_of(message)
        if not calculator:
            return found
        signs = set(await self.signs(message, language=language))
        if calculator not in _GROWING:
            signs -= {Sign.RATE}
        return found if found.concern is Concern.SCAM and signs else None

    async def signs(self, message: str, *, language: str = ENGLISH) -> Sequence[Sign]:
        """What is wrong with the offer that the message tells of, the clearest first."""
        return await self._inner.signs(message, language=language)
