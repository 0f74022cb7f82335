"""What a later message has done with a result: the operations that its words name, in their order."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.sums.roles import Role, is_received, is_spent, role_of
from finassist.domain.calculators.recognition.sums.terms import Term
from finassist.domain.calculators.recognition.sums.values import A_YEAR, MONEY, Value, plain, with_unit
from finassist.domain.calculators.recognition.sums.words import before, noun_of, said, told_for
from finassist.domain.calculators.recognition.threads import words as say
from finassist.domain.calculators.recognition.threads.outcomes import is_of_sum
from finassist.domain.calculators.recognition.threads.standing import (
    PERIOD_OF_FIGURE,
    Standing,
    Step,
    amount_told,
)
from finassist.domain.calculators.recognition.threads.swaps import behind_number, counted_noun
from finassist.domain.calculators.recognition.views import period_named
from finassist.patterns import late_pattern

_MONEY: Final = frozenset((Kind.AMOUNT, Kind.MONTHLY_AMOUNT, Kind.PAY))
_COUNTS: Final = frozenset((Kind.PEOPLE, Kind.COUNT, Kind.SMALL, Kind.AMOUNT))
_NAMED: Final = frozenset((*_MONEY, Kind.RATE, Kind.SMALL, Kind.PRICE))
_NEAR: Final = 3
_PAY: Final = "pay_conversion"
_INCOMES: Final = frozenset(("pay_conversion", "money_left", "difference"))
"""Results of which what is paid more comes off, and what is earned more is added: words alone do not tell."""
_COUNT_MAX: Final = 1000
_COUNTED: Final = (Kind.SMALL, Kind.COUNT, Kind.PEOPLE)
_ROLES: Final = {Role.ADDED: "+%", Role.REMOVED: "-%", Role.WITHHELD: "-%", Role.PART: "of%"}
_CLAUSE: Final = late_pattern(r"[,;.?!]|(?<!\w)(?:and|but|und|et|y|e|en)(?!\w)")
_PERSON: Final = "person"
_AFTER: Final = before("after_percent")
_TAX: Final = said("pay_tax")
_REPLACED: Final = say.right_before(say.REPLACED)


def told_steps(reading: Reading, standing: Standing) -> list[Step] | None:
    """The operations that words name for each number of a message; None when they name none for one."""
    steps = []
    numbers = reading.quantities or ()
    if reading.all(Kind.RATE) and reading.all(Kind.TERM):  # interest over a time
        return None
    for quantity in numbers:
        step = _told(quantity, reading, standing)
        if step is None:
            return None
        steps.append(step)
    return steps


def implied_step(quantity: Quantity, standing: Standing) -> Step | None:
    """So many of what a result is for: "and for 12 of them"."""
    noun = counted_noun(quantity)
    if quantity.kind not in _COUNTS - {Kind.AMOUNT} or not say.FOR_MANY.search(quantity.before):
        return None
    if not (noun == _PERSON or say.OF_THAT.match(quantity.after)) or _PERSON in standing.start.unit:
        return None
    if not say.ALONE.match(quantity.before) or not is_of_sum(standing):
        return None
    if _amounts_of(standing) > 1:  # a room costs the same for two, a ticket does not
        return None
    return (
        Step("*", with_unit(quantity.value, person=1))
        if noun == _PERSON
        else Step("*", plain(quantity.value))
    )


def _tells_income(standing: Standing) -> bool:
    """Whether the only amount of a result is one that somebody gets."""
    filled = standing.draft.filled.values() if standing.draft is not None else ()
    amounts = [each for numbers in filled for each in numbers if each.kind in _MONEY]
    return len(amounts) == 1 and is_received(Term(with_unit(amounts[0].value), amounts[0], 0))


def _amounts_of(standing: Standing) -> int:
    """How many amounts a result was made of."""
    filled = standing.draft.filled.values() if standing.draft is not None else ()
    return sum(1 for each in filled for quantity in each if quantity.kind in {*_MONEY, Kind.PRICE})


def portion(text: str) -> Step | None:
    """The part or the multiple of a result that a message without numbers names: half of that."""
    found = [share for share, words in say.PORTIONS.items() if words.search(text)]
    times = [number for number, words in say.MULTIPLES.items() if words.search(text)]
    if len(found) + len(times) != 1:
        return None
    if times:
        return Step("*", plain(int(times[0])))
    above, below = found[0]
    return Step("part", plain(above) / plain(below))


def period_step(text: str, value: Value) -> Step | None:
    """The result for another period, when a message asks for one."""
    over = say.OVER_PERIOD.search(text)
    period = over["period"] if over else PERIOD_OF_FIGURE.get(period_named(text), "")
    if not period or len(value.periods) != 1 or period not in A_YEAR:
        return None
    return Step("in", plain(1), period)


def _told(quantity: Quantity, reading: Reading, standing: Standing) -> Step | None:
    if quantity.kind is Kind.RATE:
        return _percentage(quantity, reading, standing)
    if quantity.kind in (Kind.TERM, Kind.DAYS, Kind.WEEKS):
        return _term(quantity, standing)
    if quantity.kind is Kind.TIMES:
        return _so_often(quantity, standing)
    return _count(quantity, reading, standing) or _amount(quantity, standing)


def _percentage(quantity: Quantity, reading: Reading, standing: Standing) -> Step | None:
    if quantity.per is not None:
        return None
    sign = _sign_of_percentage(quantity, reading, standing)
    is_pay_raised = sign == "+%" and standing.name == _PAY and not standing.steps
    return Step(sign, plain(quantity.value)) if sign and not is_pay_raised else None


def _sign_of_percentage(quantity: Quantity, reading: Reading, standing: Standing) -> str:
    if say.OF_THAT.match(quantity.after):
        return "of%"
    is_after = _AFTER.search(quantity.before) is not None
    is_taken = is_after and (standing.name in _INCOMES or _TAX.search(quantity.after) is not None)
    if say.MINUS.search(quantity.before) or is_taken:
        return "-%"
    if say.PLUS.search(quantity.before):
        return "+%"
    rising, falling = reading.says(say.RISING), reading.says(say.FALLING)
    if rising != falling:
        return "+%" if rising else "-%"
    role = role_of(Term(with_unit(quantity.value), quantity, 0, percent=True), "")
    if role is Role.PART and reading.says(say.MY_PART):
        return "-%"
    return _ROLES.get(role, "") if role is not None else ""


def _term(quantity: Quantity, standing: Standing) -> Step | None:
    """A result of a period over a time: "so after ten years"."""
    value = standing.value
    if value is None or len(value.periods) > 1 or not say.OVER_TERM.search(quantity.before):
        return None
    if not is_of_sum(standing):  # it has a term of its own
        return None
    if not value.periods:
        return None if _has_payments(standing.draft) else _spread(quantity)
    if quantity.kind is Kind.TERM:
        years = not quantity.value % 12
        unit = {"year": 1} if years else {"month": 1}
        return Step("for", with_unit(quantity.value / 12 if years else quantity.value, **unit))
    unit = {"day" if quantity.kind is Kind.DAYS else "week": 1}
    return Step("for", with_unit(quantity.value, **unit))


def _has_payments(draft: Draft | None) -> bool:
    """Whether a sum counts payments or things already."""
    filled = draft.filled.values() if draft is not None else ()
    return any(each.kind is Kind.COUNT for numbers in filled for each in numbers)


def _so_often(quantity: Quantity, standing: Standing) -> Step | None:
    """A result so many times a week or month."""
    value = standing.value
    is_told = value is not None and value.periods in ([], ["day"]) and quantity.per in A_YEAR
    if value is None or not is_told or (value.periods and "day" not in quantity.written):
        return None
    return Step("*", with_unit(quantity.value, **dict.fromkeys(value.periods, 1)), str(quantity.per))


def _spread(quantity: Quantity) -> Step | None:
    """An amount that is paid or put together over so many months."""
    if quantity.kind is not Kind.TERM or "y" in quantity.written or not say.PARTS.search(quantity.before):
        return None
    return Step("/", with_unit(quantity.value, month=1))


def _count(quantity: Quantity, reading: Reading, standing: Standing) -> Step | None:
    """So many times a result, or parts of it."""
    if quantity.kind not in _COUNTS or quantity.symbol or not 1 < quantity.value <= _COUNT_MAX:
        return None
    noun = counted_noun(quantity)
    is_people = noun == _PERSON
    people = with_unit(quantity.value + (1 if say.AND_ME.search(quantity.after) else 0), person=1)
    is_parts = say.PARTS.search(quantity.before) and _names_parts(quantity)
    if (
        say.DIVIDE.search(quantity.before)
        or is_parts
        or (is_people and (reading.says(say.EACH) or reading.says(say.SHARED)))
    ):
        is_shared = is_people or (not is_parts and "divid" not in quantity.before)
        if is_shared and _is_shared(standing):
            return None  # among so many others
        return Step("/", people if is_shared else plain(quantity.value))
    if say.EACH.search(reading.text) and say.FOR_MANY.search(quantity.before) and quantity.is_bare:
        return Step("/", people)
    if say.TIMES.search(quantity.before) or say.TIMES_AFTER.match(quantity.after):
        return Step("*", plain(quantity.value))
    return Step("*", plain(quantity.value)) if quantity.written.endswith(("times", "x")) else None


def _is_shared(standing: Standing) -> bool:
    """Whether a result is what each of several people pays."""
    value, draft = standing.value, standing.draft
    is_told = draft is not None and "people" in draft.filled
    return is_told or (value is not None and value.unit.get(_PERSON, 0) < 0)


def _names_parts(quantity: Quantity) -> bool:
    return say.PART_NOUNS.match(behind_number(quantity)) is not None


def _amount(quantity: Quantity, standing: Standing) -> Step | None:
    """An amount that is added or taken off."""
    if (
        quantity.kind not in {*_MONEY, Kind.SMALL, Kind.PRICE}
        or quantity.unit
        or MONEY not in standing.start.unit
    ):
        return None
    value = standing.value
    is_regular = value is not None and bool(value.periods) and not quantity.per
    if is_regular and (not is_of_sum(standing) or _tells_once(quantity)):
        return None  # what is paid once is no part of an instalment
    noun = noun_told_for(quantity, standing)
    count = count_of(noun, standing.draft) if noun else Decimal(1)
    if count is None:
        return None
    if _REPLACED.search(quantity.before):
        return None
    sign = _sign_of_amount(quantity)
    is_income = standing.name in _INCOMES or _tells_income(standing)
    if not sign and is_income and is_spent(Term(with_unit(quantity.value), quantity, 0)):
        sign = "-"
    elif not sign:
        return None
    is_named_alone = not (say.MINUS.search(quantity.before) or say.PLUS.search(quantity.before))
    if is_named_alone and is_income and sign == "+":
        return None
    step = Step(sign, amount_told(quantity), each=noun)
    return step.counted(count) if noun else step


def _tells_once(quantity: Quantity) -> bool:
    """Whether words beside an amount tell that it is paid only once."""
    return (
        say.PAID_ONCE.search(" ".join([*_words_before(quantity), "|", *_words_after(quantity)])) is not None
    )


def noun_told_for(quantity: Quantity, standing: Standing) -> str:
    """What an amount is told for each of, beside a period: "plus 4.50 tax per night"."""
    told = (noun for _, noun in told_for(_CLAUSE.split(quantity.after)[0]))
    return next((noun for noun in told if noun not in A_YEAR and noun not in standing.start.unit), "")


def count_of(noun: str, draft: Draft | None) -> Decimal | None:
    """How many of something a calculation counts; None when it does not, or in two ways."""
    filled = draft.filled.values() if draft is not None else ()
    counts = {
        each.value
        for numbers in filled
        for each in numbers
        if each.kind in _COUNTED and noun_of(counted_noun(each) or "") == noun
    }
    return counts.pop() if len(counts) == 1 else None


def _sign_of_amount(quantity: Quantity) -> str:
    after = " ".join(_words_after(quantity))
    if say.MINUS.search(quantity.before) or (say.TAKING.search(after) and not say.ADDING.search(after)):
        return "-"
    if say.PLUS.search(quantity.before) or say.TO_AMOUNT.search(quantity.before):
        return "+"
    near = " ".join([*_words_before(quantity), "|", *_words_after(quantity)])
    taken, added = say.TAKING.search(near), say.ADDING.search(near)
    if bool(taken) == bool(added):
        return ""
    return "-" if taken else "+"


def _words_before(quantity: Quantity) -> Sequence[str]:
    return _CLAUSE.split(quantity.before)[-1].split()[-_NEAR:]


def _words_after(quantity: Quantity) -> Sequence[str]:
    return _CLAUSE.split(quantity.after)[0].split()[:_NEAR]


def named_beside(reading: Reading) -> Iterator[str]:
    """The words beside the amounts and percentages of a message, which name them."""
    for quantity in reading.quantities or ():
        if quantity.kind not in _NAMED:
            continue
        yield from _words_before(quantity)
        yield from _words_after(quantity)
