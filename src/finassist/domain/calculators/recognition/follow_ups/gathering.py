"""A calculation whose numbers are spread over several messages of a conversation."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import chain
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.chains import Continued
from finassist.domain.calculators.recognition.follow_ups.told import IS_SHARED
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading, read
from finassist.domain.calculators.recognition.sums.words import said
from finassist.domain.calculators.recognition.threads.swaps import counted_noun
from finassist.domain.calculators.recognition.threads.words import (
    ADVICE,
    EACH,
    HINT,
    LEADS,
    OF_THAT_ANYWHERE,
)
from finassist.domain.calculators.recognition.times.periods import YEARLY_PAY
from finassist.domain.calculators.recognition.views import DIFFERENCE, FIGURES, figures_wanted, period_asked
from finassist.domain.retrieval.questions import leans_on_earlier, only_thanks
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))
_CLAUSE: Final = late_pattern(r"(?<=[.;!?:])\s+|,\s+| - ")
_DIGIT: Final = late_pattern(r"\d")
_ASKING_WORDS: Final = late_pattern(rf"\b(?:{_DATA['asking_words']})\b")
_THERE_IS: Final = late_pattern(rf"(?:^|[.,;!?-] )\W*(?:[^\W\d_]+ ){{0,3}}(?:{_DATA['there_is']})\b")
_STAYED: Final = said("stayed_less")
_EXCEPTED: Final = late_pattern(rf"(?<!\w)(?:{_DATA['excepted']})(?!\w)")
_TO_KNOW: Final = late_pattern(rf"\b(?:{_DATA['to_know']})\b")
_RESULT_ASKED: Final = late_pattern(rf"\b(?:{_DATA['result_asked']})\b")
_IF: Final = late_pattern(r"^\W*(?:(?:and|so|ok|but) )*(?:what )?if\b")
_WHAT_IF: Final = late_pattern(r"^\W*(?:(?:and|so|ok|but) )*what if\b")
_REPLACING: Final = late_pattern(rf"\b(?:{_DATA['replacing']})\b")
_ASKS: Final = late_pattern(rf"\?|^(?:so |and |but |ok(?:ay)? )*(?:{_DATA['asks']})\b")
_OF_MONEY: Final = (Kind.AMOUNT, Kind.MONTHLY_AMOUNT, Kind.PAY, Kind.PRICE, Kind.RATE, Kind.SMALL)
_AMOUNTS: Final = (Kind.AMOUNT, Kind.MONTHLY_AMOUNT, Kind.SMALL)
_SUM: Final = "arithmetic"
_PERCENTAGE: Final = "percentage"
_REFERRING: Final = late_pattern(rf"\b(?:{_DATA['referring']})\b")
_SHOULD: Final = late_pattern(r"\bshould (?:i|we)\b")
_NOT_ASKED: Final = late_pattern(rf"^\W*(?:{_DATA['hint']})\b|\b(?:{_DATA['replacing']})\b|{_SHOULD.pattern}")
_MONTHLY_THINGS: Final = late_pattern(
    rf"\b(?:{_DATA['monthly_things'].replace('|salary|wages?|pay|', '|')})\b[^,.;?]*$"
)
_SMALLEST: Final = 10
_SMALLER: Final = 100
_NEXT_TO_NOTHING: Final = 100
_NEAR: Final = Decimal("1.6")
_SHORT: Final = 6
_CLAUSE_END: Final = late_pattern(r"(?:, |; |\. )(?:and |und |et |y |e )?|(?: and| und| et| y| e) (?=\D{3})")
_LEFT: Final = late_pattern(rf"\b(?:{_DATA['what_is_left']}|{_DATA['still_left']})\b")
_TOGETHER: Final = late_pattern(rf"\b(?:{_DATA['together']})\b")
_OF_OTHERS: Final = late_pattern(rf"^ of (?:all |the |most )?(?:{_DATA['of_others']})\b")
_LEADING: Final = late_pattern(LEADS)
_TIME_LATER: Final = late_pattern(rf"{LEADS}(?:{_DATA['time_later']})\b")
BY_ANOTHER: Final = late_pattern(
    rf"\b(?:{_DATA['also']['persons']})\b(?!.*\b(?:i|we)\b).*\b(?:{_DATA['paying']}) $"
)
_WITHIN: Final = late_pattern(r"\b(?:in|over|within) 1 (?P<unit>year|month)\b")
_ORDERS: Final = late_pattern(rf"^\W*(?:{_DATA['orders']})\b")
_GOES_ON: Final = late_pattern(rf"^\W*(?:so|and|but|then|or)\b|\b(?:{_DATA['referring']})\b")
_HOW_MUCH: Final = late_pattern(r"^\W*(?:(?:so|and|ok|but) )*how (?:much|many)\b")
_TIP: Final = "tip_and_split"
_NAME_MAX: Final = 4
"""A clause of so many words may be the name of a figure and ask for it: "monthly payment please"."""
_TOLD_MAX: Final = 2
_ASKED_AFTER: Final = late_pattern(
    rf"[.,;!] (?:(?:so|and|but) )?(?:{_DATA['asking_words']}) (?:is |'s )?(?:that|it|this)\b[^.;?]*"
    rf"\b(?:{'|'.join(_DATA['period_asked'].values())})"
)
"""What something told comes to for another time: "they pay 46k, what is that an hour"."""
_CALENDAR_YEAR: Final = late_pattern(r"(?:19|20)\d\d")
_OF_SUMS: Final = frozenset(("total_cost", "per_person", "monthly", "left"))
"""Figures that a message may ask for and a plain sum be."""
_MESSAGES_MAX: Final = 3
"""So many messages before the last one may give its numbers."""


def asks(reading: Reading) -> bool:
    """Whether a message is a question."""
    return reading.says(_ASKS)


def asks_for_figure(reading: Reading) -> bool:
    """Whether a message asks for a figure in words; the name of one in what is only told asks for none:
    "there is 40 left a month"."""
    clauses = [each.strip() for each in _CLAUSE.split(reading.text)]
    named = (
        each for each in clauses if any(name.search(each) for name in (_RESULT_ASKED, DIFFERENCE, *FIGURES))
    )
    return any(map(_is_asked_in, named))


def _is_asked_in(clause: str) -> bool:
    """Whether the clause that names a figure asks for it: in words, or by nothing but the name."""
    is_name = len(clause.split()) <= _NAME_MAX and not _DIGIT.search(clause)
    return is_name or any(each.search(clause) for each in (_ASKS, _ASKING_WORDS, _ORDERS, _TO_KNOW))


def for_a_period(reading: Reading) -> Reading:
    """A message that asks how results differ "in a year", or for a part of one: that is no time."""
    is_about = reading.says(DIFFERENCE) or reading.says(OF_THAT_ANYWHERE)
    is_asked = is_about and reading.says(_WITHIN)
    return read(_WITHIN.sub(r"a \g<unit>", reading.text)) if is_asked else reading


def asks_for_result(reading: Reading) -> bool:
    """Whether a message may be the last part of a calculation: it asks for a figure, or gives an amount or a
    rate and asks for nothing else. A time alone is part of any story, and "what if it is 20" changes a
    number."""
    if reading.quantities is None:
        return False
    is_of_others = any(_OF_OTHERS.match(rate.after) for rate in reading.all(Kind.RATE))
    if is_of_others or reading.says(ADVICE):
        return False
    kinds = {each.kind for each in reading.quantities or ()}
    if asks_after_time(reading) or kinds >= {Kind.AMOUNT, Kind.RATE, Kind.TERM}:
        return True
    if reading.quantities and reading.says(_REPLACING):
        return asks_for_figure(reading) and not reading.says(_WHAT_IF)
    return asks_for_figure(reading) or (
        not asks(reading) and any(quantity.kind in _OF_MONEY for quantity in reading.quantities)
    )


def supposes(reading: Reading) -> bool:
    """Whether a message supposes another case of what was calculated: "and if i cut it to 35"."""
    return reading.says(_IF)


def is_lost(readings: Sequence[Reading]) -> bool:
    """Whether a message after a calculation supposed a number that could not be placed, or asked for what the
    last one may refer to."""
    *between, last = readings[1:] or readings
    is_referring = last.says(_REFERRING)
    return any(
        supposes(each) if each.quantities else is_referring and not only_thanks(each.text) for each in between
    )


def asks_after_time(reading: Reading) -> bool:
    """Whether a message asks for nothing but what there is after a time: "so after ten years?"."""
    numbers = reading.quantities or ()
    is_short = len(reading.text.split()) <= _SHORT and "?" in reading.text
    return is_short and [each.kind for each in numbers] == [Kind.TERM] and reading.says(_TIME_LATER)


def gathered(readings: Sequence[Reading]) -> Iterator[Reading]:
    """The last message put together with those before it, oldest first: the nearest alone, then more of them;
    without those between that give no number, and with them. What is left is asked of all of them first.
    Nothing without a number of an earlier message, unless the last one has one itself."""
    *earlier, last = readings
    before = earlier[-_MESSAGES_MAX:]
    seen = set()
    asked = last.text.rstrip(" .?!,")
    if asks_after_time(last):
        asked = f"how much is it {_LEADING.sub('', asked)}"
    sizes = range(1, len(before) + 1)
    is_of_all = not last.quantities and last.says(_LEFT)
    for size in reversed(sizes) if is_of_all else sizes:
        window = before[-size:]
        numbered = [each for each in window if each.quantities]
        if last.says(DIFFERENCE) and not last.quantities and any(map(_takes_place, window[1:])):
            continue
        told = [each.text.rstrip(" .?!,") for each in window]
        with_numbers = [each.text.rstrip(" .?!,") for each in numbered]
        answered = [*filter(None, map(_without_question, with_numbers))] if last.quantities else []
        for chosen in (with_numbers, told, answered):
            text = ". ".join([*chosen, asked])
            if chosen and text not in seen and (numbered or last.quantities):
                seen.add(text)
                yield read(text)


def _without_question(text: str) -> str:
    """What a message tells, without the clauses that ask for what was calculated since."""
    clauses = _CLAUSE.split(text)
    asking = (each for each in clauses if not _DIGIT.search(each))
    asked = {each for each in asking if _ASKS.search(each) or _ASKING_WORDS.match(each)}
    return ". ".join(each for each in clauses if each not in asked)


def is_doubtful(found: Draft, readings: Sequence[Reading]) -> bool:
    """Whether what messages were put together to may not be what the last one asks for."""
    is_timeless = _is_of_no_period(found, readings[-1]) or _mixes_periods(found)
    is_paid = any(BY_ANOTHER.search(each.before) for told in readings for each in told.quantities or ())
    is_other = _is_of_last_alone(found, readings) or _has_year(found) or _asks_of_plan(found, readings[-1])
    return is_paid or is_timeless or is_other or _is_more_than_income(found)


def _is_more_than_income(found: Draft) -> bool:
    """Whether a part of an income would be more than all of it: one of the two is no income."""
    [*part], [*whole] = found.filled.get("other_amount", ()), found.filled.get("amount", ())
    return found.name == "percentage/of_income" and bool(part and whole) and part[0].value > whole[0].value


def is_of_another(found: Draft, own: Draft | None, last: Reading) -> bool:
    """Whether a message that speaks of a result asks by itself for another calculation than what was put
    together."""
    if own is None or not own.filled or own.calculator in (_SUM, _PERCENTAGE) or not last.says(_REFERRING):
        return False
    return found.calculator != own.calculator and not own.filled.keys() <= found.filled.keys()


def _has_year(found: Draft) -> bool:
    """Whether a plain sum has a number that is written as a year of the calendar: "maybe 2014, not since"."""
    return found.calculator == _SUM and any(
        each.is_bare and not each.symbol and _CALENDAR_YEAR.fullmatch(each.written)
        for each in _quantities(found)
    )


def _asks_of_plan(found: Draft, last: Reading) -> bool:
    """Whether a message without numbers has only words for a figure that no plain sum has: what is paid in
    ("what do i put in the letter")."""
    if found.calculator != _SUM or last.quantities or last.says(_RESULT_ASKED):
        return False
    wanted = figures_wanted(last.text)
    return bool(wanted) and not _OF_SUMS.intersection(wanted)


def _is_of_last_alone(found: Draft, readings: Sequence[Reading]) -> bool:
    """Whether a calculation has no number of the messages before the last one, though these have some."""
    *earlier, last = readings
    told = {each.written for before in earlier for each in before.quantities or ()}
    return bool(told) and bool(last.quantities) and not told & _numbers(found)


def _is_of_no_period(found: Draft, last: Reading) -> bool:
    """Whether a message asks what amounts come to in a period that were told for none."""
    is_asked = not last.quantities and bool(period_asked(last.text))
    return is_asked and found.calculator == _SUM and all(each.per is None for each in _quantities(found))


def _mixes_periods(found: Draft) -> bool:
    """Whether a plain sum has what is paid every month beside what may be for a year, both told for none."""
    amounts = [each for each in _quantities(found) if each.kind is Kind.AMOUNT]
    is_monthly = any(_MONTHLY_THINGS.search(each.before) for each in amounts)
    return found.calculator == _SUM and is_monthly and any(each.value >= YEARLY_PAY for each in amounts)


def _takes_place(reading: Reading) -> bool:
    """Whether the number of a message takes the place of one before: "and with 300"."""
    return bool(reading.quantities) and reading.says(HINT)


def with_last_sum(whole: Continued | None, last: Reading) -> Iterator[Reading]:
    """The last message put behind what the calculation before it was made of, which several messages told."""
    said = "" if whole is None or whole.is_chained else whole.draft.said
    is_marked = all(each.kind is not Kind.SMALL or counted_noun(each) for each in last.quantities or ())
    if said and last.quantities and is_marked and not last.says(_SHOULD) and not whole_is_changed(said):
        yield read(f"{said.rstrip(' .?!,')}. {last.text}")


def whole_is_changed(said: str) -> bool:
    """Whether the texts of a calculation tell numbers that took the place of others."""
    return " | " in said


def with_what_was_told(readings: Sequence[Reading]) -> Iterator[Reading]:
    """The last message put together with one thing that was told before it with its rate, latest first: "5200
    on a card at 23%" of a message that tells of pay and rent, too."""
    *earlier, last = readings
    if not last.quantities and not asks_for_figure(last):
        return
    for before in reversed(earlier):
        for clause in map(read, _CLAUSE_END.split(before.text)):
            numbers = clause.quantities or ()
            if len(numbers) > 1 and clause.all(Kind.RATE) and len(numbers) < len(before.quantities or ()):
                yield read(f"{clause.text}. {last.text}")


