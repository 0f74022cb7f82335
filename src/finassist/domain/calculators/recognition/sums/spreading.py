"""What is paid in equal parts: a loan with flat interest, a year's pay by the month."""

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
from finassist.domain.calculators.recognition.sums.values import plain, with_unit
from finassist.domain.calculators.recognition.sums.words import after, before, said

_BORROWING: Final = said("owed", "short_loan")
_PAYMENTS: Final = (Kind.SMALL, Kind.COUNT, Kind.TIMES)
_NUMBERS: Final = 3
_MONTHS: Final = 12
_PAYMENTS_MOST: Final = 18


def flat_interest(question: Question) -> Figures:
    """What a loan costs whose interest is always that on the amount borrowed, and one instalment."""
    rates = [each for each in question.quantities if each.kind is Kind.RATE]
    terms = [each for each in question.quantities if each.kind is Kind.TERM]
    if not len(rates) == len(terms) == len(question.amounts) == 1 or len(question.quantities) != _NUMBERS:
        return ()
    [rate], [term], [owed] = rates, terms, question.amounts
    is_flat = _FLAT_BEFORE.search(rate.before) or _FLAT_AFTER.match(rate.after) or question.says(_OF_ORIGINAL)
    if not is_flat or not question.says(_BORROWING) or owed.per is not None:
        return ()
    total = amount(owed) * (plain(1) + part(rate) * with_unit(term.value) / plain(12))
    return Figure("In all", total), Figure("A month", (total / with_unit(term.value)).for_each("month"))


def paid_in_twelve(question: Question) -> Figures:
    """What 13 payments a year or more come to in each of 12 months."""
    if len(question.quantities) != _NUMBERS or question.asked.per != "month":
        return ()
    pay, payments, months = sorted(question.quantities, key=lambda each: each.value, reverse=True)
    is_pay = pay.kind in (Kind.AMOUNT, Kind.MONTHLY_AMOUNT) and pay.value > _PAYMENTS_MOST
    is_in_months = months.kind in (*_PAYMENTS, Kind.TERM) and months.value == _MONTHS
    is_told = payments.kind is not Kind.SMALL or _TIMES.search(payments.before) or question.says(_PAID_OFTEN)
    is_often = is_told and payments.kind in _PAYMENTS and _MONTHS < payments.value <= _PAYMENTS_MOST
    if not (is_pay and is_in_months and is_often):
        return ()
    yearly = amount(pay) * with_unit(payments.value)
    return (Figure("A month", (yearly / plain(_MONTHS)).for_each("month")),)


def paid_by_week(question: Question) -> Figures:
    """What payments in a year come to in a month, by their number or the weeks between them."""
    counts = [
        each for each in question.quantities if each.kind in _PAYMENTS and each.value in _A_YEAR_BY_WEEKS
    ]
    pay = apart(question.quantities, counts)
    if len(pay) != 1 or len(counts) > 1 or not _is_by_the_month(question):
        return ()
    is_pay = pay[0].kind in (Kind.AMOUNT, Kind.MONTHLY_AMOUNT, Kind.PAY) and pay[0].per in _BY_WEEKS
    told = {number for words, number in _WEEKS_BETWEEN if question.says(words)}
    told |= {_BY_WEEKS[pay[0].per]} if is_pay and pay[0].per else set()
    said_counts = {int(each.value) for each in counts if _is_number_of_payments(each)}
    if not is_pay or len(told | said_counts) != 1 or len(said_counts) != len(counts) or not told:
        return ()
    yearly = amount(pay[0]) * plain((told | said_counts).pop())
    return (Figure("A month", (yearly / plain(_MONTHS)).for_each("month")),)


def _is_number_of_payments(quantity: Quantity) -> bool:
    told = quantity.written.removeprefix(f"{quantity.value:f}")
    is_behind = _PAYMENTS_AFTER.match(f"{told}{quantity.after}") is not None
    return is_behind or _PAYMENTS_BEFORE.search(quantity.before) is not None


def _is_by_the_month(question: Question) -> bool:
    """Whether pay is told that comes by the week, and what it is by the month is asked."""
    return question.asked.per == "month" and question.says(_PAID)


def paid_in_parts(question: Question) -> Figures:
    """What each payment of a year's bill is that is paid in so many months or instalments."""
    yearly = [each for each in question.quantities if each.per == "year" and each.kind is Kind.PAY]
    parts = [each for each in question.quantities if each.kind in (Kind.TERM, Kind.COUNT)]
    if len(yearly) != 1 or len(parts) != 1 or len(question.quantities) != len(yearly) + len(parts):
        return ()
    is_in_year = 1 < parts[0].value <= _MONTHS and not parts[0].before.endswith("for ")
    if not is_in_year or not (_OVER.search(parts[0].before) and question.asks(_EACH_PAYMENT)):
        return ()
    paid = amount(yearly[0]) / with_unit(parts[0].value)
    return (Figure("Each payment", paid.for_each("month") if question.asked.per == "month" else paid),)


def lost_a_year(question: Question) -> Figures:
    """What a thing lost of its price in each of the years until it was sold."""
    terms = [each for each in question.others if each.kind is Kind.TERM]
    is_told = question.has(rates=0, amounts=2, others=1) and len(terms) == 1 and question.asked.per == "year"
    if not is_told or not question.asks(_LOST) or any(each.per for each in question.amounts):
        return ()
    sold, bought = sorted(question.amounts, key=lambda each: each.value)
    years = with_unit(terms[0].value / _MONTHS)
    return (Figure("Lost a year", ((amount(bought) - amount(sold)) / years).for_each("year")),)


_PAID: Final = said("paid_by_week")
_WEEKS_BETWEEN: Final = (
    (said("every_week"), 52),
    (said("every_two_weeks"), 26),
    (said("every_four_weeks"), 13),
)
_BY_WEEKS: Final = {None: 0, "week": 52, "fortnight": 26, "fourweek": 13}
_A_YEAR_BY_WEEKS: Final = frozenset((13, 26, 52))
_PAYMENTS_AFTER: Final = after("payments_counted")
_PAYMENTS_BEFORE: Final = before("payments_before")
_LOST: Final = said("value_lost")
_OVER: Final = before("paid_over")
_EACH_PAYMENT: Final = said("each_payment")
_TIMES: Final = before("times")
_PAID_OFTEN: Final = said("paid_often")
_FLAT_BEFORE: Final = before("flat_rate_before")
_FLAT_AFTER: Final = after("flat_rate_after")
_OF_ORIGINAL: Final = said("of_original")
