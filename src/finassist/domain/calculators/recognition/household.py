"""The arguments of calculators for incomes, offers, loans side by side and investments, from what a question
gives."""

import re
from decimal import Decimal
from typing import Any, Final

from finassist.data import shipped
from finassist.domain.calculators.budgets import NamedAmount
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.everyday import CENT, Arguments, in_days
from finassist.domain.calculators.recognition.presets.sharing import names_of
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading, Recognised, split_term
from finassist.domain.calculators.recognition.sums.values import A_YEAR
from finassist.patterns import late_pattern

_SAID: Final[Any] = shipped("calculators/recognition")["household"]
_MONTHS: Final = 12
_TIMES: Final = {"quarterly": 4, "half-yearly": 2, "monthly": 12, "yearly": 1}
_OF_A_YEAR: Final = late_pattern(rf"\b(?:{_SAID['of_a_year']})\b[^,.;]{{0,20}}$")
_OFTEN: Final = {
    late_pattern(rf"^(?: (?!{_SAID['no_payment']})[^\W\d]+){{0,3}}?,? (?:{said})\b"): int(times)
    for times, said in _SAID["times_a_year"].items()
}
"""How often a year something is paid, as words behind it tell."""
_YEARLY_INCOME: Final = 12_000
_ALL: Final = Decimal(100)
_DIGITS: Final = Decimal("1e-9")
_COMPOUNDED: Final = re.compile(r"\bcompound(?:ed|ing|s)?\b")
_LOANS: Final = ("first", "second")
_DAYS: Final = ("days", "days_a_year")


def income_rule(draft: Draft, arguments: Arguments, _: Reading) -> Recognised:
    """Incomes are added up; one without a period that is plainly a year's counts as that."""
    told: Arguments = {
        name: arguments[name] for name in ("percent_of_income", "multiple") if name in arguments
    }
    for name in ("monthly_income", "payment"):
        amounts = draft.filled.get(name, ())
        if amounts:
            shared = next((each.per for each in amounts if each.per), None)
            is_yearly = name == "monthly_income" and shared is None and amounts[0].value >= _YEARLY_INCOME
            told[name] = sum(
                (_a_month(each, shared or ("year" if is_yearly else "month")) for each in amounts), Decimal(0)
            )
    return Recognised("income_rule", told)


def split_by_income(draft: Draft, arguments: Arguments, _: Reading) -> Recognised:
    """Incomes of a month, when one of them has another period."""
    incomes = {name: filled[0] for name, filled in draft.filled.items() if name.endswith("_income")}
    shared = next((each.per for each in incomes.values() if each.per), None) or "month"
    told: Arguments = {name: _a_month(each, shared) for name, each in incomes.items()}
    return Recognised("split_by_income", {**arguments, **told})


def settle_up(draft: Draft, _: Arguments, __: Reading) -> Recognised:
    """What each has paid, all of it together, by the names beside the amounts."""
    paid = draft.filled["payments"]
    together: dict[str, Decimal] = {}
    for name, each in zip(names_of(paid) or (), paid, strict=True):
        together[name] = together.get(name, Decimal(0)) + each.value
    payments = tuple(NamedAmount(name=name, amount=amount) for name, amount in together.items())
    return Recognised("settle_up", {"payments": payments, "people": int(draft.filled["people"][0].value)})


def withdrawal_rule(draft: Draft, arguments: Arguments, _: Reading) -> Recognised:
    """Spending and other income are for the same period: that which one of them tells."""
    names = [name for name in ("yearly_spending", "other_income") if name in draft.filled]
    shared = next((draft.filled[name][0].per for name in names if draft.filled[name][0].per), "year")
    for name in names:
        quantity = draft.filled[name][0]
        arguments[name] = quantity.value * A_YEAR.get(quantity.per or shared or "year", 1)
    return Recognised("withdrawal_rule", arguments)


