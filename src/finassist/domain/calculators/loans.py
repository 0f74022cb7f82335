"""Loans repaid in equal monthly instalments."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

from finassist.domain.calculators.annuities import (
    Repayment,
    equal_instalments,
    monthly,
    present_value,
    term,
)
from finassist.domain.calculators.calculation import Calculation, Months, Years, amount, exact, rate
from finassist.domain.calculators.money import (
    cents,
    show_count,
    show_money,
    show_number,
    show_rate,
    show_term,
)
from finassist.domain.calculators.series import Point, Series, series_over

LOAN_ASSUMPTIONS = (
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
class LoanPoint(Point):
    """What is paid in a month or year, and what is still owed at its end."""

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
    loan = equal_instalments(principal, i, count)
    instalment, interest = loan.payment, loan.total_interest
    paid = principal + interest
    return Calculation(
        answer=f"The monthly instalment is {show_money(instalment)}; over {show_term(count)} that is "
        f"{show_money(interest)} of interest.",
        figures=Instalment(
            instalment=cents(instalment),
            months=count,
            total_paid=cents(paid),
            total_interest=cents(interest),
            schedule=loan_schedule(loan),
        ),
        formula="instalment = P * i / (1 - (1 + i)^-n)" if i else "instalment = P / n",
        steps=(
            rate_step(yearly_rate, count),
            f"Present value of 1 a month: {show_number(present_value(i, count))}",
            f"Instalment: {show_money(principal)} / {show_number(present_value(i, count))} = "
            f"{show_money(instalment)}",
            f"Total interest: {show_money(paid)} - {show_money(principal)} = {show_money(interest)}",
        ),
        assumptions=(*LOAN_ASSUMPTIONS, _given(f"{show_money(principal)} is borrowed", yearly_rate, count)),
        series=loan_series(loan),
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
            rate_step(yearly_rate, count),
            f"Present value of 1 a month: {show_number(factor)}",
            f"Loan: {show_money(monthly_payment)} * {show_number(factor)}",
        ),
        assumptions=(
            *LOAN_ASSUMPTIONS,
            _given(f"{show_money(monthly_payment)} is paid every month", yearly_rate, count),
        ),
        series=loan_series(equal_instalments(principal, i, count)),
    )


def rate_step(yearly_rate: Decimal, count: int) -> str:
    """The monthly rate and the number of months, as a step."""
    i = show_number(monthly(yearly_rate) * 100)
    return f"Monthly rate i: {show_rate(yearly_rate)} / 12 = {i}%, n = {show_count(count, 'month')}"


def _given(said: str, yearly_rate: Decimal, count: int) -> str:
    return f"{said}, at {show_rate(yearly_rate)} a year for {show_term(count)}."


def loan_schedule(loan: Repayment) -> tuple[LoanYear, ...]:
    """The years of a loan."""
    years = (_paid_between(loan, start, min(start + 12, loan.months)) for start in range(0, loan.months, 12))
    return tuple(
        LoanYear(year=year, interest=interest, principal=principal, balance=balance)
        for year, (interest, principal, balance) in enumerate(years, start=1)
    )


def loan_series(loan: Repayment) -> Series:
    """A loan as a chart draws it."""
    return series_over(loan.months, lambda at, before, month: loan_point(loan, at, before, month))


def loan_point(loan: Repayment, at: int, before: int, month: int) -> LoanPoint:
    """What is paid after the month ``before`` until the end of ``month``."""
    interest, principal, balance = _paid_between(loan, before, month)
    return LoanPoint(at=at, interest=interest, principal=principal, balance=balance)


def _paid_between(loan: Repayment, before: int, month: int) -> tuple[Decimal, Decimal, Decimal]:
    """Interest and principal paid, and what is left. Running totals are rounded and not the periods
    themselves, so that they add up."""
    balance = cents(loan.balance(month))
    return (
        cents(loan.interest(month)) - cents(loan.interest(before)),
        cents(loan.balance(before)) - balance,
        balance,
    )
