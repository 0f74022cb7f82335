"""A calculation as far as a question gives it: which one, and the numbers for its slots."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any, Final

from finassist.data import shipped
from finassist.domain.calculators.calculation import MAX_MONTHS
from finassist.domain.calculators.recognition.asides import ways_to_read
from finassist.domain.calculators.recognition.filling import Filled, fill
from finassist.domain.calculators.recognition.presets.table import PRESETS, otherwise_used
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.slots import Form, form_of
from finassist.domain.calculators.recognition.sums.told.exchange import has_several_currencies
from finassist.domain.calculators.recognition.sums.values import RARE_PERIODS
from finassist.domain.calculators.recognition.times.periods import YEARLY_PAY
from finassist.domain.calculators.recognition.views import kinds_wanted, period_wanted

_MAX_RATE: Final = 100
_RATE_OF_DEBT: Final = "the yearly rate in percent"
_BALANCE_OF_DEBT: Final = "the balance that is owed"
_HOURLY_PAY_MAX: Final = 200
_SAID: Final[Mapping[str, Any]] = shipped("calculators/recognition")["drafts"]
_SUBSCRIBED: Final = re.compile(rf"\b(?:{_SAID['subscriptions']})\b")
_CHANGED_TO: Final = re.compile(rf"\b(?:{_SAID['changed_to']}) $")
_REGULAR: Final = "recurring_cost"
_PAYMENTS: Final = "payback_time/payments"
_OF_CURRENCIES: Final = frozenset(("currency_conversion", "arithmetic"))
_OF_RARE_PERIODS: Final = frozenset(("recurring_cost", "arithmetic"))
"""The calculators that know of two currencies, and of what is paid every two months and the like."""
_SPLIT_AMONG: Final = re.compile(rf"\b(?:{_SAID['split_among']})\b")
_PERIODS_MANY: Final = 2
_JOINED: Final = re.compile(rf" ?(?:,? ?(?:{_SAID['joined']})(?!\w)|/|&|\+)")
_UNUSUAL_HOURS: Final = re.compile(rf"\b(?:{_SAID['unusual_hours']})\b")


@dataclass(frozen=True, slots=True)
class Draft:
    """A calculation with the numbers that are known. ``said`` are the texts that gave them; ``unclear`` are
    slots whose numbers could be each other's."""

    name: str
    """The calculator, and after a slash what of it is asked."""
    filled: Filled
    said: str
    unclear: frozenset[str] = frozenset()

    @property
    def form(self) -> Form:
        """The slots of the calculator."""
        return form_of(self.name)

    @property
    def calculator(self) -> str:
        """The calculator's name."""
        return self.name.partition("/")[0]

    @property
    def missing(self) -> Sequence[str]:
        """The slots that still need a number, of the alternative that lacks fewest."""
        needs = ([name for name in names if name not in self.known] for names in self.form.needs)
        return [*min(needs, key=len), *_hours_needed(self), *_people_needed(self)]

    @property
    def lacks_what_is_asked(self) -> bool:
        """Whether it needs a number that the question itself asks for: it is another calculation."""
        wanted = kinds_wanted(self.said)
        return any(self.form.slots[name].kind in wanted for name in self.missing if name in self.form.slots)

    @property
    def known(self) -> frozenset[str]:
        """The slots that need nothing more."""
        is_monthly = any(each.per == "month" for each in self.filled.get("yearly_rate", ()))
        is_told = is_monthly or Reading(self.said, (), "", frozenset()).compoundings()
        told = {"compounding"} if is_told else set()
        unclear = self.unclear
        if self.name == "pay_conversion" and not is_by_the_hour(self.filled):
            unclear = unclear | _without_period(self.filled)
        if self.name == "recurring_cost" and not _is_regular(self.filled) and not self._is_by_the_month:
            unclear = unclear | {"amount"}
        if len(self.filled.get("debts", ())) % 2:
            unclear = unclear | {"debts"}
        return frozenset(self.filled) - unclear | told | _without_budget(self.filled)

    @property
    def _is_by_the_month(self) -> bool:
        """Whether several prices are of subscriptions, or asked for a year: they are paid monthly."""
        is_asked = period_wanted(self.said) == "yearly" or _SUBSCRIBED.search(self.said) is not None
        return len(self.filled.get("amount", ())) > 1 and is_asked

    @property
    def needed(self) -> Sequence[str]:
        """What is missing, in words."""
        debts = self.filled.get("debts", ())
        other = _RATE_OF_DEBT if debts and debts[0].kind is Kind.AMOUNT else _BALANCE_OF_DEBT
        return [other if name == "debts" and debts else self.form.slots[name].says for name in self.missing]

    def with_numbers(self, numbers: Mapping[str, tuple[Quantity, ...]], said: str) -> "Draft":
        """The same calculation with some numbers added or replaced."""
        return replace(
            self,
            filled={**self.filled, **numbers},
            said=f"{self.said} | {said}",
            unclear=self.unclear - frozenset(numbers),
        )


