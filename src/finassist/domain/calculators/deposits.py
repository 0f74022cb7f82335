"""Deposits at a bank: fixed, recurring, and interest that is not added to the deposit."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Final, Literal

from finassist.domain.calculators.annuities import accumulated, growth, term
from finassist.domain.calculators.calculation import (
    MAX_MONTHS,
    Calculation,
    CalculationError,
    Months,
    Param,
    Years,
    amount,
    exact,
    rate,
)
from finassist.domain.calculators.growth import NO_COSTS, Growth, grown_to, growth_series
from finassist.domain.calculators.money import (
    percent,
    show_count,
    show_money,
    show_number,
    show_rate,
    show_term,
)

DepositCompounding = Literal["yearly", "half-yearly", "quarterly", "monthly", "daily", "maturity"]
_DAYS_A_YEAR: Final = 365


@dataclass(frozen=True, slots=True, kw_only=True)
class Deposit:
    """``final_value`` is ``invested`` plus ``interest``. ``effective_rate`` is what the first year brings, in
    percent."""

    final_value: Decimal
    invested: Decimal
    interest: Decimal
    effective_rate: Decimal


@exact
def fixed_deposit(
    *,
    principal: Annotated[Decimal, amount("Amount deposited, for example 500000")],
    yearly_rate: Annotated[Decimal, rate("Nominal yearly interest rate in percent, for example 7.1")],
    years: Years = 0,
    months: Months = 0,
    compounding: Annotated[
        DepositCompounding,
        Param("How often interest is added; maturity: once, at the end, without interest on interest"),
    ] = "yearly",
) -> Calculation[Deposit]:
    """Maturity value and interest of a fixed deposit (FD), term deposit or certificate of deposit (CD)."""
    total_months = term(years, months)

    def factor(month: int) -> Decimal:
        if compounding == "maturity":
            return 1 + yearly_rate * month / 1200
        return growth(yearly_rate, compounding, month)

    found, grown = grown_to(principal * factor(total_months), principal), factor(total_months)
    return Calculation(
        answer=f"The deposit is worth {show_money(found.final_value)} after {show_term(total_months)}: "
        f"{show_money(principal)} and {show_money(found.interest)} of interest.",
        figures=_deposit(found, factor(12) - 1),
        formula=_FIXED[compounding],
        steps=(
            f"Growth factor over {show_term(total_months)}: {show_number(grown)}",
            f"Value: {show_money(principal)} * {show_number(grown)}",
        ),
        assumptions=(_added(yearly_rate, compounding), *NO_COSTS),
        series=growth_series(total_months, lambda month: principal * factor(month), lambda _: principal),
    )


@exact
def recurring_deposit(
    *,
    monthly_amount: Annotated[Decimal, amount("Amount deposited every month")],
    yearly_rate: Annotated[Decimal, rate("Nominal yearly interest rate in percent, for example 6.7")],
    years: Years = 0,
    months: Months = 0,
) -> Calculation[Deposit]:
    """Maturity value of a recurring deposit (RD) with quarterly compounding, as Indian banks pay it."""
    total_months = term(years, months)
    monthly = growth(yearly_rate, "quarterly", 1) - 1

    def value(month: int) -> Decimal:
        return monthly_amount * accumulated(monthly, month) * (1 + monthly)

    found = grown_to(value(total_months), monthly_amount * total_months)
    factor = accumulated(monthly, total_months) * (1 + monthly)
    return Calculation(
        answer=f"The deposits are worth {show_money(found.final_value)} after {show_term(total_months)}: "
        f"{show_money(found.invested)} paid in and {show_money(found.interest)} of interest.",
        figures=_deposit(found, growth(yearly_rate, "quarterly", 12) - 1),
        formula=_RECURRING if yearly_rate else "maturity value = R * the number of months",
        steps=(
            f"Rate of a quarter i: {show_rate(yearly_rate)} / 4 = {show_rate(yearly_rate / 4)}",
            f"What 1 a month becomes in {show_count(total_months, 'month')}: {show_number(factor)}",
            f"Value: {show_money(monthly_amount)} * {show_number(factor)}",
        ),
        assumptions=(
            f"{show_money(monthly_amount)} is paid in at the start of every month.",
            _added(yearly_rate, "quarterly"),
            *NO_COSTS,
        ),
        series=growth_series(total_months, value, lambda month: monthly_amount * month),
    )


@exact
def simple_interest(
    *,
    principal: Annotated[Decimal, amount("Amount that earns or owes interest")],
    yearly_rate: Annotated[Decimal, rate("Yearly interest rate in percent, for example 8")],
    years: Years = 0,
    months: Months = 0,
    days: Annotated[int, Param("Days of the term, on top of years and months", ge=0, le=36_500)] = 0,
) -> Calculation[Growth]:
    """Simple interest, without interest on interest, for years, months and days."""
    time = years + Decimal(months) / 12 + Decimal(days) / _DAYS_A_YEAR
    if not time or 12 * time > MAX_MONTHS:
        raise CalculationError("Give a term of a day to a hundred years, in years, months or days.")
    found = grown_to(principal * (1 + yearly_rate / 100 * time), principal)
    said = _said(years, months, days)
    return Calculation(
        answer=f"The interest is {show_money(found.interest)}: {show_money(principal)} becomes "
        f"{show_money(found.final_value)} in {said}.",
        figures=found,
        formula="interest = P * r * t; P the amount, r the yearly rate, t in years",
        steps=(
            f"Term t in years: {show_number(time)}",
            f"Interest: {show_money(principal)} * {show_rate(yearly_rate)} * {show_number(time)}",
        ),
        assumptions=(
            f"Interest at {show_rate(yearly_rate)} a year is not added to the amount: it earns none itself.",
            *(["A year has 365 days."] if days else []),
        ),
        series=None
        if days
        else growth_series(
            12 * years + months,
            lambda month: principal * (1 + yearly_rate * month / 1200),
            lambda _: principal,
        ),
    )


_RECURRING = (
    "maturity value = R * ((1 + i)^n - 1) / (1 - (1 + i)^(-1/3)); R a month, i = r / 4 for a quarter, "
    "n the term in quarters"
)
_GROWING = "maturity value = P * (1 + r / {m})^({m} * t)"
_NAMES = "; P the deposit, r the yearly rate, t in years"
_FIXED: Final[dict[DepositCompounding, str]] = {
    "yearly": f"maturity value = P * (1 + r)^t{_NAMES}",
    "half-yearly": _GROWING.format(m=2) + _NAMES,
    "quarterly": _GROWING.format(m=4) + _NAMES,
    "monthly": _GROWING.format(m=12) + _NAMES,
    "daily": _GROWING.format(m=365) + _NAMES,
    "maturity": f"maturity value = P * (1 + r * t){_NAMES}",
}


def _said(years: int, months: int, days: int) -> str:
    counts = ((years, "year"), (months, "month"), (days, "day"))
    *before, last = [show_count(count, unit) for count, unit in counts if count]
    return f"{', '.join(before)} and {last}" if before else last


def _deposit(found: Growth, effective: Decimal) -> Deposit:
    return Deposit(
        final_value=found.final_value,
        invested=found.invested,
        interest=found.interest,
        effective_rate=percent(effective),
    )


def _added(yearly_rate: Decimal, compounding: DepositCompounding) -> str:
    when = "once, at maturity" if compounding == "maturity" else f"{compounding} and stays in the deposit"
    return f"Interest at {show_rate(yearly_rate)} a year is added {when}."
