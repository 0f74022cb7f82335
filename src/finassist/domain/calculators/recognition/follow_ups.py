"""What a later message does to the calculation before it: gives the number that it lacks, changes or adds
one, or asks to see more of its result."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.drafts import Draft, is_plausible
from finassist.domain.calculators.recognition.quantities import QUANTITY, Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.slots import Slot, form_of

_DATA: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))
_LINKING: Final = frozenset(_DATA["linking"].split())
_HINTED: Final = frozenset(_DATA["hinted"].split())
_HINT: Final = re.compile(rf"^\W*(?:{_DATA['hint']})\b|\b(?:{_DATA['instead']})\b")
_TABLE: Final = re.compile(rf"\b(?:{_DATA['views']['table']})\b")
_FIGURES: Final = {re.compile(rf"\b(?:{said})\b"): tuple(names) for said, names in _DATA["figures"].items()}
_INFLATED: Final[Mapping[str, str]] = _DATA["inflated"]
_INFLATION: Final = re.compile(r"\binflation\b")
_WITHOUT_INTEREST: Final = re.compile(rf"\b(?:{_DATA['without_interest']})\b")
_MORE: Final = re.compile(r"\b(?:more|extra|additional)\b")
_DEBTS: Final = "debts"
_EXTRA: Final = "extra_monthly"
_WORD: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_WORDS_MAX: Final = 12
_NUMBERS_MAX: Final = 3
_CUED: Final = 1.0
_AMOUNTS: Final = (Kind.AMOUNT, Kind.MONTHLY_AMOUNT)
_NEED: Final = 0.3
_NEARER: Final = 0.3
"""How much nearer, as a logarithm, a new number is to the one that it changes than to any other."""
_FAR: Final = math.log(8)
_OVER: Final = re.compile(r"\b(?:over|for|in|after|within) $")
_OF_AGE: Final = re.compile(r"\b(?:be|am|i'm|im|is|that|turn|turned|age|aged) $")
_RATE_MAX: Final = 40
"""From here on a number that nothing marks as a rate cannot be one."""
_AT: Final = re.compile(r"\b(?:at|rate of|rate is|bei|al) $")


@dataclass(frozen=True, slots=True)
class Continued:
    """The last calculation of a conversation as the last message leaves it. ``inflation`` is a yearly rate
    that the result is to be stated after; ``is_asked`` says whether the message is about it at all."""

    draft: Draft
    inflation: Decimal | None = None


def continued(readings: Sequence[Reading], understood: Sequence[Draft | None]) -> Continued | None:
    """The calculation that the last message asks for, with what the same user wrote before; oldest first.

    None when the last message asks for no calculation.
    """
    state: Continued | None = None
    for reading, found in zip(readings, understood, strict=True):
        changed = None if state is None or is_new(reading, found) else _changed(state, reading)
        if changed is None and found is not None:
            changed = Continued(found)
        state = changed
    return state


def is_new(reading: Reading, found: Draft | None) -> bool:
    """Whether a message is a calculation of its own, whatever came before: one with several numbers that
    lacks none. "500 a month" alone may be an answer."""
    return found is not None and not found.missing and len(reading.quantities or ()) != 1


def wants_table(text: str) -> bool:
    """Whether a message asks for the result by year or month."""
    return _TABLE.search(text.casefold()) is not None


def figures_wanted(text: str) -> Sequence[str]:
    """The names of the figures that a message asks for, best first; of a message with numbers only interest
    is told first, because the rest is what calculators answer with."""
    patterns = list(_FIGURES.items())[: 1 if any(letter.isdigit() for letter in text) else None]
    return [name for pattern, names in patterns if pattern.search(text.casefold()) for name in names]


def figure_inflated(calculator: str) -> str | None:
    """The figure of a result that inflation is taken off, if a follow-up may ask for that."""
    return _INFLATED.get(calculator)


def _changed(state: Continued, reading: Reading) -> Continued | None:
    quantities = reading.quantities
    if quantities is None or len(quantities) > _NUMBERS_MAX or not all(map(is_plausible, quantities)):
        return None
    if not quantities and reading.says(_WITHOUT_INTEREST):
        return _without_interest(state, reading)
    if not quantities:
        is_about_it = wants_table(reading.text) or figures_wanted(reading.text)
        return (
            state
            if is_about_it and not state.draft.missing and _is_linking(state.draft, reading, True)
            else None
        )
    if not _is_linking(state.draft, reading, False):
        return None
    inflation = _inflation(state.draft, reading)
    if inflation is not None:
        return replace(state, inflation=inflation)
    return _with_numbers(_switched(state.draft, reading), reading, state.inflation)


def _without_interest(state: Continued, reading: Reading) -> Continued | None:
    """The calculation with a rate of nothing, when it has one rate."""
    draft = state.draft
    rates = [
        name
        for name, slot in draft.form.slots.items()
        if slot.kind == "rate" and not slot.needs_cue and name.startswith("yearly_")
    ]
    if len(rates) != 1 or not _is_linking(draft, reading, False):
        return None
    nothing = Quantity(kind=Kind.RATE, value=Decimal(0), before="", after="", written="0 %")
    return replace(state, draft=draft.with_numbers({rates[0]: (nothing,)}, reading.text))


def _with_numbers(draft: Draft, reading: Reading, inflation: Decimal | None) -> Continued | None:
    given: set[str] = set()
    for place, quantity in enumerate(reading.quantities or ()):
        found = _place(draft, quantity, len(reading.quantities or ()), place)
        if found is None or found[0].name in given:
            return None
        slot, number = found
        given |= {slot.name} - {_DEBTS}
        if slot.kind == _DEBTS:
            draft = draft.with_numbers({slot.name: (*draft.filled[slot.name], number)}, reading.text)
            continue
        if (
            reading.says(_MORE)
            and slot.name in draft.filled
            and number.kind in _AMOUNTS
            and slot.name != _EXTRA
        ):
            number = replace(number, value=draft.filled[slot.name][0].value + number.value, written="")
        draft = draft.with_numbers({slot.name: (number,)}, reading.text)
    return Continued(draft, inflation)


def _place(draft: Draft, quantity: Quantity, count: int, place: int) -> tuple[Slot, Quantity] | None:
    """The slot that a number of a follow-up is for, and the number as it has it: one that the words beside it
    name, one that is missing, the one that it is nearest to, or one that may be added."""
    if len(draft.filled.get(_DEBTS, ())) == 1 and quantity.kind is Kind.RATE:
        return draft.form.slots[_DEBTS], quantity
    ways = _ways(draft, quantity, is_first=place == 0, is_last=place == count - 1)
    cued = [way for way in ways if way[0] >= _CUED]
    if cued:
        return max(cued, key=lambda way: way[0])[1:]
    missing = [way for way in ways if way[1].name in draft.missing]
    exact = [way for way in missing if way[2] is quantity and quantity.kind is not Kind.SMALL]
    if exact or len({way[1].name for way in missing}) == 1:
        return (exact or missing)[0][1:]
    if missing:
        return None
    changed = sorted(
        (_distance(draft.filled[slot.name][0], number), place, slot, number)
        for place, (_, slot, number) in enumerate(ways)
        if slot.name in draft.filled
    )
    if changed:
        is_clear = len(changed) == 1 or changed[1][0] - changed[0][0] > _NEARER
        return changed[0][2:] if is_clear else None
    added = {way[1].name: way for way in ways}
    return next(iter(added.values()))[1:] if len(added) == 1 else None


def _ways(
    draft: Draft, quantity: Quantity, *, is_first: bool, is_last: bool
) -> list[tuple[float, Slot, Quantity]]:
    """How well a number fits each slot. One without a unit may be an amount a month; a small one a rate or
    years as well, unless the word before it tells."""
    found = []
    for slot in draft.form.slots.values():
        free = replace(slot, needs_cue=False)
        for number in _meant(quantity):
            favour = free.favour(number, is_first=is_first, is_last=is_last) if slot.kind != _DEBTS else None
            if favour is not None:
                found.append((favour if slot.needs_cue else favour - _NEED, slot, number))
                break
    return found


def _meant(quantity: Quantity) -> Sequence[Quantity]:
    """What a number without a unit may be."""
    if not quantity.is_bare:
        return (quantity,)
    a_month = replace(quantity, kind=Kind.MONTHLY_AMOUNT, is_bare=False)
    if quantity.kind is not Kind.SMALL:
        return (quantity, a_month)
    years = replace(quantity, kind=Kind.TERM, value=12 * quantity.value, is_bare=False)
    if _OF_AGE.search(quantity.before):
        return ()
    percent = replace(quantity, kind=Kind.RATE, is_bare=False)
    rates = (percent,) if quantity.value < _RATE_MAX else ()
    if _OVER.search(quantity.before):
        return (years,)
    if _AT.search(quantity.before):
        return rates
    return (years, *rates, quantity, a_month)


def _fits(slot: Slot, quantity: Quantity) -> bool:
    return replace(slot, needs_cue=False).favour(quantity, is_first=True, is_last=True) is not None


def _distance(old: Quantity, new: Quantity) -> float:
    """How far two numbers are apart: a change is of the number that it is nearest to."""
    if old.value <= 0 or new.value <= 0:
        return math.inf
    return abs(math.log(float(new.value) / float(old.value)))


def _inflation(draft: Draft, reading: Reading) -> Decimal | None:
    """The inflation to state a result after, when the calculator has no place for it."""
    quantities = reading.quantities or ()
    is_alone = len(quantities) == 1 and quantities[0].kind is Kind.RATE and not draft.missing
    if is_alone and reading.says(_INFLATION) and draft.calculator in _INFLATED:
        return quantities[0].value
    return None


def _switched(draft: Draft, reading: Reading) -> Draft:
    """The calculation as another one, when the message adds what only that one takes."""
    if draft.missing or len(reading.quantities or ()) != 1:
        return draft
    quantity = (reading.quantities or ())[0]
    for switch in _DATA["switches"].get(draft.calculator, ()):
        is_cued = re.search(rf"\b(?:{switch['cue']})\b", reading.text) is not None
        if (is_cued or _is_payment(switch, draft, quantity)) and _fits(
            form_of(switch["to"]).slots[switch["slot"]], quantity
        ):
            filled: dict[str, tuple[Quantity, ...]] = {}
            for name, other in switch["slots"].items():
                filled[other] = (*filled.get(other, ()), *draft.filled.get(name, ()))
            return Draft(switch["to"], filled, draft.said)
    return draft


def _is_payment(switch: Mapping[str, Any], draft: Draft, quantity: Quantity) -> bool:
    """Whether a number can only be the payment that the other calculation takes, so small it is."""
    compared = switch.get("below")
    if compared is None or quantity.kind not in (Kind.AMOUNT, Kind.MONTHLY_AMOUNT):
        return False
    return quantity.kind is Kind.MONTHLY_AMOUNT or _distance(draft.filled[compared][0], quantity) > _FAR


def _is_linking(draft: Draft, reading: Reading, is_view: bool) -> bool:
    """Whether a message says little more than its numbers: words that link, and those of the calculation."""
    text = QUANTITY.sub(" ", reading.text)
    if is_view:
        text = _TABLE.sub(" ", text)
        for pattern in _FIGURES:
            text = pattern.sub(" ", text)
    words = _WORD.findall(_WITHOUT_INTEREST.sub(" ", text))
    is_hinted = reading.says(_HINT) or reading.says(_WITHOUT_INTEREST)
    known = (
        _LINKING | (_HINTED if is_hinted else frozenset()) | set(_WORD.findall(draft.said)) | _words_of(draft)
    )
    return len(words) <= _WORDS_MAX and known.issuperset(words)


def _words_of(draft: Draft) -> set[str]:
    """What the slots of a calculator are called."""
    words = {"inflation", "down", "deposit", "extra", "overpay"}
    for slot in draft.form.slots.values():
        words |= slot.says_of
    return words
