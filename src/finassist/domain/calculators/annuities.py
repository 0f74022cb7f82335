"""The mathematics of regular payments: growth and annuity factors, with zero rates as their limits."""

from decimal import Decimal
from typing import Literal

from finassist.domain.calculators.calculation import MAX_MONTHS, CalculationError

Compounding = Literal["yearly", "half-yearly", "quarterly", "monthly", "weekly", "daily", "continuously"]
PERIODS: dict[Compounding, int] = {
    "yearly": 1,
    "half-yearly": 2,
    "quarterly": 4,
    "monthly": 12,
    "weekly": 52,
    "daily": 365,
}


def term(years: int, months: int) -> int:
    """A term in months. Raises CalculationError for none at all, or for more than a hundred years."""
    total = 12 * years + months
    if total < 1:
        raise CalculationError("The term must be at least one month.")
    if total > MAX_MONTHS:
        raise CalculationError(f"The term must be at most {MAX_MONTHS // 12} years.")
    return total


def monthly(yearly_rate: Decimal) -> Decimal:
    """A nominal yearly rate in percent as the fraction that a month brings: 6 is 0.005."""
    return yearly_rate / 1200


def growth(yearly_rate: Decimal, compounding: Compounding, months: int) -> Decimal:
    """What one unit becomes in so many months at a nominal yearly rate in percent."""
    if compounding == "continuously":
        return (yearly_rate * months / 1200).exp()
    periods = PERIODS[compounding]
    return (1 + yearly_rate / 100 / periods) ** (Decimal(periods * months) / 12)


def accumulated(rate: Decimal, periods: int) -> Decimal:
    """What one unit, paid at the end of each period, has become at the end of the last one."""
    if not rate:
        return Decimal(periods)
    return ((1 + rate) ** periods - 1) / rate


def present_value(rate: Decimal, periods: int) -> Decimal:
    """What one unit, paid at the end of each period, is worth at the start of the first one."""
    if not rate:
        return Decimal(periods)
    return (1 - (1 + rate) ** -periods) / rate
