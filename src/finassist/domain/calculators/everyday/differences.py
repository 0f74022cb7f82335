"""How amounts differ: two of them, or several of which one is the lowest."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Annotated, Final, Literal

from finassist.domain.calculators.budgets import NamedAmount
from finassist.domain.calculators.calculation import (
    Calculation,
    CalculationError,
    Param,
    exact,
    params_of,
    require_in_range,
)
from finassist.domain.calculators.money import cents, percent, show_money, show_rate

Times = Literal["once", "week", "fortnight", "month", "quarter", "year"]

_A_YEAR: Final = {"week": 52, "fortnight": 26, "month": 12, "quarter": 4, "year": 1}
_AMOUNTS_MAX: Final = 10
_PAIR: Final = 2
_AMOUNT_PARAMS: Final = params_of(NamedAmount)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """``difference`` is what the last of two amounts is more than the first, or the highest of several more
    than the lowest; ``percent`` is that of the first, or lowest, amount, None when that is nothing.
    ``lowest`` and ``highest`` are names, None when all amounts are the same. ``weekly``, ``monthly`` and
    ``yearly`` are the difference for these periods, None for amounts that are paid once."""

    difference: Decimal
    percent: Decimal | None
    lowest: str | None
    highest: str | None
    weekly: Decimal | None
    monthly: Decimal | None
    yearly: Decimal | None


@exact
def difference(
    *,
    amounts: Annotated[
        tuple[NamedAmount, ...], Param("The amounts, 2 to 10, the one to compare with first", ge=2)
    ],
    per: Annotated[Times, Param("How often the amounts are paid; once: not again and again")] = "once",
    what: Annotated[str, Param("What the amounts are, for example total interest")] = "",
) -> Calculation[Difference]:
    """Difference between two amounts, in money and percent, or which one of several is the lowest."""
    _require(amounts)
    given = amounts if len(amounts) == _PAIR else sorted(amounts, key=lambda each: each.amount)
    first, last = given[0], given[-1]
    found = cents(last.amount) - cents(first.amount)
    ranked = sorted(given, key=lambda each: each.amount)
    each = {
        period: cents(found * _A_YEAR[per] / count) if per != "once" else None
        for period, count in _A_YEAR.items()
    }
    share = percent(found / first.amount) if first.amount else None
    return Calculation(
        answer=_told(given, per, what),
        figures=Difference(
            difference=found,
            percent=share,
            lowest=ranked[0].name if found else None,
            highest=ranked[-1].name if found else None,
            weekly=each["week"],
            monthly=each["month"],
            yearly=each["year"],
        ),
        formula="difference = B - A; percent = difference / A * 100; A the first amount, B the last one",
        steps=_steps(first, last, found, share, per),
        assumptions=(
            "The amounts are for the same time and in the same currency; nothing else changes.",
            "Amounts are rounded to the cent and percentages to four decimals, both at the end.",
        ),
    )


def _require(amounts: Sequence[NamedAmount]) -> None:
    if not _PAIR <= len(amounts) <= _AMOUNTS_MAX:
        raise CalculationError(f"Give 2 to {_AMOUNTS_MAX} amounts to compare.")
    for each in amounts:
        require_in_range(asdict(each), _AMOUNT_PARAMS)


def _told(given: Sequence[NamedAmount], per: Times, what: str) -> str:
    heading = f"{what[:1].upper()}{what[1:]}: " if what else ""
    told = _several_told(given, per) if len(given) > _PAIR else _pair_told(given[0], given[-1], per)
    found = abs(cents(given[-1].amount) - cents(given[0].amount))
    in_periods = per not in {"once", "year"} and found
    yearly = f" That is {show_money(found * _A_YEAR[per])} a year." if in_periods else ""
    return f"{heading}{told}{yearly}"


def _pair_told(first: NamedAmount, last: NamedAmount, per: Times) -> str:
    one, other = cents(first.amount), cents(last.amount)
    if one == other:
        return f"{last.name} and {first.name} come to the same, {show_money(one)}{_each(per)}."
    more = "more" if other > one else "less"
    high, low = max(one, other), min(one, other)
    return (
        f"{show_money(high)} - {show_money(low)} = {show_money(high - low)} {more}{_each(per)}: "
        f"{last.name} compared with {first.name}."
    )


def _several_told(ranked: Sequence[NamedAmount], per: Times) -> str:
    lowest, *others = ranked
    rest = ", ".join(f"{show_money(each.amount)} ({each.name})" for each in others)
    low, high = cents(lowest.amount), cents(others[-1].amount)
    return (
        f"{show_money(low)}{_each(per)} ({lowest.name}) is the lowest; then {rest}. From the lowest to the "
        f"highest it is {show_money(high)} - {show_money(low)} = {show_money(high - low)}."
    )


def _steps(
    first: NamedAmount, last: NamedAmount, found: Decimal, share: Decimal | None, per: Times
) -> tuple[str, ...]:
    steps = [f"Difference: {show_money(last.amount)} - {show_money(first.amount)}"]
    if share is not None:
        steps.append(
            f"In percent: {show_money(found)} / {show_money(first.amount)} * 100 = {show_rate(share)}"
        )
    if per not in {"once", "year"}:
        steps.append(f"A year: {show_money(found)} * {_A_YEAR[per]}")
    return tuple(steps)


def _each(per: Times) -> str:
    return "" if per == "once" else f" a {per}"
