"""Saving towards something: a goal, and the cushion for emergencies."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Annotated, Literal

from finassist.domain.calculators.annuities import accumulated, monthly, term
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
from finassist.domain.calculators.growth import growth_series
from finassist.domain.calculators.money import (
    cents,
    show_count,
    show_money,
    show_number,
    show_rate,
    show_term,
)
from finassist.domain.calculators.series import Series

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
    i = monthly(yearly_rate, compounding)
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
    return _planned(answer, formula, _Saving(saved, needed, count, i, yearly_rate, compounding))


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
    steps = [f"Target: {show_money(monthly_expenses)} * {months_covered}"]
    if saved:
        steps.append(f"Gap: {show_money(target)} - {show_money(saved)}, not below zero")
    if gap and months is not None:
        steps.append(f"Time: {show_money(gap)} / {show_money(monthly_saving)} a month, rounded up")
    return Calculation(
        answer=f"A fund for {show_term(months_covered)} should hold {show_money(target)}.{rest}",
        figures=EmergencyFund(target=cents(target), gap=cents(gap), months_to_fill=months),
        formula="target = E * m; gap = target - saved; time = gap / monthly saving",
        steps=tuple(steps),
        assumptions=(
            f"The fund covers {show_term(months_covered)} of essential expenses; 3 to 6 months are usual.",
            "It earns no interest.",
        ),
        series=_filling(saved, monthly_saving, target, months or 0),
    )


def _filling(saved: Decimal, saving: Decimal, target: Decimal, months: int) -> Series | None:
    if not 0 < months <= MAX_MONTHS:
        return None

    def held(month: int) -> Decimal:
        return min(target, saved + saving * month)

    return growth_series(months, held, held)


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


@dataclass(frozen=True, slots=True)
class _Saving:
    """What was ``saved`` before, what is saved every month, for how long, and what it earns: ``rate`` a month
    as a fraction, ``yearly_rate`` in percent."""

    saved: Decimal
    amount: Decimal
    months: int
    rate: Decimal
    yearly_rate: Decimal
    compounding: _Compounding

    def balance(self, months: int) -> Decimal:
        return _balance(self.saved, self.rate, self.amount, months)

    def paid_in(self, months: int) -> Decimal:
        return self.saved + self.amount * months


def _planned(answer: str, formula: str, saving: _Saving) -> Calculation[SavingsPlan]:
    contributed = cents(saving.amount * saving.months)
    final = cents(saving.balance(saving.months))
    plan = SavingsPlan(
        monthly_amount=cents(saving.amount),
        months=saving.months,
        final_balance=final,
        contributed=contributed,
        interest=final - cents(saving.saved) - contributed,
    )
    return Calculation(
        answer=answer,
        figures=plan,
        formula=f"{formula}; G the goal, S saved before, A a month, n months",
        steps=_steps(plan, saving),
        assumptions=_goal_assumptions(saving),
        series=growth_series(saving.months, saving.balance, saving.paid_in),
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


def _steps(plan: SavingsPlan, saving: _Saving) -> tuple[str, ...]:
    """What there is to show; nothing on interest, savings or payments that are zero."""
    i, said = saving.rate, show_rate(saving.yearly_rate)
    rated = f"{said} / 12" if saving.compounding == "monthly" else f"(1 + {said})^(1 / 12) - 1"
    steps = [f"Monthly rate i: {rated} = {show_number(i * 100)}%"] if i else []
    if saving.saved and i:
        grown = show_money(saving.saved * (1 + i) ** plan.months)
        steps.append(f"Saved before, grown: {show_money(saving.saved)} * (1 + i)^{plan.months} = {grown}")
    if plan.contributed:
        steps.append(
            f"Paid in over {show_count(plan.months, 'month')}: {show_money(plan.contributed)} in all"
        )
    balance, interest = show_money(plan.final_balance), show_money(plan.interest)
    return (*steps, f"Balance at the end: {balance}" + (f", {interest} of it interest" if i else ""))


def _goal_assumptions(saving: _Saving) -> tuple[str, ...]:
    said = show_rate(saving.yearly_rate)
    rated = f"Interest at {said} a year is added {saving.compounding}; the rate stays the same."
    return (
        *([f"{show_money(saving.saved)} is saved at the start."] if saving.saved else []),
        "Savings are paid in at the end of every month." if saving.amount else "Nothing is paid in.",
        rated if saving.yearly_rate else "No interest is earned.",
        "Taxes, fees and inflation are left out.",
    )


def _ceiling(number: Decimal) -> int:
    return int(number.to_integral_value(ROUND_CEILING))
