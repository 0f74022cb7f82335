"""The result that a thread has come to, as a number with its unit, and what is done with it step by step."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.arguments import recognised
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.ledger import ONCE, Entry, entry_of
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Recognised
from finassist.domain.calculators.recognition.sums.values import (
    A_YEAR,
    MONEY,
    Value,
    factor,
    plain,
    with_unit,
)
from finassist.domain.calculators.recognition.threads.words import FIRST_FIGURES, NOT_AMOUNTS
from finassist.domain.calculators.recognition.times.periods import YEARLY_PAY
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))
_MONTHLY_THINGS: Final = late_pattern(rf"\b(?:{_DATA['monthly_things'].replace('|pay|', '|my pay|')})\b")
_SUM: Final = "arithmetic"
_PERCENTAGE: Final = "percentage"
_REGULAR: Final = "recurring_cost"
_AMOUNT_OPERATIONS: Final = ("of", "add", "subtract")
_PERSON: Final = "person"
_OF_AMOUNTS: Final = {"of%": "of", "+%": "add", "-%": "subtract"}
PERIOD_OF_FIGURE: Final = {
    "hourly": "hour",
    "daily": "day",
    "weekly": "week",
    "fortnightly": "fortnight",
    "monthly": "month",
    "yearly": "year",
}
_SUM_RANK: Final = 0
_HUNDRED: Final = 100
_SALARIES: Final = late_pattern(r"\b(?:salar\w+|gehalt\w*|salaires?|sueldos?|salário|stipendio|bonus)\b")


@dataclass(frozen=True, slots=True)
class Step:
    """One operation on a result: ``+``, ``-``, ``*`` and ``/`` with a number, ``part`` of it, ``+%``, ``-%``
    and ``of%`` with a percentage, ``in`` for another period, ``for`` so many periods. ``each`` names what the
    operand is told for, and ``one`` is that of one of them: a tax per night."""

    sign: str
    operand: Value
    period: str = ""
    each: str = ""
    one: Value | None = None

    def counted(self, count: Decimal) -> "Step":
        """The same with so many of what it is told for."""
        one = self.one or self.operand
        return replace(self, operand=one * plain(count), one=one)

    def after(self, value: Value) -> Value | None:
        """The result that it leaves; None when the units do not allow it."""
        if self.sign in ("+", "-"):
            return _summed(value, self.operand, self.sign)
        if self.sign == "in":
            return _in_period(value, self.period)
        if self.sign == "for":
            return _for_periods(value, self.operand)
        if self.sign in ("*", "part"):
            unit = {name: power for name, power in value.unit.items() if name not in self.operand.unit}
            if self.period:
                unit |= {self.period: -1}
            return replace(value * replace(self.operand, unit={}), unit=unit)
        if self.sign == "/":
            return _divided(value, self.operand)
        share = self.operand / plain(100)
        changed = {"of%": share, "+%": plain(1) + share, "-%": plain(1) - share}[self.sign]
        return replace(value * changed, unit=value.unit)


@dataclass(frozen=True, slots=True)
class Standing:
    """A ``figure`` of a calculation, ``entry``, and the steps since; an amount that was told has no entry."""

    entry: Entry | None
    figure: str
    start: Value
    steps: Sequence[Step] = ()

    @property
    def name(self) -> str:
        """The calculator that the figure is of; empty for an amount that was told."""
        return "" if self.entry is None else self.entry.call.name

    @property
    def draft(self) -> Draft | None:
        """The calculation with its numbers; None when it was made from other results."""
        return None if self.entry is None else self.entry.draft

    @property
    def value(self) -> Value | None:
        """What it comes to."""
        value: Value | None = self.start
        for step in self.steps:
            value = None if value is None else step.after(value)
        return value

    def after(self, *steps: Step) -> "Standing | None":
        """What it comes to after more steps; None when they do not fit. An amount that is not told for each
        person changes what is shared."""
        found = self
        for step in steps:
            place = found._place_of(step)
            if place is None:
                return None
            found = replace(found, steps=(*found.steps[:place], step, *found.steps[place:]))
        return None if found.value is None else found

    def with_other(self, operand: Value) -> "Standing | None":
        """The same with another number in the last step."""
        found = replace(self, steps=(*self.steps[:-1], replace(self.steps[-1], operand=operand)))
        return None if found.value is None else found

    def share_alone(self) -> "Standing":
        """What the percentage of the last step comes to by itself."""
        return replace(self, steps=(*self.steps[:-1], replace(self.steps[-1], sign="of%")))

    def whole(self) -> "Standing | None":
        """What a percentage that was taken last comes to together with what it is of."""
        if not self.steps or self.steps[-1].sign != "of%":
            return None
        return replace(self, steps=(*self.steps[:-1], replace(self.steps[-1], sign="+%")))

    def unspread(self) -> "Standing":
        """The whole of an amount that was last split into parts to pay."""
        is_spread = bool(self.steps) and self.steps[-1].sign == "/" and not self.steps[-1].operand.unit
        return replace(self, steps=self.steps[:-1]) if is_spread else self

    def rest(self) -> "Standing | None":
        """What the part that was taken last leaves; None when none was."""
        if not self.steps:
            return None
        last = self.steps[-1]
        if last.sign == "of%" and last.operand.number < _HUNDRED:
            return replace(self, steps=(*self.steps[:-1], replace(last, sign="-%")))
        if last.sign != "part" or last.operand.number >= 1:
            return None
        left = plain(1) - last.operand
        return replace(self, steps=(*self.steps[:-1], replace(last, operand=left)))

    def _place_of(self, step: Step) -> int | None:
        """Where a step belongs among the others; None when that is not plain."""
        value = self.value
        if step.sign not in ("+", "-") or value is None:
            return len(self.steps)
        if _PERSON in value.unit and _PERSON not in step.operand.unit:
            shared = [place for place, each in enumerate(self.steps) if _PERSON in each.operand.unit]
            return shared[0] if len(shared) == 1 else None
        is_turned = any(each.sign == "in" for each in self.steps)
        return None if is_turned and not step.operand.periods else len(self.steps)

    def call(self) -> Recognised | None:
        """The sum that makes the figure and its steps."""
        value = self.value
        if value is None:
            return None
        share = self._share()
        if share is not None:
            return share
        unit = {name: power for name, power in value.unit.items() if power}
        arguments: dict[str, Any] = {"expression": value.written}
        if unit.pop(MONEY, 0) != 1:
            counted = [name for name, power in unit.items() if power == 1]
            if len(counted) != 1:
                return None
            arguments["unit"] = counted[0]
            unit.pop(counted[0])
        told = [name for name, power in unit.items() if power == -1]
        per = next((name for name in told if name in A_YEAR), "") or next(iter(told), "")
        return Recognised(_SUM, arguments | ({"per": per} if per else {}))

    def _share(self) -> Recognised | None:
        """A percentage that the last step takes of an amount which is known to the cent."""
        if not self.steps or self.steps[-1].sign not in _OF_AMOUNTS:
            return None
        before, last = replace(self, steps=self.steps[:-1]).value, self.steps[-1]
        if before is None or before.number != in_cents(before.number) or MONEY not in before.unit:
            return None
        operation = _OF_AMOUNTS[last.sign]
        return Recognised(
            _PERCENTAGE,
            {"operation": operation, "percent": last.operand.number, "amount": before.number},
        )


def standing_of(entry: Entry | None, wanted: Sequence[str] = ()) -> Standing | None:
    """A calculation's figure that was asked for, or its main one; None when that is no amount or count."""
    if entry is None or entry.call.name in NOT_AMOUNTS:
        return None
    arguments = entry.call.arguments
    if entry.call.name == _SUM:
        return _of_sum(entry)
    if entry.call.name == _PERCENTAGE and arguments.get("operation") not in _AMOUNT_OPERATIONS:
        return None
    if entry.call.name == "pay_conversion" and not wanted and _is_of_hours_alone(entry.draft):
        return None
    if entry.call.name == _PERCENTAGE and arguments.get("operation") == "of":
        return _of_percentage(entry)
    name = _figure_meant(entry, wanted)
    if not name:
        return None
    per = _period_of(entry, name)
    value = with_unit(entry.figures[name], **_unit(per))
    if entry.call.name == "difference":
        return Standing(entry, name, with_unit(abs(value.number), **value.unit))
    if per in ("week", "fortnight", "month") and name != "left" and "yearly" in entry.figures:
        yearly = with_unit(entry.figures["yearly"], **_unit("year"))
        value = _in_period(yearly, per) or value  # nothing is lost by rounding
    return Standing(entry, name, value)


