"""What somebody who works for themselves has to charge for an hour or a day to have so much a year, and the
pay for fewer hours than before."""

import re
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import add, mul
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.question import (
    PAIR,
    Figure,
    Figures,
    Question,
    amount,
    part,
)
from finassist.domain.calculators.recognition.sums.told.clauses import around, earlier, later
from finassist.domain.calculators.recognition.sums.values import A_YEAR, Value, in_period, plain, with_unit
from finassist.domain.calculators.recognition.sums.words import ADVERBS, after, before, said, told_for

_FREELANCE: Final = said("own_work")
_HOURLY: Final = said("hourly_rate_asked")
_DAILY: Final = said("daily_rate_asked")
_BILLABLE: Final = said("billable")
_UNBILLED: Final = said("unbilled")
_RATE_OF: Final = before("work_rate_of")
_OF_RATE: Final = after("work_rate")
_INCOME_ASKED: Final = said("income_asked")
_CLAUSE: Final = re.compile(r"[.,;:?!](?= |$)")
_LEAST_RATE: Final = {"hour": 3, "day": 20}
"""Nobody asks whether to charge less."""
_AFTER_TAX: Final = said("after_tax", "kept_after_tax")
_AWAY: Final = said("weeks_away")
_WORKED: Final = said("weeks_worked")
_WEEKS_A_YEAR: Final = 52
_HOURS_MAX, _DAYS_MAX = 24, 7
_DAY_HOURS: Final = 24
_AMOUNTS: Final = frozenset((Kind.AMOUNT, Kind.PAY, Kind.MONTHLY_AMOUNT))
_SINGLE: Final = frozenset(("weeks", "days", "day_hours", "week_hours", "share"))

Roles = Mapping[str, Sequence[Quantity]]


def rate_to_charge(question: Question) -> Figures:
    """The rate of an hour or a day that comes to an income of a year in the time that is billed."""
    is_hourly, is_daily = question.says(_HOURLY), question.says(_DAILY)
    if not question.says(_FREELANCE) or not (is_hourly or is_daily) or question.says(_AFTER_TAX):
        return ()
    roles = _roles_of(question)
    if roles is None or not roles["income"] or _is_rate_told(question):
        return ()
    income = reduce(add, map(_a_year, roles["income"]))
    share = [_billed(each) for each in roles["share"]]
    times = {"hour": _hours(roles) if is_hourly else (), "day": _days(roles) if is_daily else ()}
    rates = {unit: income / reduce(mul, [*time, *share]) for unit, time in times.items() if time}
    if len(rates) != is_hourly + is_daily:
        return ()
    if any(rate.number < _LEAST_RATE[unit] for unit, rate in rates.items()):
        return ()
    return tuple(Figure(f"For each {unit}", rate.for_each(unit)) for unit, rate in rates.items())


def _is_rate_told(question: Question) -> bool:
    """Whether the rate is told and not asked: it stands beside an amount, or what it comes to is asked."""
    plain_amounts = [each for each in question.amounts if each.per not in ("year", "month")]
    if any(_RATE_OF.search(each.before) or _OF_RATE.match(each.after) for each in plain_amounts):
        return True
    return any(
        _INCOME_ASKED.search(clause) and not (_HOURLY.search(clause) or _DAILY.search(clause))
        for clause in _CLAUSE.split(question.text)
    )


def has_unread_rate(question: Question) -> bool:
    """Whether a rate to charge is asked for with weeks and percentages or hours that make none."""
    is_asked = question.says(_FREELANCE) and (question.says(_HOURLY) or question.says(_DAILY))
    kinds = {each.kind for each in question.quantities}
    return is_asked and Kind.WEEKS in kinds and bool(kinds & {Kind.RATE, Kind.HOURS, Kind.HOURS_A_DAY})


def _roles_of(question: Question) -> dict[str, list[Quantity]] | None:
    """The numbers by what they are; None when one is nothing of it, or told twice."""
    roles: dict[str, list[Quantity]] = {name: [] for name in (*_SINGLE, "income")}
    for each in question.quantities:
        role = _role_of(each)
        if not role:
            return None
        roles[role].append(each)
    return None if any(len(roles[name]) > 1 for name in _SINGLE) else roles


def _role_of(quantity: Quantity) -> str:
    if quantity.kind is Kind.RATE:
        is_share = _BILLABLE.search(around(quantity)) or _UNBILLED.search(around(quantity))
        return "share" if "%" in quantity.written and is_share else ""
    if quantity.kind is Kind.TIMES:
        is_days = quantity.per in ("week", "year") and "day" in quantity.written
        return "days" if is_days else ""
    if quantity.kind in (Kind.WEEKS, Kind.HOURS_A_DAY, Kind.HOURS):
        return {Kind.WEEKS: "weeks", Kind.HOURS_A_DAY: "day_hours", Kind.HOURS: "week_hours"}[quantity.kind]
    is_income = quantity.kind in _AMOUNTS and quantity.per in (None, "year", "month")
    return "income" if is_income else ""


def _weeks(roles: Roles) -> Value | None:
    """The weeks that are worked in a year: those that are told, or a year without them."""
    if len(roles["weeks"]) != 1:
        return None
    [told] = roles["weeks"]
    is_away, is_worked = _AWAY.search(later(told)), _WORKED.search(earlier(told))
    if told.value > _WEEKS_A_YEAR:
        return None
    if is_away and not is_worked:
        return plain(_WEEKS_A_YEAR) - with_unit(told.value)
    return with_unit(told.value) if told.value > _WEEKS_A_YEAR / PAIR else None


def _a_year(income: Quantity) -> Value:
    return amount(income) * plain(12) if income.per == "month" else amount(income)


