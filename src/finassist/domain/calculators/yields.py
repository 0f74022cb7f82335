"""Rates made comparable: nominal and effective, tax-free and taxed."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from finassist.domain.calculators.annuities import PERIODS, Compounding
from finassist.domain.calculators.calculation import Calculation, Param, exact, rate
from finassist.domain.calculators.money import percent, show_rate


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