def draft(name: str, reading: Reading) -> Draft | None:
    """The calculation that a question makes when every number of it has a place; None when one has none."""
    quantities = reading.quantities
    form = form_of(name)
    if quantities is None or not all(map(is_plausible, quantities)) or not _suits(form, reading):
        return None
    if not _knows_units(name.partition("/")[0], quantities):
        return None
    preset = PRESETS[name](quantities) if name in PRESETS else {}
    if preset is None:
        return None
    taken = {id(quantity) for each in preset.values() for quantity in each} | otherwise_used(name, reading)
    ages = {id(quantity) for quantity in quantities if preset and quantity.kind is Kind.SMALL}
    left = [quantity for quantity in quantities if id(quantity) not in taken | ages]
    free = replace(form, slots={slot: form.slots[slot] for slot in form.slots if slot not in preset})
    once = [each for place, each in enumerate(left) if not _is_repeated(each, left[:place])]
    ways = (way for some in ([left] if once == left else [left, once]) for way in ways_to_read(some))
    filling = next(filter(None, (fill(free, way) for way in ways)), None)
    if filling is None or (name == _REGULAR and _is_open(filling.filled)):
        return None
    if name == _PAYMENTS and _differ_in_period(filling.filled):
        return None
    return Draft(name, {**preset, **filling.filled}, reading.text, filling.unclear)


def _differ_in_period(filled: Filled) -> bool:
    """Whether of two payments one has a period other than a month and the other one none, unless one changes
    to the other: "from 1,450 down to 1,050 a year"."""
    payments = [each for name in ("current_payment", "new_payment") for each in filled.get(name, ())]
    periods = {each.per for each in payments}
    is_change = any(
        one.after == other.before and _CHANGED_TO.search(other.before)
        for one, other in permutations(payments, 2)
    )
    return None in periods and bool(periods - {None, "month"}) and not is_change


def _is_repeated(quantity: Quantity, earlier: Sequence[Quantity]) -> bool:
    """Whether an amount is told once more, for another case of the same: of loan B after loan A."""
    is_once = quantity.kind is Kind.AMOUNT and quantity.per is None
    return is_once and any(each.kind is Kind.AMOUNT and each.value == quantity.value for each in earlier)


def _knows_units(calculator: str, quantities: Sequence[Quantity]) -> bool:
    """Whether a calculator takes amounts in such currencies and for such periods."""
    if calculator not in _OF_CURRENCIES and has_several_currencies(quantities):
        return False
    return calculator in _OF_RARE_PERIODS or not any(each.per in RARE_PERIODS for each in quantities)


def _suits(form: Form, reading: Reading) -> bool:
    """Whether the words of a question allow the calculator."""
    is_barred = form.never is not None and reading.says(form.never)
    return not is_barred and (form.required is None or reading.says(form.required))


def is_plausible(quantity: Quantity) -> bool:
    """Whether a rate or a term is one that somebody may mean."""
    if quantity.kind is Kind.RATE:
        return quantity.per == "day" or quantity.value <= _MAX_RATE
    return quantity.kind is not Kind.TERM or 1 <= quantity.value <= MAX_MONTHS


def _without_budget(filled: Filled) -> frozenset[str]:
    """Of several debts the order can be told without a budget."""
    return frozenset(("monthly_budget",)) if len(filled.get("debts", ())) > 2 else frozenset()


def is_by_the_hour(filled: Filled) -> bool:
    """Whether pay without a period is plainly that of an hour: the hours are told, too."""
    [*amounts] = filled.get("amount", ())
    return "hours_per_week" in filled and all(
        pay.per is None and pay.value < _HOURLY_PAY_MAX for pay in amounts
    )


def _without_period(filled: Filled) -> frozenset[str]:
    """Pay of which nothing says for how long it is, unless it is plainly for a year."""
    return frozenset(
        name
        for name, quantities in filled.items()
        if quantities[0].kind is Kind.AMOUNT and quantities[0].value < YEARLY_PAY
    )


def _hours_needed(draft: Draft) -> Sequence[str]:
    """What an hour brings in a week hangs on the hours alone; for a year full time is the convention."""
    if draft.name != "pay_conversion" or "hours_per_week" in draft.filled:
        return ()
    is_hourly = any(pay.per == "hour" for pay in draft.filled.get("amount", ()))
    return ("hours_per_week",) if is_hourly and _UNUSUAL_HOURS.search(draft.said) else ()


def _people_needed(draft: Draft) -> Sequence[str]:
    """A bill that is split needs to be told among how many."""
    is_open = draft.name == "tip_and_split" and "people" not in draft.filled
    is_split = is_open and _SPLIT_AMONG.search(draft.said) is not None
    return ("people",) if is_split and not draft.unclear & {"bill"} and "tip_percent" in draft.filled else ()


def _is_regular(filled: Filled) -> bool:
    """Whether something tells how often an amount is paid."""
    return "times" in filled or any(quantity.per for quantity in filled.get("amount", ()))


def _is_open(filled: Filled) -> bool:
    """Whether amounts have different periods, and one without a period is not joined to the next: it may be
    paid as often as any of them."""
    periods = [quantity.per for quantity in filled.get("amount", ())]
    if None not in periods or len(set(periods) - {None}) < _PERIODS_MANY:
        return False
    is_behind = any(periods[: periods.index(None)])
    return is_behind or any(
        each.per is None and not _JOINED.match(each.after) for each in filled.get("amount", ())
    )