def cost_comparison(draft: Draft, _: Arguments, __: Reading) -> Recognised:
    """Costs at once added up, and costs of a month; a year when nothing says how long."""
    told: Arguments = {}
    for name, amounts in draft.filled.items():
        if name == "months":
            told[name] = int(amounts[-1].value)
        else:
            told[name] = sum((_a_month(each, "month") for each in amounts), Decimal(0))
    return Recognised("cost_comparison", told)


def loan_comparison(draft: Draft, arguments: Arguments, _: Reading) -> Recognised:
    """Each loan with its own term."""
    told: Arguments = {name: arguments[name] for name in ("principal", "first_rate", "second_rate")}
    for name in ("first", "second"):
        term = split_term(draft.filled[f"{name}_term"][0].value)
        told |= {f"{name}_{unit}": count for unit, count in term.items()}
    return Recognised("loan_comparison", told)


def compounded_loan(draft: Draft, arguments: Arguments, reading: Reading) -> Recognised:
    """Interest of a loan is added monthly unless it is told how it is compounded."""
    told = [each for each in reading.compoundings() if reading.says(_COMPOUNDED)]
    return Recognised(draft.calculator, {**arguments, **({"compounding": told[0]} if told else {})})


def fix_ends(draft: Draft, arguments: Arguments, _: Reading) -> Recognised:
    """What is owed at the rate until now and at the next one, for the years that are left."""
    term = split_term(draft.filled["first_term"][0].value)
    told: Arguments = {name: arguments[name] for name in ("principal", "first_rate", "second_rate")}
    terms: Arguments = {f"{name}_{unit}": count for name in _LOANS for unit, count in term.items()}
    return Recognised("loan_comparison", {**told, **terms})


def split_by_parts(draft: Draft, _: Arguments, __: Reading) -> Recognised:
    """The parts by the names beside them, or else by how they are written."""
    parts = draft.filled["parts"]
    names = names_of(parts)
    if names is None or len(set(names)) < len(parts):
        names = [each.written for each in parts]
    told = tuple(NamedAmount(name=name, amount=each.value) for name, each in zip(names, parts, strict=True))
    return Recognised("split_by_parts", {"total": draft.filled["total"][0].value, "parts": told})


def bill_yield(draft: Draft, arguments: Arguments, _: Reading) -> Recognised:
    """The days until it is paid back, and those that a year counts."""
    told: Arguments = {name: int(in_days(draft.filled[name][0])) for name in _DAYS if name in draft.filled}
    return Recognised("bill_yield", {**arguments, **told})


def yearly_change(draft: Draft, arguments: Arguments, _: Reading) -> Recognised:
    """A term in years is how often the amount changes."""
    [times] = draft.filled["times"]
    count = times.value / _MONTHS if times.kind is Kind.TERM else times.value
    return Recognised("yearly_change", {**arguments, "times": int(count)})


def payback_time(draft: Draft, _: Arguments, __: Reading) -> Recognised:
    """What is saved a month is told, or follows from the payments before and after, of which one may tell the
    period of both."""
    if "monthly_saving" in draft.filled:
        saving = _a_month(draft.filled["monthly_saving"][0], "month")
    else:
        [before], [after] = draft.filled["current_payment"], draft.filled["new_payment"]
        shared = before.per or after.per or "month"
        saving = _a_month(before, shared) - _a_month(after, shared)
    return Recognised("payback_time", {"cost": draft.filled["cost"][0].value, "monthly_saving": saving})


def recovery(_: Draft, arguments: Arguments, __: Reading) -> Recognised:
    """The gain that a loss in percent needs: from what is left back to all."""
    percent = arguments["percent"]
    assert isinstance(percent, Decimal)
    told: Arguments = {"operation": "change", "amount": _ALL - percent, "other_amount": _ALL}
    return Recognised("percentage", told)


def larger_share(draft: Draft, arguments: Arguments, _: Reading) -> Recognised:
    """What one had more than each of the others is a part that one alone pays."""
    told: Arguments = {"part": arguments["part"], "part_people": 1}
    people = int(draft.filled["people"][0].value)
    return Recognised("uneven_split", {**told, "total": arguments["total"], "people": people})


