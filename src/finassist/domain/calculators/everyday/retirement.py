"""The savings that a retirement needs."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

from finassist.domain.calculators.annuities import accumulated
from finassist.domain.calculators.calculation import (
    Calculation,
    CalculationError,
    Param,
    amount,
    exact,
    positive_amount,
    rate,
)
from finassist.domain.calculators.money import cents, percent, show_count, show_money, show_number, show_rate
from finassist.domain.calculators.series import Point, Series, from_start, series_of_years

_FORMULA = (
    "corpus = E * (1 - (1 + q)^-d) / q * (1 + q), q = (1 + return) / (1 + inflation) - 1; "
    "monthly saving = gap * i / ((1 + i)^n - 1); E the expenses of the first year, d years in retirement, "
    "i the monthly return, n months until then"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetirementPlan:
    """``corpus`` pays for the whole retirement; ``gap`` is what today's savings will not cover of it.
    ``real_return`` is in percent a year, beyond inflation, during retirement."""

    first_year_expenses: Decimal
    real_return: Decimal
    corpus: Decimal
    savings_at_retirement: Decimal
    gap: Decimal
    monthly_saving: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class RetirementPoint(Point):
    """``value`` of the savings; ``paid_in``, what is saved today included, and ``spent``, both so far."""

    paid_in: Decimal
    spent: Decimal
    value: Decimal


@exact
def retirement_corpus(
    *,
    monthly_expenses: Annotated[
        Decimal, positive_amount("Monthly expenses in retirement, at today's prices")
    ],
    years_to_retirement: Annotated[int, Param("Years until retirement", ge=1, le=100)],
    years_in_retirement: Annotated[int, Param("Years that the corpus shall last", ge=1, le=100)],
    yearly_inflation: Annotated[Decimal, rate("Yearly inflation in percent, for example 6")],
    yearly_return: Annotated[Decimal, rate("Yearly return in percent until retirement, for example 10")],
    return_in_retirement: Annotated[
        Decimal | None, rate("Yearly return in percent during retirement; the same when left out")
    ] = None,
    saved: Annotated[Decimal, amount("Amount saved for retirement already")] = Decimal(0),
) -> Calculation[RetirementPlan]:
    """Corpus that a retirement needs with inflation, and the monthly saving that builds it."""
    later_return = yearly_return if return_in_retirement is None else return_in_retirement
    expenses = 12 * monthly_expenses * (1 + yearly_inflation / 100) ** years_to_retirement
    real = (1 + later_return / 100) / (1 + yearly_inflation / 100) - 1
    corpus = expenses * _years_of_drawing(real, years_in_retirement)
    grown = saved * (1 + yearly_return / 100) ** years_to_retirement
    gap = max(Decimal(0), corpus - grown)
    saving = gap / accumulated(_monthly_return(yearly_return), 12 * years_to_retirement)
    until = _Phase(years_to_retirement, yearly_return, saving=saving)
    during = _Phase(years_in_retirement, later_return, expenses=expenses, inflation=yearly_inflation)
    return Calculation(
        answer=_answer(corpus, saving, years_to_retirement),
        figures=RetirementPlan(
            first_year_expenses=cents(expenses),
            real_return=percent(real),
            corpus=cents(corpus),
            savings_at_retirement=cents(grown),
            gap=cents(gap),
            monthly_saving=cents(saving),
        ),
        formula=_FORMULA,
        steps=_steps(expenses, real, corpus, grown, yearly_return),
        assumptions=_given(monthly_expenses, years_in_retirement, saved)
        + _assumptions(yearly_inflation, yearly_return, later_return),
        series=_drawn((until, during), saved),
    )


def _monthly_return(yearly_return: Decimal) -> Decimal:
    return (1 + yearly_return / 100) ** (Decimal(1) / 12) - 1 if yearly_return else Decimal(0)


def _answer(corpus: Decimal, saving: Decimal, years: int) -> str:
    needed = f"The retirement needs a corpus of {show_money(corpus)}"
    if not saving:
        return f"{needed}; what is saved today grows to that by itself."
    term = show_count(years, "year")
    return f"{needed}; saving {show_money(saving)} a month for {term} builds what is missing."


def _years_of_drawing(real: Decimal, years: int) -> Decimal:
    """What one unit of today's purchasing power at the start of every year costs at the start."""
    if not real:
        return Decimal(years)
    return (1 - (1 + real) ** -years) / real * (1 + real)


def _steps(
    expenses: Decimal, real: Decimal, corpus: Decimal, grown: Decimal, yearly_return: Decimal
) -> tuple[str, ...]:
    return (
        f"Expenses in the first year of retirement, with inflation: {show_money(expenses)}",
        f"Real return q in retirement: {show_rate(percent(real))} a year",
        f"Corpus: {show_money(expenses)} * {show_number(corpus / expenses)}",
        *(_covered(corpus, grown) if grown else ()),
        f"Monthly return i until retirement: {show_number(_monthly_return(yearly_return) * 100)}%",
    )


@dataclass(frozen=True, slots=True)
class _Phase:
    """Years with the same return: ``saving`` comes in every month, ``expenses`` go out as the first year
    begins, and more every year with ``inflation``."""

    years: int
    yearly_return: Decimal
    saving: Decimal = Decimal(0)
    expenses: Decimal = Decimal(0)
    inflation: Decimal = Decimal(0)


def _drawn(phases: Sequence[_Phase], saved: Decimal) -> Series | None:
    """The course of the savings; None when it leaves what money can be, though the figures do not."""
    try:
        return _series(phases, saved)
    except CalculationError:
        return None


def _series(phases: Sequence[_Phase], saved: Decimal) -> Series:
    course = []
    paid_in = value = saved
    spent = Decimal(0)
    for phase in phases:
        expenses, i = phase.expenses, _monthly_return(phase.yearly_return)
        for _ in range(phase.years):
            value = (value - expenses) * (1 + phase.yearly_return / 100)
            value += phase.saving * accumulated(i, 12)
            paid_in, spent = paid_in + 12 * phase.saving, spent + expenses
            expenses *= 1 + phase.inflation / 100
            course.append((cents(paid_in), cents(spent), cents(value)))

    def point(at: int) -> RetirementPoint:
        paid, out, left = course[at - 1]
        return RetirementPoint(at=at, paid_in=paid, spent=out, value=left)

    start = RetirementPoint(at=0, paid_in=cents(saved), spent=cents(Decimal(0)), value=cents(saved))
    return from_start(series_of_years(len(course), point), start)


def _covered(corpus: Decimal, grown: Decimal) -> tuple[str, ...]:
    missing = show_money(max(Decimal(0), corpus - grown))
    return (f"Today's savings will have grown to {show_money(grown)}", f"Missing: {missing}")


def _given(monthly_expenses: Decimal, years: int, saved: Decimal) -> tuple[str, ...]:
    spent = f"{show_money(monthly_expenses)} a month at today's prices, for {show_count(years, 'year')}"
    return (f"Spent in retirement: {spent}; saved today: {show_money(saved)}.",)


def _assumptions(inflation: Decimal, before: Decimal, during: Decimal) -> tuple[str, ...]:
    return (
        f"Prices rise by {show_rate(inflation)} every year, before and in retirement.",
        f"Savings return an effective {show_rate(before)} before retirement and {show_rate(during)} in it.",
        "A year's expenses are taken out at its start; savings are paid in at the end of every month.",
        "Taxes, pensions and other income are left out; nothing is left over at the end.",
    )
