"""Sums of a story: who takes which part in an amount. Numbers have roles by the words beside them, and a
story may come to several figures.

Each reads all numbers of a question or makes nothing.
"""

import re
from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.asked import Goal
from finassist.domain.calculators.recognition.sums.fractions import others_told, shares_told, split_in_words
from finassist.domain.calculators.recognition.sums.named import OVERTIME
from finassist.domain.calculators.recognition.sums.question import (
    NEAR,
    PAIR,
    WORD,
    Figure,
    Figures,
    Question,
    amount,
    apart,
    part,
)
from finassist.domain.calculators.recognition.sums.rises import discounts_in_turn, part_and_whole
from finassist.domain.calculators.recognition.sums.spreading import (
    flat_interest,
    lost_a_year,
    paid_by_week,
    paid_in_parts,
    paid_in_twelve,
)
from finassist.domain.calculators.recognition.sums.terms import WITH_ME
from finassist.domain.calculators.recognition.sums.told.break_even import broken_even
from finassist.domain.calculators.recognition.sums.told.exchange import (
    amount_to_arrive,
    exchanged,
)
from finassist.domain.calculators.recognition.sums.told.lacking import part_of_whole
from finassist.domain.calculators.recognition.sums.told.own_orders import with_percentage_of_all
from finassist.domain.calculators.recognition.sums.told.own_parts import with_own_parts
from finassist.domain.calculators.recognition.sums.told.part_months import pay_of_part
from finassist.domain.calculators.recognition.sums.told.purchases import (
    cash_needed,
    commission_with_tax,
    lost_on_sale,
    resold,
    utilisation,
)
from finassist.domain.calculators.recognition.sums.told.several import (
    pay_of_parts,
    prices_of_packs,
    short_of_parts,
)
from finassist.domain.calculators.recognition.sums.values import Value, plain, with_unit
from finassist.domain.calculators.recognition.sums.words import NO_NOUNS, after, before, noun_of, said

_MORE: Final = after("more_than_others")
_LESS: Final = after("less_than_others")
_COUPLE: Final = said("couple")
_INCOME: Final = said("income_told")
_CHANGED: Final = after("more_or_less")
_AMONG: Final = before("shared_among")
_TAX: Final = said("sales_taxes")
_TAX_AFTER: Final = after("sales_taxes")
_TAX_BEFORE: Final = before("sales_taxes")
_ASIDE: Final = said("set_aside")
_OF_NET: Final = said("of_net")
_OWN_BILL: Final = said("own_bill")
_OTHERS: Final = said("others", "rest_told")
_REST_ASKED: Final = said("rest_of_group")
_DOWN: Final = said("paid_down")
_BORROWED: Final = said("borrowed")
_ACCRUED: Final = before("accrued")
_YEARLY_RATE: Final = said("yearly_rate", "rate_of_a_year")
_BORROWING: Final = said("owed", "short_loan")
_REPAID: Final = said("repaid")
_COMPOUNDED: Final = said("compounding")
_GROUP: Final = said("savings_groups")
_TURN: Final = said("turn_asked")
_PAID_IN: Final = said("paid_in_asked")
_PER_MONTH: Final = said("a_month")
_EACH: Final = after("each")
_CLAUSE: Final = re.compile(r"[.;:?!](?= |$)|, ")


def figures_of(question: Question) -> Figures:
    """What the first story that fits comes to, the figure that is asked for first; empty for none."""
    return next((found for form in _FORMS if (found := form(question))), ())


def by_markup(question: Question) -> Figures:
    """Shares of a group of which one pays some percent more or less than each of the others."""
    people = [each for each in question.quantities if _is_group(each)]
    amounts = apart(question.amounts, people)
    is_whole = len(question.rates) == len(amounts) == 1 and len(people) <= 1
    if not is_whole or apart(question.others, people):
        return ()
    [rate], [whole] = question.rates, amounts
    others = others_told(question)
    size = _size(people[0]) if people else others + 1
    if size < PAIR or others not in (0, size - 1) or question.says(_COUPLE):
        return ()
    if _MORE.match(rate.after):
        share, name = plain(1) + part(rate), f"{rate.written.strip()} more"
    elif _LESS.match(rate.after):
        share, name = plain(1) - part(rate), f"{rate.written.strip()} less"
    else:
        return ()
    each = amount(whole) / (plain(size - 1) + share)
    return (
        Figure(f"Who pays {name}", each * share),
        Figure("Each of the others" if size > PAIR else "The other one", each),
    )


