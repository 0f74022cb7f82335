"""Loans repaid in equal monthly instalments."""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated, Final, Literal

from finassist.domain.calculators.annuities import (
    PERIODS,
    Compounding,
    Repayment,
    equal_instalments,
    monthly,
    present_value,
    repaid_with,
    term,
)
from finassist.domain.calculators.calculation import (
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

_PAYMENTS: Final = {"week": 52, "fortnight": 26}


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
class FrequentInstalment:
    """An instalment of a week or fortnight."""

    instalment: Decimal
    payments: int
    total_paid: Decimal
    total_interest: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Affordability:
    """The largest loan that a monthly payment repays."""

    max_principal: Decimal
    months: int
    total_paid: Decimal
    total_interest: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class LoanBalance:
    """What is owed after ``months_paid`` instalments, and what they paid."""

    balance: Decimal
    months_paid: int
    principal_paid: Decimal
    interest_paid: Decimal
    instalment: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class LumpSum:
    """With the lump sum the instalment stays and the term is shorter: ``months`` in all, ``interest_saved``.
    ``new_instalment`` is what would keep the term instead."""

    instalment: Decimal
    balance_after: Decimal
    months: int
    months_saved: int
    total_interest: Decimal
    interest_saved: Decimal
    new_instalment: Decimal


@exact
def loan_instalment(
    *,
    principal: Annotated[Decimal, amount("Amount borrowed, for example 200000")],
    yearly_rate: Annotated[Decimal, rate("Nominal yearly interest rate in percent, for example 7.5")],
    years: Years = 0,
    months: Months = 0,
    compounding: Annotated[
        Compounding, Param("How often interest is compounded: half-yearly for Canadian mortgages")
    ] = "monthly",
) -> Calculation[Instalment]:
    """Monthly instalment (EMI) of a loan or mortgage, its total interest and its amortisation by year."""
    count = term(years, months)
    i = monthly(yearly_rate, compounding)
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
        steps=(rate_step(yearly_rate, count, compounding), *_instalment_steps(loan)),
        assumptions=(
            *LOAN_ASSUMPTIONS,
            _given(f"{show_money(principal)} is borrowed", yearly_rate, count),
            *(() if compounding == "monthly" else (f"Interest is compounded {compounding}.",)),
        ),
        series=loan_series(loan),
    )


def _instalment_steps(loan: Repayment) -> tuple[str, ...]:
    factor = show_number(present_value(loan.rate, loan.months))
    return (
        f"Present value of 1 a month: {factor}",
        f"Instalment: {show_money(loan.loan)} / {factor} = {show_money(loan.payment)}",
        f"Total interest: {show_money(loan.loan + loan.total_interest)} - {show_money(loan.loan)} = "
        f"{show_money(loan.total_interest)}",
    )


