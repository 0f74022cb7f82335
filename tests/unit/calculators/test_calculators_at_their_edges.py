"""The calculators at the edges of what can be calculated, and beyond."""

from collections.abc import Mapping
from decimal import Decimal, localcontext
from typing import Any

import pytest

from finassist.domain.calculators import CALCULATORS, CalculationError, Debt
from tables import each_row

D = Decimal


def figures(name: str, **arguments: Any) -> Any:
    return CALCULATORS[name].function(**arguments).figures


@each_row(
    ("name", "arguments", "expected"),
    [
        (
            "loan_instalment",
            {"principal": D(1200), "yearly_rate": D(0), "years": 1},
            {"instalment": D(100), "total_interest": D(0)},
        ),
        (
            "loan_instalment",
            {"principal": D(0), "yearly_rate": D(5), "years": 1},
            {"instalment": D(0), "total_interest": D(0)},
        ),
        (
            "loan_instalment",
            {"principal": D(1000), "yearly_rate": D(12), "months": 1},
            {"instalment": D(1010), "total_interest": D(10)},
        ),
        (
            "loan_affordability",
            {"monthly_payment": D(100), "yearly_rate": D(0), "years": 1},
            {"max_principal": D(1200)},
        ),
        (
            "compound_interest",
            {"principal": D(100), "yearly_rate": D(0), "years": 100, "contribution": D(1)},
            {"final_value": D(1300), "interest": D(0)},
        ),
        (
            "regular_investment",
            {"monthly_amount": D(0), "yearly_return": D(12), "years": 3},
            {"final_value": D(0)},
        ),
        (
            "regular_investment",
            {"monthly_amount": D(10), "yearly_return": D(0), "years": 2, "yearly_step_up": D(10)},
            {"final_value": D(252)},
        ),
        ("savings_goal", {"goal": D(1000), "months": 10}, {"monthly_amount": D(100), "interest": D(0)}),
        ("savings_goal", {"goal": D(1000), "monthly_amount": D(100)}, {"months": 10}),
        (
            "savings_goal",
            {"goal": D(1010), "saved": D(1000), "yearly_rate": D(12), "monthly_amount": D(0)},
            {"months": 1},
        ),
        (
            "savings_goal",
            {"goal": D(1000), "saved": D(999), "yearly_rate": D(12), "months": 5},
            {"monthly_amount": D(0)},
        ),
        (
            "inflation_adjustment",
            {"amount_today": D(5), "yearly_inflation": D(0), "months": 1},
            {"future_cost": D(5), "real_value": D(5)},
        ),
        ("emergency_fund", {"monthly_expenses": D(0)}, {"target": D(0), "gap": D(0), "months_to_fill": 0}),
        ("emergency_fund", {"monthly_expenses": D(10), "saved": D(99)}, {"gap": D(0), "months_to_fill": 0}),
        ("emergency_fund", {"monthly_expenses": D(10)}, {"gap": D(60), "months_to_fill": None}),
        ("effective_annual_rate", {"yearly_rate": D(0), "compounding": "daily"}, {"effective_rate": D(0)}),
        (
            "effective_annual_rate",
            {"yearly_rate": D(7), "compounding": "yearly", "given": "effective"},
            {"nominal_rate": D(7)},
        ),
        (
            "compound_annual_growth_rate",
            {"start_value": D(100), "end_value": D(0), "years": 2},
            {"yearly_growth_rate": D(-100)},
        ),
        (
            "taxable_equivalent_yield",
            {"tax_free_yield": D(3), "tax_rate": D(0), "taxed_yield": D(3)},
            {"taxable_equivalent_yield": D(3), "better": "equal"},
        ),
    ],
)
def test_zero_rates_zero_amounts_and_single_periods_have_their_limits(
    name: str, arguments: Mapping[str, Any], expected: Mapping[str, Any]
) -> None:
    found = figures(name, **arguments)
    assert {field: getattr(found, field) for field in expected} == expected


RETIREMENT = {
    "monthly_expenses": D(1000),
    "years_to_retirement": 10,
    "years_in_retirement": 20,
    "yearly_inflation": D(3),
    "yearly_return": D(5),
}
CARD = Debt(name="card", balance=D(1000), yearly_rate=D(24))


