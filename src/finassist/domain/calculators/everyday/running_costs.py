"""What something that recurs comes to: subscriptions, rent, fuel, electricity."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Final, Literal

from finassist.domain.calculators.calculation import (
    Calculation,
    CalculationError,
    Months,
    Param,
    Years,
    exact,
    positive_amount,
)
from finassist.domain.calculators.calculation import amount as money
from finassist.domain.calculators.money import cents, show_money, show_number, show_term

Period = Literal["day", "week", "fortnight", "month", "quarter", "year"]
PeriodOrOnce = Literal["once", "day", "week", "month", "year"]
ConsumptionUnit = Literal["l/100km", "km/l", "mpg"]
_A_YEAR: Final[dict[Period, int]] = {
    "day": 365,
    "week": 52,
    "fortnight": 26,
    "month": 12,
    "quarter": 4,
    "year": 1,
}
_FUEL_ALONE: Final = "Fuel alone; insurance, tax, repairs and parking are left out."
_COUNTED: Final = "A year has 365 days, 52 weeks or 12 months."
_KM_PER_MILE: Final = Decimal("1.609344")
_LITRES_PER_GALLON: Final = {"US": Decimal("3.785411784"), "UK": Decimal("4.54609")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurring:
    """The same cost for each period; ``total`` is over the term, None without one."""

    daily: Decimal
    weekly: Decimal
    fortnightly: Decimal
    monthly: Decimal
    yearly: Decimal
    total: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fuel:
    """``fuel`` is in the unit that is paid for and ``cost`` what the distance costs; ``monthly`` and
    ``yearly`` are None for a single trip; ``per_person`` is of the cost. ``other_cost`` is that of the other
    car and ``saved`` the difference, or None."""

    fuel: Decimal
    cost: Decimal
    monthly: Decimal | None
    yearly: Decimal | None
    per_person: Decimal
    other_cost: Decimal | None
    saved: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Energy:
    """``kwh`` and ``cost`` are for the days, or else for the period; ``monthly`` and ``yearly`` are None for
    a single use."""

    kwh: Decimal
    cost: Decimal
    monthly: Decimal | None
    yearly: Decimal | None


@exact
def recurring_cost(
    *,
    amount: Annotated[Decimal, money("What is paid each time, for example 9.99")],
    per: Annotated[Period, Param("The period; fortnight: every two weeks")],
    times: Annotated[Decimal, Param("How often it is paid in the period", gt=0, le=1000)] = Decimal(1),
    weeks_per_year: Annotated[
        Decimal | None, Param("In how many weeks of the year, for a day or week", gt=0, le=52)
    ] = None,
    years: Years = 0,
    months: Months = 0,
) -> Calculation[Recurring]:
    """Subscription, rent or habit in all periods: a day, week, fortnight, month, year, or over a term."""
    share = (weeks_per_year or _A_YEAR["week"]) / Decimal(52) if per in {"day", "week"} else Decimal(1)
    yearly = amount * times * _A_YEAR[per] * share
    each = {period: cents(yearly / count) for period, count in _A_YEAR.items()}
    count = 12 * years + months
    total = cents(yearly * count / 12) if count else None
    over = f"Over {show_term(count)} it comes to {show_money(total)}. " if total is not None else ""
    paid = f"{show_money(amount)} {f'{show_number(times)} times ' if times != 1 else ''}a {per}"
    return Calculation(
        answer=f"{over}{paid} is {show_money(each['day'])} a day, {show_money(each['week'])} a week, "
        f"{show_money(each['fortnight'])} a fortnight, {show_money(each['month'])} a month and "
        f"{show_money(each['year'])} a year.",
        figures=Recurring(
            daily=each["day"],
            weekly=each["week"],
            fortnightly=each["fortnight"],
            monthly=each["month"],
            yearly=each["year"],
            total=total,
        ),
        formula="year = amount * times * periods a year; other = year / its periods a year",
        steps=(f"A year: {show_money(amount)} * {show_number(times)} * {show_number(_A_YEAR[per] * share)}",),
        assumptions=(
            _COUNTED,
            "The price stays the same.",
            *((f"It is paid in {show_number(weeks_per_year)} weeks of the year.",) if weeks_per_year else ()),
        ),
    )


@exact
def fuel_cost(
    *,
    distance: Annotated[Decimal, Param("Distance that is driven", gt=0, le=10**9)],
    distance_unit: Annotated[Literal["km", "mile"], Param("Unit of the distance")],
    consumption: Annotated[Decimal, Param("Consumption of the car", gt=0, le=10**4)],
    consumption_unit: Annotated[ConsumptionUnit, Param("Unit of the consumption; mpg: miles per gallon")],
    price: Annotated[Decimal, positive_amount("Price of a litre or gallon of fuel")],
    price_unit: Annotated[Literal["litre", "gallon"], Param("What the price is for")],
    gallon: Annotated[Literal["US", "UK"], Param("Which gallon mpg and the price mean")] = "US",
    per: Annotated[PeriodOrOnce, Param("How often the distance is driven")] = "once",
    people: Annotated[int, Param("How many share the cost", ge=1, le=100)] = 1,
    other_consumption: Annotated[
        Decimal | None, Param("Consumption of another car in the same unit, to compare", gt=0, le=10**4)
    ] = None,
) -> Calculation[Fuel]:
    """Cost of fuel for a distance, from the consumption (l/100 km, km/l, mpg) and price; of two cars, too."""
    gallon_litres = _LITRES_PER_GALLON[gallon]
    kilometres = distance * (_KM_PER_MILE if distance_unit == "mile" else 1)
    unit = 1 if price_unit == "litre" else gallon_litres
    fuel = _litres(kilometres, consumption, consumption_unit, gallon_litres) / unit
    cost, other = fuel * price, None
    if other_consumption is not None:
        other = cents(_litres(kilometres, other_consumption, consumption_unit, gallon_litres) / unit * price)
    monthly, yearly = _a_month_and_year(cost, per)
    return Calculation(
        answer=f"{_compared(cost, other, per)}The fuel costs {_each(cost, per, monthly, yearly)}"
        f"{_shared(cost, people)}.",
        figures=_fuel_figures(fuel, cost, other, per, people),
        formula="cost = fuel * price; fuel = distance * l / 100 km / 100, or distance / mpg",
        steps=(
            f"Fuel: {show_number(distance)} {distance_unit} at {show_number(consumption)} {consumption_unit} "
            f"take {show_number(fuel)} {price_unit}s",
            f"Cost: {show_number(fuel)} * {show_number(price)}",
        ),
        assumptions=(f"A gallon is a {gallon} gallon: {show_number(gallon_litres)} litres.", _FUEL_ALONE),
    )


def _fuel_figures(
    fuel: Decimal, cost: Decimal, other: Decimal | None, per: PeriodOrOnce, people: int
) -> Fuel:
    monthly, yearly = _a_month_and_year(cost, per)
    return Fuel(
        fuel=cents(fuel),
        cost=cents(cost),
        monthly=monthly,
        yearly=yearly,
        per_person=cents(cost / people),
        other_cost=other,
        saved=None if other is None else cents(cost) - other,
    )


def _shared(cost: Decimal, people: int) -> str:
    """What each pays of a cost that several share, as the end of a sentence."""
    return f"; each of {people} pays {show_money(cost / people)}" if people > 1 else ""


def _compared(cost: Decimal, other: Decimal | None, per: PeriodOrOnce) -> str:
    """What another car costs or saves, as the beginning of an answer."""
    if other is None:
        return ""
    said = "saves" if other <= cost else "costs an extra"
    every = "" if per == "once" else f" a {per}"
    less = show_money(abs(cents(cost) - other))
    return f"The other car {said} {less}{every}: its fuel costs {show_money(other)}. "


@exact
def energy_cost(
    *,
    price_per_kwh: Annotated[Decimal, positive_amount("Price of a kilowatt-hour")],
    kwh: Annotated[Decimal | None, Param("Energy of one use in kWh, instead of the power", gt=0)] = None,
    power_kw: Annotated[Decimal | None, Param("Power of the appliance in kW", gt=0)] = None,
    hours: Annotated[Decimal, Param("Hours that one use takes, with the power", gt=0, le=8784)] = Decimal(1),
    times: Annotated[Decimal, Param("Uses in the period", gt=0, le=10**4)] = Decimal(1),
    per: Annotated[PeriodOrOnce, Param("The period of the uses")] = "once",
    days: Annotated[int | None, Param("Days to add up; leave out for the period alone", ge=1)] = None,
) -> Calculation[Energy]:
    """Cost of electricity or gas of an appliance, from its power or kWh, its use and the price of a kWh."""
    if (kwh is None) == (power_kw is None):
        raise CalculationError("Give either the kWh of one use or the power with the hours.")
    one = kwh if kwh is not None else (power_kw or Decimal(0)) * hours
    of_period = one * times
    used = _used(of_period, per, days)
    cost = used * price_per_kwh
    monthly, yearly = _a_month_and_year(of_period * price_per_kwh, per)
    said = f"{show_money(cost)} for {days} days" if days else _each(cost, per, monthly, yearly)
    return Calculation(
        answer=f"It costs {said}.",
        figures=Energy(
            kwh=cents(used),
            cost=cents(cost),
            monthly=monthly,
            yearly=yearly,
        ),
        formula="cost = kWh * price; kWh = kW * hours * uses",
        steps=(
            f"One use: {show_number(one)} kWh",
            f"Cost: {show_number(used)} kWh * {show_number(price_per_kwh)}",
        ),
        assumptions=("Standing charges and taxes beside the price are left out.", _COUNTED),
    )


def _litres(kilometres: Decimal, used: Decimal, unit: ConsumptionUnit, gallon: Decimal) -> Decimal:
    if unit == "l/100km":
        return kilometres * used / 100
    return kilometres / used if unit == "km/l" else kilometres / _KM_PER_MILE / used * gallon


def _used(of_period: Decimal, per: PeriodOrOnce, days: int | None) -> Decimal:
    """The energy of so many days, or of the period."""
    if days is None:
        return of_period
    if per == "once":
        raise CalculationError("Say how often it is used: in a day, for example.")
    return of_period * _A_YEAR[per] * days / _A_YEAR["day"]


def _a_month_and_year(cost: Decimal, per: PeriodOrOnce) -> tuple[Decimal | None, Decimal | None]:
    if per == "once":
        return None, None
    yearly = cost * _A_YEAR[per]
    return cents(yearly / 12), cents(yearly)


def _each(cost: Decimal, per: PeriodOrOnce, monthly: Decimal | None, yearly: Decimal | None) -> str:
    if monthly is None or yearly is None:
        return show_money(cost)
    parts = {per: cost, "month": monthly, "year": yearly}
    return ", ".join(f"{show_money(each)} a {period}" for period, each in parts.items())
