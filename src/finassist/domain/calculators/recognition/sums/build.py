"""The sum that a question asks for, built from the units of its numbers and the unit that is asked for."""

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.asked import Asked, Goal, is_time_asked_for, read_asked
from finassist.domain.calculators.recognition.sums.fractions import fraction_told, tells_rest
from finassist.domain.calculators.recognition.sums.groups import is_group, tells_own_part
from finassist.domain.calculators.recognition.sums.links import read_terms
from finassist.domain.calculators.recognition.sums.named import has_no_sum, named_sum
from finassist.domain.calculators.recognition.sums.products import Counts
from finassist.domain.calculators.recognition.sums.question import Question
from finassist.domain.calculators.recognition.sums.quotients import (
    average,
    change_or_share,
    difference,
    number,
    share,
)
from finassist.domain.calculators.recognition.sums.roles import ASKS_PART, Role, role_of
from finassist.domain.calculators.recognition.sums.terms import Term
from finassist.domain.calculators.recognition.sums.told.exchange import (
    Exchange,
    has_several_currencies,
    is_exchange_wanted,
    is_fee,
    is_rate_lacking,
    read_exchange,
    shown_currency,
    without_rate,
)
from finassist.domain.calculators.recognition.sums.told.telling import (
    MOST,
    Sum,
    told_unit,
    wants_advice,
)
from finassist.domain.calculators.recognition.sums.totals import total
from finassist.domain.calculators.recognition.sums.values import A_YEAR, MONEY, RARE_PERIODS, Value
from finassist.domain.calculators.recognition.sums.words import after, before, is_for_each, said, shown
from finassist.domain.calculators.recognition.views import period_told

_TOLD_RATE: Final = re.compile(r"at a rate of [\d.,]+ \([^()]*\)")
_BARRED: Final = said("uneven", "barred")
_INTEREST: Final = said("interest")
_WITHOUT_ASKED: Final = said("without_asked")
_WITH_TOLD: Final = said("with_told")
_FEE_ASKED: Final = said("fee_asked")
_WHOLE_ASKED: Final = said("whole_asked")
_INTEREST_PAID: Final = said("interest_paid")
_SAVING: Final = said("saving")
_AFTER_TAX: Final = said("after_tax")
_LOANS: Final = said("loans")
_STAY: Final = after("stay")
_FOR: Final = before("lasts_for")
_WITH: Final = before("with_others", "with_me")
_TELLS: Final = re.compile(
    r"\b(?:i|we|he|she|they|my|our|ich|wir|mein\w*|je|j'|nous|mon|ma|mes|yo|mi|mis|eu|meu|minha|io|mio|mia|bought|sold"
    r"|if|vs|or|oder|ou|o|is|are|was|should|can|could|allowed|wants?|towards?)\b"
)
"""Words of a story, which may go on to something else, and of alternatives."""
_NOT_EVENLY: Final = said("not_all", "pays_own")
_TAKEN_OFF: Final = re.compile(
    r"(?<!\w)(?:abzüge|abgezogen|deductions?|deducted|retenues?|deducciones|descontos)(?!\w)"
)
_OWN_BILL: Final = said("own_bill")
_REST_ASKED: Final = said("rest_of_group")
_BILL_WORDS_MAX: Final = 14
_SPLIT_WORDS_MAX: Final = 24
_SPLIT: Final = said("split_told")
_COUNT_MAX: Final = 1000
_PAIR: Final = 2


def _is_beyond_part(value: Value, terms: Sequence[Term], asked: Asked) -> bool:
    """Whether a fee or interest is asked for, and the result holds the amount that it is of."""
    told = asked.rest.replace(asked.text, " ")
    is_fee = _FEE_ASKED.search(asked.text) is not None and any(term.percent for term in terms)
    is_interest = _INTEREST_PAID.search(asked.text) is not None and not _INTEREST_PAID.search(told)
    last = terms[-1].quantity.after
    asking = last if _FEE_ASKED.search(last) else asked.text
    if not (is_fee or is_interest) or _WHOLE_ASKED.search(asking) or asked.goal is not Goal.AMOUNT:
        return False
    return value.number >= max((term.value.number for term in terms if term.is_money), default=value.number)


