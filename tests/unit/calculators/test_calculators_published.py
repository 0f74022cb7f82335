"""The calculators of everyday life against published tables and closed formulas, called as tools."""

import json
from pathlib import Path
from typing import Any

import pytest

from finassist.adapters.tools.calculators import CalculatorTools

TOOLS = CalculatorTools()
EXAMPLES = [
    json.loads(line)
    for line in Path(__file__).with_name("calculations_published.jsonl").read_text("utf-8").splitlines()
]
EVERY = pytest.mark.parametrize(
    "example", EXAMPLES, ids=lambda example: f"{example['name']}-{example['source']}"
)


@EVERY
async def test_a_published_example_comes_out_to_the_cent(example: dict[str, Any]) -> None:
    outcome = await TOOLS.call(example["name"], example["arguments"])
    assert not outcome.is_error, outcome
    found = outcome.result["figures"]
    assert {name: found[name] for name in example["figures"]} == example["figures"]


@EVERY
async def test_a_result_tells_and_shows_its_work(example: dict[str, Any]) -> None:
    result = (await TOOLS.call(example["name"], example["arguments"])).result
    assert result["answer"].endswith(".")
    assert result["formula"]
    assert all([*result["steps"], *result["assumptions"]])
    assert result["steps"]
    assert result["assumptions"]
