"""Costs that several people share: by income, only some of them a part, or what each has paid so far."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Final

from finassist.domain.calculators.budgets import NamedAmount
from finassist.domain.calculators.calculation import (
    Calculation,
    CalculationError,
    Param,
    exact,
    positive_amount,
)
from finassist.domain.calculators.calculation import amount as money
from finassist.domain.calculators.money import ROUNDED, cents, percent, show_money, show_number, show_rate

_PEOPLE_MAX: Final = 100
_PAYERS_MAX: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitByIncome:
    """What each of two to four pays, with shares in percent; None for those there are not."""

    first: Decimal
    second: Decimal
    first_percent: Decimal
    second_percent: Decimal
    third: Decimal | None
    fourth: Decimal | None
    third_percent: Decimal | None
    fourth_percent: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitByParts:
    """``first`` is what the first that was told pays, ``largest`` the most that one pays; ``shares`` says
    all."""

    first: Decimal
    largest: Decimal
    per_unit: Decimal
    shares: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnevenSplit:
    """``without_part`` is paid by each who has none of the part, ``with_part`` by each of the others."""

    without_part: Decimal
    with_part: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """``each`` is the equal share of all; ``largest`` is the most that one has to give, and ``transfers``
    says who gives what to whom."""

    total: Decimal
    each: Decimal
    largest: Decimal
    transfers: str


@exact
def split_by_income(
    *,
    cost: Annotated[Decimal, money("What all pay together")],
    first_income: Annotated[Decimal, positive_amount("Income of the first")],
    second_income: Annotated[Decimal, positive_amount("Income of the second, for the same time")],
    third_income: Annotated[Decimal | None, positive_amount("Income of a third")] = None,
    fourth_income: Annotated[Decimal | None, positive_amount("Income of a fourth")] = None,
) -> Calculation[SplitByIncome]:
    """A shared cost split between two to four people in proportion to their incomes."""
    told = (first_income, second_income, third_income, fourth_income)
    incomes = [each for each in told if each is not None]
    every = sum(incomes, Decimal(0))
    parts = [cents(cost * each / every) for each in incomes[:-1]]
    parts.append(cents(cost) - sum(parts, Decimal(0)))
    shares = [percent(each / every) for each in incomes]
    said = [
        f"the one with {show_money(income)} pays {show_money(part)} ({show_rate(share)})"
        for income, part, share in zip(incomes, parts, shares, strict=True)
    ]
    third, fourth = (parts[place] if len(parts) > place else None for place in (2, 3))
    third_share, fourth_share = (shares[place] if len(shares) > place else None for place in (2, 3))
    return Calculation(
        answer=f"T{', '.join(said)[1:]}.",
        figures=SplitByIncome(
            first=parts[0],
            second=parts[1],
            first_percent=shares[0],
            second_percent=shares[1],
            third=third,
            fourth=fourth,
            third_percent=third_share,
            fourth_percent=fourth_share,
        ),
        formula="each = cost * own income / all incomes",
        steps=(f"All incomes: {' + '.join(map(show_money, incomes))}",),
        assumptions=(f"The cost is {show_money(cost)}; all incomes are for the same time.", ROUNDED),
    )


@exact
def split_by_parts(
    *,
    total: Annotated[Decimal, positive_amount("What all pay together")],
    parts: Annotated[
        tuple[NamedAmount, ...], Param("Nights, square metres or the like of each, 2 to 20", ge=2)
    ],
) -> Calculation[SplitByParts]:
    """A shared cost split in proportion to what each had of it: nights stayed, square metres of a room."""
    every = sum((each.amount for each in parts), Decimal(0))
    if not 2 <= len(parts) <= _PAYERS_MAX or not all(each.amount > 0 for each in parts):
        raise CalculationError(f"Give what each of 2 to {_PAYERS_MAX} people had of it.")
    paid = [cents(total * each.amount / every) for each in parts[:-1]]
    paid.append(cents(total) - sum(paid, Decimal(0)))
    shares = "; ".join(f"{each.name}: {show_money(amount)}" for each, amount in zip(parts, paid, strict=True))
    return Calculation(
        answer=f"{shares}.",
        figures=SplitByParts(first=paid[0], largest=max(paid), per_unit=cents(total / every), shares=shares),
        formula="each = total * own part / all parts",
        steps=(f"All parts: {' + '.join(show_number(each.amount) for each in parts)}",),
        assumptions=(f"The cost is {show_money(total)}.", ROUNDED),
    )


@exact
def settle_up(
    *,
    payments: Annotated[tuple[NamedAmount, ...], Param("Who has paid how much so far, 1 to 20", ge=1)],
    people: Annotated[int, Param("How many share all of it equally", ge=2, le=_PEOPLE_MAX)],
) -> Calculation[Settlement]:
    """Who owes whom how much when several have paid for things that all share equally."""
    if not 1 <= len(payments) <= min(people, _PAYERS_MAX):
        raise CalculationError(f"Give what each of at most {people} people has paid.")
    total = sum((each.amount for each in payments), Decimal(0))
    share = total / people
    others = [NamedAmount(name=name, amount=Decimal(0)) for name in _others(people - len(payments))]
    balances = [(each.name, cents(each.amount - share)) for each in (*payments, *others)]
    transfers = _transfers(balances)
    given = "; ".join(f"{giver} to {getter}: {show_money(amount)}" for giver, getter, amount in transfers)
    owing = [f"{name} {show_money(-balance)}" for name, balance in balances if balance < 0]
    getting = [f"{name} {show_money(balance)}" for name, balance in balances if balance > 0]
    told = (
        f"Still to pay: {', '.join(owing)}. To get back: {', '.join(getting)}. So {given}." if given else ""
    )
    return Calculation(
        answer=f"Each of {people} bears {show_money(share)} of {show_money(total)}. "
        f"{told or 'Nobody owes anything.'}",
        figures=Settlement(
            total=cents(total),
            each=cents(share),
            largest=max((-balance for _, balance in balances), default=Decimal(0)),
            transfers=given,
        ),
        formula="share = all payments / people; balance = own payments - share",
        steps=(f"Share: {show_money(total)} / {people}",),
        assumptions=(
            "All of it is shared equally; who has paid less than the share gives the rest.",
            ROUNDED,
        ),
    )


def _others(count: int) -> Sequence[str]:
    """Names for those who have paid nothing."""
    return ["the other one"] if count == 1 else [f"other {place}" for place in range(1, count + 1)]


def _transfers(balances: Sequence[tuple[str, Decimal]]) -> Sequence[tuple[str, str, Decimal]]:
    """Who gives what to whom until nobody owes more than a cent, the largest balances first."""
    ranked = sorted(balances, key=lambda each: each[1])
    givers = [(name, -left) for name, left in ranked if left < 0]
    getters = [(name, left) for name, left in reversed(ranked) if left > 0]
    made: list[tuple[str, str, Decimal]] = []
    while givers and getters:
        (giver, owed), (getter, due) = givers.pop(0), getters.pop(0)
        paid = min(owed, due)
        made.append((giver, getter, paid))
        givers[:0] = [(giver, owed - paid)] if owed > paid else []
        getters[:0] = [(getter, due - paid)] if due > paid else []
    return made


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
        assumptions=("No tip is added.", ROUNDED),
    )
