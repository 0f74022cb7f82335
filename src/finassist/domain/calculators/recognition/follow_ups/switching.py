"""A calculation as another one, when a message adds what only that one takes."""

import math
from collections.abc import Mapping
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.calculation import MAX_MONTHS
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.adjusted import PAID_DOWN, RATE_WORD
from finassist.domain.calculators.recognition.follow_ups.placing import DEBTS, distance, fits
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.slots import form_of
from finassist.domain.calculators.recognition.threads.words import NO_SUMS
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))
_AMOUNTS: Final = (Kind.AMOUNT, Kind.MONTHLY_AMOUNT)
_FAR: Final = math.log(8)
_CUES: Final = {
    switch["cue"]: late_pattern(rf"\b(?:{switch['cue']})\b")
    for switches in _DATA["switches"].values()
    for switch in switches
}
_ASKED_WITH: Final = {
    name: late_pattern(rf"\b(?:{switch['cue']})\b") for name, switch in _DATA["asked_with"].items()
}
_INSTEAD: Final = late_pattern(rf"\b(?:{_DATA['instead']})\b")
PAYING: Final = late_pattern(rf"\b(?:{_DATA['paying']})\b")


def as_other(draft: Draft, reading: Reading) -> Draft:
    """The calculation as another one, when the message adds what only that one takes."""
    if draft.missing or not reading.quantities:
        return draft
    *_, quantity = sorted(reading.quantities, key=lambda each: each.kind in (*_AMOUNTS, Kind.RATE))
    for switch in _DATA["switches"].get(draft.calculator, ()):
        is_cued = reading.says(_CUES[switch["cue"]])
        slot = form_of(switch["to"]).slots[switch["slot"]]
        is_fitting = fits(slot, quantity) or (slot.kind == DEBTS and quantity.kind is Kind.RATE)
        if (is_cued or _is_payment(switch, draft, quantity)) and is_fitting:
            return _switched(draft, switch)
    return draft


def asked_with(draft: Draft, reading: Reading) -> Draft | None:
    """Another calculation of the same numbers that words ask for with the only new number: what is still owed
    after 8 years, savings with what is there at the start."""
    switch = _DATA["asked_with"].get(draft.calculator)
    if switch is None or draft.missing or len(reading.quantities or ()) != 1:
        return None
    if any(map(reading.says, (RATE_WORD, _INSTEAD, *NO_SUMS))):
        return None
    [number], other = reading.quantities or (), _switched(draft, switch)
    slot = other.form.slots[switch["slot"]]
    is_meant = slot.favour(number, is_first=True, is_last=True) is not None and number.per is None
    if not is_meant or not reading.says(_ASKED_WITH[draft.calculator]):
        return None
    made = other.with_numbers({slot.name: (number,)}, reading.text)
    is_within = number.kind is not Kind.TERM or number.value < made.filled["term"][0].value
    return made if is_within and not made.missing else None


def _switched(draft: Draft, switch: Mapping[str, Any]) -> Draft:
    filled: dict[str, tuple[Quantity, ...]] = {}
    for name, other in switch["slots"].items():
        filled[other] = (*filled.get(other, ()), *draft.filled.get(name, ()))
    return Draft(switch["to"], filled, draft.said)


def _is_payment(switch: Mapping[str, Any], draft: Draft, quantity: Quantity) -> bool:
    """Whether a number can only be the payment that the other calculation takes, so small it is."""
    compared = switch.get("below")
    if compared is None or quantity.kind not in (Kind.AMOUNT, Kind.MONTHLY_AMOUNT):
        return False
    if quantity.kind is Kind.AMOUNT and not PAYING.search(quantity.before):
        return False
    if PAID_DOWN.search(quantity.after):
        return False
    owed = draft.filled[compared][0]
    if quantity.value * MAX_MONTHS < owed.value:
        return False
    return quantity.kind is Kind.MONTHLY_AMOUNT or distance(owed, quantity) > _FAR


def without_added(draft: Draft, word: str) -> Draft | None:
    """The calculation as it was before a message added what a word names: "and without the extra"."""
    for name, switches in _DATA["switches"].items():
        for switch in switches:
            slot = draft.form.slots.get(switch["slot"])
            is_added = switch["to"] == draft.calculator and switch["slot"] in draft.filled
            if not is_added or slot is None or word not in slot.says_of or DEBTS in switch["slots"].values():
                continue
            filled = {old: draft.filled[new] for old, new in switch["slots"].items() if new in draft.filled}
            return Draft(name, filled, draft.said)
    return None
