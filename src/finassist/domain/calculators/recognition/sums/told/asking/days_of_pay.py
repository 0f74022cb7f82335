"""The pay for days of a notice or of leave, by the days that a month is told to have."""

from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.question import Figure, Figures, Question, amount, apart
from finassist.domain.calculators.recognition.sums.told.clauses import around
from finassist.domain.calculators.recognition.sums.values import with_unit
from finassist.domain.calculators.recognition.sums.words import after, said

_NOTICE: Final = said("days_of_pay")
_MONTH_NEXT: Final = after("whole_month")
_SUCH_DAYS: Final = after("such_days")
_IN_MONTH: Final = said("days_of_month")
_SHORTEST, _LONGEST = 20, 31


def pay_for_days(question: Question) -> Figures:
    """Pay of a month for the days of a notice or of leave, by the days that a month is told to have."""
    if not question.says(_NOTICE) or question.rates:
        return ()
    days = _days(question)
    month = [each for each in days if _is_of_month(each)]
    told = apart(days, month)
    pay = apart(question.quantities, days)
    if not len(month) == len(told) == len(pay) == 1 or not _SHORTEST <= month[0].value <= _LONGEST:
        return ()
    if pay[0].kind not in (Kind.AMOUNT, Kind.MONTHLY_AMOUNT, Kind.PAY) or pay[0].per not in (None, "month"):
        return ()
    return (Figure("The pay", amount(pay[0]) / with_unit(month[0].value) * with_unit(told[0].value)),)


def _days(question: Question) -> list[Quantity]:
    """The numbers of days, also those of a month: "30 days a month"."""
    return [
        each
        for each in question.quantities
        if each.kind is Kind.DAYS
        or (each.kind is Kind.TIMES and "day" in each.written)
        or (each.kind in (Kind.SMALL, Kind.AMOUNT) and each.is_bare and _SUCH_DAYS.match(each.after))
    ]


def _is_of_month(days: Quantity) -> bool:
    """Whether days are those that a month counts."""
    if days.kind is Kind.TIMES:
        return days.per == "month"
    is_divided, is_named = days.before.rstrip().endswith("/"), _MONTH_NEXT.match(days.after) is not None
    return is_divided or is_named or _IN_MONTH.search(around(days)) is not None


def has_unread_days(question: Question) -> bool:
    """Whether pay is asked for by days of a month in a way that is not read: their product is no pay."""
    days = _days(question)
    return question.says(_NOTICE) and (len(days) > 1 or any(map(_is_of_month, days)))
