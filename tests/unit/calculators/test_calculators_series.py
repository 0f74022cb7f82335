"""What a chart of a result draws, and that it ends where the figures end."""

from decimal import Decimal
from typing import Any

import msgspec
import pytest

from finassist.domain.calculators import CALCULATORS, Debt
from tables import each_row

D = Decimal
CARD = Debt(name="card", balance=D(5000), yearly_rate=D(18))
CAR = Debt(name="car", balance=D(3000), yearly_rate=D(6))


def result(name: str, **arguments: Any) -> Any:
    return CALCULATORS[name].function(**arguments)


def components(point: Any) -> set[str]:
    return {*msgspec.json.decode(msgspec.json.encode(point))} - {"at"}


@pytest.mark.parametrize(
    ("months", "label", "last"),
    [(1, "month", 1), (60, "month", 60), (61, "year", 6), (72, "year", 6), (1200, "year", 100)],
)
def test_a_term_is_drawn_by_month_and_after_five_years_by_year(months: int, label: str, last: int) -> None:
    series = result("loan_instalment", principal=D(90_000), yearly_rate=D(6), months=months).series
    assert series.label == label
    assert [point.at for point in series.points] == list(range(1, last + 1))


@each_row("months", [7, 60, 125, 360])
@each_row("rate", [D(0), D("7.25"), D(1000)])
def test_the_chart_of_a_loan_adds_up_to_the_cent(rate: D, months: int) -> None:
    loan = result("loan_instalment", principal=D("2345.67"), yearly_rate=rate, months=months)
    points = loan.series.points
    assert components(points[0]) == {"interest", "principal", "balance"}
    assert sum(point.principal for point in points) == D("2345.67")
    assert sum(point.interest for point in points) == loan.figures.total_interest
    assert points[-1].balance == 0


def test_the_chart_of_an_affordable_loan_is_the_chart_of_that_loan() -> None:
    afford = result("loan_affordability", monthly_payment=D(500), yearly_rate=D(8), years=20)
    assert sum(point.principal for point in afford.series.points) == afford.figures.max_principal
    assert sum(point.interest for point in afford.series.points) == afford.figures.total_interest


GROWING = [
    ("compound_interest", {"principal": D(3000), "yearly_rate": D(6), "years": 20}),
    ("compound_interest", {"principal": D(3000), "yearly_rate": D(6), "months": 5, "compounding": "daily"}),
    (
        "compound_interest",
        {
            "principal": D(500),
            "yearly_rate": D(4),
            "months": 18,
            "compounding": "continuously",
            "contribution": D(90),
            "contribution_interval": "quarterly",
            "contribution_timing": "start",
        },
    ),
    ("regular_investment", {"monthly_amount": D(1000), "yearly_return": D(12), "months": 35}),
    (
        "regular_investment",
        {"monthly_amount": D(100), "yearly_return": D(6), "months": 100, "yearly_step_up": D(5)},
    ),
]


@pytest.mark.parametrize(("name", "arguments"), GROWING)
def test_the_chart_of_growth_ends_at_the_final_value(name: str, arguments: dict[str, Any]) -> None:
    grown = result(name, **arguments)
    last = grown.series.points[-1]
    assert components(last) == {"paid_in", "return_", "value"}
    assert (last.paid_in, last.return_, last.value) == (
        grown.figures.invested,
        grown.figures.interest,
        grown.figures.final_value,
    )
    assert all(point.value == point.paid_in + point.return_ for point in grown.series.points)


def test_a_contribution_is_drawn_from_the_month_that_it_is_paid_in() -> None:
    arguments: dict[str, Any] = {
        "principal": D(100),
        "yearly_rate": D(0),
        "months": 6,
        "contribution": D(10),
        "contribution_interval": "quarterly",
    }
    at_end = result("compound_interest", **arguments).series.points
    at_start = result("compound_interest", **arguments, contribution_timing="start").series.points
    assert [point.value for point in at_end] == [100, 100, 110, 110, 110, 120]
    assert [point.value for point in at_start] == [110, 110, 110, 120, 120, 120]


def test_a_savings_goal_is_drawn_until_it_is_reached() -> None:
    plan = result("savings_goal", goal=D(10_000), saved=D(1000), yearly_rate=D(6), years=4)
    last = plan.series.points[-1]
    assert (last.at, last.value, last.return_) == (48, D(10_000), plan.figures.interest)
    assert last.paid_in - 1000 == plan.figures.contributed


def test_prices_are_drawn_in_both_directions() -> None:
    prices = result("inflation_adjustment", amount_today=D(100_000), yearly_inflation=D(6), years=10)
    last = prices.series.points[-1]
    assert (last.cost, last.real_value) == (prices.figures.future_cost, prices.figures.real_value)


def test_a_growth_rate_is_drawn_from_value_to_value() -> None:
    points = result(
        "compound_annual_growth_rate", start_value=D(100), end_value=D(400), months=24
    ).series.points
    assert (points[11].value, points[-1].value) == (200, 400)