@exact
def frequent_instalment(
    *,
    principal: Annotated[Decimal, amount("Amount borrowed, for example 200000")],
    yearly_rate: Annotated[Decimal, rate("Nominal yearly interest rate in percent, for example 7.5")],
    per: Annotated[Literal["week", "fortnight"], Param("How often an instalment is paid")],
    years: Years = 0,
    months: Months = 0,
) -> Calculation[FrequentInstalment]:
    """Instalment of a loan or mortgage that is repaid every week or fortnight, and its total interest."""
    a_year = _PAYMENTS[per]
    count = int((Decimal(term(years, months) * a_year) / 12).to_integral_value(ROUND_HALF_UP))
    i = yearly_rate / 100 / a_year
    factor = present_value(i, count)
    instalment, paid = principal / factor, principal / factor * count
    return Calculation(
        answer=f"The instalment is {show_money(instalment)} a {per}; over {show_count(count, 'payment')} "
        f"that is {show_money(paid - principal)} of interest.",
        figures=FrequentInstalment(
            instalment=cents(instalment),
            payments=count,
            total_paid=cents(paid),
            total_interest=cents(paid - principal),
        ),
        formula="instalment = P * i / (1 - (1 + i)^-n)" if i else "instalment = P / n",
        steps=(
            f"Rate of a {per}, i: {show_rate(yearly_rate)} / {a_year} = {show_number(i)}",
            f"Present value of 1 a {per}: {show_number(factor)}",
        ),
        assumptions=(
            f"{show_money(principal)} is borrowed; {a_year} equal payments a year, interest added with each.",
            "Fees, insurance and taxes are left out.",
        ),
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


@exact
def loan_balance(
    *,
    principal: Annotated[Decimal, amount("Amount borrowed at the start")],
    yearly_rate: Annotated[Decimal, rate("Nominal yearly interest rate in percent, for example 6.5")],
    years: Years = 0,
    months: Months = 0,
    months_paid: Annotated[int, Param("How many instalments are paid", ge=1, le=1200)],
) -> Calculation[LoanBalance]:
    """What is still owed of a loan or mortgage after some years, and the interest paid until then."""
    loan = equal_instalments(principal, monthly(yearly_rate), term(years, months))
    if months_paid > loan.months:
        raise CalculationError("The loan is repaid before that.")
    left, interest = cents(loan.balance(months_paid)), cents(loan.interest(months_paid))
    return Calculation(
        answer=f"After {show_term(months_paid)} {show_money(left)} is still owed: "
        f"{show_money(cents(principal) - left)} is repaid and {show_money(interest)} of interest paid.",
        figures=LoanBalance(
            balance=left,
            months_paid=months_paid,
            principal_paid=cents(principal) - left,
            interest_paid=interest,
            instalment=cents(loan.payment),
        ),
        formula="balance = instalment * (1 - (1 + i)^-(n - k)) / i; k the instalments paid",
        steps=(
            rate_step(yearly_rate, loan.months),
            f"Instalment: {show_money(loan.payment)}",
            f"Balance: what {loan.months - months_paid:,} more instalments pay off",
        ),
        assumptions=(
            *LOAN_ASSUMPTIONS,
            _given(f"{show_money(principal)} is borrowed", yearly_rate, loan.months),
        ),
        series=loan_series(loan),
    )


@exact
def loan_lump_sum(
    *,
    balance: Annotated[Decimal, positive_amount("Amount owed now")],
    yearly_rate: Annotated[Decimal, rate("Nominal yearly interest rate in percent, for example 6.5")],
    lump_sum: Annotated[Decimal, positive_amount("Amount paid off at once")],
    years: Years = 0,
    months: Months = 0,
    months_before: Annotated[int, Param("Instalments paid before the lump sum", ge=0, le=1200)] = 0,
) -> Calculation[LumpSum]:
    """Time and interest saved by paying a lump sum off a loan or mortgage early (part payment)."""
    i, count = monthly(yearly_rate), term(years, months)
    base = equal_instalments(balance, i, count)
    if months_before >= count or lump_sum >= base.balance(months_before):
        raise CalculationError("The lump sum pays off all that is owed by then.")
    left = base.balance(months_before) - lump_sum
    rest = repaid_with(left, i, base.payment)
    found = _lump_sum(base, rest, months_before)
    return Calculation(
        answer=_lump_sum_told(found),
        figures=found,
        formula="balance = balance before - lump sum; n = -ln(1 - B * i / A) / ln(1 + i), rounded up",
        steps=(
            rate_step(yearly_rate, count),
            f"Owed after the lump sum: {show_money(left + lump_sum)} - {show_money(lump_sum)}",
            f"Months from then on: {rest.months:,} instead of {count - months_before:,}",
        ),
        assumptions=(
            *LOAN_ASSUMPTIONS,
            _given(f"{show_money(balance)} is owed", yearly_rate, count),
            f"The lump sum of {show_money(lump_sum)} is paid "
            f"{f'after {show_term(months_before)}' if months_before else 'now'}, without a charge.",
        ),
        series=loan_series(base),
    )


def _lump_sum(base: Repayment, rest: Repayment, months_before: int) -> LumpSum:
    interest = cents(base.interest(months_before)) + cents(rest.total_interest)
    left = base.months - months_before
    return LumpSum(
        instalment=cents(base.payment),
        balance_after=cents(rest.loan),
        months=months_before + rest.months,
        months_saved=left - rest.months,
        total_interest=interest,
        interest_saved=cents(base.total_interest) - interest,
        new_instalment=cents(equal_instalments(rest.loan, base.rate, left).payment),
    )


def _lump_sum_told(found: LumpSum) -> str:
    return (
        f"It saves {show_money(found.interest_saved)} of interest, and the loan is repaid "
        f"{show_term(found.months_saved)} sooner with the same instalment of {show_money(found.instalment)}. "
        f"To keep the term, the instalment falls to {show_money(found.new_instalment)}."
    )


def rate_step(yearly_rate: Decimal, count: int, compounding: Compounding = "monthly") -> str:
    """The monthly rate and the number of months, as a step."""
    i, told = monthly(yearly_rate, compounding), f"{show_rate(yearly_rate)} / 12"
    if compounding != "monthly":
        periods = PERIODS.get(compounding)
        told = "e^(r / 12) - 1"
        if periods:
            told = f"(1 + {show_rate(yearly_rate)} / {periods})^({periods} / 12) - 1"
    return f"Monthly rate i: {told} = {show_number(i * 100)}%, n = {show_count(count, 'month')}"


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