def shares_sold(draft: Draft, arguments: Arguments, _: Reading) -> Recognised:
    """Prices of a share times their number."""
    count = arguments.pop("count")
    assert isinstance(count, Decimal | int)
    prices = {name: draft.filled[name][0].value * count for name in ("bought", "sold")}
    return Recognised("capital_gain", {**arguments, **prices})


def salary_share(draft: Draft, arguments: Arguments, _: Reading) -> Recognised:
    """A share of the salary with that of the employer, paid in every month."""
    [salary] = draft.filled["salary"]
    shares = [
        each.value for name in ("own_percent", "employer_percent") for each in draft.filled.get(name, ())
    ]
    yearly = salary.value * A_YEAR.get(salary.per or "year", 1)
    monthly = (yearly * sum(shares, Decimal(0)) / 100 / _MONTHS).quantize(CENT)
    rest: Arguments = {
        name: arguments[name] for name in ("yearly_return", "years", "months") if name in arguments
    }
    return Recognised("regular_investment", {"monthly_amount": monthly, **rest})


def higher_payment(draft: Draft, arguments: Arguments, _: Reading) -> Recognised:
    """A payment in place of a lower one is that much extra."""
    paid, more = (_a_month(draft.filled[name][0], "month") for name in ("instalment", "new_payment"))
    told: Arguments = {"extra_monthly": more - paid, "instalment": paid}
    return Recognised(
        "loan_extra_payment", {**told, **{name: arguments[name] for name in ("balance", "yearly_rate")}}
    )


def daily_interest(draft: Draft, arguments: Arguments, _: Reading) -> Recognised:
    """A rate of a day, as that of a year."""
    rate = draft.filled["daily_rate"][0].value
    told: Arguments = {"principal": arguments["principal"], "yearly_rate": rate}
    return Recognised("simple_interest", {**told, "days": int(in_days(draft.filled["days"][0]))})


def short_loan_cost(draft: Draft, arguments: Arguments, _: Reading) -> Recognised:
    """The term in days."""
    return Recognised("short_loan_cost", {**arguments, "days": int(in_days(draft.filled["days"][0]))})


def dividend_income(draft: Draft, arguments: Arguments, reading: Reading) -> Recognised:
    """How often a year a dividend is paid, as its period or the words say."""
    [dividend] = draft.filled["dividend"]
    said = next(iter(reading.compoundings()), "")
    times = _times_told(dividend) or _TIMES.get(said) or _paid(reading)
    return Recognised("dividend_income", {**arguments, "times_a_year": times})


def income_yield(draft: Draft, arguments: Arguments, _: Reading) -> Recognised:
    """A dividend of which words behind it tell how often it is paid, as that of a year."""
    [income, *others] = draft.filled["yearly_income"]
    times = 0 if others else _times_told(income)
    told: Arguments = {"yearly_income": income.value * times} if times else {}
    return Recognised("income_yield", {**arguments, **told})


def _times_told(paid: Quantity) -> int:
    """How often a year something is paid, as its period or the words beside it tell; 0 when none does."""
    if _OF_A_YEAR.search(paid.before):
        return 1
    if paid.per is not None and paid.per in A_YEAR:
        return A_YEAR[paid.per]
    return next((times for said, times in _OFTEN.items() if said.match(paid.after)), 0)


def frequent_instalment(_: Draft, arguments: Arguments, reading: Reading) -> Recognised:
    """Every fortnight or every week, as the words say."""
    return Recognised(
        "frequent_instalment", {**arguments, "per": "fortnight" if "fortnight" in reading.text else "week"}
    )


def _paid(reading: Reading) -> int:
    return next((times for said, times in _TIMES.items() if said in reading.text), 1)


def _a_month(quantity: Quantity, shared: str) -> Decimal:
    """An amount of a month; what is paid once stays as it is."""
    period = quantity.per or (shared if quantity.kind in {Kind.AMOUNT, Kind.SMALL} else "month")
    if period == "month":
        return quantity.value
    exact = quantity.value * A_YEAR.get(period, _MONTHS) / _MONTHS
    return exact if exact == exact.quantize(_DIGITS) else exact.quantize(_DIGITS)
