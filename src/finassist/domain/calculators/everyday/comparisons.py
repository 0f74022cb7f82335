"""Two loans compared, what interest costs by the day, how long savings last, when a cost is back."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Annotated, Final

from finassist.domain.calculators.annuities import Repayment, equal_instalments, monthly, term
from finassist.domain.calculators.calculation import (
    Calculation,
    CalculationError,
    Months,
    Param,
    Years,
    amount,
    exact,
    positive_amount,
    rate,
)
from finassist.domain.calculators.debts import Debt
from finassist.domain.calculators.money import (
    ROUNDED,
    cents,
    show_count,
    show_money,
    show_number,
    show_rate,
    show_term,
)

_DAYS: Final = 365
_TENTH: Final = Decimal("0.1")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoanComparison:
    """``interest_difference`` is what the dearer loan costs more in all; ``cheaper`` is 1 or 2, None for the
    same interest."""

    first_instalment: Decimal
    second_instalment: Decimal
    first_interest: Decimal
    second_interest: Decimal
    interest_difference: Decimal
    instalment_difference: Decimal
    cheaper: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Payback:
    """``months`` and ``years`` are exact to a tenth; ``whole_months`` is when the cost is back in full."""

    months: Decimal
    years: Decimal
    whole_months: int
    yearly_saving: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class InterestNow:
    """What all debts together cost in interest now."""

    daily: Decimal
    monthly: Decimal
    yearly: Decimal
    total_balance: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthsCovered:
    """``months`` is exact to a tenth; ``monthly_gap`` is what the savings have to pay."""

    months: Decimal
    monthly_gap: Decimal


@exact
def loan_comparison(
    *,
    principal: Annotated[Decimal, positive_amount("Amount borrowed, the same with both")],
    first_rate: Annotated[Decimal, rate("Nominal yearly rate of the first loan, in percent")],
    second_rate: Annotated[Decimal, rate("Nominal yearly rate of the second loan, in percent")],
    first_years: Years = 0,
    first_months: Months = 0,
    second_years: Years = 0,
    second_months: Months = 0,
) -> Calculation[LoanComparison]:
    """Interest and instalments of two loans of one amount, with another rate, another term, or both."""
    first = equal_instalments(principal, monthly(first_rate), term(first_years, first_months))
    second = equal_instalments(principal, monthly(second_rate), term(second_years, second_months))
    costs = [cents(loan.total_interest) for loan in (first, second)]
    difference = abs(costs[0] - costs[1])
    return Calculation(
        answer=_loans_told((first, second), (first_rate, second_rate), difference),
        figures=LoanComparison(
            first_instalment=cents(first.payment),
            second_instalment=cents(second.payment),
            first_interest=costs[0],
            second_interest=costs[1],
            interest_difference=difference,
            instalment_difference=abs(cents(first.payment) - cents(second.payment)),
            cheaper=None if not difference else 1 if costs[0] < costs[1] else 2,
        ),
        formula="instalment = P * i / (1 - (1 + i)^-n); interest = n * instalment - P",
        steps=(
            f"First: {show_money(first.payment)} a month for {show_term(first.months)}",
            f"Second: {show_money(second.payment)} a month for {show_term(second.months)}",
        ),
        assumptions=(
            f"Both are repaid in equal monthly instalments: {show_money(principal)} borrowed.",
            "Fees are left out.",
            ROUNDED,
        ),
    )


def _loans_told(loans: tuple[Repayment, Repayment], rates: tuple[Decimal, Decimal], less: Decimal) -> str:
    each = [
        f"{show_rate(rate)} over {show_term(loan.months)} costs {show_money(loan.total_interest)} of "
        f"interest at {show_money(loan.payment)} a month"
        for loan, rate in zip(loans, rates, strict=True)
    ]
    monthly_less = abs(cents(loans[0].payment) - cents(loans[1].payment))
    return (
        f"The difference is {show_money(monthly_less)} a month and {show_money(less)} of interest: "
        f"{each[0]}, {each[1]}."
    )


@exact
def payback_time(
    *,
    cost: Annotated[Decimal, positive_amount("What is paid at once")],
    monthly_saving: Annotated[Decimal, positive_amount("What it saves or brings a month")],
) -> Calculation[Payback]:
    """When a cost is back (break-even): a fee, solar panels, refinancing, by what it saves a month."""
    months = cost / monthly_saving
    whole = int(months.to_integral_value(ROUND_CEILING))
    return Calculation(
        answer=f"It pays for itself after {show_number(months.quantize(_TENTH))} months "
        f"({show_number((months / 12).quantize(_TENTH))} years): after {show_count(whole, 'payment')} of "
        f"{show_money(monthly_saving)} a month the {show_money(cost)} is back.",
        figures=Payback(
            months=months.quantize(_TENTH),
            years=(months / 12).quantize(_TENTH),
            whole_months=whole,
            yearly_saving=cents(12 * monthly_saving),
        ),
        formula="months = cost / saving a month",
        steps=(f"Months: {show_money(cost)} / {show_money(monthly_saving)}",),
        assumptions=("The saving stays the same; interest on the cost is left out.",),
    )


@exact
def interest_per_period(
    *, debts: Annotated[tuple[Debt, ...], Param("One to twenty debts or balances", ge=1)]
) -> Calculation[InterestNow]:
    """Interest that one or more balances cost (or earn) a day, a month and a year at their rates now."""
    yearly = [debt.balance * debt.yearly_rate / 100 for debt in debts]
    total = sum(yearly, Decimal(0))
    balance = sum((debt.balance for debt in debts), Decimal(0))
    together = " together" if len(debts) > 1 else ""
    return Calculation(
        answer=f"The interest{together} is {show_money(total / 12)} a month, "
        f"{show_money(total / _DAYS)} a day and {show_money(total)} a year, on {show_money(balance)}.",
        figures=InterestNow(
            daily=cents(total / _DAYS),
            monthly=cents(total / 12),
            yearly=cents(total),
            total_balance=cents(balance),
        ),
        formula="a year = balance * rate / 100; a month = year / 12; a day = year / 365",
        steps=tuple(
            f"{debt.name}: {show_money(each / 12)} a month" for debt, each in zip(debts, yearly, strict=True)
        ),
        assumptions=("The balances and the rates stay as they are.", ROUNDED),
    )


@exact
def months_covered(
    *,
    saved: Annotated[Decimal, positive_amount("What is saved")],
    monthly_expenses: Annotated[Decimal, positive_amount("What is spent a month")],
    monthly_income: Annotated[Decimal, amount("What still comes in a month")] = Decimal(0),
) -> Calculation[MonthsCovered]:
    """For how many months savings pay for the expenses, with no income or less of it."""
    gap = monthly_expenses - monthly_income
    if gap <= 0:
        raise CalculationError("The income covers the expenses: the savings are not needed.")
    months = saved / gap
    return Calculation(
        answer=f"It lasts {show_number(months.quantize(_TENTH))} months: {show_money(saved)} for "
        f"{show_money(gap)} a month.",
        figures=MonthsCovered(months=months.quantize(_TENTH), monthly_gap=cents(gap)),
        formula="months = savings / (expenses a month - income a month)",
        steps=(f"Months: {show_money(saved)} / {show_money(gap)}",),
        assumptions=("Nothing is added to the savings; interest and price rises are left out.",),
    )
