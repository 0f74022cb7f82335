"""The calculators against published examples, and what they show beside the figures."""

import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from finassist.domain.calculators import CALCULATORS, Debt
from tables import each_row

D = Decimal
EXAMPLES = [
    json.loads(line)
    for line in Path(__file__).with_name("calculations_published.jsonl").read_text("utf-8").splitlines()
]


def figures(name: str, **arguments: Any) -> Any:
    return CALCULATORS[name].function(**arguments).figures


# What the documentation of spreadsheet functions (PMT, PV, FV, NPER, EFFECT, NOMINAL) and textbooks print.
PUBLISHED: list[tuple[str, Mapping[str, Any], Mapping[str, Any]]] = [
    ("percentage", {"operation": "of", "amount": D(480), "percent": D(15)}, {"part": D(72)}),
    (
        "percentage",
        {"operation": "add", "amount": D(2500), "percent": D(18)},
        {"part": D(450), "result": D(2950)},
    ),
    (
        "percentage",
        {"operation": "subtract", "amount": D(80), "percent": D(20)},
        {"part": D(16), "result": D(64)},
    ),
    (
        "percentage",
        {"operation": "included", "amount": D(1180), "percent": D(18)},
        {"part": D(180), "result": D(1000)},
    ),
    ("percentage", {"operation": "change", "amount": D(40), "other_amount": D(50)}, {"percent": D(25)}),
    ("percentage", {"operation": "change", "amount": D(120), "other_amount": D(90)}, {"percent": D(-25)}),
    ("percentage", {"operation": "share", "amount": D(120), "other_amount": D(30)}, {"percent": D(25)}),
    (
        "loan_instalment",
        {"principal": D(200_000), "yearly_rate": D(6), "years": 30},
        {"instalment": D("1199.10")},
    ),
    (
        "loan_instalment",
        {"principal": D(140_000), "yearly_rate": D(6), "years": 30},
        {"instalment": D("839.37")},
    ),
    (
        "loan_instalment",
        {"principal": D(10_000), "yearly_rate": D(8), "months": 10},
        {"instalment": D("1037.03")},
    ),
    (
        "loan_affordability",
        {"monthly_payment": D(500), "yearly_rate": D(8), "years": 20},
        {"max_principal": D("59777.15")},
    ),
    (
        "loan_affordability",
        {"monthly_payment": D(200), "yearly_rate": D(3), "months": 60},
        {"max_principal": D("11130.47")},
    ),
    (
        "compound_interest",
        {"principal": D(3000), "yearly_rate": D(6), "years": 20, "compounding": "monthly"},
        {"final_value": D("9930.61"), "invested": D("3000.00"), "interest": D("6930.61")},
    ),
    (
        "compound_interest",
        {
            "principal": D(1000),
            "yearly_rate": D(6),
            "months": 12,
            "compounding": "monthly",
            "contribution": D(100),
            "contribution_timing": "start",
        },
        {"final_value": D("2301.40"), "invested": D("2200.00")},
    ),
    (
        "compound_interest",
        {
            "principal": D(500),
            "yearly_rate": D(6),
            "months": 10,
            "compounding": "monthly",
            "contribution": D(200),
            "contribution_timing": "start",
        },
        {"final_value": D("2581.40")},
    ),
    (
        "regular_investment",
        {"monthly_amount": D(1000), "yearly_return": D(12), "years": 1},
        {"final_value": D("12809.33"), "invested": D("12000.00"), "interest": D("809.33")},
    ),
    (
        "regular_investment",
        {"monthly_amount": D(1000), "yearly_return": D(12), "years": 1, "timing": "end"},
        {"final_value": D("12682.50")},
    ),
    (
        "regular_investment",
        {"monthly_amount": D(2000), "yearly_return": D(11), "months": 35},
        {"final_value": D("82846.25")},
    ),
    (
        "regular_investment",
        {"monthly_amount": D(100), "yearly_return": D(6), "years": 20, "timing": "end"},
        {"final_value": D("46204.09")},
    ),
    (
        "savings_goal",
        {"goal": D(50_000), "yearly_rate": D(6), "years": 18},
        {"monthly_amount": D("129.08"), "final_balance": D("50000.00")},
    ),
    (
        "savings_goal",
        {"goal": D(200_000), "yearly_rate": D(8), "years": 30},
        {"monthly_amount": D("134.20")},
    ),
    (
        "savings_goal",
        {"goal": D(10_000), "saved": D(1000), "yearly_rate": D(12), "monthly_amount": D(100)},
        {"months": 61},  # NPER: 60.08
    ),
    (
        "effective_annual_rate",
        {"yearly_rate": D("5.25"), "compounding": "quarterly"},
        {"effective_rate": D("5.3543"), "nominal_rate": D("5.2500")},
    ),
    (
        "effective_annual_rate",
        {"yearly_rate": D("5.3543"), "compounding": "quarterly", "given": "effective"},
        {"nominal_rate": D("5.2500"), "effective_rate": D("5.3543")},
    ),
    (
        "effective_annual_rate",
        {"yearly_rate": D(12), "compounding": "monthly"},
        {"effective_rate": D("12.6825")},
    ),
    (
        "effective_annual_rate",
        {"yearly_rate": D(10), "compounding": "continuously"},
        {"effective_rate": D("10.5171")},
    ),
    (
        "compound_annual_growth_rate",
        {"start_value": D(10_000), "end_value": D(19_000), "years": 3},
        {"yearly_growth_rate": D("23.8562"), "total_growth": D("90.0000")},
    ),
    (
        "taxable_equivalent_yield",
        {"tax_free_yield": D(4), "tax_rate": D(24)},
        {"taxable_equivalent_yield": D("5.2632"), "after_tax_yield": None, "better": None},
    ),
    (
        "taxable_equivalent_yield",
        {"tax_free_yield": D(3), "tax_rate": D(35), "taxed_yield": D("4.5")},
        {"taxable_equivalent_yield": D("4.6154"), "after_tax_yield": D("2.9250"), "better": "tax-free"},
    ),
    (
        "inflation_adjustment",
        {"amount_today": D(100_000), "yearly_inflation": D(6), "years": 10},
        {"future_cost": D("179084.77"), "real_value": D("55839.48")},
    ),
    (
        "emergency_fund",
        {
            "monthly_expenses": D(3000),
            "months_covered": 6,
            "saved": D(5000),
            "monthly_saving": D(300),
        },
        {"target": D("18000.00"), "gap": D("13000.00"), "months_to_fill": 44},
    ),
]