def _figure_meant(entry: Entry, wanted: Sequence[str]) -> str:
    """The figure that was asked for, or the main one: what is paid over the time that was told, if one was.
    Empty when it is no amount."""
    main = entry.main()
    usual = FIRST_FIGURES.get(entry.call.name, (main.name,) if main is not None else ())
    if entry.call.name == _REGULAR and {"years", "months"} & entry.call.arguments.keys():
        usual = ("total", *usual)
    known = (name for name in (*wanted, *usual) if name in entry.figures)
    name = next((name for name in known if "month" not in name.split("_")), "")
    is_amount = "percent" not in name and "rate" not in name and name not in ("units", "payments")
    return name if is_amount else ""


def _period_of(entry: Entry, name: str) -> str:
    """What a figure is paid for, or once."""
    if entry.call.name == _PERCENTAGE and entry.draft is not None:
        return next(iter(_only_period(entry.draft)), "") or _told_period(entry.draft)
    per = PERIOD_OF_FIGURE.get(name) or entry.per_of(name)
    if per == ONCE and name in ("cost", "total") and entry.call.name != _REGULAR:
        return str(entry.call.arguments.get("per") or ONCE)
    return per


def _of_percentage(entry: Entry) -> Standing:
    """The part of an amount, as the step that takes it: the rest may be asked for, or the whole."""
    amount, percent = (Decimal(str(entry.call.arguments[name])) for name in ("amount", "percent"))
    draft = entry.draft
    per = "" if draft is None else next(iter(_only_period(draft)), "") or _told_period(draft)
    start = with_unit(amount, **_unit(per))
    return Standing(entry, "amount", start, (Step("of%", plain(percent)),))


