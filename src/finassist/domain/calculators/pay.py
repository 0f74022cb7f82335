"""Pay, by the hour, the day, the week, the fortnight, the month and the year."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Final, Literal

from finassist.domain.calculators.calculation import Calculation, Param, exact, positive_amount
from finassist.domain.calculators.money import cents, show_money, show_number

Period = Literal["hour", "day", "week", "fortnight", "month", "year"]
_DAYS_A_WEEK: Final = 5
_EACH: Final[dict[Period, str]] = {
    "year": "a year",
    "month": "a month",
    "fortnight": "a fortnight",
    "week": "a week",
    "day": "a day",
    "hour": "an hour",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pay:
    """The same pay for each period."""

    hourly: Decimal
    daily: Decimal
    weekly: Decimal
    fortnightly: Decimal
    monthly: Decimal
    yearly: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class OvertimePay:
    """``gross`` is ``regular`` plus ``overtime``; ``short`` is what of it was not paid, negative for what was
    paid beyond it, None when nothing tells what was paid."""

    regular: Decimal
    overtime: Decimal
    gross: Decimal
    short: Decimal | None


@exact
def pay_conversion(
    *,
    amount: Annotated[Decimal, positive_amount("Pay for the period, for example 28")],
    per: Annotated[Period, Param("The period that it is paid for; fortnight: every two weeks")],
    hours_per_week: Annotated[Decimal, Param("Hours worked a week", gt=0, le=168)] = Decimal(40),
    weeks_per_year: Annotated[Decimal, Param("Weeks paid a year, holidays included", gt=0, le=53)] = Decimal(
        52
    ),
) -> Calculation[Pay]:
    """Hourly, daily, weekly, fortnightly, monthly or yearly pay (salary, wage) in all other periods."""
    times = _times_a_year(hours_per_week, weeks_per_year)
    pay = {period: cents(amount * times[per] / times[period]) for period in _EACH}
    *others, last = [f"{show_money(pay[period])} {each}" for period, each in _EACH.items() if period != per]
    hours, weeks = show_number(hours_per_week), show_number(weeks_per_year)
    return Calculation(
        answer=f"{show_money(amount)} {_EACH[per]} is {', '.join(others)} and {last}.",
        figures=Pay(
            hourly=pay["hour"],
            daily=pay["day"],
            weekly=pay["week"],
            fortnightly=pay["fortnight"],
            monthly=pay["month"],
            yearly=pay["year"],
        ),
        formula="year = hour * hours a week * weeks a year = day * 5 * weeks a year = week * weeks a year = "
        "fortnight * weeks a year / 2 = month * 12",
        steps=(
            f"Hours a year: {hours} * {weeks} = {show_number(times['hour'])}",
            f"A year: {show_money(amount)} * {show_number(times[per])}",
        ),
        assumptions=(
            f"{hours} hours and {_DAYS_A_WEEK} days a week, {weeks} paid weeks a year.",
            "Before taxes and deductions; overtime and bonuses are left out.",
        ),
    )


@exact
def overtime_pay(
    *,
    hourly: Annotated[Decimal, positive_amount("Pay of an hour")],
    hours: Annotated[Decimal, Param("Hours worked, overtime included", gt=0, le=744)],
    regular_hours: Annotated[Decimal, Param("Hours before overtime begins", ge=0, le=744)] = Decimal(40),
    factor: Annotated[
        Decimal, Param("What overtime is paid at: 1.5 is time and a half", ge=1, le=10)
    ] = Decimal("1.5"),
    paid: Annotated[
        Decimal | None, positive_amount("What was paid before tax, to find what is missing")
    ] = None,
) -> Calculation[OvertimePay]:
    """Gross pay of a week or month with overtime, at time and a half or another factor; what is missing."""
    over = max(Decimal(0), hours - regular_hours)
    regular, overtime = cents((hours - over) * hourly), cents(over * hourly * factor)
    gross = regular + overtime
    short = None if paid is None else gross - cents(paid)
    return Calculation(
        answer=f"{_short(short)}The gross pay is {show_money(gross)}: {show_money(regular)} for "
        f"{show_number(hours - over)} hours and {show_money(overtime)} for {show_number(over)} of overtime.",
        figures=OvertimePay(regular=regular, overtime=overtime, gross=gross, short=short),
        formula="gross = regular hours * pay + overtime hours * pay * factor",
        steps=(
            f"Regular: {show_number(hours - over)} * {show_money(hourly)}",
            f"Overtime: {show_number(over)} * {show_money(hourly)} * {show_number(factor)}",
        ),
        assumptions=(
            f"Overtime begins after {show_number(regular_hours)} hours and pays {show_number(factor)} times.",
            "Before taxes and deductions.",
        ),
    )


def _short(short: Decimal | None) -> str:
    """What is missing of the pay, as the beginning of an answer."""
    if short is None:
        return ""
    if not short:
        return "Nothing is missing. "
    return (
        f"{show_money(abs(short))} is missing. " if short > 0 else f"{show_money(-short)} too much was paid. "
    )


def _times_a_year(hours_per_week: Decimal, weeks_per_year: Decimal) -> dict[Period, Decimal]:
    return {
        "hour": hours_per_week * weeks_per_year,
        "day": _DAYS_A_WEEK * weeks_per_year,
        "week": weeks_per_year,
        "fortnight": weeks_per_year / 2,
        "month": Decimal(12),
        "year": Decimal(1),
    }
