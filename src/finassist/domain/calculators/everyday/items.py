"""Amounts with how often each counts, added up: a trip, a bill, what something costs or leaves in all."""

from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Annotated, Final, Literal

from finassist.domain.calculators.calculation import (
    Calculation,
    CalculationError,
    Param,
    amount,
    exact,
    params_of,
    require_in_range,
)
from finassist.domain.calculators.money import cents, show_money, show_number, show_rate

_ITEMS_MAX: Final = 20
_SMALL: Final = 10
_FINE: Final = Decimal("0.0001")
_ONE: Final = Decimal(1)
_Percent = Annotated[Decimal, Param("In percent", ge=0, le=1000)]
PercentOf = Literal["of", "add", "subtract"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An amount that counts so many times; ``is_subtracted`` takes it off."""

    amount: Annotated[Decimal, amount("The amount, once")]
    times: Annotated[Decimal, Param("How many times it counts", gt=0, le=10**9)] = _ONE
    is_subtracted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemisedTotal:
    """``sum`` is that of the items, ``total`` after the percentages; ``each`` is the total divided, None when
    it is not."""

    sum: Decimal
    total: Decimal
    each: Decimal | None


_ITEM_PARAMS: Final = params_of(Item)


@exact
def itemised_total(
    *,
    items: Annotated[tuple[Item, ...], Param("The amounts", ge=1)],
    percent_added: _Percent = Decimal(0),
    percent_subtracted: _Percent = Decimal(0),
    percent_taken: Annotated[Decimal, Param("Only so much of it, in percent", gt=0, le=100)] = Decimal(100),
    divided_by: Annotated[Decimal, Param("By how many it is divided", gt=0, le=10**9)] = _ONE,
) -> Calculation[ItemisedTotal]:
    """Amounts times their numbers, added and subtracted, with percentages, divided among so many."""
    _checked(items)
    added = sum((_worth(item) for item in items), Decimal(0))
    total = added * (1 + (percent_added - percent_subtracted) / 100) * percent_taken / 100
    each = _rounded(total / divided_by) if divided_by != 1 else None
    percentages = (
        *((f"Plus {show_rate(percent_added)} of the sum",) if percent_added else ()),
        *((f"Minus {show_rate(percent_subtracted)} of the sum",) if percent_subtracted else ()),
        *((f"Of that {show_rate(percent_taken)}",) if percent_taken != 100 else ()),
    )
    return Calculation(
        answer=f"It comes to {show_money(total)}."
        if each is None
        else f"{each:,} each: {show_money(total)} divided by {show_number(divided_by)}.",
        figures=ItemisedTotal(sum=cents(added), total=cents(total), each=each),
        formula="total = the sum of amount * number" + (", then the percentages" if percentages else ""),
        steps=(
            *(_step(item, is_alone=len(items) == 1) for item in items),
            f"Sum: {show_money(added)}",
            *percentages,
        ),
        assumptions=(
            "Nothing is counted but these amounts; no interest is added.",
            *(("Percentages are of the sum.",) if percentages else ()),
        ),
    )


def _rounded(each: Decimal) -> Decimal:
    """To the cent, a small price of a unit to four decimals."""
    return cents(each) if abs(each) >= _SMALL else each.quantize(_FINE)


def _worth(item: Item) -> Decimal:
    return (-1 if item.is_subtracted else 1) * item.amount * item.times


def _step(item: Item, *, is_alone: bool) -> str:
    sign = "Minus" if item.is_subtracted else "Plus"
    if item.times == 1:
        return f"{sign} {show_money(item.amount)}"
    amount = show_number(item.amount) if item.amount != cents(item.amount) else show_money(item.amount)
    worth = "" if is_alone else f" = {show_money(item.amount * item.times)}"
    return f"{sign} {amount} * {show_number(item.times)}{worth}"


def _checked(items: tuple[Item, ...]) -> None:
    if not 1 <= len(items) <= _ITEMS_MAX:
        raise CalculationError(f"Give 1 to {_ITEMS_MAX} amounts.")
    for item in items:
        require_in_range(asdict(item), _ITEM_PARAMS)
