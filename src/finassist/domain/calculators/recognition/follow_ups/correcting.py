"""A number of the calculation before that a message takes back for another one: "it is 5.1 now, not 4.6"."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.asides import is_age
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.exchanging import with_numbers
from finassist.domain.calculators.recognition.follow_ups.gathering import (
    asks,
    asks_for_figure,
    supposes,
)
from finassist.domain.calculators.recognition.follow_ups.ledger import Entry
from finassist.domain.calculators.recognition.follow_ups.placing import is_near
from finassist.domain.calculators.recognition.follow_ups.relative import in_months, with_value
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading, read
from finassist.domain.calculators.recognition.threads.offered import is_doubtful_sharer, tells_strange_fee
from finassist.domain.calculators.recognition.threads.words import CORRECTING
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))
_TAKEN_BACK: Final = late_pattern(rf"\b(?:{_DATA['taken_back']})(?: (?:{_DATA['articles']}))? $")
_YEAR: Final = 12
SHARED: Final = "people"
"""The argument that says how many share an amount."""
_AMOUNTS: Final = (Kind.AMOUNT, Kind.SMALL)


def corrected(draft: Draft, reading: Reading) -> Draft | None:
    """The calculation with a number in the place of the one that is taken back, and the other numbers of the
    message in theirs."""
    pair = _taken_back(reading)
    if draft.missing or pair is None:
        return None
    old, new = pair
    numbers = [each for each in reading.quantities or () if each is not old and each is not new]
    places = [
        (name, at)
        for name, filled in draft.filled.items()
        for at, each in enumerate(filled)
        if _is_told_as(each, old)
    ]
    if len(places) != 1:
        return None
    [(name, at)] = places
    filled = draft.filled[name]
    made = _in_place_of(filled[at], new)
    if made is None:
        return None
    found = draft.with_numbers({name: (*filled[:at], made, *filled[at + 1 :])}, reading.text)
    return with_numbers(found, replace(reading, quantities=numbers)) if numbers else found


def told_anew(earlier: Sequence[Reading], reading: Reading) -> Sequence[Reading]:
    """The earlier messages with the right number in the place of the one that is taken back."""
    pair = _taken_back(reading)
    return earlier if pair is None else [_told_anew(each, *pair) for each in earlier]


def _told_anew(earlier: Reading, old: Quantity, new: Quantity) -> Reading:
    told = [each for each in earlier.quantities or () if _is_told_as(each, old)]
    made = _in_place_of(told[0], new) if len(told) == 1 else None
    if made is None or made.kind is not told[0].kind or earlier.text.count(told[0].written) != 1:
        return earlier
    written = new.written if new.kind is Kind.TERM else made.written
    return read(earlier.text.replace(told[0].written, written))


def _taken_back(reading: Reading) -> tuple[Quantity, Quantity] | None:
    """The number that a message takes back and the one that it says in its place, which stands before it if
    one does."""
    numbers = list(reading.quantities or ())
    back = [at for at, each in enumerate(numbers) if _TAKEN_BACK.search(each.before)]
    if len(back) != 1 or len(numbers) == 1:
        return None
    return numbers.pop(back[0]), numbers[max(back[0] - 1, 0)]


def is_of_another(draft: Draft, reading: Reading, ledger: Sequence[Entry]) -> bool:
    """Whether the only number of a message is a rate of another kind of calculation than the last one, or a
    fee of which it knows nothing: it is no new one for that."""
    numbers = reading.quantities or ()
    if tells_strange_fee(draft, reading) or is_doubtful_sharer(draft, reading):
        return True
    if len(numbers) != 1 or numbers[0].kind is not Kind.RATE:
        return False
    others = [entry for entry in ledger if entry.draft and entry.draft.calculator != draft.calculator]
    here = any(each.value == numbers[0].value for filled in draft.filled.values() for each in filled)
    return not here and any(entry.has(numbers[0]) for entry in others)


def is_lost(draft: Draft | None, reading: Reading, *, is_plain: bool) -> bool:
    """Whether a message tells another number of a calculation, and it was not understood which; ``is_plain``:
    what the thread has come to is set against what is told later."""
    if not reading.quantities or draft is None:
        return bool(reading.quantities) and reading.says(CORRECTING)
    if supposes(reading) and len(reading.quantities) == 1 and not is_age(reading.quantities[0]):
        return True
    if asks(reading) or asks_for_figure(reading):
        return False
    if tells_strange_fee(draft, reading) or reading.says(CORRECTING):
        return True
    return (not is_plain or SHARED in draft.filled) and _is_lost_change(draft, reading)


def _is_lost_change(draft: Draft, reading: Reading) -> bool:
    """Whether a message has a number that may well be meant in the place of one of a calculation, or what one
    of those who share a bill pays."""
    told = [each for filled in draft.filled.values() for each in filled]
    new = [each for each in reading.quantities or () if not any(_is_told_as(old, each) for old in told)]
    is_shared = SHARED in draft.filled and any(each.kind in _AMOUNTS for each in new)
    return is_shared or any(is_near(old, each) for old in told for each in new)


def _in_place_of(told: Quantity, new: Quantity) -> Quantity | None:
    if new.kind is told.kind or {new.kind, told.kind} == {Kind.HOURS, Kind.HOURS_IN_ALL}:
        return replace(new, kind=told.kind, per=new.per or told.per)
    if not new.is_bare or new.value <= 0:
        return None
    return with_value(told, in_months(new, told) if told.kind is Kind.TERM else new.value)


def _is_told_as(told: Quantity, said: Quantity) -> bool:
    """Whether a message says a number of a calculation again, with its unit or without."""
    if told.kind is Kind.TERM and said.is_bare:
        return told.value in (said.value, said.value * _YEAR)
    is_alike = told.kind is said.kind or said.is_bare or told.is_bare
    return is_alike and told.value == said.value
