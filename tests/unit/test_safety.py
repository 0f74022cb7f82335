"""Who gets help instead of an answer, and that nobody else does."""

from pathlib import Path

import pytest

from finassist.domain.safety import Concern, help_for

HELP = [line.split(": ", 1) for line in Path(__file__).with_name("safety_help.txt").read_text().splitlines()]
LEFT_ALONE = Path(__file__).with_name("safety_left_alone.txt").read_text().splitlines()


@pytest.mark.parametrize(("concern", "message"), HELP)
def test_a_message_of_somebody_in_distress_gets_help(concern: str, message: str) -> None:
    help_ = help_for(message)
    assert help_ is not None
    assert help_.concern == concern


@pytest.mark.parametrize("message", LEFT_ALONE)
def test_an_ordinary_question_is_left_to_the_model(message: str) -> None:
    assert help_for(message) is None


def test_the_examples_are_many() -> None:
    assert len(HELP) > 200
    assert len(LEFT_ALONE) > 200
    assert {concern for concern, _ in HELP} == set(Concern)


@pytest.mark.parametrize(
    "message", ["I WANT TO DIE", "i  want\nto die!", "I don\u2019t want to live any more"]
)
def test_case_blanks_and_typographic_quotes_change_nothing(message: str) -> None:
    help_ = help_for(message)
    assert help_ is not None
    assert help_.concern is Concern.SELF_HARM


def test_self_harm_comes_before_everything_else() -> None:
    help_ = help_for("I was scammed, I am being evicted and I want to kill myself")
    assert help_ is not None
    assert help_.concern is Concern.SELF_HARM


@pytest.mark.parametrize("concern", Concern)
def test_help_is_kind_and_says_where_to_turn_on_four_continents(concern: Concern) -> None:
    [message] = [message for named, message in HELP if named == concern][:1]
    help_ = help_for(message)
    assert help_ is not None
    assert all(place in help_.text for place in ("USA", "UK", "India", "Australia"))
    assert "sorry" in help_.text or "glad that you told me" in help_.text
    assert len(help_.text) < 2000
