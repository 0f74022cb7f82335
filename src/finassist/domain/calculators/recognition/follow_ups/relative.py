"""By how much a message says that a number changes, up or down: "raise it by 5", "300 more a month", "2 years
longer", "half a percent less". A number that is said to become another one is none of these."""

from dataclasses import replace
from decimal import Decimal
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))["relative"]
_SIGNS: Final = {sign: _DATA[sign] for sign in ("up", "down")}
_BEFORE: Final = {
    sign: late_pattern(rf"\b(?:{said['before']})(?: [^.;?]*?\b(?:by|um|de|of|di))?(?: about| around)? $")
    for sign, said in _SIGNS.items()
}
_FURTHER: Final = late_pattern(rf"\b(?:{_DATA['further']}) $")
_AFTER: Final = {
    sign: late_pattern(rf"^(?: (?:a|an|per|each|every) [^\W\d_]+)? ?(?:{said['after']})(?!\w| than)")
    for sign, said in _SIGNS.items()
}
_YEAR: Final = 12
_PUT_UP_TO: Final = late_pattern(rf"\b(?:{_DATA['put_up_to']}) (?:about |around )?$")
UP: Final = "up"
DOWN: Final = "down"


def sign_of(number: Quantity) -> str:
    """``up`` or ``down`` when words beside a number say that it is a change; else empty, and for what
    something is put up to."""
    if is_put_up_to(number):
        return ""
    told = {
        sign for sign in (UP, DOWN) if _BEFORE[sign].search(number.before) or _AFTER[sign].match(number.after)
    }
    if not told and number.kind is not Kind.RATE and _FURTHER.search(number.before):
        return UP  # another percentage is one of what is left after the first
    return told.pop() if len(told) == 1 else ""


def is_put_up_to(number: Quantity) -> bool:
    """Whether a number is what another one changes to: "put up to 15"."""
    return _PUT_UP_TO.search(number.before) is not None


def is_told_as_more(number: Quantity) -> bool:
    """Whether the words behind a number say that it is more or less than before."""
    return any(pattern.match(number.after) for pattern in _AFTER.values())


def is_further(number: Quantity) -> bool:
    """Whether a number is told beside one of its kind, and not in its place: "then another 3%"."""
    return _FURTHER.search(number.before) is not None


def changed_by(old: Quantity, number: Quantity) -> Quantity | None:
    """What a number comes to with the change that another one tells; None for no change, and for nothing
    left."""
    sign = sign_of(number)
    if not sign or not is_counted_alike(old, number):
        return None
    value = old.value + (number.value if sign == UP else -number.value)
    return with_value(old, value) if value > 0 else None


def in_months(number: Quantity, told: Quantity | None = None) -> Decimal:
    """The months of a number without a unit: as many years, or months where these are nearer to the time that
    was told: "and over 48?" after 60 months."""
    years = number.value * _YEAR
    if told is None or told.value <= 0 or number.value <= 0 or told.unit:
        return years
    return number.value if _ratio(number.value, told.value) < _ratio(years, told.value) else years


def _ratio(one: Decimal, other: Decimal) -> Decimal:
    return max(one / other, other / one)


def with_value(old: Quantity, value: Decimal) -> Quantity:
    """A number with another value, written as it was."""
    sign = " %" if old.kind is Kind.RATE else ""
    written = f"{old.symbol}{value.normalize():,f}{sign}"
    unit = "" if old.kind is Kind.TERM else old.unit  # the age until which it was told
    return replace(old, value=value, written=written, is_bare=False, unit=unit)


def is_counted_alike(old: Quantity, number: Quantity) -> bool:
    """Whether both count the same: months, percent, or neither."""
    return all((old.kind is kind) is (number.kind is kind) for kind in (Kind.TERM, Kind.RATE))
