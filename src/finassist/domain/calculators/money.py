"""Rounding at the end of a calculation, and numbers as people read them."""

from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from finassist.domain.calculators.calculation import CalculationError

ROUNDED: Final = "Amounts are rounded to the cent, at the end."
"""What a calculation says of its rounding."""

_CENT = Decimal("0.01")
_RATE_STEP = Decimal("0.0001")
_MEANINGLESS = Decimal(10) ** 24
_FACTOR_DIGITS = 10


def cents(amount: Decimal) -> Decimal:
    """An amount rounded half-up to the cent. Raises CalculationError for one that no money can be."""
    if abs(amount) >= _MEANINGLESS:
        raise CalculationError("The result is too large to mean anything.")
    return amount.quantize(_CENT, ROUND_HALF_UP) + 0  # a negative zero becomes zero


def percent(fraction: Decimal) -> Decimal:
    """A fraction as percent, rounded half-up to four decimals: 0.126825030 is 12.6825."""
    if abs(fraction) >= _MEANINGLESS:
        raise CalculationError("The result is too large to mean anything.")
    return (fraction * 100).quantize(_RATE_STEP, ROUND_HALF_UP) + 0


def show_money(amount: Decimal) -> str:
    """``1234.5`` as ``1,234.50``."""
    return f"{cents(amount):,}"


def show_rate(rate: Decimal) -> str:
    """A rate in percent as ``7.5%``."""
    return f"{show_number(rate)}%"


def show_number(number: Decimal) -> str:
    """A factor or fraction with at most ten significant digits: ``1.647009``, ``0.005``."""
    return f"{number:.{_FACTOR_DIGITS}g}" if not _is_short(number) else f"{number.normalize():f}"


def show_term(months: int) -> str:
    """``30`` as ``2 years and 6 months``."""
    years, rest = divmod(months, 12)
    parts = [show_count(years, "year")] if years else []
    if rest or not years:
        parts.append(show_count(rest, "month"))
    return " and ".join(parts)


def show_count(count: int, unit: str) -> str:
    """``1`` and ``month`` as ``1 month``, ``2`` as ``2 months``."""
    return f"{count:,} {unit}" if count == 1 else f"{count:,} {unit}s"


def _is_short(number: Decimal) -> bool:
    return (
        len(number.normalize().as_tuple().digits) <= _FACTOR_DIGITS
        and abs(number.adjusted()) < _FACTOR_DIGITS
    )