def _is_of_hours_alone(draft: Draft | None) -> bool:
    """Whether hours were told that may be all there are, and not those of a week."""
    hours = draft.filled.get("hours_per_week", ()) if draft is not None else ()
    return any(each.kind is Kind.HOURS_IN_ALL for each in hours)


def _of_sum(entry: Entry) -> Standing | None:
    arguments = entry.call.arguments
    result = entry.figures.get("result", entry.figures.get("number"))
    if result is None:
        return None
    expression, per = str(arguments["expression"]), str(arguments.get("per", ""))
    counted = str(arguments.get("unit", MONEY))
    if not per and counted == MONEY and entry.draft is not None:
        per = _told_period(entry.draft)
    unit = _unit(per) if counted == MONEY else {counted: 1, **({per: -1} if per else {})}
    if per == _PERSON and entry.draft is not None:
        unit |= dict.fromkeys(_only_period(entry.draft) or filter(None, (_told_period(entry.draft),)), -1)
    name = "result" if "result" in entry.figures else "number"
    return Standing(entry, name, Value(result, expression, unit, _SUM_RANK))


def _only_period(draft: Draft) -> list[str]:
    """The period of all amounts of a sum that has no time besides."""
    numbers = [each for filled in draft.filled.values() for each in filled]
    others = (Kind.PEOPLE, Kind.SMALL, Kind.COUNT, Kind.RATE)
    periods = {each.per for each in numbers if each.kind not in others}
    is_timed = any(each.kind in (Kind.TERM, Kind.DAYS, Kind.WEEKS, Kind.TIMES) for each in numbers)
    if len(periods) != 1 or is_timed:
        return []
    return [period for period in periods if period is not None and period in A_YEAR]


def _told_period(draft: Draft) -> str:
    """The month of what is paid every month, or the year of a salary, where the question tells no period."""
    numbers = [each for filled in draft.filled.values() for each in filled]
    if {each.per for each in numbers} - {None} or not _MONTHLY_THINGS.search(draft.said):
        return ""
    most = max((each.value for each in numbers), default=Decimal(0))
    if most < YEARLY_PAY:
        return "month"
    is_rupees = any(each.symbol == "\u20b9" for each in numbers)
    return "year" if _SALARIES.search(draft.said) and not is_rupees else ""


def _unit(per: str) -> dict[str, int]:
    return {MONEY: 1, per: -1} if per and per != ONCE else {MONEY: 1}


def _summed(value: Value, operand: Value, sign: str) -> Value | None:
    """A sum of two amounts for the same period; one that is told for none is for that of the result."""
    if not operand.periods and value.periods and MONEY in operand.unit:
        operand = operand.for_each(value.periods[0])
    if operand.periods != value.periods:
        if not operand.periods or not value.periods:
            return None
        operand = operand.without(operand.periods[0]) * factor(operand.periods[0], value.periods[0])
    summed = value + operand if sign == "+" else value - operand
    return replace(summed, unit=value.unit)


def _in_period(value: Value, period: str) -> Value | None:
    if len(value.periods) != 1 or period not in A_YEAR:
        return None
    [told] = value.periods
    if told == period:
        return value
    turned = value.without(told) * factor(told, period)
    return replace(turned, unit={**value.without(told).unit, period: -1})


def _for_periods(value: Value, count: Value) -> Value | None:
    """An amount for a period, for so many of them."""
    if len(value.periods) != 1:
        return None
    [told] = value.periods
    [period] = count.unit
    unit = value.without(told).unit
    number = replace(count, unit={})
    if period != told:
        number = number * factor(told, period) if period in A_YEAR else number
    return replace(value.without(told) * number, unit=unit)


def _divided(value: Value, count: Value) -> Value | None:
    if not count.number:
        return None
    name = next(iter(count.unit), "")
    unit = {**value.unit, name: -1} if name in (_PERSON, "month") else value.unit
    return replace(value / replace(count, unit={}), unit=unit)


def entry_with(draft: Draft) -> Entry | None:
    """The calculation of a draft that lacks nothing."""
    return None if draft.missing else entry_of(recognised(draft), draft)


def told_standing(quantity: Quantity) -> Standing:
    """An amount that was told."""
    return Standing(None, "", amount_told(quantity))


def amount_told(quantity: Quantity) -> Value:
    """An amount and the period that it is told for."""
    period = quantity.per or ""
    return with_unit(quantity.value, **_unit(period if period in A_YEAR else ""))


def in_cents(value: Decimal) -> Decimal:
    """A number as it is shown."""
    return value.quantize(Decimal("0.01"))
