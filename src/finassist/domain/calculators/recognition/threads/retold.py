"""The last calculation told again with one thing changed: what was forgotten, who shares it, or a number that
the same words name."""

from dataclasses import replace
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.drafts import draft as drafted
from finassist.domain.calculators.recognition.follow_ups.relative import sign_of
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading, read
from finassist.domain.calculators.recognition.sums.build import sum_of, text_of
from finassist.domain.calculators.recognition.sums.roles import is_received
from finassist.domain.calculators.recognition.sums.terms import Term
from finassist.domain.calculators.recognition.sums.values import with_unit
from finassist.domain.calculators.recognition.sums.words import told_for, words
from finassist.domain.calculators.recognition.threads import words as say
from finassist.domain.calculators.recognition.threads.swaps import counted_noun, labels, with_number
from finassist.domain.calculators.recognition.views import DIFFERENCE
from finassist.domain.retrieval.words import topic_words
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/table"))
_FORGOTTEN: Final = say.anywhere(_DATA["forgotten"])
_JOINS: Final = say.anywhere(_DATA["joins"])
_LEAVES: Final = say.anywhere(_DATA["leaves"])
_SEVERAL: Final = say.anywhere(_DATA["several_go"])
_SO_MANY: Final = say.right_before(f"{words('we_are')}|{_DATA['so_many_now']}")
_IS_NOW: Final = say.right_before(_DATA["is_now"])
_PLUS_FIRST: Final = late_pattern(rf"{say.LEADS}(?:plus|add|und|et|más|mais|più) $")
_CLAUSE_END: Final = late_pattern(r"[.;?!|]|,(?!\d)|$")
_AMOUNTS: Final = frozenset((Kind.AMOUNT, Kind.MONTHLY_AMOUNT, Kind.SMALL, Kind.PRICE))
_ON_TOP: Final = late_pattern(
    rf"^ ?(?:a month |per month )?(?:{shipped('calculators/follow_ups')['on_top']})\W*$"
)
_SUM: Final = "arithmetic"
_LEFT: Final = "money_left"
_PERSON: Final = "person"
_RENAMED: Final = {_SUM: "numbers", "money_left": "expenses"}
_WORDS_MAX: Final = 16
_LABEL_MAX: Final = 2


def retold(draft: Draft, reading: Reading) -> Draft | None:
    """The calculation with what a message changes of its story; None when it tells no such thing."""
    if draft.missing or reading.quantities is None or len(reading.text.split()) > _WORDS_MAX:
        return None
    if any(map(reading.says, (*say.NO_SUMS, DIFFERENCE))):
        return None
    is_more = (_is_added(reading) and _is_shared_sum(draft)) or (draft.name == _LEFT and _is_on_top(reading))
    if reading.says(_FORGOTTEN) or is_more:
        return _with_forgotten(draft, reading)
    return _shared_by_others(draft, reading) or _renamed(draft, reading)


def _is_added(reading: Reading) -> bool:
    """Whether a message begins with the only amount that it adds: "plus 90 cleaning fee"."""
    numbers = reading.quantities or ()
    is_first = len(numbers) == 1 and _PLUS_FIRST.match(numbers[0].before) is not None
    return is_first and numbers[0].kind in _AMOUNTS and not any(told_for(numbers[0].after))


def _is_on_top(reading: Reading) -> bool:
    """Whether a message tells the only cost that comes to those before: "bills are about 310 on top"."""
    numbers = reading.quantities or ()
    if len(numbers) != 1 or numbers[0].kind not in _AMOUNTS or not _ON_TOP.match(numbers[0].after):
        return False
    return not is_received(Term(with_unit(numbers[0].value), numbers[0], 0))


def _is_shared_sum(draft: Draft) -> bool:
    """Whether a plain sum counts those who share it."""
    return draft.name == _SUM and any(counted_noun(each) == _PERSON for each in draft.filled["numbers"])


