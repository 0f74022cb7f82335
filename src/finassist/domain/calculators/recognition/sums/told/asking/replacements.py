"""After how long a new thing has paid for itself that costs less to run than the old one."""

import re
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.question import (
    PAIR,
    Figure,
    Figures,
    Question,
    amount,
    apart,
)
from finassist.domain.calculators.recognition.sums.told.clauses import around, earlier
from finassist.domain.calculators.recognition.sums.values import A_YEAR, factor, plain, with_unit
from finassist.domain.calculators.recognition.sums.words import before, said

_PAYS_BACK: Final = said("pays_back")
_OLD: Final = said("old_thing")
_NEW: Final = said("new_thing")
_RUNS: Final = said("runs_at")
_RUNS_NEXT: Final = before("runs_at")
_LOANS: Final = said("loans", "interest")
_SENTENCE: Final = re.compile(r"[.;?!](?= |$)|, ")
_KWH: Final = "kwh"
_NEAR_USE: Final = 10
_COSTS: Final = said("bought_for")
_REGULAR: Final = frozenset((Kind.PAY, Kind.MONTHLY_AMOUNT))
_NUMBERS: Final = _REGULAR | {Kind.AMOUNT, Kind.SMALL}


def paid_back(question: Question) -> Figures:
    """How many years and months the saving takes to reach the price, by what both use or cost to run."""
    priced = [each for each in question.quantities if each.kind is Kind.PRICE and each.unit == _KWH]
    rest = apart(question.quantities, priced)
    running = [each for each in rest if _is_running(each, is_used=bool(priced))]
    if priced and len(running) == 1:
        running += [each for each in apart(rest, running) if _is_like(each, running[0])][:PAIR]
    bought = apart(rest, running)
    if not question.says(_PAYS_BACK) or question.says(_LOANS) or len(running) != PAIR or len(bought) != 1:
        return ()
    period = _period(running)
    [price] = bought
    if price.kind is not Kind.AMOUNT or price.per or not period or len(priced) > 1:
        return ()
    old, new = sorted(running, key=lambda each: -each.value)
    if not _are_told(old, new, price) or old.value == new.value:
        return ()
    saved = with_unit(old.value) - with_unit(new.value)
    saved = saved * amount(priced[0]) if priced else amount(old) - amount(new)
    yearly = saved * factor(period, "year")
    years = amount(price) / yearly
    return (
        Figure("Paid back after", years, "years"),
        Figure("In months", years * plain(12), "months"),
        Figure("Saved a year", yearly.for_each("year")),
    )


def _is_running(quantity: Quantity, *, is_used: bool) -> bool:
    """Whether a number tells what one of both uses, or costs to run when no price of a kWh is told."""
    if is_used:
        is_bare = quantity.kind in _NUMBERS and not quantity.symbol
        is_told = is_bare and _RUNS.search(_own_words(quantity)) is not None
        return (quantity.kind is Kind.MEASURE and quantity.unit == _KWH) or is_told
    return quantity.per in A_YEAR and quantity.kind in _REGULAR


def _own_words(quantity: Quantity) -> str:
    """The words of its clause around a number; a verb right before the next number is about that one."""
    return earlier(quantity) if _RUNS_NEXT.search(quantity.after) else around(quantity)


def _is_like(quantity: Quantity, used: Quantity) -> bool:
    """Whether a bare number is what the other thing uses, without the word: "old one 12,000"."""
    is_bare = quantity.kind in _NUMBERS and not quantity.symbol and not quantity.per
    is_near = used.value / _NEAR_USE < quantity.value < used.value * _NEAR_USE
    is_told = _OLD.search(earlier(quantity)) is not None or _NEW.search(earlier(quantity)) is not None
    is_of_next = _RUNS_NEXT.search(quantity.after) is not None or _COSTS.search(earlier(quantity)) is not None
    return is_bare and is_near and is_told and not is_of_next


def _period(running: list[Quantity]) -> str:
    """The period that both are told for, or one of both alone; empty when there is none, or two."""
    told = {each.per for each in running} - {None}
    return next(iter(told)) or "" if len(told) == 1 else ""


def _are_told(old: Quantity, new: Quantity, price: Quantity) -> bool:
    """Whether words tell one of both as the old one or the other one as the new one, and none the reverse."""
    earlier, later = _before(old, price), _before(new, price)
    is_told = _OLD.search(earlier) is not None or _NEW.search(later) is not None
    return is_told and not (_OLD.search(later) or _NEW.search(earlier))


def _before(quantity: Quantity, price: Quantity) -> str:
    """The words of the sentence before a number, also those before a price that it stands behind."""
    near = _SENTENCE.split(quantity.before)
    if len(near) > 1 or quantity.before != price.after:
        return near[-1]
    return f"{_SENTENCE.split(price.before)[-1]} {near[-1]}"