def test_both_strategies_are_drawn_until_the_longer_one_ends() -> None:
    payoff = result("debt_payoff", debts=(CARD, CAR), monthly_budget=D(400))
    series, figures = payoff.series, payoff.figures
    assert (series.label, len(series.points)) == ("month", figures.snowball.months)
    assert sum(point.avalanche_interest for point in series.points) == figures.avalanche.total_interest
    assert sum(point.snowball_interest for point in series.points) == figures.snowball.total_interest
    assert series.points[-1].avalanche_balance == series.points[-1].snowball_balance == 0
    assert series.points[figures.avalanche.months - 2].avalanche_balance > 0


def test_one_debt_is_drawn_once() -> None:
    points = result("debt_payoff", debts=(CARD,), monthly_budget=D(400)).series.points
    assert components(points[0]) == {"balance", "interest"}
    assert (points[0].balance, points[0].interest) == (D(4675), D(75))


def test_an_order_of_debts_without_a_budget_has_nothing_to_draw() -> None:
    assert result("debt_payoff", debts=(CARD, CAR)).series is None


def test_an_emergency_fund_is_drawn_while_it_fills() -> None:
    points = result(
        "emergency_fund", monthly_expenses=D(1000), saved=D(500), monthly_saving=D(2000)
    ).series.points
    assert [point.value for point in points] == [2500, 4500, 6000]
    assert result("emergency_fund", monthly_expenses=D(1000)).series is None


def test_a_retirement_is_drawn_to_its_end() -> None:
    plan = result(
        "retirement_corpus",
        monthly_expenses=D(3000),
        years_to_retirement=30,
        years_in_retirement=25,
        yearly_inflation=D(3),
        yearly_return=D(7),
        return_in_retirement=D(5),
        saved=D(20_000),
    )
    points = plan.series.points
    assert (plan.series.label, len(points)) == ("year", 55)
    assert points[29].value == plan.figures.corpus
    assert points[30].spent == plan.figures.first_year_expenses
    assert points[-1].value == 0


def test_a_series_has_at_most_120_points() -> None:
    plan = result(
        "retirement_corpus",
        monthly_expenses=D(1),
        years_to_retirement=100,
        years_in_retirement=93,
        yearly_inflation=D(1),
        yearly_return=D(2),
    )
    points = plan.series.points
    assert len(points) <= 120
    assert (points[0].at, points[-1].at, points[-1].value) == (2, 193, 0)


def test_savings_that_outgrow_all_money_are_calculated_and_not_drawn() -> None:
    plan = result(
        "retirement_corpus",
        monthly_expenses=D(1),
        years_to_retirement=1,
        years_in_retirement=100,
        yearly_inflation=D(5),
        yearly_return=D(36),
        return_in_retirement=D(99),
        saved=D(999),
    )
    assert plan.figures.corpus == D("26.67")
    assert plan.series is None


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("percentage", {"operation": "of", "amount": D(480), "percent": D(15)}),
        ("effective_annual_rate", {"yearly_rate": D(12), "compounding": "monthly"}),
        ("taxable_equivalent_yield", {"tax_free_yield": D(4), "tax_rate": D(24)}),
    ],
)
def test_a_single_figure_has_no_series(name: str, arguments: dict[str, Any]) -> None:
    assert result(name, **arguments).series is None


@pytest.mark.parametrize(
    ("name", "arguments", "start"),
    [
        (
            "compound_interest",
            {"principal": D(3000), "yearly_rate": D(6), "years": 20},
            {"paid_in": "3000.00", "return_": "0.00", "value": "3000.00"},
        ),
        (
            "regular_investment",
            {"monthly_amount": D(200), "yearly_return": D(5), "years": 10},
            {"paid_in": "0.00", "return_": "0.00", "value": "0.00"},
        ),
        (
            "compound_annual_growth_rate",
            {"start_value": D(500), "end_value": D(0), "years": 6},
            {"paid_in": "500.00", "return_": "0.00", "value": "500.00"},
        ),
        (
            "inflation_adjustment",
            {"amount_today": D(100), "yearly_inflation": D(6), "years": 8},
            {"cost": "100.00", "real_value": "100.00"},
        ),
        (
            "debt_payoff",
            {"debts": (CARD,), "monthly_budget": D(400)},
            {"balance": "5000.00", "interest": "0.00"},
        ),
    ],
)
def test_the_course_of_a_result_begins_with_what_there_was(
    name: str, arguments: dict[str, Any], start: dict[str, str]
) -> None:
    found = msgspec.json.decode(msgspec.json.encode(result(name, **arguments).series.start))
    assert found == {"at": 0, **start}


def test_a_loan_has_no_point_of_its_beginning() -> None:
    assert result("loan_instalment", principal=D(9000), yearly_rate=D(6), years=6).series.start is None