@each_row(("name", "arguments", "expected"), PUBLISHED)
def test_a_published_example_comes_out_to_the_cent(
    name: str, arguments: Mapping[str, Any], expected: Mapping[str, Any]
) -> None:
    found = figures(name, **arguments)
    assert {field: getattr(found, field) for field in expected} == expected


def test_every_calculator_has_a_published_or_worked_example() -> None:
    worked = {"retirement_corpus", "debt_payoff"}
    called = {example["name"] for example in EXAMPLES}
    assert {name for name, _, _ in PUBLISHED} | called | worked == set(CALCULATORS)


def test_a_retirement_corpus_is_drawn_down_to_nothing() -> None:
    plan = figures(
        "retirement_corpus",
        monthly_expenses=D(50_000),
        years_to_retirement=25,
        years_in_retirement=25,
        yearly_inflation=D(6),
        yearly_return=D(10),
        return_in_retirement=D(8),
        saved=D(500_000),
    )
    balance, expenses = plan.corpus, plan.first_year_expenses
    for _ in range(25):
        balance = (balance - expenses) * D("1.08")
        expenses *= D("1.06")
    assert abs(balance) < 1
    assert plan.first_year_expenses == D("2575122.43")
    assert plan.real_return == D("1.8868")
    assert plan.savings_at_retirement == D("5417352.97")
    assert plan.gap == plan.corpus - plan.savings_at_retirement


def test_the_monthly_saving_for_retirement_builds_the_gap() -> None:
    plan = figures(
        "retirement_corpus",
        monthly_expenses=D(4000),
        years_to_retirement=20,
        years_in_retirement=30,
        yearly_inflation=D(3),
        yearly_return=D(7),
    )
    monthly_growth = D("1.07") ** (D(1) / 12)
    balance = D(0)
    for _ in range(240):
        balance = balance * monthly_growth + plan.monthly_saving
    assert abs(balance - plan.gap) < 3  # half a cent of rounding, 240 times, with interest


def test_debts_are_paid_in_the_order_of_the_strategy() -> None:
    payoff = figures(
        "debt_payoff",
        debts=(
            Debt(name="card", balance=D(5000), yearly_rate=D(18)),
            Debt(name="car", balance=D(3000), yearly_rate=D(6)),
        ),
        monthly_budget=D(400),
    )
    assert [(cleared.name, cleared.month) for cleared in payoff.avalanche.order] == [
        ("card", 14),
        ("car", 23),
    ]
    assert [(cleared.name, cleared.month) for cleared in payoff.snowball.order] == [("car", 8), ("card", 24)]
    assert payoff.avalanche.total_interest == D("869.45")
    assert payoff.interest_saved_by_avalanche == D("534.51")
    assert payoff.months_saved_by_avalanche == 1


