"""The expressions of stories: what they may have, and what becomes of them with numbers."""

from decimal import Decimal

import pytest

from finassist.domain.calculators.calculation import CalculationError
from finassist.domain.calculators.everyday.expressions import arithmetic
from finassist.domain.calculators.stories.expressions import Numbers, parsed
from finassist.domain.calculators.stories.story import story_in

POOL: Numbers = {"pool": ["612.00"], "hours": ["31", "22.5", "18"]}


@pytest.mark.parametrize(
    ("expression", "place", "told"),
    [
        ("pool * hours / sum(hours)", 1, "612.00 * 22.5 / (31 + 22.5 + 18)"),
        ("pool / count(hours)", 0, "612.00 / 3"),
        ("pool - (hours - 2)", 2, "612.00 - (18 - 2)"),
        ("max(pool, 500, 700)", 0, "max(max(612.00, 500), 700)"),
        ("sum(hours * 2)", 0, "31 * 2 + 22.5 * 2 + 18 * 2"),
        ("power(1 + 0.05, 2) * -pool", 0, "power(1 + 0.05, 2) * -612.00"),
    ],
)
def test_roles_become_the_numbers_that_were_told(expression: str, place: int, told: str) -> None:
    assert parsed(expression).told(POOL, place) == told


@pytest.mark.parametrize(
    "expression",
    [
        "pool ** 2",
        "pool.hours",
        "open(pool)",
        "sum()",
        "count(2)",
        "min(pool)",
        "'a'",
        "pool if 1 else 2",
        "1 +",
    ],
)
def test_anything_else_is_no_expression(expression: str) -> None:
    with pytest.raises(ValueError, match=r"expression|no story"):
        parsed(expression)


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("(bill + extra) * (1 + tax / 100)", "bill"),
        ("bill * times / times", "bill"),
        ("extra + bill * times - extra", "bill"),
        ("min(bill, limit)", "bill"),
        ("bill - extra * 3", "bill"),
        ("bill / people", "bill / 2.0"),
    ],
)
def test_numbers_that_are_not_told_and_change_nothing_are_not_shown(expression: str, shown: str) -> None:
    defaults = {"extra": "0", "tax": "0", "times": "1", "limit": "1000000000000", "people": "2"}
    values = {name: Decimal(value) for name, value in defaults.items()}
    told = parsed(expression).with_defaults(values).told({"bill": ["bill"]})
    assert told == shown.replace("2.0", "2")


def test_roles_that_are_worked_out_one_by_one_belong_together() -> None:
    several = frozenset(("prices", "sizes"))
    assert parsed("prices / sizes").together(several) == [several]
    assert parsed("sum(prices * sizes) / sum(sizes)").together(several) == [several]
    assert parsed("sum(prices) / sum(sizes)").together(several) == []


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        ({"expression": "pool / people"}, "no such role: people"),
        ({"expression": "pool", "each": "pool"}, "for each of one number"),
        ({"expression": "pool / hours"}, "one of several numbers"),
    ],
)
def test_a_story_that_cannot_be_worked_out_is_refused(figure: dict[str, str], said: str) -> None:
    roles = {"pool": {"asked": "the pool"}, "hours": {"asked": "the hours", "several": True}}
    with pytest.raises(ValueError, match=said):
        story_in({"name": "a", "about": "", "roles": roles, "figures": [{"label": "It", **figure}]})


@pytest.mark.parametrize(
    ("expression", "answer"),
    [
        ("power(1.05, 3) * 100", "It comes to 115.76."),
        ("power(2, 1 / 2)", "It comes to 1.4142."),
        ("ceil(100 / 6)", "It comes to 17.00."),
        ("floor(100 / 6) * 6", "It comes to 96.00."),
    ],
)
def test_plain_sums_have_powers_and_whole_numbers(expression: str, answer: str) -> None:
    assert arithmetic(expression=expression).answer == answer


@pytest.mark.parametrize(
    "expression", ["power(2)", "floor 3", "ceil(3", "power(0, -1)", "power(9, 999999999)"]
)
def test_functions_without_their_numbers_are_refused(expression: str) -> None:
    with pytest.raises(CalculationError):
        arithmetic(expression=expression)


def test_a_bare_number_has_no_unit() -> None:
    assert arithmetic(expression="36 / 3", unit="").answer == "It comes to 12."
