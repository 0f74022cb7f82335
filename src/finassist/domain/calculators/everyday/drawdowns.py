"""How long a pot lasts that something is taken from."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

from finassist.domain.calculators.annuities import monthly, repaid_with
from finassist.domain.calculators.calculation import (
    Calculation,
    CalculationError,
    exact,
    positive_amount,
    rate,
)
from finassist.domain.calculators.money import cents, show_money, show_rate, show_term


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawdown:
    """``months`` until nothing is left, the last of them a smaller one, and what was taken in all."""

    months: int
    withdrawn: Decimal
    earned: Decimal


@exact
def drawdown_time(
    *,
    pot: Annotated[Decimal, positive_amount("What is there at the start")],
    monthly_withdrawal: Annotated[Decimal, positive_amount("What is taken at the end of every month")],
    yearly_return: Annotated[Decimal, rate("Nominal yearly return in percent, added monthly")] = Decimal(0),
) -> Calculation[Drawdown]:
    """How long a pot lasts when the same amount is taken from it every month."""
    if monthly_withdrawal <= pot * monthly(yearly_return):
        raise CalculationError("The return covers what is taken: the pot never runs out.")
    plan = repaid_with(pot, monthly(yearly_return), monthly_withdrawal)
    withdrawn = cents(monthly_withdrawal * (plan.months - 1) + plan.last)
    return Calculation(
        answer=f"It lasts {show_term(plan.months)} ({plan.months:,} months); {show_money(withdrawn)} is "
        "taken in all.",
        figures=Drawdown(months=plan.months, withdrawn=withdrawn, earned=withdrawn - cents(pot)),
        formula="n = -ln(1 - P * i / W) / ln(1 + i), rounded up; P the pot, W taken a month, i the return "
        "of a month",
        steps=(f"Monthly return i: {show_rate(yearly_return)} / 12",),
        assumptions=(
            f"{show_money(monthly_withdrawal)} is taken from {show_money(pot)} at the end of every month.",
            "The return is the same every month; inflation and taxes are left out.",
        ),
    )
