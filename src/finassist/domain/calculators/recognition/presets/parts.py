"""What each had of a shared thing, nights or square metres, beside the cost that all share."""

import re
from collections.abc import Sequence
from typing import Final

from finassist.domain.calculators.recognition.filling import Filled
from finassist.domain.calculators.recognition.presets.sharing import is_group
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.words import after, before, words

_PARTS: Final = frozenset(
    (Kind.SMALL, Kind.COUNT, Kind.DAYS, Kind.WEEKS, Kind.HOURS_IN_ALL, Kind.MEASURE, Kind.TERM)
)
_WHOLE_BEFORE: Final = before("whole_before")
_WHOLE_AFTER: Final = after("whole_after")
_OUT_OF: Final = re.compile(rf" {words('days_out_of')} ")
_PAIR: Final = 2


def parts_of_each(quantities: Sequence[Quantity]) -> Filled | None:
    """The numbers that are no money, in the same unit; the group that they are of has as many."""
    parts = [each for each in quantities if each.kind in _PARTS and not each.symbol and not is_group(each)]
    groups = [each for each in quantities if is_group(each)]
    units = {each.unit for each in parts} - {""}
    if any(map(_is_of_all, parts)):
        return None  # what all is together is no part
    is_alike = len(units) <= 1 and all(each.value == len(parts) for each in groups)
    return {"parts": tuple(parts)} if len(parts) >= _PAIR and is_alike else None


def _is_of_all(part: Quantity) -> bool:
    """Whether a size or time is that of all together."""
    return bool(
        _OUT_OF.fullmatch(part.before) or _WHOLE_BEFORE.search(part.before) or _WHOLE_AFTER.match(part.after)
    )


def days_of_year(quantities: Sequence[Quantity]) -> Filled:
    """The days that a year counts, beside those of a term."""
    days = [each for each in quantities if each.kind is Kind.DAYS]
    years = [each for each in days if each.value in _DAYS_A_YEAR]
    return {"days_a_year": (years[-1],)} if years and len(days) == _PAIR else {}


_DAYS_A_YEAR: Final = (360, 365, 366)
