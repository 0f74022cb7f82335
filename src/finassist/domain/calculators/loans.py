"""Loans repaid in equal monthly instalments."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

from finassist.domain.calculators.annuities import monthly, present_value, term
from finassist.domain.calculators.calculation import Calculation, Months, Years, amount, exact, rate
from finassist.domain.calculators.money import (
    cents,
    show_count,
    show_money,
    show_number,
    show_rate,
    show_term,
)

_ASSUMPTIONS = (
    "The instalments are equal and paid at the end of every month; the rate stays the same.",
    "Fees, insurance and taxes are left out; rounding each instalment to the cent shifts the last one.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoanYear:
    """What a year's instalments pay, and what is still owed at its end."""

    year: int
    interest: Decimal
    principal: Decimal
    balance: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Instalment:
    """The ``schedule`` adds up to the cent: its principal to the loan, its interest to the total."""

    instalment: Decimal
    months: int
    total_paid: Decimal
    total_interest: Decimal
    schedule: tuple[LoanYear, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Affordability:
    """The largest loan that a monthly payment repays."""

    max_principal: Decimal
    months: int
    total_paid: Decimal
    total_interest: Decimal


@exact
def loan_instalment(
    *,
    principal: Annotated[Decimal, amount("Amount borrowed, for example 200000")],
    yearly_rate: Annotated[Decimal, rate("Nominal yearly interest rate in percent, for example 7.5")],
    years: Years = 0,
    months: Months = 0,
) -> Calculation[Instalment]:
    """Monthly instalment (EMI) of a loan or mortgage, its total interest and its amortisation by year."""
    count = term(years, months)
    i = monthly(yearly_rate)
    instalment = principal / present_value(i, count)
    paid, interest = instalment * count, instalment * count - principal
    return Calculation(
        answer=f"The monthly instalment is {show_money(instalment)}; over {show_term(count)} that is "
        f"{show_money(interest)} of interest.",
        figures=Instalment(
            instalment=cents(instalment),
            months=count,
            total_paid=cents(paid),
            total_interest=cents(interest),
            schedule=_schedule(instalment, i, count),
        ),
        formula="instalment = P * i / (1 - (1 + i)^-n)" if i else "instalment = P / n",
        steps=(
            _rate_step(yearly_rate, count),
            f"Present value of 1 a month: {show_number(present_value(i, count))}",
            f"Instalment: {show_money(principal)} / {show_number(present_value(i, count))} = "
            f"{show_money(instalment)}",
            f"Total interest: {show_money(paid)} - {show_money(principal)} = {show_money(interest)}",
        ),
        assumptions=_ASSUMPTIONS,
    )


@exact
def loan_affordability(
    *,
    monthly_payment: Annotated[Decimal, amount("Amount that can be paid every month")],
    yearly_rate: Annotated[Decimal, rate("Nominal yearly interest rate in percent, for example 7.5")],
    years: Years = 0,
    months: Months = 0,
) -> Calculation[Affordability]:
    """Largest loan that a monthly payment can repay within a term at a rate."""
    count = term(years, months)
    i = monthly(yearly_rate)
    factor = present_value(i, count)
    principal, paid = monthly_payment * factor, monthly_payment * count
    return Calculation(
        answer=f"A payment of {show_money(monthly_payment)} a month repays a loan of {show_money(principal)} "
        f"in {show_term(count)}.",
        figures=Affordability(
            max_principal=cents(principal),
            months=count,
            total_paid=cents(paid),
            total_interest=cents(paid) - cents(principal),
        ),
        formula="loan = M * (1 - (1 + i)^-n) / i" if i else "loan = M * n",
        steps=(
            _rate_step(yearly_rate, count),
            f"Present value of 1 a month: {show_number(factor)}",
            f"Loan: {show_money(monthly_payment)} * {show_number(factor)} = {show_money(principal)}",
        ),
        assumptions=_ASSUMPTIONS,
    )


def _rate_step(yearly_rate: Decimal, count: int) -> str:
    i = show_number(monthly(yearly_rate) * 100)
    return f"Monthly rate i: {show_rate(yearly_rate)} / 12 = {i}%, n = {show_count(count, 'month')}"


def _schedule(instalment: Decimal, i: Decimal, count: int) -> tuple[LoanYear, ...]:
    """The years of a loan. Running totals are rounded and not the years themselves, so that they add up."""
    rows = []
    loan = instalment * present_value(i, count)
    balance, interest = cents(loan), Decimal(0)
    for year, start in enumerate(range(0, count, 12), start=1):
        paid = min(start + 12, count)
        left = instalment * present_value(i, count - paid)
        so_far = cents(instalment * paid - (loan - left))
        rows.append(
            LoanYear(
                year=year, interest=so_far - interest, principal=balance - cents(left), balance=cents(left)
            )
        )
        balance, interest = cents(left), so_far
    return tuple(rows)
