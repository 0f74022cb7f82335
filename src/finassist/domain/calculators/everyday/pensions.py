"""What goes into a pension, and what can be taken out of one by a rule of thumb."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

from finassist.domain.calculators.calculation import (
    Calculation,
    CalculationError,
    Param,
    exact,
    positive_amount,
    rate,
)
from finassist.domain.calculators.calculation import amount as money
from finassist.domain.calculators.money import cents, show_money, show_rate


@dataclass(frozen=True, slots=True, kw_only=True)
class Contributions:
    """Of a year, and of a month; ``total`` is ``own`` plus ``employer``."""

    own: Decimal
    employer: Decimal
    total: Decimal
    own_monthly: Decimal
    employer_monthly: Decimal
    total_monthly: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal:
    """What a pot pays by the rule, or the pot that a year's spending takes."""

    pot: Decimal
    yearly: Decimal
    monthly: Decimal


@exact
def pension_contribution(
    *,
    salary: Annotated[Decimal, positive_amount("Pay of a year before tax")],
    own_percent: Annotated[Decimal, Param("What the employee pays in, in percent of the pay", ge=0, le=100)],
    employer_percent: Annotated[
        Decimal | None, Param("What the employer pays in, in percent of the pay", ge=0, le=100)
    ] = None,
    match_percent: Annotated[
        Decimal | None, rate("What the employer adds in percent of the own payments: 50 is half")
    ] = None,
    match_limit: Annotated[
        Decimal | None, Param("Own payments up to this percentage of the pay are matched", ge=0, le=100)
    ] = None,
) -> Calculation[Contributions]:
    """Payments into a pension or 401(k): own, employer's and both, with an employer match."""
    if employer_percent is not None and match_percent is not None:
        raise CalculationError("Give the employer's percentage of the pay or the match, and not both.")
    matched = own_percent if match_limit is None else min(own_percent, match_limit)
    share = matched * match_percent / 100 if match_percent is not None else employer_percent or Decimal(0)
    own, employer = salary * own_percent / 100, salary * share / 100
    total = own + employer
    return Calculation(
        answer=f"{show_money(total)} a year goes in ({show_money(total / 12)} a month): {show_money(own)} of "
        f"one's own ({show_money(own / 12)} a month) and {show_money(employer)} of the employer's "
        f"({show_money(employer / 12)} a month).",
        figures=Contributions(
            own=cents(own),
            employer=cents(employer),
            total=cents(total),
            own_monthly=cents(own / 12),
            employer_monthly=cents(employer / 12),
            total_monthly=cents(total / 12),
        ),
        formula="own = pay * p / 100; employer = pay * match / 100 * the percentage that is matched",
        steps=(
            f"Own: {show_money(salary)} * {show_rate(own_percent)}",
            f"Employer: {show_money(salary)} * {show_rate(share)}",
        ),
        assumptions=("Percentages are of the whole pay before tax; tax relief and limits are left out.",),
    )


@exact
def withdrawal_rule(
    *,
    yearly_spending: Annotated[
        Decimal | None, positive_amount("What is taken out in a year, to find the pot")
    ] = None,
    pot: Annotated[Decimal | None, positive_amount("The pot, to find what it pays")] = None,
    rule_percent: Annotated[Decimal, Param("The rule, 4 for the 4 % rule", gt=0, le=100)] = Decimal(4),
    other_income: Annotated[
        Decimal, money("What comes in a year without the pot, such as a state pension")
    ] = Decimal(0),
) -> Calculation[Withdrawal]:
    """The 4 % rule: the retirement pot that a yearly spending takes, or what a pot pays a year."""
    if (yearly_spending is None) == (pot is None):
        raise CalculationError("Give either the yearly spending or the pot.")
    if yearly_spending is not None and other_income >= yearly_spending:
        raise CalculationError("The other income covers the spending without a pot.")
    gap = (yearly_spending or Decimal(0)) - other_income
    needed = pot if pot is not None else gap * 100 / rule_percent
    yearly = gap if yearly_spending is not None else needed * rule_percent / 100
    said, every = show_rate(rule_percent), f"{show_money(yearly)} a year"
    if pot is None:
        less = f", {show_money(yearly + other_income)} less {show_money(other_income)}"
        told = f"it takes a pot of {show_money(needed)} for {every}{less if other_income else ''}"
        step = f"Pot: {show_money(yearly)} / {said}"
    else:
        told = f"{show_money(needed)} pays {every}, {show_money(yearly / 12)} a month"
        step = f"A year: {show_money(needed)} * {said}"
    return Calculation(
        answer=f"By the {said} rule {told}.",
        figures=Withdrawal(pot=cents(needed), yearly=cents(yearly), monthly=cents(yearly / 12)),
        formula="pot = spending of a year / rule * 100",
        steps=(step,),
        assumptions=(
            "A rule of thumb for about 30 years: the first year's share, then raised with inflation.",
            "Taxes, fees and pensions that are not told are left out.",
        ),
    )
