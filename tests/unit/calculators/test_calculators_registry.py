"""What an adapter needs to offer the calculators as tools: names, descriptions, typed parameters."""

import inspect
from decimal import Decimal
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import msgspec
import pytest

from finassist.domain.calculators import CALCULATORS, Calculator, Debt, Param
from tables import each_row

EVERY = each_row("calculator", CALCULATORS.values())


def arguments_type(calculator: Calculator) -> type[msgspec.Struct]:
    hints = get_type_hints(calculator.function, include_extras=True)
    fields = [
        (name, hints[name])
        if parameter.default is parameter.empty
        else (name, hints[name], parameter.default)
        for name, parameter in inspect.signature(calculator.function).parameters.items()
    ]
    return msgspec.defstruct(calculator.name, fields, kw_only=True, forbid_unknown_fields=True)


def test_the_calculators_have_their_own_names() -> None:
    assert len(CALCULATORS) == 74
    assert all(
        name == calculator.name == calculator.function.__name__ for name, calculator in CALCULATORS.items()
    )


@EVERY
def test_a_calculator_describes_itself_and_every_parameter(calculator: Calculator) -> None:
    assert 20 < len(calculator.description) < 120
    hints = get_type_hints(calculator.function, include_extras=True)
    for name, parameter in inspect.signature(calculator.function).parameters.items():
        assert parameter.kind is parameter.KEYWORD_ONLY
        assert get_origin(hints[name]) is Annotated
        [param] = [extra for extra in get_args(hints[name]) if isinstance(extra, Param)]
        assert param.description


@EVERY
def test_a_json_schema_can_be_made_from_the_signature(calculator: Calculator) -> None:
    schema = msgspec.json.schema(arguments_type(calculator))
    properties = schema["$defs"][calculator.name]["properties"]
    assert set(properties) == set(inspect.signature(calculator.function).parameters)


def test_arguments_in_json_call_a_calculator_and_the_result_is_json_again() -> None:
    calculator = CALCULATORS["debt_payoff"]
    body = b'{"debts": [{"name": "card", "balance": 5000, "yearly_rate": 18.5}], "monthly_budget": "400"}'
    arguments: Any = msgspec.json.decode(body, type=arguments_type(calculator))
    assert arguments.debts == (Debt(name="card", balance=Decimal(5000), yearly_rate=Decimal("18.5")),)
    result = calculator.function(debts=arguments.debts, monthly_budget=arguments.monthly_budget)
    assert msgspec.json.decode(msgspec.json.encode(result))["figures"]["avalanche"]["months"] == 14


def test_an_argument_that_no_calculator_knows_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"rate": 5}', type=arguments_type(CALCULATORS["effective_annual_rate"]))
