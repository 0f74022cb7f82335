"""Money that grows, and prices that do: compound interest, regular investing, inflation, growth rates."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from finassist.domain.calculators.annuities import PERIODS, Compounding, accumulated, growth, monthly, term
from finassist.domain.calculators.calculation import (
    Calculation,
    CalculationError,
    Months,
    Param,
    Timing,
    Years,
    amount,
    exact,
    positive_amount,
    rate,
)
from finassist.domain.calculators.money import cents, percent, show_money, show_number, show_rate, show_term
from finassist.domain.calculators.series import Point, Series, from_start, series_over

Interval = Literal["monthly", "quarterly", "half-yearly", "yearly"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """``final_value`` is ``invested`` (what was paid in) plus ``interest``."""

    final_value: Decimal
    invested: Decimal
    interest: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthPoint(Point):
    """``value`` is ``paid_in`` so far, what was there at the start included, plus ``return_`` so far."""

    paid_in: Decimal
    return_: Decimal
    value: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class PricePoint(Point):
    """``cost``: what the amount of today buys costs then. ``real_value``: what the amount buys then, at
    today's prices."""

    cost: Decimal
    real_value: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Inflation:
    """``future_cost``: what today's amount buys will cost then. ``real_value``: what the amount, received
    then, buys at today's prices."""

    future_cost: Decimal
    real_value: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthRate:
    """Both in percent; negative for a loss."""

    yearly_growth_rate: Decimal
    total_growth: Decimal


@exact
def compound_interest(
    *,
    principal: Annotated[Decimal, amount("Amount at the start, for example 10000")],
    yearly_rate: Annotated[Decimal, rate("Nominal yearly interest rate in percent, for example 7.5")],
    years: Years = 0,
    months: Months = 0,
    compounding: Annotated[Compounding, Param("How often interest is added")] = "yearly",
    contribution: Annotated[Decimal, amount("Amount added regularly; 0 for none")] = Decimal(0),
    contribution_interval: Annotated[Interval, Param("How often the contribution is paid")] = "monthly",
    contribution_timing: Annotated[Timing, Param("When in its interval it is paid")] = "end",
) -> Calculation[Growth]:
    """Future value of an amount with compound interest, with or without regular contributions."""
    total_months = term(years, months)
    paying = _Contributions(
        contribution, _interval(contribution_interval, total_months, contribution), contribution_timing
    )

    def value(month: int) -> Decimal:
        grown = principal * growth(yearly_rate, compounding, month)
        return grown + paying.worth(yearly_rate, compounding, month)

    def paid_in(month: int) -> Decimal:
        return principal + contribution * paying.count(month)

    found = grown_to(value(total_months), paid_in(total_months))
    return Calculation(
        answer=f"It is worth {show_money(found.final_value)} after {show_term(total_months)}: "
        f"{show_money(found.invested)} paid in and {show_money(found.interest)} of interest.",
        figures=found,
        formula=_compound_formula(compounding, contribution_timing if contribution else None),
        steps=_compound_steps(principal, growth(yearly_rate, compounding, total_months), total_months)
        + paying.steps(yearly_rate, compounding, total_months),
        assumptions=(
            f"{show_money(principal)} is there at the start.",
            *paying.said(contribution_interval),
            f"Interest at {show_rate(yearly_rate)} a year is added {compounding}.",
            *NO_COSTS,
        ),
        series=growth_series(total_months, value, paid_in),
    )


