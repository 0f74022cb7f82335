"""The savings that a retirement needs."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

from finassist.domain.calculators.annuities import accumulated
from finassist.domain.calculators.calculation import Calculation, Param, amount, exact, positive_amount, rate
from finassist.domain.calculators.money import cents, percent, show_count, show_money, show_number, show_rate

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
    i = (1 + yearly_return / 100) ** (Decimal(1) / 12) - 1 if yearly_return else Decimal(0)
    saving = gap / accumulated(i, 12 * years_to_retirement)
    return Calculation(
        answer=f"The retirement needs a corpus of {show_money(corpus)}; "
        f"{_rest(saving, years_to_retirement)}.",
        figures=RetirementPlan(
            first_year_expenses=cents(expenses),
            real_return=percent(real),
            corpus=cents(corpus),
            savings_at_retirement=cents(grown),
            gap=cents(gap),
            monthly_saving=cents(saving),
        ),
        formula=_FORMULA,
        steps=_steps(expenses, real, corpus, grown, saving, i),
        assumptions=_assumptions(yearly_inflation, yearly_return, later_return),
    )


def _rest(saving: Decimal, years: int) -> str:
    if not saving:
        return "what is saved today grows to that by itself"
    return f"saving {show_money(saving)} a month for {show_count(years, 'year')} builds what is missing"


def _years_of_drawing(real: Decimal, years: int) -> Decimal:
    """What one unit of today's purchasing power at the start of every year costs at the start."""
    if not real:
        return Decimal(years)
    return (1 - (1 + real) ** -years) / real * (1 + real)


def _steps(
    expenses: Decimal, real: Decimal, corpus: Decimal, grown: Decimal, saving: Decimal, i: Decimal
) -> tuple[str, ...]:
    return (
        f"Expenses in the first year of retirement, with inflation: {show_money(expenses)}",
        f"Real return q in retirement: {show_rate(percent(real))} a year",
        f"Corpus: {show_money(expenses)} * {show_number(corpus / expenses)} = {show_money(corpus)}",
        f"Today's savings will have grown to {show_money(grown)}",
        f"Missing: {show_money(max(Decimal(0), corpus - grown))}",
        f"Saved every month, at {show_number(i * 100)}% a month: {show_money(saving)}",
    )


def _assumptions(inflation: Decimal, before: Decimal, during: Decimal) -> tuple[str, ...]:
    return (
        f"Prices rise by {show_rate(inflation)} every year, before and in retirement.",
        f"Savings return an effective {show_rate(before)} before retirement and {show_rate(during)} in it.",
        "A year's expenses are taken out at its start; savings are paid in at the end of every month.",
        "Taxes, pensions and other income are left out; nothing is left over at the end.",
    )
