"""What a late payer owes beyond an invoice, and the pay for days by the days of a month."""

from functools import reduce
from operator import add
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.question import (
    Figure,
    Figures,
    Question,
    amount,
    apart,
    part,
)
from finassist.domain.calculators.recognition.sums.told.clauses import around, earlier, role_of
from finassist.domain.calculators.recognition.sums.values import plain, with_unit
from finassist.domain.calculators.recognition.sums.words import after, before, said

_LATE: Final = said("late_paid")
_LATE_ASKED: Final = said("late_asked")
_WHOLE: Final = said("late_whole_asked")
_COMPOUND: Final = said("compounded_told")
_FEE: Final = said("late_fees")
_PLUS: Final = before("late_fees")
_INVOICE: Final = said("invoices")
_BASE: Final = said("base_rates")
_BASIS: Final = said("day_basis")
_OVER: Final = after("over_base")
_YEARS: Final = frozenset((360, 365, 366))
_ROLES: Final = {"fee": _FEE, "invoice": _INVOICE}
_TERMS: Final = {Kind.TERM: 12, Kind.WEEKS: 52}


def late_interest(question: Question) -> Figures:
    """Simple interest on an invoice that is late, with what is claimed beside it."""
    if not (question.says(_LATE) and question.says(_LATE_ASKED)) or question.says(_COMPOUND):
        return ()
    bases = [each for each in question.quantities if each.kind is Kind.DAYS and _is_basis(each)]
    times = [each for each in apart(question.others, bases) if each.kind is not Kind.RATE]
    rates = [each for each in question.quantities if each.kind is Kind.RATE]
    fees = [each for each in question.amounts if _is_fee(each)]
    owed = apart(question.amounts, fees)
    is_told = len(owed) == len(times) == 1 and len(bases) <= 1 and len(fees) <= 1
    if not is_told or any(
        each.per or each.kind not in (Kind.AMOUNT, Kind.SMALL) for each in question.amounts
    ):
        return ()
    if not _is_one_rate(rates) or not (fees or len(rates) > 1):
        return ()  # one rate and nothing beside it is plain simple interest
    time = times[0]
    is_known = time.kind in _TERMS or (time.kind is Kind.DAYS and rates[0].per != "month")
    if not is_known:
        return ()
    year = bases[0].value if bases else _TERMS.get(time.kind, 365)
    rate = reduce(add, map(part, rates))
    interest = amount(owed[0]) * rate * with_unit(time.value) / plain(int(year))
    extra = reduce(add, [interest, *map(amount, fees)])
    figures = [Figure("On top of the invoice", extra), Figure("With the invoice", amount(owed[0]) + extra)]
    if question.says(_WHOLE):
        figures.reverse()
    alone = [Figure("The interest alone", interest)] if fees else []
    return (*figures, *alone)


def _is_fee(quantity: Quantity) -> bool:
    """Whether an amount comes on top of the invoice."""
    return role_of(quantity, _ROLES) == "fee" or _PLUS.search(quantity.before) is not None


def _is_basis(days: Quantity) -> bool:
    """Whether days are those that a year counts."""
    return days.value in _YEARS and _BASIS.search(around(days)) is not None


def _is_one_rate(rates: list[Quantity]) -> bool:
    """Whether there is one rate, or one over a base rate and that base rate."""
    if any(each.per not in (None, "year", "month") or "%" not in each.written for each in rates):
        return False
    if len(rates) <= 1:
        return len(rates) == 1 and not _OVER.match(rates[0].after)
    first, *others = rates
    is_over = _OVER.match(first.after) is not None
    return is_over and len(others) == 1 and _BASE.search(earlier(others[0])) is not None


_NOTICE: Final = said("days_of_pay")
_MONTH_NEXT: Final = after("months_named")
_SUCH_DAYS: Final = after("such_days")
_IN_MONTH: Final = said("days_of_month")


def pay_for_days(question: Question) -> Figures:
    """Pay of a month for the days of a notice or of leave, by the days that a month is told to have."""
    if not question.says(_NOTICE) or question.rates:
        return ()
    days = _days(question)
    month = [each for each in days if _is_of_month(each)]
    told = apart(days, month)
    pay = apart(question.quantities, days)
    if not len(month) == len(told) == len(pay) == 1 or not 20 <= month[0].value <= 31:
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
