"""A question whose sum its words name: its numbers by kind, and what it asks."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.asked import Asked
from finassist.domain.calculators.recognition.sums.values import MONEY, Value, plain, with_unit

PAIR: Final = 2
NEAR: Final = 30
"""So many characters beside a number tell what it is."""
WORD: Final = re.compile(r"[^\W\d_]{2,}")
_AMOUNTS: Final = frozenset((Kind.AMOUNT, Kind.MONTHLY_AMOUNT, Kind.PAY, Kind.SMALL, Kind.PRICE))


@dataclass(frozen=True, slots=True)
class Question:
    """The numbers of a question in order, what it asks, and its text."""

    quantities: Sequence[Quantity]
    asked: Asked
    text: str

    @property
    def rates(self) -> list[Quantity]:
        """The percentages, a year or of an amount."""
        return [each for each in self.quantities if each.kind is Kind.RATE and each.per in (None, "year")]

    @property
    def amounts(self) -> list[Quantity]:
        """The numbers that may be amounts."""
        return [each for each in self.quantities if each.kind in _AMOUNTS]

    @property
    def others(self) -> list[Quantity]:
        """The numbers that are neither."""
        known = [*self.rates, *self.amounts]
        return [each for each in self.quantities if all(each is not one for one in known)]

    def has(self, *, rates: int, amounts: int, others: int = 0) -> bool:
        """Whether the question has so many numbers of each kind and no other."""
        return (len(self.rates), len(self.amounts), len(self.others)) == (rates, amounts, others)

    def says(self, pattern: re.Pattern[str]) -> bool:
        """Whether the question has a word."""
        return pattern.search(self.text) is not None

    def asks(self, pattern: re.Pattern[str]) -> bool:
        """Whether the clause that asks has a word."""
        return pattern.search(self.asked.text) is not None


def amount(quantity: Quantity) -> Value:
    """An amount of money, whatever it is told for."""
    return with_unit(quantity.value, **{MONEY: 1})


def part(rate: Quantity) -> Value:
    """A percentage as a part of 1."""
    return with_unit(rate.value) / plain(100)


def apart(quantities: Sequence[Quantity], some: Sequence[Quantity]) -> list[Quantity]:
    """The quantities that are none of some."""
    return [each for each in quantities if all(each is not one for one in some)]
