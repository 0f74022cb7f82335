"""What becomes of an amount that rises or falls by the same percentage every year: pay, a rent, a car."""

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
from finassist.domain.calculators.money import ROUNDED, cents, percent, show_money, show_rate


@dataclass(frozen=True, slots=True, kw_only=True)
class YearlyChange:
    """``change`` is negative when it falls, and ``change_percent`` that of all years together."""

    after: Decimal
    change: Decimal
    change_percent: Decimal


@exact
def yearly_change(
    *,
    amount: Annotated[Decimal, positive_amount("The amount now")],
    times: Annotated[int, Param("How many years, or how many times it changes", ge=1, le=100)],
    yearly_rise: Annotated[Decimal, rate("By how many percent it rises each time")] = Decimal(0),
    yearly_fall: Annotated[Decimal, Param("By how many percent it falls each time", ge=0, le=100)] = Decimal(
        0
    ),
) -> Calculation[YearlyChange]:
    """What pay, a rent or the value of a car is after it rose or fell by a percentage several times."""
    if bool(yearly_rise) == bool(yearly_fall):
        raise CalculationError("Give by how much it rises or by how much it falls.")
    factor = 1 + (yearly_rise - yearly_fall) / 100
    after = amount * factor**times
    name, sign = ("rise", "+") if yearly_rise else ("fall", "-")
    changes = f"1 {name}" if times == 1 else f"{times} {name}s"
    return Calculation(
        answer=f"After {changes} of {show_rate(yearly_rise or yearly_fall)} {show_money(amount)} is "
        f"{show_money(after)}.",
        figures=YearlyChange(
            after=cents(after), change=cents(after) - cents(amount), change_percent=percent(factor**times - 1)
        ),
        formula=f"after = A * (1 {sign} p / 100)^n; A the amount, p the percentage, n times",
        steps=(f"{show_money(amount)} * (1 {sign} {show_rate(yearly_rise or yearly_fall)})^{times}",),
        assumptions=("The percentage is of what the time before left.", ROUNDED),
    )
