"""Rates made comparable: nominal and effective, tax-free and taxed."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from finassist.domain.calculators.annuities import (
    PERIODS,
    Compounding,
    accumulated,
    growth,
    monthly,
    term,
)
from finassist.domain.calculators.calculation import Calculation, Months, Param, Years, amount, exact, rate
from finassist.domain.calculators.money import (
    cents,
    percent,
    show_money,
    show_number,
    show_rate,
    show_term,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectiveRate:
    """Both in percent a year."""

    nominal_rate: Decimal
    effective_rate: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxableEquivalent:
    """In percent a year. ``after_tax_yield`` and ``better`` need a taxed yield to compare with."""

    taxable_equivalent_yield: Decimal
    after_tax_yield: Decimal | None
    better: Literal["tax-free", "taxed", "equal"] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxedInterest:
    """``net_interest`` is ``interest`` less ``tax``; ``final_value`` is the amount with it."""

    interest: Decimal
    tax: Decimal
    net_interest: Decimal
    final_value: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class FeeDrag:
    """``lost`` is what the fees take of the value at the end."""

    value_without_fees: Decimal
    value_with_fees: Decimal
    lost: Decimal
    lost_percent: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class RealReturn:
    """In percent a year: ``after_tax_return``, and what inflation leaves of it, negative for a loss."""

    real_return: Decimal
    after_tax_return: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthlyRate:
    """Rates in percent. ``interest`` is that of one month on the balance; None without one."""

    monthly_rate: Decimal
    nominal_rate: Decimal
    effective_rate: Decimal
    interest: Decimal | None


@exact
def effective_annual_rate(
    *,
    yearly_rate: Annotated[Decimal, rate("The rate given, in percent a year, for example 12")],
    compounding: Annotated[Compounding, Param("How often interest is added")],
    given: Annotated[Literal["nominal", "effective"], Param("Which of the two the rate is")] = "nominal",
) -> Calculation[EffectiveRate]:
    """Effective annual rate (EAR, APY) of a nominal rate for a compounding frequency, or the inverse."""
    fraction = yearly_rate / 100
    found = percent((_effective if given == "nominal" else _nominal)(fraction, compounding))
    nominal, effective = (yearly_rate, found) if given == "nominal" else (found, yearly_rate)
    return Calculation(
        answer=f"A nominal {show_rate(nominal)} compounded {compounding} is an effective "
        f"{show_rate(effective)} a year.",
        figures=EffectiveRate(nominal_rate=percent(nominal / 100), effective_rate=percent(effective / 100)),
        formula=_FORMULAS[given][compounding == "continuously"],
        steps=(
            f"Interest is added {compounding}" + _times(compounding),
            f"{'Effective' if given == 'nominal' else 'Nominal'} rate: "
            + _working(show_rate(yearly_rate), compounding, given),
        ),
        assumptions=("Interest stays in the account; fees are left out.",),
    )


@exact
def taxable_equivalent_yield(
    *,
    tax_free_yield: Annotated[Decimal, rate("Tax-free yield in percent a year, for example 3.5")],
    tax_rate: Annotated[Decimal, Param("Marginal tax rate in percent, for example 24", ge=0, lt=100)],
    taxed_yield: Annotated[Decimal | None, rate("Taxed yield in percent to compare with")] = None,
) -> Calculation[TaxableEquivalent]:
    """Taxable-equivalent yield of a tax-free yield, and which of the two leaves more after tax."""
    kept = 1 - tax_rate / 100
    equivalent = percent(tax_free_yield / kept / 100)
    answer = f"A tax-free {show_rate(tax_free_yield)} is worth as much as a taxed {show_rate(equivalent)}."
    steps = [f"Taxable equivalent: {show_rate(tax_free_yield)} / {kept}"]
    after_tax, better = None, None
    if taxed_yield is not None:
        after_tax = percent(taxed_yield * kept / 100)
        better = _better(tax_free_yield, taxed_yield * kept)
        steps.append(f"Taxed yield after tax: {show_rate(taxed_yield)} * {kept}")
        answer += f" The taxed {show_rate(taxed_yield)} leaves {show_rate(after_tax)} after tax: "
        answer += "they are equal." if better == "equal" else f"the {better} one leaves more."
    return Calculation(
        answer=answer,
        figures=TaxableEquivalent(
            taxable_equivalent_yield=equivalent, after_tax_yield=after_tax, better=better
        ),
        formula="taxable equivalent = tax-free yield / (1 - tax rate); after tax = yield * (1 - tax rate)",
        steps=tuple(steps),
        assumptions=(
            f"All of a taxed yield is taxed at {show_rate(tax_rate)}, none of the tax-free one.",
            "Risk, price changes and fees are left out.",
        ),
    )


@exact
def real_return(
    *,
    yearly_rate: Annotated[Decimal, rate("Yearly return or interest in percent, for example 6")],
    inflation_rate: Annotated[Decimal, rate("Yearly inflation in percent, for example 3")],
    tax_percent: Annotated[
        Decimal, Param("Tax on the return in percent, 0 for none", ge=0, le=100)
    ] = Decimal(0),
) -> Calculation[RealReturn]:
    """Real return: what inflation, and tax when there is any, leave of a yearly return."""
    kept = yearly_rate * (1 - tax_percent / 100)
    real = percent((1 + kept / 100) / (1 + inflation_rate / 100) - 1)
    after_tax = percent(kept / 100)
    taxed = f", after {show_rate(tax_percent)} tax {show_rate(after_tax)}," if tax_percent else ""
    steps = [f"Real return: (1 + {show_rate(after_tax)}) / (1 + {show_rate(inflation_rate)}) - 1"]
    if tax_percent:
        steps.insert(0, f"After tax: {show_rate(yearly_rate)} * (1 - {show_rate(tax_percent)})")
    return Calculation(
        answer=f"The real return is {show_rate(real)} a year: a return of {show_rate(yearly_rate)}{taxed} "
        f"with prices that rise by {show_rate(inflation_rate)}.",
        figures=RealReturn(real_return=real, after_tax_return=after_tax),
        formula="real = (1 + r * (1 - t)) / (1 + f) - 1; r the return, t the tax rate, f the inflation",
        steps=tuple(steps),
        assumptions=(
            "The tax is taken from the whole return every year." if tax_percent else "No tax is taken.",
            "Return and inflation stay the same; fees are left out.",
        ),
    )


@exact
def apr_to_monthly(
    *,
    yearly_rate: Annotated[Decimal, rate("Yearly rate (APR) in percent, for example 24")],
    convention: Annotated[
        Literal["nominal", "effective"],
        Param(
            "nominal: a month is a twelfth, as on US cards and loans; effective: with interest on interest"
        ),
    ] = "nominal",
    balance: Annotated[Decimal | None, amount("Balance to take a month's interest of")] = None,
) -> Calculation[MonthlyRate]:
    """Monthly rate of a yearly rate (APR), and the interest of a month on a balance."""
    fraction = yearly_rate / 100
    nominal = fraction if convention == "nominal" else _nominal(fraction, "monthly")
    month = nominal / 12
    interest = None if balance is None else cents(balance * month)
    answer = f"The monthly rate is {show_rate(percent(month))}"
    steps = [f"Monthly rate: {_monthly_working(show_rate(yearly_rate), convention)}"]
    if balance is not None and interest is not None:
        answer = (
            f"A month's interest on {show_money(balance)} is {show_money(interest)}, a year's "
            f"{show_money(cents(balance * nominal))}; the monthly rate is "
        )
        answer += show_rate(percent(month))
        steps.append(f"Interest: {show_money(balance)} * {show_number(month * 100)}%")
    return Calculation(
        answer=f"{answer}.",
        figures=MonthlyRate(
            monthly_rate=percent(month),
            nominal_rate=percent(nominal),
            effective_rate=percent(_effective(nominal, "monthly")),
            interest=interest,
        ),
        formula="monthly = r / 12" if convention == "nominal" else "monthly = (1 + r)^(1 / 12) - 1",
        steps=tuple(steps),
        assumptions=(
            f"{show_rate(yearly_rate)} a year is taken as {_MEANT[convention]}.",
            "The balance stays the same for the month; fees are left out.",
        ),
    )


def _monthly_working(said: str, convention: Literal["nominal", "effective"]) -> str:
    return f"{said} / 12" if convention == "nominal" else f"(1 + {said})^(1 / 12) - 1"


_MEANT = {
    "nominal": "a nominal rate: a month is a twelfth of it",
    "effective": "an effective rate, with interest on interest",
}
_FORMULAS = {
    "nominal": (
        "effective = (1 + r / m)^m - 1; r the nominal rate",
        "effective = e^r - 1; r the nominal rate",
    ),
    "effective": (
        "nominal = m * ((1 + r)^(1 / m) - 1); r the effective rate",
        "nominal = ln(1 + r); r the effective rate",
    ),
}


def _effective(nominal: Decimal, compounding: Compounding) -> Decimal:
    if compounding == "continuously":
        return nominal.exp() - 1
    periods = PERIODS[compounding]
    return (1 + nominal / periods) ** periods - 1


def _nominal(effective: Decimal, compounding: Compounding) -> Decimal:
    if compounding == "continuously":
        return (1 + effective).ln()
    periods = PERIODS[compounding]
    return periods * ((1 + effective) ** (Decimal(1) / periods) - 1)


def _times(compounding: Compounding) -> str:
    return "" if compounding == "continuously" else f", m = {PERIODS[compounding]} times a year"


def _working(said: str, compounding: Compounding, given: Literal["nominal", "effective"]) -> str:
    if compounding == "continuously":
        return f"e^{said} - 1" if given == "nominal" else f"ln(1 + {said})"
    m = PERIODS[compounding]
    return f"(1 + {said} / {m})^{m} - 1" if given == "nominal" else f"{m} * ((1 + {said})^(1 / {m}) - 1)"


def _better(tax_free: Decimal, after_tax: Decimal) -> Literal["tax-free", "taxed", "equal"]:
    if tax_free == after_tax:
        return "equal"
    return "tax-free" if tax_free > after_tax else "taxed"


@exact
def interest_after_tax(
    *,
    principal: Annotated[Decimal, amount("Amount at the start, for example 10000")],
    yearly_rate: Annotated[Decimal, rate("Nominal yearly interest rate in percent, for example 4.5")],
    tax_percent: Annotated[Decimal, Param("Tax on the interest in percent", ge=0, le=100)],
    years: Years = 0,
    months: Months = 0,
    compounding: Annotated[Compounding, Param("How often interest is added")] = "yearly",
    allowance: Annotated[Decimal, amount("Interest that is free of tax")] = Decimal(0),
) -> Calculation[TaxedInterest]:
    """Interest of savings or a deposit (FD) that is left after tax."""
    count = term(years, months)
    interest = cents(principal * (growth(yearly_rate, compounding, count) - 1))
    tax = cents(max(Decimal(0), interest - allowance) * tax_percent / 100)
    final = cents(principal) + interest - tax
    return Calculation(
        answer=f"{show_money(interest - tax)} of interest is left after tax: {show_money(interest)} less "
        f"{show_money(tax)} of tax; with it there is {show_money(final)} after {show_term(count)}.",
        figures=TaxedInterest(interest=interest, tax=tax, net_interest=interest - tax, final_value=final),
        formula="left = interest - (interest - allowance) * tax / 100",
        steps=(
            f"Interest: {show_money(principal)} * {show_number(growth(yearly_rate, compounding, count) - 1)}",
            f"Tax: {show_money(max(Decimal(0), interest - allowance))} * {show_rate(tax_percent)}",
        ),
        assumptions=(
            f"Interest at {show_rate(yearly_rate)} a year is added {compounding}.",
            "The tax is paid once, at the end, at one rate"
            + (f", on interest above {show_money(allowance)}." if allowance else ", on all of the interest."),
        ),
    )


@exact
def fee_drag(
    *,
    principal: Annotated[Decimal, amount("Amount at the start, for example 10000")] = Decimal(0),
    monthly_amount: Annotated[Decimal, amount("Amount paid in every month")] = Decimal(0),
    yearly_return: Annotated[Decimal, rate("Yearly return before fees in percent, for example 7")],
    fee_percent: Annotated[Decimal, rate("Yearly fee in percent of the value, for example 1.5")],
    other_fee_percent: Annotated[
        Decimal | None, rate("Lower yearly fee to compare with, in percent; no fee when left out")
    ] = None,
    years: Years = 0,
    months: Months = 0,
) -> Calculation[FeeDrag]:
    """What a yearly fee of a fund or adviser costs over a term: the value with and without it."""
    count = term(years, months)
    low, high = sorted((other_fee_percent or Decimal(0), fee_percent))
    before, after = (
        cents(_grown(principal, monthly_amount, yearly_return - fee, count)) for fee in (low, high)
    )
    against = f" rather than {show_rate(low)}" if low else ""
    share = percent((before - after) / before) if before else Decimal(0)
    return Calculation(
        answer=f"The fee of {show_rate(high)} a year{against} costs {show_money(before - after)} "
        f"({show_rate(share)}): {show_money(after)} instead of {show_money(before)} after "
        f"{show_term(count)}.",
        figures=FeeDrag(
            value_without_fees=before, value_with_fees=after, lost=before - after, lost_percent=share
        ),
        formula="value = P * (1 + r - fee)^t + M * (((1 + i)^n - 1) / i)",
        steps=(
            f"{'With the lower fee' if low else 'Without the fee'}, at {show_rate(yearly_return - low)}: "
            f"{show_money(before)}",
            f"With the fee, at {show_rate(yearly_return - high)}: {show_money(after)}",
        ),
        assumptions=(
            f"{show_money(principal)} at the start, {show_money(monthly_amount)} at the end of every month.",
            "The fee is taken off the return; the return is the same every year; taxes are left out.",
        ),
    )


def _grown(principal: Decimal, monthly_amount: Decimal, rate_left: Decimal, count: int) -> Decimal:
    """An amount and regular payments after so many months at a yearly rate."""
    grown = principal * (1 + rate_left / 100) ** (Decimal(count) / 12)
    return grown + monthly_amount * accumulated(monthly(rate_left), count)
