"""What shares and property bring before and after tax: dividends, and the gain of a sale."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

from finassist.domain.calculators.annuities import growth, term
from finassist.domain.calculators.calculation import (
    Calculation,
    Months,
    Param,
    Years,
    exact,
    positive_amount,
    rate,
)
from finassist.domain.calculators.calculation import amount as money
from finassist.domain.calculators.money import (
    ROUNDED,
    cents,
    percent,
    show_money,
    show_number,
    show_rate,
    show_term,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DividendIncome:
    """All of a year; ``dividend_yield`` is before tax, None without a price."""

    gross: Decimal
    tax: Decimal
    net: Decimal
    dividend_yield: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BillYield:
    """Yields in percent, of the days and of a year without compounding."""

    gain: Decimal
    period_yield: Decimal
    yearly_yield: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class PresentValue:
    """``needed`` is what has to be put away today."""

    needed: Decimal
    interest: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class CapitalGain:
    """``gain`` is after costs, negative for a loss; ``taxed`` is what of it is taxed."""

    gain: Decimal
    taxed: Decimal
    tax: Decimal
    net_gain: Decimal


@exact
def dividend_income(
    *,
    count: Annotated[Decimal, Param("How many shares or units", gt=0, le=10**12)],
    dividend: Annotated[Decimal, positive_amount("Dividend of one share each time")],
    times_a_year: Annotated[int, Param("How often a year it is paid", ge=1, le=365)] = 1,
    tax_percent: Annotated[Decimal, Param("Tax withheld, in percent", ge=0, le=100)] = Decimal(0),
    price: Annotated[Decimal | None, positive_amount("Price of one share, for the yield")] = None,
) -> Calculation[DividendIncome]:
    """Dividends of a year from a number of shares, before and after tax, and the yield at a price."""
    gross = cents(count * dividend * times_a_year)
    found = None if price is None else percent(dividend * times_a_year / price)
    tax = cents(gross * tax_percent / 100)
    after = f" of {show_money(gross)}, after {show_money(tax)} of tax" if tax_percent else ""
    times = f" * {times_a_year}" if times_a_year > 1 else ""
    told = "" if found is None or price is None else f", a yield of {show_rate(found)} at {show_money(price)}"
    return Calculation(
        answer=f"The dividends are {show_money(gross - tax)} a year{after}{told}.",
        figures=DividendIncome(gross=gross, tax=tax, net=gross - tax, dividend_yield=found),
        formula="dividends = shares * dividend * times a year * (1 - tax / 100)"
        + ("; yield = dividend * times a year / price" if told else ""),
        steps=(
            f"Before tax: {show_number(count)} * {show_number(dividend)}{times}",
            *(() if price is None else (f"Yield: {show_number(dividend)}{times} / {show_money(price)}",)),
        ),
        assumptions=("The dividend stays the same.", ROUNDED),
    )


@exact
def bill_yield(
    *,
    price: Annotated[Decimal, positive_amount("What the bill costs")],
    repaid: Annotated[Decimal, positive_amount("What is paid back at the end, its face value")],
    days: Annotated[int, Param("Days until it is paid back", ge=1, le=3660)],
    days_a_year: Annotated[int, Param("Days that a year counts, 365 or 360", ge=360, le=366)] = 365,
) -> Calculation[BillYield]:
    """Simple yearly yield of a treasury bill or other paper that is bought below what it pays back."""
    gain = repaid - price
    period = percent(gain / price)
    yearly = percent(gain / price * days_a_year / days)
    return Calculation(
        answer=f"The yield is {show_rate(yearly)} a year: {show_money(gain)} on {show_money(price)} in "
        f"{days:,} days, {show_rate(period)} for that time.",
        figures=BillYield(gain=cents(gain), period_yield=period, yearly_yield=yearly),
        formula="yield = (repaid - price) / price * days of a year / days",
        steps=(
            f"Gain: {show_money(repaid)} - {show_money(price)}",
            f"A year: {show_rate(period)} * {days_a_year} / {days}",
        ),
        assumptions=(f"Simple interest on a year of {days_a_year} days; taxes and fees are left out.",),
    )


@exact
def present_value(
    *,
    goal: Annotated[Decimal, positive_amount("What is wanted at the end")],
    yearly_rate: Annotated[Decimal, rate("Yearly rate in percent, interest added yearly")],
    years: Years = 0,
    months: Months = 0,
) -> Calculation[PresentValue]:
    """Lump sum that has to be put away today to have an amount after a term, without further payments."""
    count = term(years, months)
    needed = goal / growth(yearly_rate, "yearly", count)
    return Calculation(
        answer=f"{show_money(needed)} put away now becomes {show_money(goal)} in {show_term(count)}.",
        figures=PresentValue(needed=cents(needed), interest=cents(goal) - cents(needed)),
        formula="needed = goal / (1 + r)^t",
        steps=(
            f"Growth of 1: {show_number(growth(yearly_rate, 'yearly', count))}",
            f"Interest: {show_money(goal)} - {show_money(needed)}",
        ),
        assumptions=(f"{show_rate(yearly_rate)} a year, added yearly; taxes and fees are left out.",),
    )


@exact
def capital_gain(
    *,
    bought: Annotated[Decimal, money("What it was bought for, in all")],
    sold: Annotated[Decimal, money("What it is sold for, in all")],
    costs: Annotated[Decimal, money("Costs of buying, selling and improving")] = Decimal(0),
    allowance: Annotated[Decimal, money("What of the gain is free of tax")] = Decimal(0),
    discount_percent: Annotated[
        Decimal, Param("What of the gain is not taxed, in percent", ge=0, le=100)
    ] = Decimal(0),
    tax_percent: Annotated[Decimal, Param("Tax on the rest, in percent", ge=0, le=100)] = Decimal(0),
) -> Calculation[CapitalGain]:
    """Gain of a sale after costs, what of it is taxed, and the tax at a rate that is given."""
    gain = cents(sold) - cents(bought) - cents(costs)
    taxed = cents(max(gain - allowance, Decimal(0)) * (1 - discount_percent / 100))
    tax = cents(taxed * tax_percent / 100)
    name = "gain" if gain >= 0 else "loss"
    less = f"; {show_money(taxed)} of it is taxed" if taxed != gain and gain > 0 else ""
    paid = f"; the tax is {show_money(tax)}, which leaves {show_money(gain - tax)}" if tax_percent else ""
    return Calculation(
        answer=f"The {name} is {show_money(abs(gain))}{less}{paid}.",
        figures=CapitalGain(gain=gain, taxed=taxed, tax=tax, net_gain=gain - tax),
        formula="gain = sold - bought - costs; taxed = (gain - allowance) * (1 - discount)",
        steps=(
            f"Gain: {show_money(sold)} - {show_money(bought)} - {show_money(costs)}",
            f"Taxed: ({show_money(gain)} - {show_money(allowance)}) * {show_rate(100 - discount_percent)}",
        ),
        assumptions=("The rates are the given ones; losses of other sales are left out.", ROUNDED),
    )
