"""Two tariffs, each with a fixed price and a price of a unit."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Final

from finassist.domain.calculators.calculation import Calculation, CalculationError, exact
from finassist.domain.calculators.calculation import amount as money
from finassist.domain.calculators.money import cents, show_money, show_number

_DIGITS: Final = Decimal("0.01")


@dataclass(frozen=True, slots=True, kw_only=True)
class TariffBreakEven:
    """``units`` is how many cost the same with both, ``cost`` what they cost; ``cheaper_below`` is 1 or 2."""

    units: Decimal
    cost: Decimal
    cheaper_below: int


@exact
def tariff_break_even(
    *,
    first_price: Annotated[Decimal, money("Price of one unit with the first tariff")],
    second_price: Annotated[Decimal, money("Price of one unit with the second tariff")],
    first_fixed: Annotated[Decimal, money("What the first tariff costs without any unit")] = Decimal(0),
    second_fixed: Annotated[Decimal, money("What the second tariff costs without any unit")] = Decimal(0),
) -> Calculation[TariffBreakEven]:
    """From how many units (minutes, miles, kWh) on one of two tariffs is the cheaper one."""
    fixed, saved = second_fixed - first_fixed, first_price - second_price
    if not saved or fixed / saved <= 0:
        raise CalculationError("One of the tariffs is the cheaper one for any number of units.")
    units = fixed / saved
    cost = first_fixed + first_price * units
    below = 1 if fixed > 0 else 2
    names = ("first", "second") if below == 1 else ("second", "first")
    shown = f"{units.quantize(_DIGITS).normalize():,f}"
    return Calculation(
        answer=f"They cost the same at {shown} units, {show_money(cost)}; below that the {names[0]} one is "
        f"cheaper, above it the {names[1]} one.",
        figures=TariffBreakEven(units=units.quantize(_DIGITS), cost=cents(cost), cheaper_below=below),
        formula="units = difference of the fixed prices / difference of the prices of a unit",
        steps=(
            f"Fixed: {show_money(second_fixed)} - {show_money(first_fixed)} = {show_money(fixed)}",
            f"A unit: {show_number(first_price)} - {show_number(second_price)} = {show_number(saved)}",
        ),
        assumptions=("Both fixed prices are for the same time, and nothing is included in them.",),
    )
