"""Sums that words name and units do not tell: what was before a percentage, a fee alone, what is owed.

Each reads all numbers of a question or makes nothing.
"""

import re
from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.asked import Goal
from finassist.domain.calculators.recognition.sums.fractions import share_in_words
from finassist.domain.calculators.recognition.sums.question import PAIR, Question, amount, apart, part
from finassist.domain.calculators.recognition.sums.roles import Role, role_of
from finassist.domain.calculators.recognition.sums.terms import Term
from finassist.domain.calculators.recognition.sums.values import Value, larger, plain, smaller, with_unit
from finassist.domain.calculators.recognition.sums.words import after, before, said, words

_INFLATED: Final = said("in_real_money", "prices_rise")
_BEFORE_ASKED: Final = said("before_asked")
_INCOME: Final = said("income_told")
_FALLEN: Final = said("fallen")
_RECOVERED: Final = said("recovered")
_FEE_ASKED: Final = said("fee_asked")
_NET_ASKED: Final = said("net_asked")
_FEES_ON_TOP: Final = said("fees_on_top")
_WHOLE_ASKED: Final = said("whole_asked")
_REFUNDED: Final = said("refunded")
_MOST_BEFORE: Final = before("at_most")
_MOST_AFTER: Final = after("at_most_after")
_LEAST_BEFORE: Final = before("at_least")
_LEAST_AFTER: Final = after("at_least_after")
_EXTRA_ASKED: Final = said("extra_asked")
_RATE_ASKED: Final = said("rate_asked")
_NO_INTEREST: Final = said("no_interest")
_FEES: Final = said("fees_told")
_LOANS: Final = said("loans")
_AGAINST: Final = said("against")
_OTHER: Final = said("other_offer")
_AND: Final = said("lists")
_AFTER: Final = before("after_percent")
_OWED: Final = said("owed")
_NEEDED: Final = before("needed")
_HELD: Final = before("held")
_REPAID: Final = said("repaid")
_ABOVE: Final = before("above")
_OVERTIME: Final = ((plain(2), said("twice_paid")), (with_unit(plain(3).number / 2), said("half_more_paid")))
"""By how much hours are paid more, and the words for it."""
_EMPLOYER: Final = said("employer")
_CONTRIBUTED: Final = said("contributed")
_ONE_SIDE: Final = said("one_side")
_SAVED: Final = before("saving")
_FOR: Final = before("for_as_price_of")
_COUNTED: Final = frozenset((Kind.COUNT, Kind.TIMES, Kind.TERM))


def has_no_sum(question: Question) -> bool:
    """Whether the words rule out a sum of all numbers: one side of two is asked for, or what was paid."""
    is_one_side = len(question.rates) > 1 and question.says(_EMPLOYER) and question.asks(_ONE_SIDE)
    first, *later = question.quantities
    is_debt = _OWED.search(first.before) and any(_REPAID.search(each.before) for each in later)
    if question.rates and question.says(_INFLATED):
        return True  # what prices rise by is added to nothing that is only kept
    if _is_saved_for(question):
        return True  # what is there is not added to what is needed
    return is_one_side or bool(is_debt and not question.asked.left and question.asked.goal is Goal.AMOUNT)


def _is_saved_for(question: Question) -> bool:
    """Whether an amount is needed and another one is there, and it is not asked what lacks."""
    if question.asked.left or question.asked.goal is not Goal.AMOUNT:
        return False
    needed = [each for each in question.amounts if _NEEDED.search(each.before)]
    held = [each for each in question.amounts if _HELD.search(each.before)]
    return bool(needed and held)


def named_sum(question: Question) -> Value | None:
    """The first of these sums that the words of a question name and all its numbers make."""
    return next((value for form in _FORMS if (value := form(question)) is not None), None)


def before_percentage(question: Question) -> Value | None:
    """What an amount was before a percentage that has been taken off or added."""
    is_asked = question.asks(_BEFORE_ASKED)
    if not question.has(rates=1, amounts=1) or question.says(_INCOME):
        return None
    is_saved = question.asked.goal is Goal.DIFFERENCE and _AFTER.search(question.rates[0].before) is not None
    if not (is_asked or is_saved):
        return None
    [rate], [told] = question.rates, question.amounts
    if _BEFORE_ASKED.search(told.before):
        return None
    role = role_of(Term(with_unit(rate.value), rate, 0, percent=True), "")
    if role is Role.REMOVED:
        whole = amount(told) / (plain(1) - part(rate))
        return whole if is_asked else whole - amount(told)
    return (
        amount(told) / (plain(1) + part(rate)) if is_asked and role in (Role.ADDED, Role.INCLUDED) else None
    )