def is_one_calculation(
    found: Draft, first: Reading, state: Continued | None, last: Reading | None = None
) -> bool:
    """Whether what was put together is one calculation that lacks nothing. One that takes numbers of the
    whole one before it, which the ``first`` message asked for, has all of them, and is another: a change of
    the same would have been one without the rest. ``last`` is the message that asks."""
    if found.missing or any(map(_is_unmarked, _quantities(found))) or _has_age(found):
        return False
    if state is None or state.draft.missing:
        return True
    before, now = _numbers(state.draft), _numbers(found)
    if before == now and found.calculator == _SUM:
        is_other = last is not None and any(map(last.says, (_LEFT, EACH, _TOGETHER)))
        return is_other and found.calculator != state.draft.calculator
    if not now & (before | {quantity.written for quantity in first.quantities or ()}):
        return True
    is_asked = last is not None and asks_for_figure(last) and not last.says(_NOT_ASKED)
    return found.name != state.draft.name and before < now and (is_asked or not _replaces(state.draft, found))


def _replaces(before: Draft, found: Draft) -> bool:
    """Whether a number that is new is so near to one of its kind that it is meant in its place, or so small
    that it may be an age."""
    known = _numbers(before)
    return any(
        (new.is_bare and new.kind in _AMOUNTS and new.value < _SMALLER and not counted_noun(new))
        or (new.kind is old.kind and old.value and 1 / _NEAR < new.value / old.value < _NEAR)
        for new in _quantities(found)
        if new.written not in known
        for old in _quantities(before)
    )


