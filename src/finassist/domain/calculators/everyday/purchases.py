"""What is bought: unit prices, offers on several, payment in instalments."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Annotated, Final, Literal

from finassist.domain.calculators.calculation import (
    Calculation,
    CalculationError,
    Param,
    exact,
    positive_amount,
)
from finassist.domain.calculators.calculation import amount as money
from finassist.domain.calculators.money import ROUNDED, cents, percent, show_money, show_number, show_rate

_FINE: Final = Decimal("0.0001")
_MOST: Final = 10**6
_UNIT_LENGTH: Final = 10
_A_YEAR: Final = {"week": 52, "fortnight": 26, "month": 12}


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitPrices:
    """Prices of one unit (``per_unit``) and of 100 and 1,000 of them; ``cheaper`` is 1 or 2, None for the
    same price and for one pack alone. Four decimals."""

    first_per_unit: Decimal
    first_per_100: Decimal
    first_per_1000: Decimal
    second_per_unit: Decimal | None
    second_per_100: Decimal | None
    second_per_1000: Decimal | None
    cheaper: int | None
    saving_percent: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiBuy:
    """``saved`` is against the price of all."""

    total: Decimal
    saved: Decimal
    paid_for: int
    each: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalmentPurchase:
    """``extra`` is what the instalments cost beyond the price at once; None without one."""

    total_paid: Decimal
    extra: Decimal | None
    extra_percent: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentCount:
    """``months`` is how long the payments take, rounded up."""

    payments: int
    last_payment: Decimal
    months: int


@exact
def unit_price(
    *,
    first_price: Annotated[Decimal, positive_amount("Price of the first pack")],
    first_size: Annotated[Decimal, Param("Its size, in the same unit as the second one", gt=0, le=_MOST)],
    second_price: Annotated[Decimal | None, positive_amount("Price of the second pack")] = None,
    second_size: Annotated[Decimal | None, Param("Its size", gt=0, le=_MOST)] = None,
    unit: Annotated[str, Param("The unit of the sizes, for example g")] = "",
) -> Calculation[UnitPrices]:
    """Price of a unit, and which of two packs is cheaper by the gram, millilitre or piece."""
    if (second_price is None) != (second_size is None):
        raise CalculationError("Give the price and the size of the second pack, or neither.")
    first = first_price / first_size
    second = second_price / second_size if second_price is not None and second_size is not None else None
    found = _unit_prices(first, second)
    steps = [f"First: {show_money(first_price)} / {show_number(first_size)}"]
    if second_price is not None and second_size is not None:
        steps.append(f"Second: {show_money(second_price)} / {show_number(second_size)}")
    return Calculation(
        answer=_unit_prices_told(found, f" {unit.strip()[:_UNIT_LENGTH]}".rstrip()),
        figures=found,
        formula="price of a unit = price / size",
        steps=tuple(steps),
        assumptions=("Both sizes are in the same unit.", "Prices are rounded to four decimals."),
    )


@exact
def multi_buy(
    *,
    price: Annotated[Decimal, positive_amount("Price of one")],
    count: Annotated[int, Param("How many are taken", ge=1, le=_MOST)],
    group: Annotated[int, Param("How many the offer gives, for example 3 in 3 for 2", ge=2, le=1000)],
    paid_of_group: Annotated[int, Param("How many of these are paid for", ge=1, le=1000)],
) -> Calculation[MultiBuy]:
    """Price of several with an offer such as 3 for 2, or buy one get one free."""
    if paid_of_group >= group:
        raise CalculationError("An offer gives more than is paid for.")
    groups, rest = divmod(count, group)
    paid_for = groups * paid_of_group + min(rest, paid_of_group)
    total = cents(price * paid_for)
    return Calculation(
        answer=f"The total is {show_money(total)}: {paid_for:,} of {count:,} are paid for, which saves "
        f"{show_money(price * count - total)}.",
        figures=MultiBuy(
            total=total, saved=cents(price * count) - total, paid_for=paid_for, each=cents(total / count)
        ),
        formula="paid for = whole groups * paid of each + the rest, at most as many as are paid of a group",
        steps=(
            f"Groups of {group}: {groups}, and {rest} more",
            f"Total: {paid_for:,} * {show_money(price)}",
        ),
        assumptions=(f"{group} for {paid_of_group}, all at the same price.", ROUNDED),
    )


@exact
def instalment_purchase(
    *,
    instalment: Annotated[Decimal, positive_amount("What is paid each time")],
    count: Annotated[int, Param("How many instalments", ge=1, le=1200)],
    cash_price: Annotated[Decimal | None, positive_amount("Price when paid at once")] = None,
    deposit: Annotated[Decimal, money("What is paid at the start, beside the instalments")] = Decimal(0),
    cash_discount: Annotated[
        Decimal, Param("Discount on the price for paying at once, in percent", ge=0, lt=100)
    ] = Decimal(0),
) -> Calculation[InstalmentPurchase]:
    """Total of a purchase in instalments, and what it costs more than paying at once."""
    total = cents(instalment * count + deposit)
    if cash_price is not None:
        cash_price = cash_price * (1 - cash_discount / 100)
    extra = None if cash_price is None else total - cents(cash_price)
    share = None if extra is None or cash_price is None else percent(extra / cash_price)
    told = f"The instalments come to {show_money(total)}"
    if extra is not None and cash_price is not None and share is not None:
        way = "more" if extra >= 0 else "less"
        percent_said = f"({show_rate(abs(share))})"
        told += f", {show_money(abs(extra))} {way} {percent_said} than {show_money(cash_price)} at once"
    return Calculation(
        answer=f"{told}.",
        figures=InstalmentPurchase(total_paid=total, extra=extra, extra_percent=share),
        formula="total = deposit + instalment * count; extra = total - price",
        steps=(f"Total: {show_money(deposit)} + {show_money(instalment)} * {count:,}",),
        assumptions=("All instalments are the same; fees for late payment are left out.", ROUNDED),
    )


@exact
def payment_count(
    *,
    amount: Annotated[Decimal, positive_amount("What is to be paid or saved in all")],
    payment: Annotated[Decimal, positive_amount("What is paid each time")],
    per: Annotated[Literal["week", "fortnight", "month"], Param("How often")] = "month",
) -> Calculation[PaymentCount]:
    """How many equal payments without interest an amount takes, and the last of them."""
    exact_count = amount / payment
    if exact_count > _MOST:
        raise CalculationError("That takes too many payments.")
    count = int(exact_count.to_integral_value(ROUND_CEILING))
    last = amount - payment * (count - 1)
    months = int((Decimal(12 * count) / _A_YEAR[per]).to_integral_value(ROUND_CEILING))
    return Calculation(
        answer=f"It takes {count:,} payments, one a {per}: {months:,} months. The last one is "
        f"{show_money(last)}.",
        figures=PaymentCount(payments=count, last_payment=cents(last), months=months),
        formula="payments = amount / payment, rounded up",
        steps=(f"{show_money(amount)} / {show_money(payment)} = {show_number(exact_count)}",),
        assumptions=("No interest and no fees.",),
    )


def _unit_prices(first: Decimal, second: Decimal | None) -> UnitPrices:
    cheaper = None if second is None or first == second else 1 if first < second else 2
    return UnitPrices(
        first_per_unit=_rounded(first),
        first_per_100=_rounded(first * 100),
        first_per_1000=_rounded(first * 1000),
        second_per_unit=None if second is None else _rounded(second),
        second_per_100=None if second is None else _rounded(second * 100),
        second_per_1000=None if second is None else _rounded(second * 1000),
        cheaper=cheaper,
        saving_percent=None if second is None else percent(1 - min(first, second) / max(first, second)),
    )


def _unit_prices_told(found: UnitPrices, unit: str) -> str:
    if unit.strip() in _THOUSAND and found.second_per_unit is None:
        return (
            f"That is {_fine(found.first_per_1000)} per {_THOUSAND[unit.strip()]}, "
            f"{_fine(found.first_per_100)} per 100{unit}."
        )
    told = (
        f"The first costs {_fine(found.first_per_unit)} each, {_fine(found.first_per_100)} per 100{unit} "
        f"({_fine(found.first_per_1000)} per 1,000)"
    )
    if found.second_per_unit is None or found.second_per_100 is None or found.second_per_1000 is None:
        return f"{told}."
    told += (
        f", the second {_fine(found.second_per_unit)} each, {_fine(found.second_per_100)} per 100{unit} "
        f"({_fine(found.second_per_1000)} per 1,000)"
    )
    if found.cheaper is None or found.saving_percent is None:
        return f"They cost the same. {told}."
    name = "first" if found.cheaper == 1 else "second"
    less = abs(found.first_per_1000 - found.second_per_1000)
    of = _THOUSAND.get(unit.strip(), f"1,000{unit}")
    return f"The {name} is cheaper by {show_rate(found.saving_percent)}, {_fine(less)} per {of}. {told}."


_THOUSAND: Final = {"g": "kg", "ml": "litre"}
"""What a thousand of a unit are."""


def _rounded(price: Decimal) -> Decimal:
    return price.quantize(_FINE)


def _fine(price: Decimal) -> str:
    return f"{_rounded(price).normalize():,f}"
