"""Children and pets whose number decides a sum: it is never made without them."""

import pytest

from finassist.domain.calculators.recognition.asides import is_count_left_out
from recognised_calculations import recognise

pytestmark = pytest.mark.xdist_group("calculations")


@pytest.mark.parametrize(
    "question",
    [
        "4 kids, 9.50 each for the zoo and 36 for the bus, how much each?",
        "bill was 120 for 2 adults and 4 kids, how much each",
        "school dinners 2.60 a day for 3 kids, 5 days a week. a week?",
        "nursery 62 a day for 2 kids, 3 days a week, what is that a month",
        "dog food 40 a month, 2 dogs, how much per dog?",
    ],
)
def test_no_sum_is_made_without_the_number_of_those_it_is_paid_for(question: str) -> None:
    assert recognise(question) is None


def test_a_price_of_each_before_another_thing_is_no_count() -> None:
    found = recognise("zoo is 9.50 each for the morning and the bus 36, how much each?")
    assert found is None or "/ 9.5" not in str(found.arguments["expression"])


@pytest.mark.parametrize(
    ("question", "expression"),
    [
        ("shoes for 3 kids at 45 each, how much altogether", "45 * 3"),
        ("2 adults at 14 and 3 kids at 8, what do we pay in total?", "14 * 2 + 8 * 3"),
    ],
)
def test_children_with_a_price_have_a_part_in_the_sum(question: str, expression: str) -> None:
    found = recognise(question)
    assert found is not None
    assert found.arguments["expression"] == expression


def test_children_that_somebody_has_are_no_part_of_a_sum_that_is_not_shared() -> None:
    told = "my 2 kids start school, uniforms are 85 and shoes 60, what is that in total"
    assert not is_count_left_out(told, is_shared=False)
    assert is_count_left_out("my 2 kids and i paid 90, how much each", is_shared=True)
    assert is_count_left_out("fees are 32 a day, 2 kids, 5 days", is_shared=False)
