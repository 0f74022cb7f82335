"""Money that grows, and prices that do: compound interest, regular investing, inflation, growth rates."""

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

Interval = Literal["monthly", "quarterly", "half-yearly", "yearly"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """``final_value`` is ``invested`` (what was paid in) plus ``interest``."""

    final_value: Decimal
    invested: Decimal
    interest: Decimal


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
    factor = growth(yearly_rate, compounding, total_months)
    final = principal * factor
    steps = [
        f"Growth factor over {show_term(total_months)}: {show_number(factor)}",
        f"Amount at the start, grown: {show_money(principal)} * {show_number(factor)} = {show_money(final)}",
    ]
    paid = principal
    if contribution:
        interval, count = _contributions(contribution_interval, total_months)
        per_interval = growth(yearly_rate, compounding, interval) - 1
        due = 1 + per_interval if contribution_timing == "start" else Decimal(1)
        grown = contribution * accumulated(per_interval, count) * due
        steps.append(f"{count} contributions of {show_money(contribution)} become {show_money(grown)}")
        final, paid = final + grown, paid + contribution * count
    interest = cents(final) - cents(paid)
    steps.append(f"Interest: {show_money(final)} - {show_money(paid)} = {show_money(interest)}")
    return Calculation(
        answer=f"After {show_term(total_months)} it is worth {show_money(final)}, of which "
        f"{show_money(interest)} is interest.",
        figures=Growth(final_value=cents(final), invested=cents(paid), interest=interest),
        formula=_compound_formula(compounding, contribution_timing if contribution else None),
        steps=tuple(steps),
        assumptions=(f"Interest at {show_rate(yearly_rate)} a year is added {compounding}.", *_NO_COSTS),
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
    i, raised = monthly(yearly_return), 1 + yearly_step_up / 100
    due = 1 + i if timing == "start" else Decimal(1)
    final = paid = Decimal(0)
    instalment = monthly_amount
    for start in range(0, total_months, 12):
        count = min(12, total_months - start)
        instalment = monthly_amount * raised ** (start // 12)
        final = final * (1 + i) ** count + instalment * accumulated(i, count) * due
        paid += instalment * count
    gain = cents(final) - cents(paid)
    steps = [f"Monthly rate: {show_rate(yearly_return)} / 12 = {show_number(i * 100)}%"]
    if yearly_step_up:
        steps.append(f"Monthly amount in the last year: {show_money(instalment)}")
    steps += [f"Invested in all: {show_money(paid)}", f"Grown to: {show_money(final)}"]
    return Calculation(
        answer=f"After {show_term(total_months)} the investment is worth {show_money(final)}: "
        f"{show_money(paid)} paid in and {show_money(gain)} of return.",
        figures=Growth(final_value=cents(final), invested=cents(paid), interest=gain),
        formula=_investment_formula(timing, i, bool(yearly_step_up)),
        steps=tuple(steps),
        assumptions=(f"Every month is paid at its {timing} and returns the same.", *_NO_COSTS),
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
    return Calculation(
        answer=f"What costs {show_money(amount_today)} today will cost {show_money(cost)} in {when}; "
        f"{show_money(amount_today)} received then buys what {show_money(value)} buys today.",
        figures=Inflation(future_cost=cents(cost), real_value=cents(value)),
        formula="future cost = A * (1 + f)^t; real value = A / (1 + f)^t; f the inflation, t in years",
        steps=(
            f"Price factor over {when}: {show_number(factor)}",
            f"Future cost: {show_money(amount_today)} * {show_number(factor)} = {show_money(cost)}",
            f"Real value: {show_money(amount_today)} / {show_number(factor)} = {show_money(value)}",
        ),
        assumptions=(f"Prices rise by {show_rate(yearly_inflation)} every year.",),
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
        answer=f"The compound annual growth rate is {show_rate(yearly)}.",
        figures=GrowthRate(yearly_growth_rate=yearly, total_growth=total),
        formula="CAGR = (end / start)^(1 / t) - 1, t in years",
        steps=(
            f"Ratio: {show_money(end_value)} / {show_money(start_value)} = {show_number(ratio)}",
            f"Growth a year: {show_number(ratio)}^(12 / {total_months}) - 1 = {show_rate(yearly)}",
        ),
        assumptions=("Nothing was paid in or taken out in between.",),
    )


_NO_COSTS = ("The rate stays the same throughout.", "Taxes, fees and inflation are left out.")


def _contributions(interval: Interval, total_months: int) -> tuple[int, int]:
    """Months between two contributions, and how many fall into the term."""
    length = 12 // PERIODS[interval]
    count, rest = divmod(total_months, length)
    if rest:
        raise CalculationError(f"The term must be a whole number of {length}-month contribution intervals.")
    return length, count


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