def is_forgotten(reading: Reading) -> bool:
    """Whether a message tells one amount that comes to those told before, and takes the place of none."""
    numbers = reading.quantities or ()
    return len(numbers) == 1 and numbers[0].kind in _AMOUNTS and reading.says(_FORGOTTEN)


def _with_forgotten(draft: Draft, reading: Reading) -> Draft | None:
    """The story with one amount more, after the last that it told."""
    numbers = reading.quantities or ()
    is_told = is_forgotten(reading) or _is_added(reading) or _is_on_top(reading)
    if not is_told or counted_noun(numbers[0]) == _PERSON:
        return None
    told = [each for filled in draft.filled.values() for each in filled]
    text = text_of(told) if draft.name == _SUM else draft.said
    known = read(text).quantities or ()
    if "|" in text or len(known) != len(told):
        return None
    at, edge = 0, 0
    for each in known:
        start = text.index(each.written, edge)
        edge = start + len(each.written)
        at = edge if each.kind in _AMOUNTS and not counted_noun(each) else at
    end = _CLAUSE_END.search(text, at)
    if not at or end is None:
        return None
    more = f", {_label(numbers[0])} {numbers[0].written}"
    again = read(text[: end.start()] + more + text[end.start() :])
    made = _sum_with(draft, again) if draft.name == _SUM else drafted(draft.name, again)
    is_whole = made is not None and not made.missing and not made.unclear
    count = sum(map(len, made.filled.values())) if made is not None else 0
    return made if is_whole and count == len(told) + 1 else None


def _sum_with(draft: Draft, reading: Reading) -> Draft | None:
    if not reading.quantities or sum_of(reading.quantities, reading.text) is None:
        return None
    return Draft(draft.name, {"numbers": tuple(reading.quantities)}, reading.text)


def _label(number: Quantity) -> str:
    """What an amount is said to be for."""
    before, after = (
        [word for word in topic_words(_FORGOTTEN.sub(" ", text)) if word.isalpha()]
        for text in (number.before, number.after)
    )
    return " ".join(before[-_LABEL_MAX:] or after[:1])


def _shared_by_others(draft: Draft, reading: Reading) -> Draft | None:
    """The calculation shared by one more or fewer, or by as many as the message counts."""
    places = [
        (name, at, each)
        for name, filled in draft.filled.items()
        for at, each in enumerate(filled)
        if counted_noun(each) == _PERSON
    ]
    joins, leaves = reading.says(_JOINS), reading.says(_LEAVES)
    numbers = reading.quantities or ()
    if len(places) != 1 or joins == leaves or len(numbers) > 1:
        return None
    old = places[0][2]
    if numbers:
        is_next = numbers[0].value == old.value + (1 if joins else -1)
        is_told = is_next or _SO_MANY.search(numbers[0].before)
        is_count = is_told and numbers[0].kind in (Kind.SMALL, Kind.PEOPLE)
        if not is_count or say.AND_ME.match(old.after):
            return None
        value = numbers[0].value
    elif reading.says(_SEVERAL):
        return None
    else:
        value = old.value + (1 if joins else -1)
    if value < 1 or (value > old.value) is not joins:
        return None
    return with_number(draft, places[0], replace(old, value=value))


def _renamed(draft: Draft, reading: Reading) -> Draft | None:
    """The sum, or what is left after several costs, with another number in the place of the only one that the
    same words name: "but the base fee there is 15"."""
    numbers, slot = reading.quantities or (), _RENAMED.get(draft.name, "")
    if slot not in draft.filled or len(numbers) != 1 or sign_of(numbers[0]):
        return None
    [new] = numbers
    if not _IS_NOW.search(new.before) or new.kind not in {*_AMOUNTS, Kind.RATE}:
        return None
    filled = draft.filled[slot]
    named = [(at, each) for at, each in enumerate(filled) if labels(each) & labels(new)]
    if len(named) != 1 or (named[0][1].kind is Kind.RATE) is not (new.kind is Kind.RATE):
        return None
    [(at, old)] = named
    return with_number(draft, (slot, at, old), replace(new, per=new.per or old.per))