def is_told_by_words(quantities: Sequence[Quantity], text: str) -> bool:
    """Whether words name the sum, which has all numbers of the question."""
    asked = read_asked(quantities, text)
    return asked is not None and named_sum(Question(quantities, asked, text)) is not None


def text_of(quantities: Sequence[Quantity]) -> str:
    """The text that all the numbers of a question stand in."""
    before = quantities[0].before if quantities else ""
    return before + "".join(f"{each.written}{each.after}" for each in quantities)


def sum_of(quantities: Sequence[Quantity], text: str) -> Sum | None:
    """The sum of all numbers of a question; None when they make none, or more than one."""
    asked = read_asked(quantities, text) or _bill(quantities, text) or _shared_bill(quantities, text)
    if asked is None or len(quantities) > MOST or wants_advice(text):
        return None
    quantities = [each for each in quantities if not is_time_asked_for(each)]
    if asked.per in ("each", "person"):
        quantities = _without_stays(_with_one_group(quantities))
    if not quantities or is_rate_lacking(quantities, text):
        return None
    exchange = read_exchange(quantities)
    if exchange is not None:
        return _in_other_currency(exchange, asked, text)
    return None if has_several_currencies(quantities) else _plain_sum(Question(quantities, asked, text))


def _in_other_currency(exchange: Exchange, asked: Asked, text: str) -> Sum | None:
    """The sum of all numbers but a rate of exchange, at that rate."""
    symbols = {each.symbol for each in exchange.left} - {""}
    target = exchange.target(symbols.pop()) if len(symbols) == 1 else ""
    if not target or any(map(is_fee, exchange.left)):
        return None
    summed = _plain_sum(Question(without_rate(exchange), asked, _TOLD_RATE.sub("", text)))
    if summed is None or summed.unit != MONEY:
        return None
    symbol = next(each.symbol for each in exchange.left if each.symbol)
    value = exchange.turned(Value(Decimal(0), f"({summed.expression})", {MONEY: 1}), symbol)
    return Sum(value.written, shown_currency(target), summed.per)


def _with_one_group(quantities: Sequence[Quantity]) -> Sequence[Quantity]:
    """The numbers without the friends of somebody who tells as well how many they are together: "with 3
    friends so 4 of us"."""
    groups = [each for each in quantities if is_group(each)]
    if len(groups) != _PAIR or groups[1].value != groups[0].value + 1 or not _WITH.search(groups[0].before):
        return quantities
    place = next(place for place, each in enumerate(quantities) if each is groups[0])
    left = [*quantities[:place], *quantities[place + 1 :]]
    if place:
        left[place - 1] = replace(left[place - 1], after=f"{groups[0].before}{groups[0].after}")
    return left


def _without_stays(quantities: Sequence[Quantity]) -> list[Quantity]:
    """The numbers without how long something lasts that is paid for as a whole, which has no part in what
    each pays of it: "612 for 3 nights"."""
    left: list[Quantity] = []
    for quantity in quantities:
        is_stay = _FOR.fullmatch(quantity.before.strip()) and _STAY.match(quantity.after)
        is_of_whole = left and left[-1].kind is Kind.AMOUNT and not left[-1].per
        if is_stay and is_of_whole:
            left[-1] = replace(left[-1], after=_STAY.sub("", quantity.after))
        else:
            left.append(replace(quantity, before=left[-1].after) if left else quantity)
    return left


def _plain_sum(question: Question) -> Sum | None:
    """The sum that words name or units tell."""
    quantities, asked, text = question.quantities, question.asked, question.text
    if has_no_sum(question):
        return None
    if asked.goal is Goal.SHARE and _TAKEN_OFF.search(text):
        return None
    by_words = named_sum(question)
    if by_words is not None:
        return told_unit(by_words, asked)
    if _is_beyond_units(question):
        return None
    terms = read_terms(quantities)
    if terms is None:
        return None
    if any(term.percent for term in terms) and (_is_of_interest(terms, text) or _is_reversed(terms, asked)):
        return None
    if ASKS_PART.search(asked.text) and sum(term.percent for term in terms) > 1:
        return None
    value = _value(_in_told_period(terms, text), asked)
    return None if value is None or _is_beyond_part(value, terms, asked) else _named(value, asked)