def _has_age(found: Draft) -> bool:
    """Whether a plain sum has a small number beside amounts that it is next to nothing of."""
    numbers = [*_quantities(found)]
    most = max((each.value for each in numbers), default=Decimal(0))
    is_next_to_nothing = any(
        each.is_bare and each.value < _SMALLER < most / _NEXT_TO_NOTHING and not counted_noun(each)
        for each in numbers
    )
    return found.calculator == _SUM and is_next_to_nothing


def _is_unmarked(quantity: Quantity) -> bool:
    """Whether a small number is taken for an amount of money that nothing marks as one."""
    is_small = quantity.is_bare and quantity.kind in _AMOUNTS and quantity.value < _SMALLEST
    is_whole = quantity.value == quantity.value.to_integral_value()
    return is_small and is_whole and not counted_noun(quantity)


def _numbers(draft: Draft) -> frozenset[str]:
    return frozenset(quantity.written for quantity in _quantities(draft))


def _quantities(draft: Draft) -> Iterator[Quantity]:
    return chain.from_iterable(draft.filled.values())


def is_only_told(reading: Reading) -> bool:
    """Whether a message tells one or two amounts and asks for nothing: "company puts in 750 a year"."""
    quantities = reading.quantities or ()
    is_loose = 0 < len(quantities) <= _TOLD_MAX and not reading.all(Kind.RATE)
    return (
        is_loose
        and not reading.says(_ASKED_AFTER)
        and not (asks(reading) or asks_for_figure(reading) or reading.says(_ORDERS))
    )