def recovery(question: Question) -> Value | None:
    """The rise in percent that a fall needs."""
    is_asked = question.says(_FALLEN) and question.says(_RECOVERED)
    if not question.has(rates=1, amounts=0) or not is_asked or question.rates[0].value >= plain(100).number:
        return None
    fall = with_unit(question.rates[0].value)
    return fall / (plain(100) - fall) * plain(100)


def fee(question: Question) -> Value | None:
    """A fee or cashback alone: a percentage of an amount, what comes on top of it, within its limits."""
    most = [each for each in question.amounts if _is_limit(each, is_most=True)]
    least = [each for each in question.amounts if _is_limit(each, is_most=False)]
    rest = apart(question.amounts, [*most, *least])
    if len(question.rates) != 1 or question.others or max(len(most), len(least)) > 1 or not rest:
        return None
    is_net = question.asks(_NET_ASKED) and question.says(_FEES_ON_TOP)
    is_alone = len(rest) == 1 and not most and not least
    if not (is_net or _is_fee_asked(question)) or (is_alone and (is_net or not question.asks(_FEE_ASKED))):
        return None
    base = max(rest, key=lambda each: each.value)
    flat = apart(rest, [base])
    if len(flat) > 1 or any(each.per for each in question.amounts):
        return None
    value = amount(base) * part(question.rates[0])
    value = reduce(add, map(amount, flat), value)
    value = reduce(larger, map(amount, least), value)
    value = reduce(smaller, map(amount, most), value)
    return amount(base) - value if is_net else value


def _is_fee_asked(question: Question) -> bool:
    """Whether the part and not the amount with or without it is asked for."""
    if question.asks(_WHOLE_ASKED):
        return False
    return question.asks(_FEE_ASKED) or (question.asked.left and question.says(_REFUNDED))


def _is_limit(quantity: Quantity, *, is_most: bool) -> bool:
    earlier, later = (_MOST_BEFORE, _MOST_AFTER) if is_most else (_LEAST_BEFORE, _LEAST_AFTER)
    return bool(earlier.search(quantity.before) or later.match(quantity.after))


def beyond_price(question: Question) -> Value | None:
    """What the instalments of a purchase cost more than its price."""
    counts = [each for each in question.others if each.kind in _COUNTED]
    saved = [each for each in question.amounts if each.per and _SAVED.search(each.before)]
    amounts = apart(question.amounts, saved)
    if len(amounts) != PAIR or question.rates or not len(counts) == len(question.others) == 1:
        return None
    if not question.asks(_EXTRA_ASKED) or question.asks(_RATE_ASKED) or question.says(_NO_INTEREST):
        return None
    if question.asked.goal in (Goal.SHARE, Goal.CHANGE, Goal.COUNT):
        return None
    each, price = sorted(amounts, key=lambda one: one.value)
    is_told = each.per == "month" or (each.per is None and counts[0].kind is not Kind.TERM)
    if not is_told or price.per is not None:
        return None
    value = amount(each) * with_unit(counts[0].value) - amount(price)
    return value if value.number > 0 else None


def still_owed(question: Question) -> Value | None:
    """What is left of a debt after payments, some of them several times: "3 x 350 and 425"."""
    debt, *paid = question.quantities
    is_debt = (
        _OWED.search(debt.before) and not question.rates and any(debt is one for one in question.amounts)
    )
    if not is_debt or not paid or not question.asked.left or not _REPAID.search(paid[0].before):
        return None
    value, times = amount(debt), plain(1)
    for each in paid:
        if any(each is one for one in question.amounts) and each.per is None:
            payment = amount(each)
            value, times = value - (payment if times.number == 1 else times * payment), plain(1)
        elif each.kind is Kind.COUNT and times.number == 1:
            times = with_unit(each.value)
        else:
            return None
    return value if value.number >= 0 and times.number == 1 else None


def rates_apart(question: Question) -> Value | None:
    """What two percentages of the same amount differ by."""
    is_asked = question.asked.goal is Goal.DIFFERENCE and question.says(_FEES) and not question.says(_LOANS)
    if not question.has(rates=PAIR, amounts=1) or not is_asked or question.amounts[0].per:
        return None
    low, high = sorted(question.rates, key=lambda rate: rate.value)
    between = " ".join(each.before for each in question.quantities[1:])
    if not (_AGAINST.search(between) or _OTHER.search(between) or _AND.search(between)):
        return None
    return amount(question.amounts[0]) * ((with_unit(high.value) - with_unit(low.value)) / plain(100))


