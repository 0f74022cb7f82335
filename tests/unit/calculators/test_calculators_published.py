"""The calculators of everyday life against published tables and closed formulas, called as tools."""

import json
import re
from pathlib import Path
from typing import Any

from finassist.adapters.tools.calculators import CalculatorTools
from finassist.domain.calculators import CALCULATORS
from tables import each_row
from unit.calculators.test_calculator_tools import GOOD

PAGE = (Path(__file__).parents[3] / "docs/calculators.md").read_text("utf-8")
DOCUMENTED = {
    line.split("`")[1]: line.split("|")[2:4]
    for line in PAGE.splitlines()
    if line.startswith("| `") and line.count("|") == 4
}
TOOLS = CalculatorTools()
EXAMPLES = [
    json.loads(line)
    for line in Path(__file__).with_name("calculations_published.jsonl").read_text("utf-8").splitlines()
]
EVERY = each_row("example", EXAMPLES)


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


@each_row(("name", "arguments"), [*GOOD.items(), *((row["name"], row["arguments"]) for row in EXAMPLES)])
async def test_no_step_repeats_what_the_answer_says(name: str, arguments: dict[str, Any]) -> None:
    result = (await TOOLS.call(name, arguments)).result
    ends = [end for step in result["steps"] for end in re.findall(r"= ([\d,.]+%?)$", step)]
    if name != "loan_instalment":  # its steps are the worked example of an instalment
        assert set(ends) & {word.rstrip(".:;,") for word in result["answer"].split()} == set()


@each_row(("name", "arguments"), GOOD.items())
async def test_every_figure_and_component_is_documented(name: str, arguments: dict[str, Any]) -> None:
    result = (await TOOLS.call(name, arguments)).result
    figures, series = DOCUMENTED[name]
    assert re.findall(r"`(\w+)`", figures) == list(result["figures"])
    components = set(result["series"]["points"][0]) - {"at"} if result["series"] else set()
    assert components <= set(re.findall(r"`(\w+)`", series))


def test_every_calculator_is_documented() -> None:
    assert list(DOCUMENTED) == list(CALCULATORS)