def _is_beyond_units(question: Question) -> bool:
    """Whether words tell of interest, or of shares that units do not tell."""
    text, asked = question.text, question.asked
    if _BARRED.search(text) or fraction_told(text) or tells_rest(text):
        return True
    if (question.says(_OWN_BILL) and question.asks(_REST_ASKED)) or tells_own_part(question):
        return True
    return asked.per in ("each", "person") and _NOT_EVENLY.search(text) is not None


def _bill(quantities: Sequence[Quantity], text: str) -> Asked | None:
    """The total that prices and counts alone ask for, without a word: "25 people at 32 a head plus 150"."""
    if len(text.split()) > _BILL_WORDS_MAX or len(quantities) < _PAIR or _TELLS.search(text):
        return None
    terms = read_terms(quantities)
    if terms is None or any(term.percent and role_of(term, "") is None for term in terms):
        return None
    terms = [term for term in terms if not term.percent]
    nouns = [
        {name for name, power in term.value.unit.items() if power == sign and name not in (MONEY, *A_YEAR)}
        for term in terms
        for sign in ((-1,) if term.is_money else (1,))
    ]
    priced = [names for term, names in zip(terms, nouns, strict=True) if term.is_money and names]
    counted = [names for term, names in zip(terms, nouns, strict=True) if not term.is_money]
    if any(not term.is_money and term.value.number > _COUNT_MAX for term in terms):
        return None
    is_whole = len(counted) == len(priced) > 0 and _all_meet(counted, priced)
    return Asked(Goal.AMOUNT, "", "", left=False, text="total", rest=text) if is_whole else None


def _shared_bill(quantities: Sequence[Quantity], text: str) -> Asked | None:
    """What each pays of a bill that is told to be split among so many, without a word that asks."""
    words = len(text.split())
    groups = [each for each in quantities if is_group(each)]
    if len(groups) != 1 or len(quantities) < _PAIR or words > _SPLIT_WORDS_MAX or not _SPLIT.search(text):
        return None
    return Asked(Goal.AMOUNT, "each", "", left=False, text="each", rest=text)


def _all_meet(some: Sequence[set[str]], others: Sequence[set[str]]) -> bool:
    return all(any(one & other for other in others) for one in some)


def lacking(quantities: Sequence[Quantity], text: str) -> str:
    """The only number that a sum lacks: ``people`` who share, the amount ``before`` a change, a ``number`` of
    what a price is told for, the ``price`` of what is used or its ``consumption``, the ``tax``, the ``goal``,
    or the ``rate`` of exchange.
    Empty when that is not plain."""
    asked = read_asked(quantities, text)
    if (asked is not None or is_exchange_wanted(text)) and is_rate_lacking(quantities, text):
        return "rate"
    return "" if asked is None else _lacking_of(quantities, asked, text)


def _lacking_of(quantities: Sequence[Quantity], asked: Asked, text: str) -> str:
    """The same, the rate of exchange aside."""
    quantities = [each for each in quantities if not is_time_asked_for(each)]
    is_barred = _BARRED.search(text) is not None or wants_advice(text)
    terms = read_terms(quantities) if quantities and not is_barred else None
    if terms is None or any(term.percent for term in terms):
        return ""
    money = [term for term in terms if term.is_money]
    counts = [term for term in terms if not term.is_money]
    if asked.goal is Goal.CHANGE:
        return "before" if len(money) == 1 and not counts else ""
    if _is_of_fuel(terms):
        return "consumption"
    if asked.counted == "period" and len(money) == 1 and not counts:
        return "goal" if money[0].value.periods and _SAVING.search(text) else ""
    if asked.goal is not Goal.AMOUNT:
        return ""
    if len(money) == 1 and not counts and asked.left and _AFTER_TAX.search(asked.text):
        return "tax"
    if asked.per in ("each", "person"):
        return "people" if len(money) == 1 and money[0].is_plain_money and not counts else ""
    if len(money) == 1 and not counts:
        is_price = not money[0].is_plain_money or is_for_each(money[0].quantity.after)
        return "number" if is_price and asked.per not in money[0].value.unit else ""
    units = [set(term.value.unit) for term in counts]
    is_used = not money and len(units) == _PAIR and bool(units[0] & units[1] & {"km", "mile", "hour"})
    return "price" if is_used else ""