def overtime(question: Question) -> Value | None:
    """Pay for hours of which those above a number are paid more."""
    factors = [factor for factor, words in _OVERTIME if question.says(words)]
    above = [each for each in question.quantities if _ABOVE.search(each.before)]
    pays = [each for each in question.amounts if each.per in ("hour", None) and each not in above]
    hours = [each for each in question.others if each.kind in _HOURS and each not in above]
    if not len(factors) == len(above) == len(pays) == len(hours) == 1 or len(question.quantities) != 3:
        return None
    [pay], [limit], [worked] = pays, above, hours
    if not 0 < limit.value < worked.value or limit.kind not in (*_HOURS, Kind.SMALL, Kind.AMOUNT):
        return None
    regular = amount(pay) * with_unit(limit.value)
    more = with_unit(worked.value) - with_unit(limit.value)
    return regular + amount(pay) * factors[0] * more


_HOURS: Final = (Kind.HOURS, Kind.HOURS_IN_ALL)


def contributions(question: Question) -> Value | None:
    """What an employee and an employer put in together: percentages of the same pay."""
    if not question.has(rates=PAIR, amounts=1) or not question.says(_EMPLOYER):
        return None
    if not question.says(_CONTRIBUTED) or question.asks(_ONE_SIDE) or question.asked.goal is not Goal.AMOUNT:
        return None
    [pay] = question.amounts
    if question.asked.per not in ("", pay.per or "") and pay.per is not None:
        return None
    value = amount(pay) * (reduce(add, map(_number, question.rates)) / plain(100))
    return value.for_each(pay.per) if pay.per else value


def _number(quantity: Quantity) -> Value:
    return with_unit(quantity.value)


def several_for_fewer(question: Question) -> Value | None:
    """What one really costs when several are sold for the price of fewer: "3 for 2 at 4.80"."""
    if not question.has(rates=0, amounts=3) or question.asked.per not in ("each", "piece"):
        return None
    taken, paid, price = question.quantities
    is_offer = taken.is_bare and paid.is_bare and _FOR.search(paid.before) and taken.value > paid.value > 0
    if not is_offer or taken.before.strip().endswith(_AT) or price.per:
        return None
    return amount(price) * with_unit(paid.value) / with_unit(taken.value)


_AT: Final = ("at", "cost", "costs", "@")


def average_of_list(question: Question) -> Value | None:
    """The mean of numbers that are only listed, over as many periods as there are numbers."""
    numbers, times = question.amounts, question.others
    if question.asked.goal is not Goal.AVERAGE or question.rates or len(numbers) < PAIR + 1:
        return None
    is_list = all(_BETWEEN.fullmatch(each.before) and each.per is None for each in numbers[1:])
    are_times = all(_in_units(each) == len(numbers) for each in times) and len(times) <= 1
    if not is_list or not are_times or any(each.kind is Kind.PRICE for each in numbers):
        return None
    return reduce(add, map(amount, numbers)) / plain(len(numbers))


def _in_units(quantity: Quantity) -> int:
    """How many months, years, weeks or days a time has; 0 for another number."""
    if quantity.kind is Kind.TERM and "month" not in quantity.written and "mo" not in quantity.written:
        return int(quantity.value / 12)
    return int(quantity.value) if quantity.kind in (Kind.TERM, Kind.WEEKS, Kind.DAYS) else 0


def repaid_in_percent(question: Question) -> Value | None:
    """What is paid back beyond what was borrowed, in percent of it."""
    if (
        question.asked.goal not in (Goal.SHARE, Goal.CHANGE)
        or question.rates
        or len(question.amounts) != PAIR
    ):
        return None
    got, back = question.amounts
    told = f"{back.before} {back.after}".replace(question.asked.text, " ")
    is_flat = len({(each.kind, each.value) for each in question.others}) <= 1 and not question.says(_YEARLY)
    if not is_flat or not _REPAID.search(told) or got.value >= back.value:
        return None
    return (with_unit(back.value) - with_unit(got.value)) / with_unit(got.value) * plain(100)


_BETWEEN: Final = re.compile(rf"(?: ?(?:,|;|/|{words('listed_by')}))+ ?")
_YEARLY: Final = said("yearly_rate")

_FORMS: Final[Sequence[Callable[[Question], Value | None]]] = (
    before_percentage,
    recovery,
    fee,
    beyond_price,
    still_owed,
    rates_apart,
    overtime,
    contributions,
    several_for_fewer,
    average_of_list,
    repaid_in_percent,
    share_in_words,
)
