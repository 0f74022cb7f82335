"""Costs that several people share: by their incomes, or only some of them a part."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Final

from finassist.domain.calculators.calculation import (
    Calculation,
    CalculationError,
    Param,
    exact,
    positive_amount,
)
from finassist.domain.calculators.calculation import amount as money
from finassist.domain.calculators.money import cents, percent, show_money, show_rate

_PEOPLE_MAX: Final = 100
_ROUNDED: Final = "Amounts are rounded to the cent, at the end."


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitByIncome:
    """What each of two pays, with shares in percent."""

    first: Decimal
    second: Decimal
    first_percent: Decimal
    second_percent: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class UnevenSplit:
    """``without_part`` is paid by each who has none of the part, ``with_part`` by each of the others."""

    without_part: Decimal
    with_part: Decimal


@exact
def split_by_income(
    *,
    cost: Annotated[Decimal, money("What both pay together")],
    first_income: Annotated[Decimal, positive_amount("Income of the first")],
    second_income: Annotated[Decimal, positive_amount("Income of the second, for the same time")],
) -> Calculation[SplitByIncome]:
    """A shared cost split between two people in proportion to their incomes."""
    both = first_income + second_income
    first = cents(cost * first_income / both)
    second = cents(cost) - first
    shares = percent(first_income / both), percent(second_income / both)
    return Calculation(
        answer=f"The one with {show_money(first_income)} pays {show_money(first)} ({show_rate(shares[0])}), "
        f"the one with {show_money(second_income)} pays {show_money(second)} ({show_rate(shares[1])}).",
        figures=SplitByIncome(first=first, second=second, first_percent=shares[0], second_percent=shares[1]),
        formula="each = cost * own income / both incomes",
        steps=(f"Both incomes: {show_money(first_income)} + {show_money(second_income)}",),
        assumptions=(f"The cost is {show_money(cost)}; both incomes are for the same time.", _ROUNDED),
    )


@exact
def uneven_split(
    *,
    total: Annotated[Decimal, positive_amount("The whole bill")],
    people: Annotated[int, Param("How many share the bill", ge=2, le=_PEOPLE_MAX)],
    part: Annotated[Decimal, money("The part of the bill that only some of them share")],
    part_people: Annotated[int, Param("How many share that part", ge=1, le=_PEOPLE_MAX)],
) -> Calculation[UnevenSplit]:
    """A bill of which only some people share a part: what each of them and each of the others pays."""
    if part > total or part_people > people:
        raise CalculationError("The part must be within the bill, and its people among all.")
    without = (total - part) / people
    with_part = without + part / part_people
    return Calculation(
        answer=f"Each who had none of it pays {show_money(without)}, each of the {part_people} who shared "
        f"it pays {show_money(with_part)}.",
        figures=UnevenSplit(without_part=cents(without), with_part=cents(with_part)),
        formula="each = (bill - part) / people, and part / people of the part for those who shared it",
        steps=(
            f"For everybody: ({show_money(total)} - {show_money(part)}) / {people}",
            f"The part: {show_money(part)} / {part_people}",
        ),
        assumptions=("No tip is added.", _ROUNDED),
    )