def test_without_a_budget_the_order_of_the_debts_is_told_alone() -> None:
    debts = (
        Debt(name="car", balance=D(3000), yearly_rate=D(6)),
        Debt(name="card", balance=D(5000), yearly_rate=D(18)),
    )
    result = CALCULATORS["debt_payoff"].function(debts=debts)
    assert result.answer.startswith("For the least interest, pay off card, then car (avalanche")
    assert [cleared.name for cleared in result.figures.snowball.order] == ["car", "card"]
    assert result.figures.avalanche.months is result.figures.interest_saved_by_avalanche is None


def test_one_order_for_both_strategies_is_told_once() -> None:
    debts = (
        Debt(name="card", balance=D(3000), yearly_rate=D(22)),
        Debt(name="car", balance=D(8000), yearly_rate=D(6)),
    )
    assert CALCULATORS["debt_payoff"].function(debts=debts).answer.startswith("Pay off card, then car:")


@pytest.mark.parametrize(("rate", "months"), [(D(7), 123), (D(8), 109), (D(100), 12), (D("0.7"), 1193)])
def test_money_doubles_in_the_time_of_the_logarithm(rate: D, months: int) -> None:
    doubled = figures(
        "savings_goal",
        goal=D(200),
        saved=D(100),
        yearly_rate=rate,
        monthly_amount=D(0),
        compounding="yearly",
    )
    assert doubled.months == months
    assert doubled.final_balance >= 200


def test_strategies_that_are_alike_are_told_once() -> None:
    result = CALCULATORS["debt_payoff"].function(
        debts=(
            Debt(name="card", balance=D(3000), yearly_rate=D(26)),
            Debt(name="car", balance=D(5500), yearly_rate=D(19)),
        ),
        monthly_budget=D(400),
    )
    assert result.answer == (
        "Pay off card, then car: the highest rate "
        "first (avalanche) is the smallest balance first (snowball), "
        "too. It takes 2 years and 3 months and costs 2,065.00 of interest."
    )
    assert [step.split(":")[0] for step in result.steps] == ["avalanche", "avalanche"]
    assert result.figures.snowball.total_interest == result.figures.avalanche.total_interest


def test_minimum_payments_go_to_every_debt() -> None:
    payoff = figures(
        "debt_payoff",
        debts=(
            Debt(name="card", balance=D(1000), yearly_rate=D(20), minimum_payment=D(50)),
            Debt(name="car", balance=D(100), yearly_rate=D(0), minimum_payment=D(50)),
        ),
        monthly_budget=D(100),
    )
    assert payoff.avalanche.order[0].name == "car"
    assert payoff.avalanche.order[0].month == 2


def test_a_snowball_that_never_ends_leaves_the_avalanche_standing() -> None:
    payoff = figures(
        "debt_payoff",
        debts=(
            Debt(name="big", balance=D(10_000), yearly_rate=D(100)),
            Debt(name="small", balance=D(9_000), yearly_rate=D(0)),
        ),
        monthly_budget=D(840),
    )
    assert payoff.snowball is None
    assert payoff.interest_saved_by_avalanche is None
    assert payoff.avalanche.months > 12


@each_row(("name", "arguments", "expected"), PUBLISHED)
def test_every_result_shows_its_formula_steps_and_assumptions(
    name: str, arguments: Mapping[str, Any], expected: Mapping[str, Any]
) -> None:
    result = CALCULATORS[name].function(**arguments)
    assert result.formula
    assert result.steps
    assert all(result.steps)
    assert result.assumptions
    assert result.answer.endswith(".")


def test_the_steps_of_a_loan_can_be_followed_by_hand() -> None:
    result = CALCULATORS["loan_instalment"].function(principal=D(200_000), yearly_rate=D(6), years=30)
    assert result.answer == (
        "The monthly instalment is 1,199.10; over 30 years that is 231,676.38 of interest."
    )
    assert result.formula == "instalment = P * i / (1 - (1 + i)^-n)"
    assert result.steps == (
        "Monthly rate i: 6% / 12 = 0.5%, n = 360 months",
        "Present value of 1 a month: 166.7916144",
        "Instalment: 200,000.00 / 166.7916144 = 1,199.10",
        "Total interest: 431,676.38 - 200,000.00 = 231,676.38",
    )
