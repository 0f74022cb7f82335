"""What an income allows by a rule, what a payment needs of one, and what a raise is worth after inflation."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Final

from finassist.domain.calculators.calculation import (
    Calculation,
    CalculationError,
    Param,
    exact,
    positive_amount,
    rate,
)
from finassist.domain.calculators.money import ROUNDED, cents, percent, show_money, show_number, show_rate

_YEAR: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomeRule:
    """``payment`` is of a month, for rent or a loan."""

    payment: Decimal
    monthly_income: Decimal
    yearly_income: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomeMultiple:
    """The largest loan."""

    loan: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class RealRaise:
    """``change`` and ``real_change`` in percent; ``keeps_up`` is the pay that only keeps up with prices."""

    change: Decimal
    real_change: Decimal
    keeps_up: Decimal
    difference: Decimal


@exact
def income_rule(
    *,
    monthly_income: Annotated[
        Decimal | None, positive_amount("Income of a month; of several people added up")
    ] = None,
    payment: Annotated[Decimal | None, positive_amount("Rent or payment of a month")] = None,
    percent_of_income: Annotated[
        Decimal | None, Param("Share of the income that the payment may be, in percent", gt=0, le=100)
    ] = None,
    multiple: Annotated[
        Decimal | None,
        Param(
            "How often the income holds the payment: 3 for three times the rent a month, or 30 for a year's "
            "income of 30 times the rent of a month",
            gt=0,
            le=1000,
        ),
    ] = None,
) -> Calculation[IncomeRule]:
    """Rent or payment that a share of the income allows, or the income that a payment needs by that rule."""
    if (monthly_income is None) == (payment is None) or (percent_of_income is None) == (multiple is None):
        raise CalculationError("Give the income or the payment, and the share in percent or the multiple.")
    share = percent_of_income / 100 if percent_of_income is not None else 1 / _a_month(multiple)
    income = monthly_income if monthly_income is not None else (payment or Decimal(0)) / share
    paid = payment if payment is not None else income * share
    return Calculation(
        answer=_rule_told(income, paid, _said(percent_of_income, multiple), wants_income=payment is not None),
        figures=IncomeRule(
            payment=cents(paid), monthly_income=cents(income), yearly_income=cents(income * _YEAR)
        ),
        formula="payment = income of a month * share; income = payment / share",
        steps=(f"Share of the income: {show_number(share * 100)}%",),
        assumptions=(
            "A multiple of 12 or more is of a year's income, a smaller one of a month's.",
            "Whether income counts before or after tax is up to the one who sets the rule.",
            ROUNDED,
        ),
    )


@exact
def income_multiple(
    *,
    yearly_income: Annotated[Decimal, positive_amount("Income of a year; of several people added up")],
    multiple: Annotated[Decimal, Param("How many times the income may be borrowed", gt=0, le=100)],
) -> Calculation[IncomeMultiple]:
    """Loan that a lender's multiple of the yearly income allows."""
    loan = yearly_income * multiple
    return Calculation(
        answer=f"The loan is at most {show_money(loan)}: {show_number(multiple)} times an income of "
        f"{show_money(yearly_income)} a year.",
        figures=IncomeMultiple(loan=cents(loan)),
        formula="loan = income of a year * multiple",
        steps=(f"Loan: {show_money(yearly_income)} * {show_number(multiple)}",),
        assumptions=("A lender also looks at spending, debts and the deposit.", ROUNDED),
    )


@exact
def real_raise(
    *,
    before: Annotated[Decimal, positive_amount("Pay before")],
    inflation_rate: Annotated[Decimal, rate("How much prices rose meanwhile, in percent")],
    after: Annotated[Decimal | None, positive_amount("Pay now, for the same time")] = None,
    raise_percent: Annotated[Decimal | None, rate("Raise in percent; in place of the pay now")] = None,
) -> Calculation[RealRaise]:
    """A raise after inflation: how much more or less the new pay buys."""
    if (after is None) == (raise_percent is None):
        raise CalculationError("Give either the pay now or the raise in percent.")
    if after is None:
        after = before * (1 + (raise_percent or Decimal(0)) / 100)
    keeps_up = cents(before * (1 + inflation_rate / 100))
    change, real = percent(after / before - 1), percent(after / (before * (1 + inflation_rate / 100)) - 1)
    way = "more" if real >= 0 else "less"
    nominal = "a raise of" if change >= 0 else "a cut of"
    return Calculation(
        answer=f"The pay buys {show_rate(abs(real))} {way} than before: {nominal} {show_rate(abs(change))} "
        f"against {show_rate(inflation_rate)} of inflation. {show_money(keeps_up)} would just keep up.",
        figures=RealRaise(
            change=change, real_change=real, keeps_up=keeps_up, difference=cents(after) - keeps_up
        ),
        formula="real change = after / (before * (1 + inflation)) - 1",
        steps=(
            f"Before, at today's prices: {show_money(before)} * {show_number(1 + inflation_rate / 100)}",
            f"Against that: {show_money(after)} - {show_money(keeps_up)}",
        ),
        assumptions=("Before tax; both are for the same time and the same hours.",),
    )


def _a_month(multiple: Decimal | None) -> Decimal:
    """How often a month's income holds the payment."""
    found = multiple or Decimal(1)
    return found / _YEAR if found >= _YEAR else found


def _said(share: Decimal | None, multiple: Decimal | None) -> str:
    return show_rate(share) if share is not None else f"{show_number(multiple or Decimal(1))}x"


def _rule_told(income: Decimal, paid: Decimal, rule: str, *, wants_income: bool) -> str:
    both = f"{show_money(income)} a month, {show_money(income * _YEAR)} a year"
    if wants_income:
        return f"The income has to be {both}, by the rule of {rule} for {show_money(paid)} a month."
    return f"At most {show_money(paid)} a month, by the rule of {rule}: the income is {both}."
