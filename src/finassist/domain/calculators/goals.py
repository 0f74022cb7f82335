"""Saving towards something: a goal, and the cushion for emergencies."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Annotated, Literal

from finassist.domain.calculators.annuities import accumulated, growth, monthly, term
from finassist.domain.calculators.calculation import (
    MAX_MONTHS,
    Calculation,
    CalculationError,
    Months,
    Param,
    Years,
    amount,
    exact,
    positive_amount,
    rate,
)
from finassist.domain.calculators.money import cents, show_money, show_number, show_rate, show_term

_Compounding = Literal["monthly", "yearly"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SavingsPlan:
    """``final_balance`` is what was saved before, plus ``contributed``, plus ``interest``."""

    monthly_amount: Decimal
    months: int
    final_balance: Decimal
    contributed: Decimal
    interest: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class EmergencyFund:
    """``months_to_fill`` is None when nothing is set aside for a gap."""

    target: Decimal
    gap: Decimal
    months_to_fill: int | None


@exact
def savings_goal(
    *,
    goal: Annotated[Decimal, positive_amount("Amount to reach")],
    saved: Annotated[Decimal, amount("Amount saved already")] = Decimal(0),
    yearly_rate: Annotated[Decimal, rate("Nominal yearly interest rate in percent")] = Decimal(0),
    monthly_amount: Annotated[
        Decimal | None, amount("Amount saved every month; leave out to solve for it with a term")
    ] = None,
    years: Years = 0,
    months: Months = 0,
    compounding: Annotated[
        _Compounding, Param("How often interest is added; yearly for the usual time to double")
    ] = "monthly",
) -> Calculation[SavingsPlan]:
    """Monthly amount that reaches a savings goal in a term, or the time that savings (or doubling) take."""
    if saved >= goal:
        raise CalculationError("The goal is already reached with what is saved.")
    if (monthly_amount is None) == (not years and not months):
        raise CalculationError("Give either the monthly amount or the term, and leave out the other.")
    i = monthly(yearly_rate) if compounding == "monthly" else growth(yearly_rate, "yearly", 1) - 1
    if monthly_amount is None:
        count = term(years, months)
        needed = _amount_needed(goal, saved, i, count)
        answer = _amount_told(goal, saved, needed, count)
        formula = "A = (G - S * (1 + i)^n) * i / ((1 + i)^n - 1)" if i else "A = (G - S) / n"
    else:
        needed = monthly_amount
        count = _months_needed(goal, saved, i, needed)
        answer = _time_told(goal, saved, needed, count)
        formula = _time_formula(i, needed)
    plan = _plan(saved, needed, count, _balance(saved, i, needed, count))
    return Calculation(
        answer=answer,
        figures=plan,
        formula=f"{formula}; G the goal, S saved before, A a month, n months",
        steps=_steps(plan, saved, i, yearly_rate, compounding),
        assumptions=_goal_assumptions(needed, yearly_rate, compounding),
    )


@exact
def emergency_fund(
    *,
    monthly_expenses: Annotated[Decimal, amount("Essential expenses of a month")],
    months_covered: Annotated[int, Param("Months that the fund shall last", ge=1, le=120)] = 6,
    saved: Annotated[Decimal, amount("Amount set aside already")] = Decimal(0),
    monthly_saving: Annotated[Decimal, amount("Amount that can be set aside every month")] = Decimal(0),
) -> Calculation[EmergencyFund]:
    """Size of an emergency fund, what is still missing, and how long it takes to fill."""
    target = monthly_expenses * months_covered
    gap = max(Decimal(0), target - saved)
    months = _ceiling(gap / monthly_saving) if monthly_saving else None
    if not gap:
        months, rest = 0, " It is filled already."
    elif months is not None:
        rest = f" {show_money(gap)} is still missing, which takes {show_term(months)} to set aside."
    else:
        rest = f" {show_money(gap)} is still missing." if saved else ""
    steps = [
        f"Target: {show_money(monthly_expenses)} * {months_covered} = {show_money(target)}",
        f"Gap: {show_money(target)} - {show_money(saved)}, not below zero = {show_money(gap)}",
    ]
    if gap and months is not None:
        steps.append(
            f"Time: {show_money(gap)} / {show_money(monthly_saving)}, rounded up = {months:,} months"
        )
    return Calculation(
        answer=f"A fund for {show_term(months_covered)} should hold {show_money(target)}.{rest}",
        figures=EmergencyFund(target=cents(target), gap=cents(gap), months_to_fill=months),
        formula="target = E * m; gap = target - saved; time = gap / monthly saving",
        steps=tuple(steps),
        assumptions=(
            f"The fund covers {show_term(months_covered)} of essential expenses; 3 to 6 months are usual.",
            "It earns no interest.",
        ),
    )


def _amount_needed(goal: Decimal, saved: Decimal, i: Decimal, count: int) -> Decimal:
    missing = goal - saved * (1 + i) ** count
    return max(Decimal(0), missing / accumulated(i, count))


def _months_needed(goal: Decimal, saved: Decimal, i: Decimal, saving: Decimal) -> int:
    if not saving and not (saved and i):
        raise CalculationError("Without a monthly amount or interest on savings the goal is never reached.")
    if i:
        exact_months = ((goal * i + saving) / (saved * i + saving)).ln() / (1 + i).ln()
    else:
        exact_months = (goal - saved) / saving
    if exact_months > MAX_MONTHS:
        raise CalculationError(f"The goal would take more than {MAX_MONTHS // 12} years to reach.")
    count = max(1, _ceiling(exact_months))
    # The logarithm of a whole number of months may come out a hair above it.
    if count > 1 and cents(_balance(saved, i, saving, count - 1)) >= cents(goal):
        return count - 1
    return count


def _balance(saved: Decimal, i: Decimal, saving: Decimal, count: int) -> Decimal:
    return saved * (1 + i) ** count + saving * accumulated(i, count)


def _plan(saved: Decimal, saving: Decimal, count: int, final: Decimal) -> SavingsPlan:
    contributed = cents(saving * count)
    return SavingsPlan(
        monthly_amount=cents(saving),
        months=count,
        final_balance=cents(final),
        contributed=contributed,
        interest=cents(final) - cents(saved) - contributed,
    )


def _amount_told(goal: Decimal, saved: Decimal, needed: Decimal, count: int) -> str:
    if needed:
        return f"Saving {show_money(needed)} a month reaches {show_money(goal)} in {show_term(count)}."
    grown = f"{show_money(saved)} grows to {show_money(goal)} or more"
    return f"Nothing has to be added: in {show_term(count)}, {grown}."


def _time_told(goal: Decimal, saved: Decimal, saving: Decimal, count: int) -> str:
    if saving:
        return f"With {show_money(saving)} a month, {show_money(goal)} is reached in {show_term(count)}."
    return f"It takes {show_term(count)} for {show_money(saved)} to become {show_money(goal)}."


def _time_formula(i: Decimal, saving: Decimal) -> str:
    if not i:
        formula = "n = (G - S) / A"
    elif saving:
        formula = "n = ln((G * i + A) / (S * i + A)) / ln(1 + i)"
    else:
        formula = "n = ln(G / S) / ln(1 + i)"
    return f"{formula}, rounded up to a whole month"


def _steps(
    plan: SavingsPlan, saved: Decimal, i: Decimal, yearly_rate: Decimal, compounding: _Compounding
) -> tuple[str, ...]:
    """What there is to show; nothing on interest, savings or payments that are zero."""
    said = show_rate(yearly_rate)
    rated = f"{said} / 12" if compounding == "monthly" else f"(1 + {said})^(1 / 12) - 1"
    grown, term_said = show_money(saved * (1 + i) ** plan.months), show_term(plan.months)
    steps = [f"Monthly rate i: {rated} = {show_number(i * 100)}%"] if i else []
    if saved:
        steps.append(f"Saved before: {show_money(saved)}, grown to {grown} in {term_said}")
    if plan.contributed:
        paid, in_all = show_money(plan.monthly_amount), show_money(plan.contributed)
        steps.append(f"Paid in: {plan.months} * {paid}, {in_all} in all")
    balance, interest = show_money(plan.final_balance), show_money(plan.interest)
    return (*steps, f"Balance at the end: {balance}, {interest} of it interest")


def _goal_assumptions(needed: Decimal, yearly_rate: Decimal, compounding: _Compounding) -> tuple[str, ...]:
    rated = f"Interest at {show_rate(yearly_rate)} a year is added {compounding}; the rate stays the same."
    return (
        "Savings are paid in at the end of every month." if needed else "Nothing is paid in.",
        rated if yearly_rate else "No interest is earned.",
        "Taxes, fees and inflation are left out.",
    )


def _ceiling(number: Decimal) -> int:
    return int(number.to_integral_value(ROUND_CEILING))
