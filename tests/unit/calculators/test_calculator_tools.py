"""The calculators as a model sees them, and how strictly its arguments are taken."""

import asyncio
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from finassist.adapters.tools.calculators import CalculatorTools
from finassist.domain.calculators import CALCULATORS, Debt
from tables import each_row

TOOLS = CalculatorTools()
SPECS = {spec.name: spec for spec in TOOLS.specs()}
LOAN = {"principal": 20000, "yearly_rate": 7, "years": 5}
GOOD: dict[str, dict[str, Any]] = {
    "compound_interest": {"principal": 1000, "yearly_rate": 5, "years": 10},
    "loan_instalment": LOAN,
    "loan_affordability": {"monthly_payment": 400, "yearly_rate": 7, "years": 5},
    "savings_goal": {"goal": 10000, "years": 2},
    "retirement_corpus": {
        "monthly_expenses": 3000,
        "years_to_retirement": 30,
        "years_in_retirement": 25,
        "yearly_inflation": 3,
        "yearly_return": 7,
        "return_in_retirement": 5,
    },
    "regular_investment": {"monthly_amount": 100, "yearly_return": 8, "years": 10},
    "inflation_adjustment": {"amount_today": 1000, "yearly_inflation": 3, "years": 10},
    "debt_payoff": {"debts": [{"name": "card", "balance": 5000, "yearly_rate": 18.5}], "monthly_budget": 400},
    "emergency_fund": {"monthly_expenses": 2000},
    "effective_annual_rate": {"yearly_rate": 12, "compounding": "monthly"},
    "compound_annual_growth_rate": {"start_value": 100, "end_value": 200, "years": 5},
    "percentage": {"operation": "of", "amount": 480, "percent": 15},
    "taxable_equivalent_yield": {"tax_free_yield": 3.5, "tax_rate": 24},
}
GOOD |= {
    example["name"]: example["arguments"]
    for example in map(
        json.loads,
        Path(__file__).with_name("calculations_published.jsonl").read_text("utf-8").splitlines(),
    )
}


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from nodes(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from nodes(item)


def test_every_calculator_is_a_tool_under_its_own_name() -> None:
    assert set(GOOD) == set(CALCULATORS)
    assert list(SPECS) == list(CALCULATORS)
    assert all(spec.description == CALCULATORS[name].description for name, spec in SPECS.items())


@each_row("name", SPECS)
def test_a_schema_is_a_closed_object_that_stands_on_its_own(name: str) -> None:
    schema = dict(SPECS[name].parameters)
    assert (schema["type"], schema["additionalProperties"]) == ("object", False)
    assert all(field["description"] for field in schema["properties"].values())
    assert not any("$ref" in node or "$defs" in node for node in nodes(schema))
    json.dumps(schema)


def test_a_schema_says_types_ranges_and_defaults() -> None:
    properties = SPECS["loan_instalment"].parameters["properties"]
    assert properties["principal"].items() >= {"type": "number", "minimum": 0}.items()
    assert properties["years"].items() >= {"type": "integer", "maximum": 100, "default": 0}.items()
    assert SPECS["loan_instalment"].parameters["required"] == ["principal", "yearly_rate"]
    compounding = SPECS["effective_annual_rate"].parameters["properties"]["compounding"]
    assert compounding["type"] == "string"
    assert "monthly" in compounding["enum"]
    debts = SPECS["debt_payoff"].parameters["properties"]["debts"]
    assert (debts["type"], debts["minItems"], debts["maxItems"]) == ("array", 1, 20)
    assert debts["items"]["required"] == ["name", "balance", "yearly_rate"]


@each_row(("name", "arguments"), GOOD.items())
async def test_a_result_shows_its_work_in_json_types(name: str, arguments: dict[str, Any]) -> None:
    outcome = await TOOLS.call(name, arguments)
    assert not outcome.is_error, outcome
    assert outcome.result.keys() == {"answer", "figures", "formula", "steps", "assumptions", "series"}
    assert json.loads(json.dumps(outcome.result)) == outcome.result


async def test_the_points_of_a_chart_do_not_go_into_a_prompt() -> None:
    outcome = await TOOLS.call("loan_instalment", LOAN)
    assert len(outcome.result["series"]["points"]) == 60
    assert outcome.result["series"]["points"][0].keys() == {"at", "interest", "principal", "balance"}
    assert outcome.for_prompt == {key: value for key, value in outcome.result.items() if key != "series"}
    refused = await TOOLS.call("loan_instalment", {})
    assert refused.for_prompt == refused.result


async def test_a_tool_gives_what_the_calculator_gives_to_the_cent() -> None:
    outcome = await TOOLS.call("debt_payoff", GOOD["debt_payoff"])
    direct = CALCULATORS["debt_payoff"].function(
        debts=(Debt(name="card", balance=Decimal(5000), yearly_rate=Decimal("18.5")),),
        monthly_budget=Decimal(400),
    )
    assert outcome.result["answer"] == direct.answer
    assert outcome.result["figures"]["avalanche"]["total_interest"] == str(
        direct.figures.avalanche.total_interest
    )


async def test_a_json_number_stands_for_the_decimal_that_it_shows() -> None:
    outcome = await TOOLS.call("loan_instalment", {"principal": 0.1, "yearly_rate": 0.3, "years": 1})
    direct = CALCULATORS["loan_instalment"].function(
        principal=Decimal("0.1"), yearly_rate=Decimal("0.3"), years=1
    )
    assert outcome.result["steps"] == list(direct.steps)


@each_row(
    ("name", "arguments", "says"),
    [
        ("loan_instalment", {**LOAN, "principal": "20000"}, "principal"),
        ("loan_instalment", {**LOAN, "principal": True}, "principal"),
        ("loan_instalment", {**LOAN, "principal": None}, "principal"),
        ("loan_instalment", {**LOAN, "principal": -1}, "principal"),
        ("loan_instalment", {**LOAN, "principal": 10**400}, "principal"),
        ("loan_instalment", {**LOAN, "principal": float("nan")}, "principal"),
        ("loan_instalment", {**LOAN, "principal": float("inf")}, "principal"),
        ("loan_instalment", {**LOAN, "years": 5.0}, "years"),
        ("loan_instalment", {**LOAN, "years": "5"}, "years"),
        ("loan_instalment", {**LOAN, "years": True}, "years"),
        ("loan_instalment", {**LOAN, "years": 10**6}, "years"),
        ("loan_instalment", {**LOAN, "term": 5}, "term"),
        ("loan_instalment", {"principal": 20000, "years": 5}, "yearly_rate"),
        ("loan_instalment", {"principal": 20000, "yearly_rate": 7}, "term"),
        ("loan_instalment", {}, "principal"),
        ("effective_annual_rate", {"yearly_rate": 12, "compounding": "hourly"}, "compounding"),
        ("debt_payoff", {"debts": [], "monthly_budget": 400}, "debts"),
        ("debt_payoff", {"debts": [{"name": "card"}], "monthly_budget": 400}, "debts"),
        ("debt_payoff", {"debts": "all", "monthly_budget": 400}, "debts"),
        ("debt_payoff", {**GOOD["debt_payoff"], "monthly_budget": 1}, "budget"),
        ("print_money", {}, "loan_instalment"),
        ("", {}, "loan_instalment"),
        ("__class__", {}, "loan_instalment"),
    ],
)
async def test_wrong_arguments_are_an_outcome_that_says_what_is_wrong(
    name: str, arguments: dict[str, Any], says: str
) -> None:
    outcome = await TOOLS.call(name, arguments)
    assert outcome.is_error
    assert says in outcome.result["error"]


async def test_a_hundred_calls_at_once_keep_their_numbers_apart() -> None:
    outcomes = await asyncio.gather(
        *(TOOLS.call("loan_instalment", {**LOAN, "principal": 1000 * n}) for n in range(1, 101))
    )
    alone = [await TOOLS.call("loan_instalment", {**LOAN, "principal": 1000 * n}) for n in range(1, 101)]
    assert outcomes == alone


async def test_a_number_out_of_range_is_refused_in_words_that_a_person_can_read() -> None:
    too_much = await TOOLS.call("loan_instalment", {**LOAN, "principal": 10**18})
    assert too_much.is_error
    assert too_much.result == {"error": "The principal must be at most 1,000,000,000,000,000."}
