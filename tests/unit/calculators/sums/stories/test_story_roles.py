"""Which number has which role, what is checked before anything is told, and what is told then."""

from collections.abc import Sequence
from typing import Any

import pytest

from finassist.domain.calculators.stories import reading
from finassist.domain.calculators.stories.numbers import numbers_in
from finassist.domain.calculators.stories.reading import ToldStory, told_story
from finassist.domain.calculators.stories.scores import StoryScores, casts_of, score_name
from finassist.domain.calculators.stories.story import NONE, UNUSED, story_in
from unit.calculators.sums.stories.made_up import STORIES, TIPS, scores, told, written


@pytest.fixture(autouse=True)
def made_up_stories(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "stories", lambda: STORIES)


def sums_of(story: ToldStory) -> list[tuple[str, str]]:
    return [(each.label, each.expression) for each in story.sums()]


def test_each_number_has_its_likeliest_role() -> None:
    story = told("612 tips on day 3, ana 31 and beto 22.5", "tips", "pool", UNUSED, "hours", "hours")
    assert written(story) == {"pool": ["612"], "hours": ["31", "22.5"]}
    assert 0.99 < story.sureness < 1
    assert story.understood == "612 (the amount to split); 31, 22.5 (the hours of each)"


def test_a_role_that_takes_one_number_has_the_likelier_of_two() -> None:
    numbers = numbers_in("612 and 700")
    pool = score_name("tips", "pool")
    of_both = scores("tips", "pool", "pool").roles
    [cast] = casts_of(TIPS, numbers, StoryScores({}, [of_both[0], {**of_both[1], pool: 8.0}]))
    assert [each.written for each in cast.numbers["pool"]] == ["612"]
    assert cast.likelihood < 0.01


def test_a_usual_number_that_is_taken_is_told() -> None:
    given = {
        "name": "pay",
        "about": "",
        "least": 2,
        "roles": {
            "rate": {"asked": "the rate"},
            "weeks": {"asked": "the weeks of a year", "optional": True, "default": "52"},
            "bonus": {"asked": "a bonus", "optional": True, "default": "0"},
        },
        "figures": [{"label": "A year", "expression": "rate * weeks + bonus"}],
    }
    story = ToldStory(story_in(given), {"rate": numbers_in("20"), "bonus": numbers_in("5")}, 1.0)
    assert story.supposed == "52 (the weeks of a year)"
    assert sums_of(story) == [("A year", "20 * 52 + 5")]
    assert ToldStory(story_in(given), {"rate": numbers_in("20")}, 1.0).sums() == ()


def test_a_number_that_is_said_twice_has_its_role_once() -> None:
    story = told(
        "612 between us, 31 and 22 hours. how is the 612 split", "tips", "pool", "hours", "hours", "pool"
    )
    assert written(story) == {"pool": ["612"], "hours": ["31", "22"]}
    assert story.sureness > 0.99


def test_too_many_numbers_are_no_story() -> None:
    text = " ".join(map(str, range(30)))
    assert told_story(numbers_in(text), scores("tips", *["hours"] * 30)) is None


def test_a_message_that_is_likelier_none_is_no_story() -> None:
    assert told_story(numbers_in("612"), scores(NONE, UNUSED)) is None
    assert told_story([], scores("tips")) is None


def test_the_figures_are_expressions_of_the_numbers_in_their_order() -> None:
    assert sums_of(told("612, ana 31, beto 22.5", "tips", "pool", "hours", "hours")) == [
        ("Each (31)", "612 * 31 / (31 + 22.5)"),
        ("Each (22.5)", "612 * 22.5 / (31 + 22.5)"),
        ("For one hour", "612 / (31 + 22.5)"),
        ("Hours", "31 + 22.5"),
    ]


def test_an_optional_number_counts_when_it_is_told() -> None:
    story = told("612, 10 % for the house, 31, 22", "tips", "pool", "kept", "hours", "hours")
    assert sums_of(story)[2] == ("For one hour", "612 * (1 - 10 / 100) / (31 + 22)")


@pytest.mark.parametrize(
    ("text", "roles", "lacking"),
    [
        ("31 and 22 hours", ("hours", "hours"), ["pool"]),
        ("612 for 31 hours", ("pool", "hours"), ["hours"]),
        ("612 for 31 and 22", ("pool", "hours", "hours"), []),
    ],
)
def test_what_lacks_is_known(text: str, roles: Sequence[str], lacking: list[str]) -> None:
    assert told(text, "tips", *roles).lacking == lacking


def test_lists_that_belong_together_have_the_same_length() -> None:
    even = told("2 for 100, 3 for 200", "packs", "prices", "sizes", "prices", "sizes")
    assert even.is_even
    assert sums_of(even) == [("For one (2)", "2 / 100"), ("For one (3)", "3 / 200")]
    uneven = ("2, 3 or 4 for 100, 200", ("prices", "prices", "prices", "sizes", "sizes"))
    assert told_story(numbers_in(uneven[0]), scores("packs", *uneven[1])) is None
    assert not ToldStory(even.story, {**even.numbers, "sizes": even.numbers["sizes"][:1]}, 1.0).is_even


@pytest.mark.parametrize("text", ["2 for 0, 3 for 0", "0 for 0, 0 for 0"])
def test_a_first_figure_without_a_result_tells_nothing(text: str) -> None:
    numbers = numbers_in(text)
    assert told_story(numbers, scores("packs", "prices", "sizes", "prices", "sizes")) is None
    in_roles = {"prices": numbers[::2], "sizes": numbers[1::2]}
    assert ToldStory(STORIES["packs"], in_roles, 1.0).sums() == ()


def test_a_first_figure_below_zero_tells_nothing() -> None:
    have, spent = numbers_in("have 50, spent 80")
    assert told_story((have, spent), scores("left", "have", "spent")) is None
    assert ToldStory(STORIES["left"], {"have": [have], "spent": [spent]}, 1.0).sums() == ()


def test_a_label_may_say_what_minus_means() -> None:
    given: dict[str, Any] = {
        "name": "left",
        "about": "",
        "roles": {"have": {"asked": "what there is"}, "spent": {"asked": "what is spent"}},
        "figures": [{"label": "Left (with minus: too much)", "expression": "have - spent"}],
    }
    have, spent = numbers_in("have 50, spent 80")
    story = ToldStory(story_in(given), {"have": [have], "spent": [spent]}, 1.0)
    assert sums_of(story) == [("Left (with minus: too much)", "50 - 80")]


def test_a_later_figure_without_a_result_is_left_out() -> None:
    assert sums_of(told("have 0, spent 0", "left", "have", "spent")) == [("Left", "0 - 0")]


def test_the_same_result_is_told_once() -> None:
    story = told("20, 10 and 10 hours", "tips", "pool", "hours", "hours")
    assert [each.label for each in story.sums()] == ["Each (10)", "Each (10)", "For one hour", "Hours"]
    given = told("have 100, spent 50", "left", "have", "spent")
    assert [each.label for each in given.sums()] == ["Left", "Share"]
