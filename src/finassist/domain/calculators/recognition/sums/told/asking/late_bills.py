"""What a late payer owes beyond an invoice."""

from functools import reduce
from operator import add
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.question import (
    IN_A_YEAR,
    Figure,
    Figures,
    Question,
    amount,
    apart,
    part,
)
from finassist.domain.calculators.recognition.sums.told.clauses import around, earlier, role_of
from finassist.domain.calculators.recognition.sums.values import plain, with_unit
from finassist.domain.calculators.recognition.sums.words import ADVERBS, after, before, said
from finassist.domain.calculators.recognition.times.periods import AFTER_PERIOD

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
_INTEREST: Final = said("interest")
_YEARLY: Final = ADVERBS["year"]
_YEARS: Final = frozenset((360, 365, 366))
_ROLES: Final = {"fee": _FEE, "invoice": _INVOICE}


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
    if any(each.per is None and _is_fee_in_percent(each) for each in rates):
        return ()
    if not _is_one_rate(rates) or not (fees or len(rates) > 1):
        return ()  # one rate and nothing beside it is plain simple interest
    time = times[0]
    if time.kind not in IN_A_YEAR or (time.kind is Kind.DAYS and rates[0].per == "month"):
        return ()
    year = bases[0].value if bases and time.kind is Kind.DAYS else IN_A_YEAR[time.kind]
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


def _is_fee_in_percent(rate: Quantity) -> bool:
    """Whether a percentage without a period is a part of the invoice and no yearly rate."""
    is_yearly = AFTER_PERIOD.match(rate.after) is not None or _OVER.match(rate.after) is not None
    is_rate = is_yearly or any(words.search(around(rate)) for words in (_INTEREST, _YEARLY))
    return _FEE.search(around(rate)) is not None and not is_rate


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