@each_row(
    ("name", "arguments", "message"),
    [
        (
            "loan_instalment",
            {"principal": D(-1), "yearly_rate": D(5), "years": 1},
            "principal must be at least 0",
        ),
        (
            "loan_instalment",
            {"principal": D(1), "yearly_rate": D(-5), "years": 1},
            "yearly rate must be at least 0",
        ),
        ("loan_instalment", {"principal": D(1), "yearly_rate": D(5)}, "at least one month"),
        (
            "loan_instalment",
            {"principal": D(1), "yearly_rate": D(5), "years": 100, "months": 1},
            "at most 100 years",
        ),
        (
            "loan_instalment",
            {"principal": D(1), "yearly_rate": D(5), "months": 10**9},
            "months must be at most 1,200",
        ),
        ("loan_instalment", {"principal": D("NaN"), "yearly_rate": D(5), "years": 1}, "must be a number"),
        (
            "loan_instalment",
            {"principal": D("Infinity"), "yearly_rate": D(5), "years": 1},
            "must be a number",
        ),
        (
            "loan_instalment",
            {"principal": D("1e30"), "yearly_rate": D(5), "years": 1},
            "principal must be at most",
        ),
        (
            "loan_instalment",
            {"principal": D(1), "yearly_rate": D("1e-40"), "years": 1},
            "too small to matter",
        ),
        ("compound_interest", {"principal": D(1), "yearly_rate": D(1000), "years": 100}, "too large to mean"),
        (
            "compound_interest",
            {
                "principal": D(1),
                "yearly_rate": D(5),
                "months": 7,
                "contribution": D(1),
                "contribution_interval": "quarterly",
            },
            "whole number of 3-month",
        ),
        ("savings_goal", {"goal": D(0), "years": 1}, "goal must be more than 0"),
        ("savings_goal", {"goal": D(10), "saved": D(10), "years": 1}, "already reached"),
        ("savings_goal", {"goal": D(10)}, "either the monthly amount or the term"),
        (
            "savings_goal",
            {"goal": D(10), "monthly_amount": D(1), "years": 1},
            "either the monthly amount or the term",
        ),
        ("savings_goal", {"goal": D(10), "monthly_amount": D(0)}, "never reached"),
        ("savings_goal", {"goal": D(10), "saved": D(1), "monthly_amount": D(0)}, "never reached"),
        (
            "savings_goal",
            {"goal": D(10**15), "yearly_rate": D(1), "monthly_amount": D(1)},
            "more than 100 years",
        ),
        ("retirement_corpus", RETIREMENT | {"years_to_retirement": 0}, "must be at least 1"),
        ("retirement_corpus", RETIREMENT | {"monthly_expenses": D(0)}, "must be more than 0"),
        ("compound_annual_growth_rate", {"start_value": D(0), "end_value": D(1), "years": 1}, "more than 0"),
        ("taxable_equivalent_yield", {"tax_free_yield": D(3), "tax_rate": D(100)}, "less than 100"),
        ("emergency_fund", {"monthly_expenses": D(1), "months_covered": 0}, "must be at least 1"),
        ("debt_payoff", {"debts": (), "monthly_budget": D(1)}, "no debt"),
        ("debt_payoff", {"debts": (CARD,)}, "amount that can be paid every month"),
        ("percentage", {"operation": "of", "amount": D(1)}, "one amount and a percentage"),
        ("percentage", {"operation": "share", "amount": D(1)}, "two amounts and no percentage"),
        (
            "percentage",
            {"operation": "add", "amount": D(1), "percent": D(1), "other_amount": D(1)},
            "one amount and a percentage",
        ),
        (
            "percentage",
            {"operation": "change", "amount": D(1), "percent": D(1), "other_amount": D(1)},
            "two amounts and no percentage",
        ),
        (
            "percentage",
            {"operation": "change", "amount": D(0), "other_amount": D(1)},
            "in percent of an amount of zero",
        ),
        ("percentage", {"operation": "of", "amount": D(-1), "percent": D(5)}, "at least 0"),
        ("debt_payoff", {"debts": (CARD,), "monthly_budget": D(20)}, "the debts only grow"),
        ("debt_payoff", {"debts": (CARD,) * 21, "monthly_budget": D(10**6)}, "At most 20 debts"),
        (
            "debt_payoff",
            {"debts": (Debt(name="x", balance=D(-1), yearly_rate=D(1)),), "monthly_budget": D(1)},
            "balance must be at least 0",
        ),
        (
            "debt_payoff",
            {
                "debts": (Debt(name="x", balance=D(500), yearly_rate=D(1), minimum_payment=D(50)),),
                "monthly_budget": D(40),
            },
            "minimum payments of 50.00",
        ),
        (
            "debt_payoff",
            {"debts": (CARD,), "monthly_budget": D("20.0000000001")},
            "not paid off in 100 years",
        ),
    ],
)
def test_impossible_numbers_are_refused_with_a_plain_message(
    name: str, arguments: Mapping[str, Any], message: str
) -> None:
    with pytest.raises(CalculationError, match=message):
        CALCULATORS[name].function(**arguments)