def _is_group(quantity: Quantity) -> bool:
    """Whether a number counts those who share something."""
    if quantity.kind is Kind.PEOPLE:
        return True
    found = WORD.match(quantity.after.lstrip())
    is_person = found is not None and noun_of(found[0]) == "person"
    is_small = quantity.kind in (Kind.SMALL, Kind.COUNT)
    return is_small and (is_person or _AMONG.search(quantity.before) is not None)


def _size(group: Quantity) -> int:
    """How many a group has: with the one who tells of it, when it is told so."""
    return int(group.value) + (1 if WITH_ME.search(group.before) else 0)


def shares_of_several(question: Question) -> Figures:
    """A part of several amounts, of each another one: "40% of the rent and half of the bills"."""
    amounts, shares = question.amounts, shares_told(question)
    if not PAIR <= len(amounts) == len(shares) or question.others or question.asked.goal is not Goal.AMOUNT:
        return ()
    if len(shares) != len(question.rates) + sum(not each.is_rate for each in shares):
        return ()
    made: list[Value] = []
    left = list(shares)
    for each in amounts:
        fitting = [share for share in left if _names(each, question) & share.words]
        if len(fitting) != 1:
            return ()
        left.remove(fitting[0])
        made.append(amount(each) * fitting[0].value)
    periods = {each.per for each in amounts} - {None}
    return (Figure("Your part", reduce(add, made)),) if len(periods) < PAIR else ()


def _names(quantity: Quantity, question: Question) -> set[str]:
    """What an amount is of: the words right before it, or what stands before its bracket."""
    told = re.sub(r"\($", "", quantity.before)
    clause = _CLAUSE.split(told)[-1]
    joined = re.split(r"(?<!\w)(?:and|und|et|y|e|en)(?!\w)", clause)[-1]
    words = set(WORD.findall(joined)) or set(WORD.findall(clause))
    return words - set(NO_NOUNS.split("|"))


def invoice(question: Question) -> Figures:
    """An invoice with tax on top, and a share of the amount before tax that is set aside."""
    bases = {each.value for each in question.amounts}
    if len(question.rates) != PAIR or len(bases) != 1 or question.others:
        return ()
    taxes = [
        each for each in question.rates if _TAX_AFTER.match(each.after) or _TAX_BEFORE.search(each.before)
    ]
    [*kept] = apart(question.rates, taxes)
    if len(taxes) != 1 or len(kept) != 1:
        return ()
    clause = f"{kept[0].before[-NEAR:]} | {kept[0].after}"
    is_of_net = _OF_NET.search(kept[0].after) is not None or len(question.amounts) > 1
    if not _ASIDE.search(clause) or not is_of_net:
        return ()
    net = amount(question.amounts[0])
    total = Figure("The invoice", net * (plain(1) + part(taxes[0])))
    aside = Figure("Set aside", net * part(kept[0]))
    return (aside, total) if question.asks(_ASIDE) else (total, aside)


def one_leaves(question: Question) -> Figures:
    """What each of the rest pays of a bill of which one of the group has paid a part alone."""
    groups = [each for each in question.quantities if _is_group(each) or _is_rest(each)]
    amounts = apart(question.amounts, groups)
    sizes = sorted({_size(each) for each in groups})
    if question.rates or len(amounts) != PAIR or apart(question.others, groups) or not sizes:
        return ()
    own, bill = sorted(amounts, key=lambda each: each.value)
    size, rest = sizes[-1], sizes[0] if len(sizes) > 1 else others_told(question) or sizes[-1] - 1
    if len(sizes) > PAIR or not 1 < rest < size or own.value >= bill.value or not is_split_by_rest(question):
        return ()
    gone = size - rest
    if (_EACH.match(own.after) is not None) is not (gone > 1):
        return ()
    paid = amount(own) if gone == 1 else amount(own) * plain(gone)
    each = (amount(bill) - paid) / plain(rest)
    return (Figure("Each of the others", each.for_each("person")),)