def _days(roles: Roles) -> Sequence[Value]:
    """What the days of a year are made of; empty when they are not told in one way."""
    if len(roles["days"]) != 1:
        return ()
    days = with_unit(roles["days"][0].value)
    if roles["days"][0].per == "year":
        return () if roles["weeks"] else (days,)
    weeks = _weeks(roles)
    return () if weeks is None else (weeks, days)


def _hours(roles: Roles) -> Sequence[Value]:
    """The same of the hours of a year."""
    if roles["week_hours"]:
        weeks = _weeks(roles)
        is_plain = weeks is not None and not roles["day_hours"]
        return (weeks, with_unit(roles["week_hours"][0].value)) if weeks and is_plain else ()
    days = _days(roles)
    return (*days, with_unit(roles["day_hours"][0].value)) if days and roles["day_hours"] else ()


def _billed(rate: Quantity) -> Value:
    """The part of the time that is billed."""
    return plain(1) - part(rate) if _UNBILLED.search(around(rate)) else part(rate)


_FEWER: Final = said("hours_change")
_NEW_PAY: Final = said("new_pay_asked")
_CHANGED: Final = said("hours_changed")
_TIME_WORKED: Final = re.compile(r"(?:hours?|hrs?|h|days?|stunden|tage?|heures|jours|horas|ore) ?$")
_FROM: Final = before("changed_from")
_TO: Final = before("changed_to")
_HOURS: Final = frozenset(
    (Kind.PAY, Kind.DAYS, Kind.HOURS, Kind.HOURS_IN_ALL, Kind.SMALL, Kind.AMOUNT, Kind.TIMES)
)
_HOURS_A_WEEK_MAX: Final = 80
_LEAST_PAY: Final = 100


def pay_for_fewer_hours(question: Question) -> Figures:
    """Pay in proportion to hours or days of a week that change."""
    told = _hours_changed(question)
    if told is None:
        return ()
    old, new, pay = told
    if len(pay) != 1 or pay[0].value < _LEAST_PAY or pay[0].per in ("hour", "day"):
        return ()
    value = _in_proportion(pay[0], old, new)
    asked = _period_of_new_pay(question)
    if asked:  # pay without a period is for one that is not known
        turned = in_period(value, asked)
        return () if turned is None else (Figure("The new pay", turned),)
    return (Figure("The new pay", value),)


def _period_of_new_pay(question: Question) -> str:
    """The period that new pay is asked for; empty for none."""
    for found in _NEW_PAY.finditer(question.text):
        clause = _CLAUSE.split(question.text[found.start() :])[0]
        periods = [period for period, adverb in ADVERBS.items() if adverb.search(clause)]
        periods += [
            period for told, period in told_for(clause) if not _TIME_WORKED.search(clause[: told.start()])
        ]
        asked = next((each for each in periods if each in A_YEAR), "")
        if asked:
            return asked
    return ""


def _in_proportion(pay: Quantity, old: Quantity, new: Quantity) -> Value:
    value = amount(pay) * with_unit(new.value) / with_unit(old.value)
    return value.for_each(pay.per) if pay.per else value


def pay_at_new_hours(numbers: Sequence[Quantity], pay: Quantity) -> tuple[str, str]:
    """Pay that was asked for, at the hours that change, as an expression, and the period that it is for."""
    old, new = _in_order(numbers[0], numbers[1])
    value = _in_proportion(pay, old, new)
    return value.written, pay.per or ""


def lacks_pay(question: Question) -> bool:
    """Whether new pay is asked for by hours that change, and the pay now is not told."""
    told = _hours_changed(question)
    return told is not None and not told[2]


def has_unread_change(question: Question) -> bool:
    """Whether new pay is asked for by hours or days that change in a way that is not read: it is not their
    product with the pay now."""
    is_asked = question.says(_FEWER) and question.says(_NEW_PAY) and question.says(_CHANGED)
    return is_asked and any(each.value >= _LEAST_PAY and _is_long_pay(each) for each in question.quantities)


def _is_long_pay(quantity: Quantity) -> bool:
    return quantity.kind in _AMOUNTS and quantity.per in (None, "month", "year")


def _hours_changed(question: Question) -> tuple[Quantity, Quantity, list[Quantity]] | None:
    """The hours or days before and after a change, and the other numbers; None for anything else."""
    if not (question.says(_FEWER) and question.says(_NEW_PAY)) or question.rates:
        return None
    hours = [each for each in question.quantities if _may_be_hours(each)]
    left = [each for each in question.quantities if not any(each is one for one in hours)]
    if len(hours) != PAIR or len(left) > 1 or any(each.kind not in _AMOUNTS for each in left):
        return None
    old, new = _in_order(*hours)
    is_told = (old is hours[1]) is not (_TO.search(hours[1].before) is not None)
    if hours[1] is new and _TO.search(old.before):
        return None
    return (old, new, left) if is_told and old.value != new.value else None


def _in_order(one: Quantity, other: Quantity) -> tuple[Quantity, Quantity]:
    """The hours before a change and those after it: "to 30 from 37.5" tells the later ones first."""
    return (other, one) if _FROM.search(other.before) else (one, other)


def _may_be_hours(quantity: Quantity) -> bool:
    is_bare = quantity.is_bare or quantity.kind not in (Kind.SMALL, Kind.AMOUNT)
    return (
        quantity.kind in _HOURS
        and is_bare
        and not quantity.symbol
        and quantity.per in (None, "week")
        and 0 < quantity.value <= _HOURS_A_WEEK_MAX
        and re.search(r"(?<!\w)(?:k|year|month)(?!\w)", quantity.written) is None
    )
