"""What each had of a shared thing, nights or square metres, beside the cost that all share."""

from collections.abc import Sequence
from typing import Final

from finassist.domain.calculators.recognition.filling import Filled
from finassist.domain.calculators.recognition.presets.sharing import is_group
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.told.lacking import is_of_all

_PARTS: Final = frozenset(
    (Kind.SMALL, Kind.COUNT, Kind.DAYS, Kind.WEEKS, Kind.HOURS_IN_ALL, Kind.MEASURE, Kind.TERM)
)
_PAIR: Final = 2


def parts_of_each(quantities: Sequence[Quantity]) -> Filled | None:
    """The numbers that are no money, in the same unit; the group that they are of has as many."""
    parts = [each for each in quantities if each.kind in _PARTS and not each.symbol and not is_group(each)]
    groups = [each for each in quantities if is_group(each)]
    units = {each.unit for each in parts} - {""}
    if any(map(is_of_all, parts)):
        return None  # what all is together is no part
    is_alike = len(units) <= 1 and all(each.value == len(parts) for each in groups)
    return {"parts": tuple(parts)} if len(parts) >= _PAIR and is_alike else None


def days_of_year(quantities: Sequence[Quantity]) -> Filled:
    """The days that a year counts, beside those of a term."""
    days = [each for each in quantities if each.kind is Kind.DAYS]
    years = [each for each in days if each.value in _DAYS_A_YEAR]
    return {"days_a_year": (years[-1],)} if years and len(days) == _PAIR else {}


_DAYS_A_YEAR: Final = (360, 365, 366)