@exact
def regular_investment(
    *,
    monthly_amount: Annotated[Decimal, amount("Amount invested every month, in the first year")],
    yearly_return: Annotated[Decimal, rate("Expected nominal yearly return in percent, for example 12")],
    years: Years = 0,
    months: Months = 0,
    timing: Annotated[Timing, Param("Invested at the start (as in an SIP) or end of the month")] = "start",
    yearly_step_up: Annotated[Decimal, rate("Rise of the amount every 12 months, in percent")] = Decimal(0),
) -> Calculation[Growth]:
    """Future value of a monthly investment (SIP, recurring deposit), with an optional yearly step-up."""
    total_months = term(years, months)
    i = monthly(yearly_return)
    course = _invested(monthly_amount, i, total_months, timing, 1 + yearly_step_up / 100)
    found = grown_to(*course[-1])
    steps = [f"Monthly rate: {show_rate(yearly_return)} / 12 = {show_number(i * 100)}%"]
    if yearly_step_up:
        last = monthly_amount * (1 + yearly_step_up / 100) ** ((total_months - 1) // 12)
        steps.append(f"Monthly amount in the last year: {show_money(last)}")
    elif found.invested:
        factor = show_number(course[-1][0] / monthly_amount)
        steps.append(f"What 1 a month grows to in {show_term(total_months)}: {factor}")
        steps.append(f"Value: {show_money(monthly_amount)} * {factor}")
    rise = f", rising by {show_rate(yearly_step_up)} every 12 months" if yearly_step_up else ""
    return Calculation(
        answer=f"The investment is worth {show_money(found.final_value)} after {show_term(total_months)}: "
        f"{show_money(found.invested)} paid in and {show_money(found.interest)} of return.",
        figures=found,
        formula=_investment_formula(timing, i, bool(yearly_step_up)),
        steps=tuple(steps),
        assumptions=(
            f"{show_money(monthly_amount)} is paid in at the {timing} of every month{rise}.",
            f"The return is {show_rate(yearly_return)} a year, added monthly.",
            *NO_COSTS,
        ),
        series=growth_series(total_months, lambda month: course[month][0], lambda month: course[month][1]),
    )


@exact
def inflation_adjustment(
    *,
    amount_today: Annotated[Decimal, amount("Amount of money, for example 50000")],
    yearly_inflation: Annotated[Decimal, rate("Yearly inflation in percent, for example 6")],
    years: Years = 0,
    months: Months = 0,
) -> Calculation[Inflation]:
    """What today's amount will cost after inflation, and what the same amount will then be worth."""
    total_months = term(years, months)
    factor = growth(yearly_inflation, "yearly", total_months)
    cost, value = amount_today * factor, amount_today / factor
    when = show_term(total_months)

    def point(at: int, _before: int, month: int) -> PricePoint:
        risen = growth(yearly_inflation, "yearly", month)
        return PricePoint(at=at, cost=cents(amount_today * risen), real_value=cents(amount_today / risen))

    return Calculation(
        answer=f"What costs {show_money(amount_today)} today will cost {show_money(cost)} in {when}; "
        f"{show_money(amount_today)} received then buys what {show_money(value)} buys today.",
        figures=Inflation(future_cost=cents(cost), real_value=cents(value)),
        formula="future cost = A * (1 + f)^t; real value = A / (1 + f)^t; f the inflation, t in years",
        steps=(
            f"Price factor over {when}: {show_number(factor)}",
            f"Future cost: {show_money(amount_today)} * {show_number(factor)}",
            f"Real value: {show_money(amount_today)} / {show_number(factor)}",
        ),
        assumptions=(f"Prices rise by {show_rate(yearly_inflation)} every year.",),
        series=from_start(series_over(total_months, point), point(0, 0, 0)),
    )


@exact
def compound_annual_growth_rate(
    *,
    start_value: Annotated[Decimal, positive_amount("Value at the start")],
    end_value: Annotated[Decimal, amount("Value at the end")],
    years: Years = 0,
    months: Months = 0,
) -> Calculation[GrowthRate]:
    """Compound annual growth rate (CAGR) that takes a start value to an end value."""
    total_months = term(years, months)
    ratio = end_value / start_value
    yearly, total = percent(ratio ** (Decimal(12) / total_months) - 1), percent(ratio - 1)
    return Calculation(
        answer=f"The compound annual growth rate is {show_rate(yearly)}: {show_money(start_value)} became "
        f"{show_money(end_value)} in {show_term(total_months)}.",
        figures=GrowthRate(yearly_growth_rate=yearly, total_growth=total),
        formula="CAGR = (end / start)^(1 / t) - 1, t in years",
        steps=(
            f"Ratio: {show_money(end_value)} / {show_money(start_value)} = {show_number(ratio)}",
            f"Growth a year: {show_number(ratio)}^(12 / {total_months}) - 1",
        ),
        assumptions=("Nothing was paid in or taken out in between.",),
        series=growth_series(
            total_months,
            lambda month: start_value * ratio ** (Decimal(month) / total_months) if month else start_value,
            lambda _: start_value,
        ),
    )


NO_COSTS = ("The rate stays the same throughout.", "Taxes, fees and inflation are left out.")


def grown_to(value: Decimal, paid_in: Decimal) -> Growth:
    """What was paid in, and what it has become."""
    return Growth(final_value=cents(value), invested=cents(paid_in), interest=cents(value) - cents(paid_in))


def growth_series(months: int, value: Callable[[int], Decimal], paid_in: Callable[[int], Decimal]) -> Series:
    """Money that grows as a chart draws it; both functions take the months since the start."""

    def point(at: int, _before: int, month: int) -> GrowthPoint:
        grown = grown_to(value(month), paid_in(month))
        return GrowthPoint(at=at, paid_in=grown.invested, return_=grown.interest, value=grown.final_value)

    return from_start(series_over(months, point), point(0, 0, 0))


@dataclass(frozen=True, slots=True)
class _Contributions:
    """An amount that is paid every ``interval`` months."""

    each: Decimal
    interval: int
    timing: Timing

    def count(self, months: int) -> int:
        """How many are paid in so many months."""
        return -(-months // self.interval) if self.timing == "start" else months // self.interval

    def worth(self, yearly_rate: Decimal, compounding: Compounding, months: int) -> Decimal:
        """What those that are paid in so many months have become by then."""
        count = self.count(months)
        if not self.each or not count:
            return Decimal(0)
        per_interval = growth(yearly_rate, compounding, self.interval) - 1
        last = self.interval * (count - (self.timing == "start"))
        return self.each * accumulated(per_interval, count) * growth(yearly_rate, compounding, months - last)

    def steps(self, yearly_rate: Decimal, compounding: Compounding, months: int) -> tuple[str, ...]:
        if not self.each:
            return ()
        grown = show_money(self.worth(yearly_rate, compounding, months))
        return (f"{self.count(months)} contributions of {show_money(self.each)} become {grown}",)

    def said(self, interval: Interval) -> tuple[str, ...]:
        if not self.each:
            return ()
        return (f"{show_money(self.each)} is paid in {interval}, at the {self.timing} of each interval.",)


def _interval(interval: Interval, total_months: int, contribution: Decimal) -> int:
    """Months between two contributions. They have to fit into the term when there are any."""
    length = 12 // PERIODS[interval]
    if contribution and total_months % length:
        raise CalculationError(f"The term must be a whole number of {length}-month contribution intervals.")
    return length


def _invested(
    monthly_amount: Decimal, i: Decimal, months: int, timing: Timing, raised: Decimal
) -> list[tuple[Decimal, Decimal]]:
    """Value and amount paid in after every month, from none to all of them."""
    value = paid = Decimal(0)
    course = [(value, paid)]
    for month in range(months):
        instalment = monthly_amount * raised ** (month // 12)
        value = (value + instalment) * (1 + i) if timing == "start" else value * (1 + i) + instalment
        paid += instalment
        course.append((value, paid))
    return course


def _compound_steps(principal: Decimal, factor: Decimal, months: int) -> tuple[str, ...]:
    return (
        f"Growth factor over {show_term(months)}: {show_number(factor)}",
        f"Amount at the start, grown: {show_money(principal)} * {show_number(factor)}",
    )


def _compound_formula(compounding: Compounding, contributions: Timing | None) -> str:
    m = PERIODS.get(compounding)
    growing = {None: "e^(r * t)", 1: "(1 + r)^t"}.get(m, f"(1 + r / {m})^({m} * t)")
    formula = f"future value = P * {growing}"
    if contributions:
        formula += " + C * ((1 + i)^n - 1) / i" + (" * (1 + i)" if contributions == "start" else "")
        formula += "; C each of n contributions, i the effective rate between two of them"
    return f"{formula}; P at the start, r the yearly rate, t in years"


def _investment_formula(timing: Timing, i: Decimal, stepped: bool) -> str:
    due = " * (1 + i)" if timing == "start" else ""
    if not i:
        return "future value = the sum of what is paid in"
    if not stepped:
        return f"future value = A * ((1 + i)^n - 1) / i{due}; A a month, i the monthly rate, n months"
    return f"sum over years k = 0, 1, ... of A * (1 + s)^k * ((1 + i)^12 - 1) / i{due}, grown to the end"
