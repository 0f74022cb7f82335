"""Numbers with their units and the expression that they come from."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

Unit = Mapping[str, int]
"""Powers of what is counted: 28 an hour is ``{"money": 1, "hour": -1}``."""

MONEY: Final = "money"
A_YEAR: Final[Mapping[str, int]] = {
    "year": 1,
    "quarter": 4,
    "month": 12,
    "fortnight": 26,
    "week": 52,
    "day": 365,
    "twomonth": 6,
    "halfyear": 2,
    "fourweek": 13,
}
"""How many of each period a year has."""
RARE_PERIODS: Final = frozenset(("twomonth", "halfyear", "fourweek"))
"""Those that something may be paid for, and no result is told for."""

_SUM, _PRODUCT, _ATOM = range(3)


@dataclass(frozen=True, slots=True)
class Value:
    """A number, how it is written as an expression, and its unit. ``rank`` tells what is in brackets."""

    number: Decimal
    written: str
    unit: Unit
    rank: int = _ATOM

    def __mul__(self, other: "Value") -> "Value":
        return Value(
            self.number * other.number,
            f"{self._within(_PRODUCT)} * {other._within(_PRODUCT)}",
            _joined(self.unit, other.unit, 1),
            _PRODUCT,
        )

    def __truediv__(self, other: "Value") -> "Value":
        return Value(
            self.number / other.number,
            f"{self._within(_PRODUCT)} / {other._within(_ATOM)}",
            _joined(self.unit, other.unit, -1),
            _PRODUCT,
        )

    def __add__(self, other: "Value") -> "Value":
        return Value(self.number + other.number, f"{self.written} + {other.written}", self.unit, _SUM)

    def __sub__(self, other: "Value") -> "Value":
        return Value(
            self.number - other.number, f"{self.written} - {other._within(_PRODUCT)}", self.unit, _SUM
        )

    def _within(self, rank: int) -> str:
        return self.written if self.rank >= rank else f"({self.written})"

    @property
    def periods(self) -> list[str]:
        """The periods that it is for."""
        return [name for name, power in self.unit.items() if power < 0 and name in A_YEAR]

    def without(self, name: str) -> "Value":
        """The same number, no longer told for a unit."""
        unit = {each: power for each, power in self.unit.items() if each != name}
        return Value(self.number, self.written, unit, self.rank)

    def for_each(self, name: str) -> "Value":
        """The same number, told for a unit."""
        return Value(self.number, self.written, {**self.unit, name: -1}, self.rank)


def smaller(one: Value, other: Value) -> Value:
    """The smaller of two numbers."""
    return Value(min(one.number, other.number), f"min({one.written}, {other.written})", one.unit)


def larger(one: Value, other: Value) -> Value:
    """The larger of two numbers."""
    return Value(max(one.number, other.number), f"max({one.written}, {other.written})", one.unit)


def plain(number: Decimal | int) -> Value:
    """A number without a unit."""
    return Value(Decimal(number), f"{Decimal(number):f}", {})


def with_unit(number: Decimal, **unit: int) -> Value:
    """A number of a unit."""
    return Value(number, f"{number.normalize():f}", unit)


_WITHIN: Final[Mapping[tuple[str, str], int]] = {
    ("week", "day"): 7,
    ("fortnight", "day"): 14,
    ("fortnight", "week"): 2,
}
"""Periods that hold a whole number of others, which a year does not."""


def factor(period: str, other: str) -> Value:
    """What an amount for one period is multiplied by for another one."""
    if (other, period) in _WITHIN:
        return plain(_WITHIN[other, period])
    if (period, other) in _WITHIN:
        return plain(1) / plain(_WITHIN[period, other])
    return ratio(A_YEAR[period], A_YEAR[other])


def in_period(value: Value, period: str) -> Value | None:
    """What is told for one period, for another; None when it is told for none, or for several."""
    periods = value.periods
    if len(periods) != 1 or period not in A_YEAR:
        return None
    if periods[0] == period:
        return value
    return (value.without(periods[0]) * factor(periods[0], period)).for_each(period)


def ratio(above: int, below: int) -> Value:
    """A fraction that is as short as it can be."""
    if above % below == 0:
        return plain(above // below)
    if below % above == 0:
        return plain(1) / plain(below // above)
    return plain(above) / plain(below)


def same_unit(one: Unit, other: Unit) -> bool:
    """Whether two units are the same."""
    return dict(one) == dict(other)


def _joined(one: Unit, other: Unit, sign: int) -> Unit:
    joined = dict(one)
    for name, power in other.items():
        joined[name] = joined.get(name, 0) + sign * power
    return {name: power for name, power in joined.items() if power}
