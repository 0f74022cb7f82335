"""Tax bands as people write them: "0% up to 125k, 2% to 250k, 5% above", "first 12,570 free, then 20%"."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from finassist.data import shipped
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.patterns import late_pattern

_A: Final = r"<a(\d+)>"
_R: Final = r"<r(\d+)>"
_SAID: Final[Mapping[str, Any]] = shipped("calculators/recognition")["bands"]
_FREE: Final = rf"(?:(?:is|are|being) )?(?:{_SAID['free']})"
_LINK: Final = rf"(?: (?:{_SAID['linking']}))*:? ?"
_ON: Final = r"(?:from (?:there|then|that|it)(?: on)?,? )?"
_REST: Final = rf"(?:{_SAID['rest']})? ?(?:{_SAID['above']})"
_SLICE: Final = rf"(?:(?:{_SAID['slice']}) )?"
_ENDS: Final = rf"(?:{_SAID['up_to']})"
_PATTERNS: Final = tuple(
    (kind, late_pattern(pattern))
    for kind, pattern in (
        ("range_rate", rf"{_SLICE}(?:from |between )?{_A} ?(?:to|-|\u2013|and|bis|à|a) ?{_A}{_LINK} ?{_R}"),
        (
            "rate_range",
            rf"{_R} (?:on |for )?{_SLICE}(?:from |between )?{_A} ?(?:to|-|\u2013|and|bis|à|a) ?{_A}",
        ),
        ("rate_next", rf"{_R} (?:on |of |for )?(?:the )?next {_A}"),
        ("next_rate", rf"(?:the )?next {_A}{_LINK} ?{_R}"),
        ("first_free", rf"(?:the )?first {_A} {_FREE}"),
        ("first_free", rf"(?:no tax|nothing|tax[- ]free) (?:on |for )?(?:the )?(?:first|{_ENDS}) {_A}"),
        ("first_rate", rf"(?:the )?(?:first|{_ENDS}) {_A}{_LINK} ?{_R}"),
        ("rate_first", rf"{_R} (?:on |of |for )?{_ON}(?:the )?(?:first|{_ENDS}) {_A}"),
        ("rate_above", rf"{_R} (?:on |of |for )?{_SLICE}{_REST}(?: {_A})?"),
        ("above_rate", rf"(?:and |then )?{_REST} {_A}{_LINK} ?{_R}"),
        ("rest_rate", rf"(?:above|over|beyond|after) that{_LINK} ?{_R}"),
        ("rate_rest", rf"(?:then )?{_R} (?:on |of |for )?(?:the )?(?:rest|remainder|remaining|balance)"),
        ("rest_rate", rf"\bthen {_R}$"),
        ("rest_rate", rf"\bthen {_R}(?= ?[.,;])"),
        ("rest_rate", rf"(?:the )?(?:rest|remainder|remaining){_LINK} ?{_R}"),
    )
)
_ZERO: Final = Quantity(kind=Kind.AMOUNT, value=Decimal(0), before="", after="", written="")
_FREE_RATE: Final = replace(_ZERO, kind=Kind.RATE)

_TAXED: Final = frozenset((Kind.AMOUNT, Kind.PAY))

_Band = tuple[Decimal | None, Decimal | None, Quantity]
"""Where a band begins and ends, as far as it says, and its rate."""


def read_bands(quantities: Sequence[Quantity]) -> Mapping[str, tuple[Quantity, ...]] | None:
    """The bands that a text tells, as pairs of where one begins and its rate; empty for none, None when they
    do not fit together."""
    text = _marked(quantities)
    found: list[tuple[int, _Band]] = []
    for kind, pattern in _PATTERNS:
        while match := pattern.search(text):
            found.append((match.start(), _band(kind, [quantities[int(i)] for i in match.groups() if i])))
            text = text[: match.start()] + "#" * len(match[0]) + text[match.end() :]
    bands = [band for _, band in sorted(found, key=lambda each: each[0])]
    if len(bands) <= 1:
        return {}
    told = band_quantities(quantities)
    if any(quantity.kind is Kind.RATE and id(quantity) not in told for quantity in quantities):
        return None
    top = bands[-1][1]
    beside = [each for each in quantities if each.kind in _TAXED and id(each) not in told]
    if top is not None and top > 0 and any(each.value > top for each in beside):
        return None  # what is above the last band is taxed at a rate that is not told
    return _stacked(bands)


def band_quantities(quantities: Sequence[Quantity]) -> frozenset[int]:
    """Those of the numbers, by identity, that the bands are told by."""
    text = _marked(quantities)
    used: set[int] = set()
    for _, pattern in _PATTERNS:
        while match := pattern.search(text):
            used |= {id(quantities[int(i)]) for i in match.groups() if i}
            text = text[: match.start()] + "#" * len(match[0]) + text[match.end() :]
    return frozenset(used)


def _marked(quantities: Sequence[Quantity]) -> str:
    text = quantities[0].before if quantities else ""
    for place, quantity in enumerate(quantities):
        mark = {Kind.RATE: f"<r{place}>", Kind.AMOUNT: f"<a{place}>", Kind.PAY: f"<a{place}>"}
        is_nothing = quantity.kind is Kind.SMALL and not quantity.value
        text += (f"<r{place}>" if is_nothing else mark.get(quantity.kind, "<x>")) + quantity.after
    return re.sub(r"\s+", " ", text)


def _band(kind: str, given: Sequence[Quantity]) -> _Band:
    amounts = [quantity for quantity in given if quantity.kind not in (Kind.RATE, Kind.SMALL)]
    rate = next((quantity for quantity in given if quantity.kind is Kind.RATE), _FREE_RATE)
    first = amounts[0].value if amounts else None
    if kind in {"range_rate", "rate_range"}:
        return first, amounts[1].value, rate
    if kind in {"rate_next", "next_rate"}:
        return None, -(first or Decimal(0)), rate
    if kind in {"first_free", "first_rate", "rate_first"}:
        return None, first, rate
    return first, None, rate


def _stacked(bands: Sequence[_Band]) -> Mapping[str, tuple[Quantity, ...]] | None:
    """The bands one above the other; a negative end is how wide a band is."""
    filled: list[Quantity] = []
    reached: Decimal | None = Decimal(0)
    for begins, ends, rate in bands:
        start = reached if begins is None else begins
        if begins is not None and reached is not None and begins == reached + 1:
            start = reached  # "to 18,200, and from 18,201"
        if start is None or (reached is not None and start != reached):
            return None
        filled += [replace(_ZERO, value=start), rate]
        reached = None if ends is None else ends if ends >= 0 else start - ends
    return {"bands": tuple(filled)}
