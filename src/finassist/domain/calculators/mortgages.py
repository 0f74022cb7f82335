"""Mortgages: bought with a deposit, repaid faster with an extra payment, refinanced."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Annotated

from finassist.domain.calculators.annuities import (
    Compounding,
    Repayment,
    equal_instalments,
    monthly,
    present_value,
    repaid_with,
    repaid_with_yearly,
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
from finassist.domain.calculators.loans import (
    LOAN_ASSUMPTIONS,
    LoanPoint,
    LoanYear,
    loan_point,
    loan_schedule,
    loan_series,
    rate_step,
)
from finassist.domain.calculators.money import (
    cents,
    percent,
    show_money,
    show_number,
    show_rate,
    show_term,
)
from finassist.domain.calculators.series import Point, Series, from_start, series_over

_ROUNDING = Decimal("0.005")
"""By so much of an instalment may one be told that goes with a term."""
_INSTALMENT = "instalment = P * i / (1 - (1 + i)^-n)"
_MONTHS = "n = -ln(1 - B * i / A) / ln(1 + i), rounded up; B owed, A paid a month, i the monthly rate"
_MONTHS_WITHOUT = "n = B / A, rounded up; B owed, A paid a month"
_YEARLY_TOO = "every month: balance = balance * (1 + i) - A; every 12th month less the yearly payment, too"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraPoint(LoanPoint):
    """A loan with an extra payment, and what would still be owed without it."""

    balance_without_extra: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class RefinancePoint(Point):
    """What has been paid so far: on the loan as it is, and on the new one, its costs included."""

    paid_current: Decimal
    paid_refinanced: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Mortgage:
    """``instalment``, ``months`` and the totals are without an extra payment; the last four are with it, or
    None. ``schedule`` is what is really paid."""

    loan: Decimal
    deposit: Decimal
    deposit_percent: Decimal
    instalment: Decimal
    months: int
    total_paid: Decimal
    total_interest: Decimal
    schedule: tuple[LoanYear, ...]
    months_with_extra: int | None
    total_interest_with_extra: Decimal | None
    months_saved: int | None
    interest_saved: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraPayment:
    """``payment`` is ``instalment`` and the extra amount; ``months`` and ``total_interest`` are with it."""

    instalment: Decimal
    payment: Decimal
    months: int
    total_interest: Decimal
    months_without_extra: int
    total_interest_without_extra: Decimal
    months_saved: int
    interest_saved: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Refinance:
    """``monthly_saving`` is negative when the new instalment is higher. ``break_even_months`` is None when
    the costs do not come back. ``total_saving`` is over both terms, after the costs."""

    current_instalment: Decimal
    new_instalment: Decimal
    monthly_saving: Decimal
    break_even_months: int | None
    interest_saved: Decimal
    total_saving: Decimal


@exact
def mortgage(
    *,
    price: Annotated[Decimal, positive_amount("Price of the home, for example 450000")],
    yearly_rate: Annotated[Decimal, rate("Nominal yearly interest rate in percent, for example 6.75")],
    years: Years = 0,
    months: Months = 0,
    deposit: Annotated[Decimal, amount("Deposit or down payment as an amount")] = Decimal(0),
    deposit_percent: Annotated[
        Decimal, Param("Deposit or down payment in percent of the price, instead of an amount", ge=0, lt=100)
    ] = Decimal(0),
    extra_monthly: Annotated[Decimal, amount("Amount paid every month on top of the instalment")] = Decimal(
        0
    ),
    compounding: Annotated[
        Compounding, Param("How often interest is compounded: half-yearly in Canada")
    ] = "monthly",
) -> Calculation[Mortgage]:
    """Mortgage of a home with a deposit (down payment): loan, instalment, interest, extra payments."""
    down = _deposit(price, deposit, deposit_percent)
    i = monthly(yearly_rate, compounding)
    base = equal_instalments(price - down, i, term(years, months))
    extra = repaid_with(base.loan, base.rate, base.payment + extra_monthly) if extra_monthly else None
    factor = show_number(present_value(base.rate, base.months))
    deposit_said = f"a deposit of {show_money(down)} ({show_rate(percent(down / price))} of it)"
    return Calculation(
        answer=_mortgage_told(base, extra),
        figures=_mortgage(down, price, base, extra),
        formula=_INSTALMENT if base.rate else "instalment = P / n",
        steps=(
            f"Loan: {show_money(price)} - {show_money(down)}",
            rate_step(yearly_rate, base.months, compounding),
            f"Instalment: {show_money(base.loan)} / {factor}, the present value of 1 a month",
        ),
        assumptions=(
            f"The price is {show_money(price)} with {deposit_said if down else 'no deposit'}; the rate is "
            f"{show_rate(yearly_rate)} a year, compounded {compounding}.",
            *LOAN_ASSUMPTIONS,
        ),
        series=_extra_series(base, extra) if extra else loan_series(base),
    )


@exact
def loan_extra_payment(
    *,
    balance: Annotated[Decimal, positive_amount("Amount still owed, for example 250000")],
    yearly_rate: Annotated[Decimal, rate("Nominal yearly interest rate in percent, for example 6.5")],
    extra_monthly: Annotated[Decimal, amount("Amount paid every month on top of the instalment")] = Decimal(
        0
    ),
    extra_yearly: Annotated[Decimal, amount("Amount paid at the end of every year on top of it")] = Decimal(
        0
    ),
    instalment: Annotated[
        Decimal | None, positive_amount("Monthly instalment today, if no term is given or it goes with it")
    ] = None,
    years: Years = 0,
    months: Months = 0,
) -> Calculation[ExtraPayment]:
    """How much sooner a loan or mortgage is repaid, and the interest saved, with an extra monthly payment."""
    i = monthly(yearly_rate)
    base = _repaid_now(balance, i, instalment, years, months)
    if not extra_monthly and not extra_yearly:
        raise CalculationError("Give the extra payment, of every month or of every year.")
    extra = repaid_with(balance, i, base.payment + extra_monthly)
    took = (extra.months, extra.total_interest)
    if extra_yearly:
        took = repaid_with_yearly(balance, i, extra.payment, extra_yearly)
    found = _extra_payment(base, extra.payment, *took)
    return Calculation(
        answer=f"It saves {show_money(found.interest_saved)} of interest: with "
        f"{_more(extra_monthly, extra_yearly)}, {_repaid(base, found.months)}.",
        figures=found,
        formula=_YEARLY_TOO if extra_yearly else _MONTHS if i else _MONTHS_WITHOUT,
        steps=_extra_steps(yearly_rate, base, found),
        assumptions=(
            f"{show_money(balance)} is owed at {show_rate(yearly_rate)} a year.",
            "All of the extra payment is taken off what is owed, and nothing is charged for it.",
            *LOAN_ASSUMPTIONS,
        ),
        series=None if extra_yearly else _extra_series(base, extra),
    )


@exact
def refinance_break_even(
    *,
    balance: Annotated[Decimal, positive_amount("Amount still owed, for example 250000")],
    current_rate: Annotated[Decimal, rate("Nominal yearly rate of the loan today, in percent")],
    new_rate: Annotated[Decimal, rate("Nominal yearly rate of the new loan, in percent")],
    years_left: Annotated[int, Param("Years left of the loan today", ge=1, le=100)],
    costs: Annotated[Decimal, amount("What refinancing costs in all: fees, closing costs, penalties")],
    new_years: Annotated[
        int | None, Param("Years of the new loan; the years left when left out", ge=1, le=100)
    ] = None,
) -> Calculation[Refinance]:
    """When refinancing a loan or mortgage pays for its costs, and what it saves in all."""
    old = equal_instalments(balance, monthly(current_rate), 12 * years_left)
    new = equal_instalments(balance, monthly(new_rate), 12 * (new_years or years_left))
    even = _break_even(old, new, costs)
    total = cents(old.total_interest) - cents(new.total_interest) - cents(costs)
    return Calculation(
        answer=_refinanced(old, new, even, total),
        figures=Refinance(
            current_instalment=cents(old.payment),
            new_instalment=cents(new.payment),
            monthly_saving=cents(old.payment) - cents(new.payment),
            break_even_months=even,
            interest_saved=cents(old.total_interest) - cents(new.total_interest),
            total_saving=total,
        ),
        formula=f"{_INSTALMENT}; break-even = costs / what a month saves, rounded up",
        steps=(
            f"Saved a month: {show_money(old.payment)} - {show_money(new.payment)}",
            f"Interest of the loan as it is: {show_money(old.total_interest)}",
            f"Interest of the new loan: {show_money(new.total_interest)}",
        ),
        assumptions=(
            f"{show_money(balance)} is owed at {show_rate(current_rate)} for {show_term(old.months)} more; "
            f"the new loan is at {show_rate(new_rate)} for {show_term(new.months)}.",
            f"Refinancing costs {show_money(costs)}, paid at once.",
            LOAN_ASSUMPTIONS[0],
        ),
        series=_refinance_series(old, new, costs),
    )


def _deposit(price: Decimal, deposit: Decimal, deposit_percent: Decimal) -> Decimal:
    if deposit and deposit_percent:
        raise CalculationError("Give the deposit either as an amount or in percent, and leave out the other.")
    if deposit >= price:
        raise CalculationError("The deposit covers the price: there is nothing to borrow.")
    return deposit or price * deposit_percent / 100


def _mortgage_told(base: Repayment, extra: Repayment | None) -> str:
    answer = (
        f"The monthly instalment is {show_money(base.payment)} on a loan of {show_money(base.loan)}; over "
        f"{show_term(base.months)} that is {show_money(base.total_interest)} of interest."
    )
    if extra is None:
        return answer
    saved = show_money(cents(base.total_interest) - cents(extra.total_interest))
    more = show_money(extra.payment - base.payment)
    return (
        f"{answer} With {more} more a month, {_repaid(base, extra.months)}, and {saved} of interest is saved."
    )


def _mortgage(down: Decimal, price: Decimal, base: Repayment, extra: Repayment | None) -> Mortgage:
    interest = cents(base.total_interest)
    return Mortgage(
        loan=cents(base.loan),
        deposit=cents(down),
        deposit_percent=percent(down / price),
        instalment=cents(base.payment),
        months=base.months,
        total_paid=cents(base.loan + base.total_interest),
        total_interest=interest,
        schedule=loan_schedule(extra or base),
        months_with_extra=extra.months if extra else None,
        total_interest_with_extra=cents(extra.total_interest) if extra else None,
        months_saved=base.months - extra.months if extra else None,
        interest_saved=interest - cents(extra.total_interest) if extra else None,
    )


def _extra_payment(base: Repayment, payment: Decimal, months: int, interest: Decimal) -> ExtraPayment:
    before, after = cents(base.total_interest), cents(interest)
    return ExtraPayment(
        instalment=cents(base.payment),
        payment=cents(payment),
        months=months,
        total_interest=after,
        months_without_extra=base.months,
        total_interest_without_extra=before,
        months_saved=base.months - months,
        interest_saved=before - after,
    )


def _repaid_now(
    balance: Decimal, i: Decimal, instalment: Decimal | None, years: int, months: int
) -> Repayment:
    """A loan as it is repaid without an extra payment, by its instalment or its term, or both if they agree:
    the term is then what the instalment is meant for, whatever it was rounded to."""
    if instalment is None and not years and not months:
        raise CalculationError("Give the instalment or the term that is left.")
    if not years and not months:
        return repaid_with(balance, i, instalment or Decimal(0))
    loan = equal_instalments(balance, i, term(years, months))
    if instalment is not None and abs(instalment - loan.payment) > loan.payment * _ROUNDING:
        raise CalculationError(
            f"The instalment and the term do not go together: {show_money(loan.payment)} a month repays "
            f"{show_money(balance)} in {show_term(loan.months)}. Give one of them, and leave out the other."
        )
    return loan


def _more(extra_monthly: Decimal, extra_yearly: Decimal) -> str:
    monthly_too = f"{show_money(extra_monthly)} more a month" if extra_monthly else ""
    yearly = f"{show_money(extra_yearly)} more at the end of every year" if extra_yearly else ""
    return " and ".join(filter(None, (monthly_too, yearly)))


def _repaid(base: Repayment, months: int) -> str:
    sooner = base.months - months
    return f"it is repaid in {show_term(months)}" + (f", {show_term(sooner)} sooner" if sooner else "")


def _extra_steps(yearly_rate: Decimal, base: Repayment, found: ExtraPayment) -> tuple[str, ...]:
    return (
        f"Monthly rate i: {show_rate(yearly_rate)} / 12 = {show_number(base.rate * 100)}%",
        f"Without the extra payment: {show_money(base.payment)} a month for {show_term(base.months)}, "
        f"{show_money(base.total_interest)} of interest",
        f"With it: {show_money(found.payment)} a month, {show_money(found.total_interest)} of interest",
    )


def _extra_series(base: Repayment, extra: Repayment) -> Series:
    def point(at: int, before: int, month: int) -> ExtraPoint:
        paid = loan_point(extra, at, min(before, extra.months), min(month, extra.months))
        return ExtraPoint(
            at=at,
            interest=paid.interest,
            principal=paid.principal,
            balance=paid.balance,
            balance_without_extra=cents(base.balance(month)),
        )

    return series_over(base.months, point)


def _break_even(old: Repayment, new: Repayment, costs: Decimal) -> int | None:
    """The month by which the old loan would have cost as much as the new one and its costs."""
    saving = old.payment - new.payment
    if saving > 0 and (months := _ceiling(costs / saving)) <= min(old.months, new.months):
        return months
    months = _ceiling((costs + new.payment * new.months) / old.payment)
    return months if new.months < months <= old.months else None


def _refinanced(old: Repayment, new: Repayment, even: int | None, total: Decimal) -> str:
    before, after = cents(old.payment), cents(new.payment)
    if before == after and not total:
        return f"Refinancing changes nothing: the instalment stays at {show_money(after)}."
    change = "falls" if after <= before else "rises"
    moved = f"the instalment {change} from {show_money(before)} to {show_money(after)}"
    if even is None:
        said = f"Refinancing does not pay for its costs: {moved}."
    elif not even:
        said = f"Refinancing pays at once: {moved}."
    else:
        said = f"Refinancing breaks even after {show_term(even)}: {moved}."
    over = "saves" if total >= 0 else "costs"
    more = "" if total >= 0 else " more"
    return f"{said} Over the whole term it {over} {show_money(abs(total))}{more}, its costs included."


def _refinance_series(old: Repayment, new: Repayment, costs: Decimal) -> Series:
    def point(at: int, _before: int, month: int) -> RefinancePoint:
        return RefinancePoint(
            at=at,
            paid_current=cents(old.payment * min(month, old.months)),
            paid_refinanced=cents(costs + new.payment * min(month, new.months)),
        )

    return from_start(series_over(max(old.months, new.months), point), point(0, 0, 0))


def _ceiling(number: Decimal) -> int:
    return int(number.to_integral_value(ROUND_CEILING))