def test_results_do_not_depend_on_the_callers_decimal_context() -> None:
    with localcontext() as context:
        context.prec = 3
        assert figures("loan_instalment", principal=D(200_000), yearly_rate=D(6), years=30).instalment == D(
            "1199.10"
        )


def test_half_a_cent_is_rounded_up() -> None:
    assert figures("compound_interest", principal=D("0.1"), yearly_rate=D(5), years=1).final_value == D(
        "0.11"
    )


@each_row("months", range(1, 61))
def test_a_goal_that_is_reached_exactly_takes_no_month_more(months: int) -> None:
    goal = sum((100 * D("1.01") ** month for month in range(months)), D(0))
    assert figures("savings_goal", goal=goal, yearly_rate=D(12), monthly_amount=D(100)).months == months


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        (
            "savings_goal",
            {"goal": D(1000), "saved": D(990), "yearly_rate": D(10), "years": 1},
            "Nothing has to be added: in 1 year, 990.00 grows to 1,000.00 or more.",
        ),
        (
            "retirement_corpus",
            {
                "monthly_expenses": D(3000),
                "years_to_retirement": 1,
                "years_in_retirement": 1,
                "yearly_inflation": D(0),
                "yearly_return": D(0),
                "saved": D(36_000),
            },
            "The retirement needs a corpus of 36,000.00; what is saved today grows to that by itself.",
        ),
        ("percentage", {"operation": "change", "amount": D(4), "other_amount": D(4)}, "is no change."),
    ],
)
def test_an_answer_at_the_edge_is_still_a_sentence(
    name: str, arguments: Mapping[str, Any], answer: str
) -> None:
    assert CALCULATORS[name].function(**arguments).answer.endswith(answer)


def test_nothing_is_divided_by_a_rate_of_zero_in_a_formula() -> None:
    result = CALCULATORS["regular_investment"].function(monthly_amount=D(10), yearly_return=D(0), years=1)
    assert "/ i" not in result.formula


def test_a_single_debt_has_one_plan_to_tell() -> None:
    result = CALCULATORS["debt_payoff"].function(debts=(CARD,), monthly_budget=D(500))
    assert len(result.steps) == 1
    assert "avalanche" not in result.formula


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ({}, "A fund for 6 months should hold 60.00."),
        ({"saved": D(20)}, "A fund for 6 months should hold 60.00. 40.00 is still missing."),
        ({"saved": D(99)}, "A fund for 6 months should hold 60.00. It is filled already."),
        (
            {"monthly_saving": D(20)},
            "A fund for 6 months should hold 60.00. "
            "60.00 is still missing, which takes 3 months to set aside.",
        ),
    ],
)
def test_an_emergency_fund_says_what_is_missing_to_who_has_begun_to_save(
    arguments: Mapping[str, Any], answer: str
) -> None:
    assert CALCULATORS["emergency_fund"].function(monthly_expenses=D(10), **arguments).answer == answer