def refers(reading: Reading) -> bool:
    """Whether a message with numbers speaks of what came before it."""
    return bool(reading.quantities) and reading.says(_GOES_ON) and reading.says(_REFERRING)


def is_excepted(reading: Reading) -> bool:
    """Whether a message only tells what there is, or what some of those who share do not do: it changes no
    number of a calculation."""
    if reading.quantities and reading.says(_STAYED):
        return True
    if not is_only_told(reading) or reading.says(HINT):
        return False
    people = reading.all(Kind.PEOPLE)
    if not people and not reading.all(Kind.TERM):
        return reading.says(_THERE_IS)
    found = _EXCEPTED.search(people[0].after) if len(people) == 1 else None
    is_of_next = found is not None and people[0] is not (reading.quantities or ())[-1]
    return found is not None and not (is_of_next and not people[0].after[found.end() :].strip())


def refers_back(reading: Reading) -> bool:
    """Whether a message speaks of what came before it, with numbers or without."""
    return reading.says(_REFERRING)


def is_not_found(reading: Reading) -> bool:
    """Whether a message asks how much its numbers come to."""
    return bool(reading.quantities) and reading.says(_HOW_MUCH) and not reading.says(ADVICE)


def is_told_alone(reading: Reading, found: Draft | None) -> bool:
    """Whether a message only tells a bill, and says nothing of a tip or of who shares it."""
    is_lacking = found is not None and found.missing and found.calculator == _TIP
    return bool(is_lacking) and is_only_told(reading) and not reading.says(IS_SHARED)


def changes_subject(reading: Reading) -> bool:
    """Whether a message is a whole question without a number: what came before it is over."""
    is_question = not reading.quantities and asks(reading) and not leans_on_earlier(reading.text)
    return is_question and not reading.says(_GOES_ON)
