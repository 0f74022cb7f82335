"""What is paid for a part of a month, by its days: "17 days of a 31 day month", "12 of 22 working days"."""

import re
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.asked import Goal
from finassist.domain.calculators.recognition.sums.question import (
    PAIR,
    Figure,
    Figures,
    Question,
    amount,
    apart,
)
from finassist.domain.calculators.recognition.sums.values import with_unit
from finassist.domain.calculators.recognition.sums.words import after, before, said, words

_PAID: Final = said("monthly", "income_told", "paid_monthly")
_ABSENT: Final = said("absent_days")
_LENGTH: Final = before("length_of_month")
_MONTH: Final = after("whole_month")
_OF: Final = re.compile(rf" {words('days_out_of')} $|^ ?/ ?$")
_DAYS: Final = after("days_counted")
_NUMBERS: Final = frozenset((Kind.DAYS, Kind.SMALL))
_SHORTEST, _LONGEST = 16, 31


def pay_of_part(question: Question) -> Figures:
    """A month's pay or rent for the days of the month that it is paid for."""
    days = [each for each in question.quantities if each.kind in _NUMBERS and not each.symbol]
    paid = apart(question.quantities, days)
    if len(days) != PAIR or len(paid) != 1 or question.asked.goal is not Goal.AMOUNT:
        return ()
    if question.says(_ABSENT):
        return ()  # what is not paid for
    [money], [part, whole] = paid, days
    if not _OF.search(part.after):
        part, whole = sorted(days, key=lambda each: each.value)
    near = f"{money.before} | {money.after}"
    if money.kind not in (Kind.AMOUNT, Kind.MONTHLY_AMOUNT) or not _PAID.search(near):
        return ()
    if not _are_days(part, whole) or not 0 < part.value < whole.value:
        return ()
    if not _SHORTEST <= whole.value <= _LONGEST:
        return ()
    return (Figure("For that part", amount(money) * with_unit(part.value) / with_unit(whole.value)),)


def _are_days(part: Quantity, whole: Quantity) -> bool:
    """Whether the second of two numbers tells how many days the month of the first one has."""
    is_joined = _OF.search(part.after) is not None and part.after == whole.before
    is_of_month = _MONTH.match(whole.after) is not None or _LENGTH.search(whole.before) is not None
    is_counted = Kind.DAYS in (part.kind, whole.kind) or _DAYS.match(whole.after) is not None
    return is_counted and (is_joined or (is_of_month and part.kind is whole.kind is Kind.DAYS))
