"""A calculation as another one, when a message adds what only that one takes."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.calculation import MAX_MONTHS
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.adjusted import PAID_DOWN, RATE_WORD, for_same_pay
from finassist.domain.calculators.recognition.follow_ups.exchanging import with_numbers
from finassist.domain.calculators.recognition.follow_ups.placing import CUED, DEBTS, distance, fits, ways_of
from finassist.domain.calculators.recognition.follow_ups.relative import UP, sign_of, with_value
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.slots import form_of
from finassist.domain.calculators.recognition.threads.offered import offered, with_sharer
from finassist.domain.calculators.recognition.threads.retold import retold
from finassist.domain.calculators.recognition.threads.words import NO_SUMS
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))
_AMOUNTS: Final = (Kind.AMOUNT, Kind.MONTHLY_AMOUNT)
_FAR: Final = math.log(8)
_MONTHLY: Final = "monthly"
_CUES: Final = {
    switch["cue"]: late_pattern(rf"\b(?:{switch['cue']})\b")
    for switches in _DATA["switches"].values()
    for switch in switches
}
_ASKED_WITH: Final[Mapping[str, Sequence[tuple[Mapping[str, Any], Sequence[re.Pattern[str]]]]]] = {
    name: [
        (
            switch,
            [late_pattern(rf"(?<!\w)(?:{switch[each]})(?!\w)") for each in ("cue", "asks") if each in switch],
        )
        for switch in switches
    ]
    for name, switches in _DATA["asked_with"].items()
}
"""What another calculation takes more, with the words that tell it and, of some, those that ask for it."""
_INSTEAD: Final = late_pattern(rf"\b(?:{_DATA['instead']})\b")
_SAVED: Final = "saved"
_ALREADY: Final = late_pattern(rf"\b(?:{_DATA['already']})\b")
_WORDS_MAX: Final = 30
_INFLATION: Final = late_pattern(rf"\b(?:{_DATA['inflation_told']})\b")
_REALLY: Final = late_pattern(rf"\b(?:{_DATA['really']})\b")
_EARNED: Final = late_pattern(rf"\b(?:{_DATA['incomes']})\b")
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
    after 8 years, savings with what is there at the start, pay with weeks off, a loan that is overpaid."""
    if draft.missing or len(reading.quantities or ()) != 1:
        return None
    [number] = reading.quantities or ()
    if any(map(reading.says, (_INSTEAD, *NO_SUMS))):
        return None
    for switch, words in _ASKED_WITH.get(draft.calculator, ()):
        if not all(map(reading.says, words)) or (len(words) == 1 and reading.says(RATE_WORD)):
            continue
        other = _switched(draft, switch)
        slot = other.form.slots[switch["slot"]]
        is_regular = slot.kind == _MONTHLY and number.per == "month"
        if slot.favour(number, is_first=True, is_last=True) is None or (number.per and not is_regular):
            continue
        made = other.with_numbers({slot.name: (number,)}, reading.text)
        is_within = number.kind is not Kind.TERM or number.value < made.filled["term"][0].value
        if is_within and not made.missing:
            return made
    return None


def with_saved(draft: Draft, reading: Reading) -> Draft | None:
    """A goal with what is there already, which the words beside the only new amount of a message tell: "i
    have already 3 lakh, count that at 11% as well"."""
    told = {each.value for filled in draft.filled.values() for each in filled}
    numbers = [each for each in reading.quantities or () if each.value not in told]
    is_other = draft.calculator != "savings_goal" or _SAVED not in draft.form.slots or draft.missing
    if is_other or len(numbers) != 1 or not reading.says(_ALREADY) or reading.says(_INSTEAD):
        return None
    [saved], [*goal] = numbers, draft.filled.get("goal", ())
    if saved.kind is not Kind.AMOUNT or not goal or saved.value >= goal[0].value:
        return None
    cued = max(ways_of(draft, saved, is_first=True, is_last=True), key=lambda way: way[0], default=None)
    is_saved = cued is not None and cued[0] >= CUED and cued[1].name == _SAVED
    if not is_saved or len(reading.text.split()) > _WORDS_MAX:
        return None
    return draft.with_numbers({_SAVED: (saved,)}, reading.text)


def after_inflation(draft: Draft, reading: Reading) -> Draft | None:
    """What a raise of a pay is really worth, when a message tells the inflation and asks that."""
    numbers, raised = reading.quantities or (), draft.filled.get("percent", ())
    is_rate = len(numbers) == 1 and numbers[0].kind is Kind.RATE and reading.says(_INFLATION)
    if draft.name != "percentage/add" or draft.missing or not is_rate or len(raised) != 1:
        return None
    if not reading.says(_REALLY) or not _EARNED.search(draft.said):
        return None
    filled = {"before": draft.filled["amount"], "raise_percent": raised, "inflation_rate": tuple(numbers)}
    made = Draft("real_raise", filled, f"{draft.said} | {reading.text}")
    return None if made.missing else made


def with_more_down(draft: Draft, reading: Reading) -> Draft | None:
    """A house of which more is paid down than the part of the price that was told, and the other numbers of
    the message in their places: "and 10,000 more for the deposit"."""
    numbers = [each for each in reading.quantities or () if each.kind is Kind.AMOUNT]
    part = draft.filled.get("deposit_percent", ())
    if draft.name != "mortgage" or draft.missing or len(numbers) != 1 or len(part) != 1:
        return None
    [more], [price] = numbers, draft.filled["price"]
    if sign_of(more) != UP or any(map(reading.says, NO_SUMS)):
        return None
    if draft.form.slots["deposit"].favour(more, is_first=True, is_last=True) is None:
        return None
    paid = price.value * part[0].value / 100 + more.value
    left = {name: filled for name, filled in draft.filled.items() if name != "deposit_percent"}
    made = Draft(draft.name, left, draft.said)
    made = made.with_numbers({"deposit": (with_value(price, paid),)}, reading.text)
    others = [each for each in reading.quantities or () if each is not more]
    return with_numbers(made, replace(reading, quantities=others)) if others else made


def _switched(draft: Draft, switch: Mapping[str, Any]) -> Draft:
    filled: dict[str, tuple[Quantity, ...]] = {}
    for name, other in switch["slots"].items():
        if name in draft.filled:
            filled[other] = (*filled.get(other, ()), *draft.filled[name])
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


def other_of_same(draft: Draft, reading: Reading, *, is_stepped: bool) -> Draft | None:
    """Another calculation of the same numbers that a message asks for, or with one more in its story.
    ``is_stepped``: something was done with its result, which is done again with what is saved."""
    ways = _OTHER_WAYS if is_stepped else (*_OTHER_WAYS, with_saved)
    return next(filter(None, (way(draft, reading) for way in ways)), None)


_OTHER_WAYS: Final = (
    offered,
    with_sharer,
    retold,
    asked_with,
    for_same_pay,
    with_more_down,
    after_inflation,
)
