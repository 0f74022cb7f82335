"""What goes into a pension, and what can be taken out of one by a rule of thumb."""

from collections.abc import Sequence
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
from finassist.domain.calculators.calculation import amount as money
from finassist.domain.calculators.money import cents, show_money, show_rate

_ALL: Final = Decimal(100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contributions:
    """Of a year, and of a month; ``total`` is ``own`` plus ``employer``. ``full_match`` is what the employer
    would add at most a year and ``missed`` what of it is not; None without a limit of the match."""

    own: Decimal
    employer: Decimal
    total: Decimal
    own_monthly: Decimal
    employer_monthly: Decimal
    total_monthly: Decimal
    full_match: Decimal | None
    missed: Decimal | None


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
    next_match_percent: Annotated[
        Decimal, rate("What the employer adds of the next own payments, beyond the limit")
    ] = Decimal(0),
    next_match_limit: Annotated[
        Decimal, Param("How many percent of the pay beyond the limit are matched so", ge=0, le=100)
    ] = Decimal(0),
) -> Calculation[Contributions]:
    """Payments into a pension or 401(k): own, employer's and both, and what of a match is missed."""
    if employer_percent is not None and match_percent is not None:
        raise CalculationError("Give the employer's percentage of the pay or the match, and not both.")
    if next_match_percent and (match_percent is None or match_limit is None):
        raise CalculationError("Give the first match and its limit before what is matched beyond them.")
    tiers = _tiers((match_percent, match_limit), (next_match_percent, next_match_limit))
    share = _matched(own_percent, tiers) if tiers else employer_percent or Decimal(0)
    full = salary * _matched(_ALL, tiers) / 100 if match_percent and match_limit is not None else None
    found = _contributions(salary * own_percent / 100, salary * share / 100, full)
    return Calculation(
        answer=_paid_in_told(found),
        figures=found,
        formula="own = pay * p / 100; employer = pay * match / 100 * the percentage that is matched",
        steps=(
            f"Own: {show_money(salary)} * {show_rate(own_percent)}",
            *(f"Matched: {show_rate(added)} of {show_rate(width)} of the pay" for added, width in tiers),
            f"Employer: {show_money(salary)} * {show_rate(share)}",
        ),
        assumptions=("Percentages are of the whole pay before tax; tax relief and limits are left out.",),
    )


def _contributions(own: Decimal, employer: Decimal, full: Decimal | None) -> Contributions:
    return Contributions(
        own=cents(own),
        employer=cents(employer),
        total=cents(own + employer),
        own_monthly=cents(own / 12),
        employer_monthly=cents(employer / 12),
        total_monthly=cents((own + employer) / 12),
        full_match=None if full is None else cents(full),
        missed=None if full is None else cents(full - employer),
    )


def _paid_in_told(found: Contributions) -> str:
    told = (
        f"{show_money(found.total)} a year goes in ({show_money(found.total_monthly)} a month): "
        f"{show_money(found.own)} of one's own ({show_money(found.own_monthly)} a month) and "
        f"{show_money(found.employer)} of the employer's ({show_money(found.employer_monthly)} a month)."
    )
    if not found.missed or found.full_match is None:
        return told
    full = show_money(found.full_match)
    return f"{told} {show_money(found.missed)} a year is missed of the full match, {full}."


def _tiers(*told: tuple[Decimal | None, Decimal | None]) -> Sequence[tuple[Decimal, Decimal]]:
    """What the employer adds of the own payments, in percent, and of how many percent of the pay."""
    return [(added, _ALL if width is None else width) for added, width in told if added]


def _matched(own_percent: Decimal, tiers: Sequence[tuple[Decimal, Decimal]]) -> Decimal:
    """What the employer adds in percent of the pay."""
    share, left = Decimal(0), own_percent
    for added, width in tiers:
        share += min(left, width) * added / 100
        left = max(left - width, Decimal(0))
    return share


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