def _is_of_fuel(terms: Sequence[Term]) -> bool:
    """Whether a distance and the price of a litre are told, and not what is used."""
    units = [set(term.value.unit) for term in terms]
    is_priced = any(unit >= {MONEY, "litre"} or unit >= {MONEY, "gallon"} for unit in units)
    ways = [unit for unit in units if unit & {"km", "mile"}]
    return is_priced and len(ways) == 1 and not ways[0] & {"litre", "gallon"} and len(terms) == _PAIR


def _is_of_interest(terms: Sequence[Term], text: str) -> bool:
    """Whether a percentage is one of interest, or of an amount that is asked for."""
    has_term = any(set(term.value.unit) & {"year", "month"} and not term.is_money for term in terms)
    if has_term and _LOANS.search(text):
        return True
    return _INTEREST.search(text) is not None


def _is_reversed(terms: Sequence[Term], asked: Asked) -> bool:
    """Whether the amount that is told is the one after the percentage, and the one before it is asked for."""
    if all(role_of(term, "") is Role.WITHHELD for term in terms if term.percent):
        return False
    told = asked.rest.replace(asked.text, " ")
    return _WITHOUT_ASKED.search(asked.text) is not None or _WITH_TOLD.search(told) is not None


_PERIODS: Final = {"yearly": "year", "monthly": "month", "weekly": "week", "daily": "day"}


def _in_told_period(terms: Sequence[Term], text: str) -> Sequence[Term]:
    """Amounts of which the question tells the period beside what it asks: "that's all monthly"."""
    told = _PERIODS.get(period_told(text))
    if told is None or any(term.is_money and len(term.value.unit) > 1 for term in terms):
        return terms
    return [replace(term, value=term.value.for_each(told)) if term.is_money else term for term in terms]


def _value(terms: Sequence[Term], asked: Asked) -> Value | None:
    money = [term for term in terms if term.is_money]
    rates = [term for term in terms if term.percent]
    counts = Counts([term for term in terms if not term.is_money and not term.percent])
    if money and not counts.terms and not rates and all(map(_is_vague, money)):
        return None
    value: Value | None = None
    if asked.goal in (Goal.SHARE, Goal.CHANGE):
        if rates or (money and counts.terms):
            return None
        return (
            share(money, asked) if asked.goal is Goal.SHARE else change_or_share(money or counts.terms, asked)
        )
    if asked.goal is Goal.AVERAGE and (len(money) > 1 or not asked.per):
        value = None if rates else average(money, counts)
    elif asked.goal is Goal.COUNT:
        value = None if rates else number(money, counts, asked)
    elif asked.goal is Goal.DIFFERENCE and not rates:
        value = difference(money, counts, asked)
    elif money and (len(money) == 1 or asked.goal is Goal.AMOUNT):
        value = total(money, rates, counts, asked)
    counts.leave_distances(asked.per)
    return value if counts.are_used else None


def _period_counted(value: Value, asked: Asked) -> str:
    """What is counted: of "how long" the period of the regular amount."""
    return next(iter(value.unit), asked.counted) if asked.counted == "period" else asked.counted


def _is_vague(term: Term) -> bool:
    """Whether a small number without a unit is all there is of an amount."""
    return term.quantity.kind is Kind.SMALL and len(term.value.unit) == 1


def _named(value: Value, asked: Asked) -> Sum | None:
    unit = {name: power for name, power in value.unit.items() if power}
    if asked.goal in (Goal.SHARE, Goal.CHANGE):
        return Sum(value.written, "percent") if not unit else None
    if asked.goal is Goal.COUNT:
        rest = {name for name in unit if name not in (asked.counted, *A_YEAR)}
        if rest:
            return None
        counted = shown(_period_counted(value, asked), asked.rest)
        return Sum(value.written, counted if counted.endswith("s") else f"{counted}s")
    if unit.pop(MONEY, 0) != 1 or len(unit) > 1 or any(power != -1 for power in unit.values()):
        return None
    per = next(iter(unit), "")
    if not value.written.strip("0123456789."):
        return None
    if asked.per not in ("", "each", per) or per in RARE_PERIODS:
        return None
    return Sum(value.written, MONEY, "" if per == "time" else shown(per, asked.rest))