def all_shares(question: Question) -> Figures:
    """What each pays of an amount of which one pays a part and the others split the rest."""
    values = split_in_words(question) or ()
    is_of_all = question.asked.per in ("each", "person") and not question.asks(_OTHERS)
    if len(values) < PAIR or not is_of_all:
        return ()
    each, own = values
    return Figure("Each of the others", each), Figure("The share that is told", own)


def is_split_by_rest(question: Question) -> bool:
    """Whether somebody has paid alone, and it is asked what the rest of a group pays."""
    return question.says(_OWN_BILL) and question.asks(_REST_ASKED)


_REST_BEFORE: Final = before("others")


def _is_rest(quantity: Quantity) -> bool:
    return quantity.kind is Kind.SMALL and _REST_BEFORE.search(quantity.before) is not None


def down_payment(question: Question) -> Figures:
    """What is paid down of a price, and what is borrowed."""
    if not question.has(rates=1, amounts=1) or question.asked.goal is not Goal.AMOUNT:
        return ()
    [rate], [price] = question.rates, question.amounts
    near = f"{rate.before[-NEAR:]} | {_CLAUSE.split(rate.after)[0]}"
    asks_down, asks_loan = question.asks(_DOWN), question.asks(_BORROWED)
    if question.says(_INCOME) or _CHANGED.match(rate.after):
        return ()
    if price.per or question.asked.per or not _DOWN.search(near) or not (asks_down or asks_loan):
        return ()
    deposit = Figure("Paid down", amount(price) * part(rate))
    loan = Figure("Borrowed", amount(price) * (plain(1) - part(rate)))
    if asks_down and not asks_loan:
        return (deposit,)
    return (deposit, loan) if asks_down else (loan,)


def accrued_pension(question: Question) -> Figures:
    """A part of the pay for every year of service: an eightieth of 36,000 for 24 years."""
    shares = [each for each in question.quantities if _ACCRUED.search(each.before)]
    ones = [each for each in question.quantities if each.after.strip() == "part in"]
    terms = [each for each in question.others if each.kind is Kind.TERM]
    pay = apart(question.amounts, [*shares, *ones])
    if not len(shares) == len(ones) == len(terms) == len(pay) == 1 or len(question.quantities) != PAIR * 2:
        return ()
    if pay[0].per not in (None, "year", "month"):
        return ()
    years = with_unit(terms[0].value / 12)
    pension = amount(pay[0]) * years / with_unit(shares[0].value)
    yearly = Figure("A year", pension.for_each("year"))
    monthly = Figure("A month", (pension / plain(12)).for_each("month"))
    if pay[0].per == "month":
        return (Figure("A month", pension.for_each("month")),)
    return (yearly, monthly) if question.asks(_PER_MONTH) else (yearly,)


def yearly_rate_of_fee(question: Question) -> Figures:
    """What a loan that is paid back at once with more than was borrowed costs in percent a year."""
    times = [each for each in question.others if each.kind in _A_YEAR]
    if question.rates or len(question.amounts) != PAIR or len(times) != 1 or len(question.others) != 1:
        return ()
    got, back = sorted(question.amounts, key=lambda each: each.value)
    is_simple = question.says(_BORROWING) and not question.says(_COMPOUNDED)
    is_loan = is_simple and _is_repaid(back, got, question)
    if not is_loan or not question.asks(_YEARLY_RATE) or any(each.per for each in question.amounts):
        return ()
    cost = (amount(back) - amount(got)) / amount(got)
    yearly = cost / with_unit(times[0].value) * plain(_A_YEAR[times[0].kind]) * plain(100)
    is_short = times[0].value * 12 <= _A_YEAR[times[0].kind] * _SHORT_MONTHS
    return (Figure("A year", yearly, "percent"),) if is_short else ()


