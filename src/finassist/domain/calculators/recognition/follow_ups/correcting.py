"""A number of the calculation before that a message takes back for another one: "it is 5.1 now, not 4.6"; and
a message that goes back to an earlier calculation before it asks: "ok 60. what if ..."."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.exchanging import with_numbers
from finassist.domain.calculators.recognition.follow_ups.gathering import asks, asks_for_figure
from finassist.domain.calculators.recognition.follow_ups.ledger import FIRST, Entry
from finassist.domain.calculators.recognition.follow_ups.linking import links
from finassist.domain.calculators.recognition.follow_ups.placing import is_near
from finassist.domain.calculators.recognition.follow_ups.relative import with_value
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading, read
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))
_TAKEN_BACK: Final = late_pattern(rf"\b(?:{_DATA['taken_back']})(?: (?:{_DATA['articles']}))? $")
_CLAUSE_END: Final = late_pattern(rf"[.,;!]\s+(?:(?:{_DATA['but']})\s+)?|\s+(?:{_DATA['but']})\s+")
_ABOUT: Final = late_pattern(r"^\W*(?:(?:and|ok|okay|so|but) )*(?:what|how) about ")
_HEAD_MAX: Final = 6
_REST_MIN: Final = 3
"""How many words the clause that names a calculation has at most, and the rest of the message at least."""
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


def picked(reading: Reading) -> tuple[Reading, Reading] | None:
    """The short clause with which a message begins and the rest, which goes on from what that one names."""
    end = _CLAUSE_END.search(reading.text)
    if end is None:
        return None
    head, rest = reading.text[: end.start()], reading.text[end.end() :]
    if len(head.split()) > _HEAD_MAX or len(rest.split()) < _REST_MIN:
        return None
    return read(_ABOUT.sub("", head)), read(rest)


def told_in(head: Reading, ledger: Sequence[Entry]) -> Entry | None:
    """The calculation that has all numbers of a clause which says nothing else, the latest of several."""
    drafted = [entry for entry in ledger if entry.draft is not None]
    if not drafted or asks(head) or asks_for_figure(head):
        return None
    if not head.quantities:
        return drafted[0] if head.says(FIRST) else None
    having = [each for each in drafted if all(each.has(number) for number in head.quantities)]
    found = having[-1] if having else None
    return found if found is not None and found.draft and links(found.draft, head, False) else None


def is_of_another(draft: Draft, reading: Reading, ledger: Sequence[Entry]) -> bool:
    """Whether the only number of a message is a rate of another kind of calculation than the last one: it is
    no new one for that."""
    numbers = reading.quantities or ()
    if len(numbers) != 1 or numbers[0].kind is not Kind.RATE:
        return False
    others = [entry for entry in ledger if entry.draft and entry.draft.calculator != draft.calculator]
    here = any(each.value == numbers[0].value for filled in draft.filled.values() for each in filled)
    return not here and any(entry.has(numbers[0]) for entry in others)


def is_lost_change(draft: Draft, reading: Reading) -> bool:
    """Whether a message has a number that may well be meant in the place of one of a calculation, or what one
    of those who share a bill pays."""
    told = [each for filled in draft.filled.values() for each in filled]
    new = [each for each in reading.quantities or () if not any(_is_told_as(old, each) for old in told)]
    is_shared = SHARED in draft.filled and any(each.kind in _AMOUNTS for each in new)
    return is_shared or any(is_near(old, each) for old in told for each in new)


def _in_place_of(told: Quantity, new: Quantity) -> Quantity | None:
    if new.kind is told.kind:
        return replace(new, per=new.per or told.per)
    if not new.is_bare or new.value <= 0:
        return None
    return with_value(told, new.value * _YEAR if told.kind is Kind.TERM else new.value)


def _is_told_as(told: Quantity, said: Quantity) -> bool:
    """Whether a message says a number of a calculation again, with its unit or without."""
    if told.kind is Kind.TERM and said.is_bare:
        return told.value in (said.value, said.value * _YEAR)
    is_alike = told.kind is said.kind or said.is_bare or told.is_bare
    return is_alike and told.value == said.value
