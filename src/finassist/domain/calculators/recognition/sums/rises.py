"""An amount that falls or rises by percentages, told with what they are together or with what is added."""

from functools import reduce
from operator import mul
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
    part,
)
from finassist.domain.calculators.recognition.sums.roles import around, is_discount, is_further
from finassist.domain.calculators.recognition.sums.terms import Term
from finassist.domain.calculators.recognition.sums.values import plain, with_unit
from finassist.domain.calculators.recognition.sums.words import after, said

_IN_ALL: Final = said("discount_in_all")
_AND: Final = said("lists")
_TAX: Final = said("sales_taxes")
_PER_MONTH: Final = said("a_month")
_WHOLE: Final = said("new_whole")
_PART: Final = said("part_as_well")
_OFF: Final = said("discount_percent")
_OFF_AFTER: Final = after("discount_percent")
_INCOME_SHARE: Final = after("share_of_it")


def discounts_in_turn(question: Question) -> Figures:
    """A price after several discounts in a row, and what they are together."""
    claims = _claims(question)
    rates, amounts = apart(question.rates, claims), apart(question.amounts, claims)
    if len(amounts) != 1 or question.others or len(rates) < PAIR:
        return ()
    first, *later = [Term(with_unit(each.value), each, 0, percent=True) for each in rates]
    is_row = all(is_further(each) and not _TAX.search(" | ".join(around(each))) for each in later)
    if not is_discount(first) or not is_row or amounts[0].per:
        return ()
    left = reduce(mul, (plain(1) - part(each) for each in rates))
    price = Figure("The price", amount(amounts[0]) * left)
    percent = Figure("The discount in all", (plain(1) - left) * plain(100), "percent")
    if claims:
        return (price, percent)
    if question.asked.goal is Goal.DIFFERENCE:
        return (Figure("Saved", amount(amounts[0]) * (plain(1) - left)),)
    if not question.says(_IN_ALL):
        return (price,)
    is_alone = question.asked.goal is Goal.SHARE and not _AND.search(question.asked.text)
    return (percent,) if is_alone else (price, percent)


def _claims(question: Question) -> list[Quantity]:
    """A number that only says what all percentages before it are together: "that's not 55 off, is it"."""
    last = question.quantities[-1]
    rates = [each for each in question.rates if each is not last]
    is_sum = len(rates) >= PAIR and last.value == sum(each.value for each in rates)
    return [last] if is_sum and (last.kind is Kind.RATE or _OFF_AFTER.match(last.after)) else []


def part_and_whole(question: Question) -> Figures:
    """What a percentage adds to an amount, and both together, when both are asked for."""
    if not question.has(rates=1, amounts=1) or not (question.says(_WHOLE) and question.says(_PART)):
        return ()
    [rate], [base] = question.rates, question.amounts
    if _OFF.search(rate.after) or _INCOME_SHARE.search(rate.after):
        return ()
    is_monthly = question.says(_PER_MONTH) and base.per in (None, "year")
    more = amount(base) * part(rate)
    whole = Figure("Together", amount(base) + more)
    if not is_monthly:
        return (whole, Figure("The part", more))
    return (whole, Figure("More a year", more), Figure("More a month", (more / plain(12)).for_each("month")))