def _is_repaid(back: Quantity, got: Quantity, question: Question) -> bool:
    """Whether the larger of two amounts is paid back; told first, the other one is named as the loan."""
    if _REPAID.search(f"{back.before} {back.after}") is None:
        return False
    near = f"{_CLAUSE.split(got.before)[-1]} | {_CLAUSE.split(got.after)[0]}"
    is_named = _BORROWING.search(near) is not None and _REPAID.search(near) is None
    return question.amounts[0] is got or is_named


_SHORT_MONTHS: Final = 3
"""A loan for longer is reckoned with interest on interest by some, and without by others."""
_A_YEAR: Final = {Kind.DAYS: 365, Kind.WEEKS: 52, Kind.TERM: 12}


def savings_group(question: Question) -> Figures:
    """What a turn of a group pays out that saves together, and what one has paid in by a month."""
    groups = [each for each in question.quantities if _is_group(each) or _is_member(each)]
    amounts = apart(question.amounts, groups)
    months = [each for each in amounts if each.kind is Kind.SMALL and _MONTH.search(each.before)]
    paid = apart(amounts, months)
    if not question.says(_GROUP) or question.rates or apart(question.others, groups):
        return ()
    if len(groups) != 1 or len(paid) != 1 or len(months) > 1:
        return ()
    pot = Figure("A turn pays out", amount(paid[0]) * plain(_size(groups[0])))
    if not months:
        return (pot,) if question.asks(_TURN) else ()
    paid_in = Figure(f"Paid in by month {months[0].value}", amount(paid[0]) * plain(int(months[0].value)))
    wanted = (question.asks(_TURN), question.asks(_PAID_IN))
    return tuple(figure for figure, is_asked in zip((pot, paid_in), wanted, strict=True) if is_asked)


_MEMBERS: Final = after("others_counted")
_MONTH: Final = before("month_numbered")


def _is_member(quantity: Quantity) -> bool:
    return quantity.kind is Kind.SMALL and _MEMBERS.match(quantity.after) is not None


def overtime_alone(question: Question) -> Figures:
    """Pay for hours that are all paid more, after a tax in percent when one is told."""
    hours = [each for each in question.others if each.kind in (Kind.HOURS, Kind.HOURS_IN_ALL)]
    is_all = len(question.others) == len(hours) == len(question.amounts) == 1 and len(question.rates) <= 1
    factors = [factor for factor, words in OVERTIME if question.says(words)]
    if not is_all or len(factors) != 1 or question.amounts[0].per not in ("hour", None):
        return ()
    pay = amount(question.amounts[0]) * with_unit(hours[0].value) * factors[0]
    if not question.rates:
        return (Figure("The pay", pay),)
    [rate] = question.rates
    if not _WITHHELD.search(f"{rate.before[-NEAR:]} | {rate.after[:NEAR]}"):
        return ()
    return (Figure("After tax", pay * (plain(1) - part(rate))),)


_WITHHELD: Final = said("withheld_percent", "pay_tax")


_FORMS: Final[Sequence[Callable[[Question], Figures]]] = (
    by_markup,
    shares_of_several,
    discounts_in_turn,
    part_and_whole,
    invoice,
    one_leaves,
    with_own_parts,
    with_percentage_of_all,
    all_shares,
    down_payment,
    cash_needed,
    commission_with_tax,
    lost_on_sale,
    resold,
    utilisation,
    accrued_pension,
    yearly_rate_of_fee,
    flat_interest,
    paid_in_twelve,
    paid_by_week,
    paid_in_parts,
    lost_a_year,
    savings_group,
    overtime_alone,
    broken_even,
    pay_of_parts,
    prices_of_packs,
    short_of_parts,
    amount_to_arrive,
    exchanged,
    pay_of_part,
    part_of_whole,
)
