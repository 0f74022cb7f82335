"""What a message most likely asks for: all stories and roles that come to a figure speak for it together."""

from math import exp

import pytest

from finassist.domain.calculators.stories import reading
from finassist.domain.calculators.stories.numbers import numbers_in
from finassist.domain.calculators.stories.reading import ToldStory, roles_of, told_story
from finassist.domain.calculators.stories.scores import StoryScores, casts_of, odds_of, score_name
from finassist.domain.calculators.stories.story import NONE, UNUSED
from unit.calculators.sums.stories.made_up import EACH_MONTH, STORIES, TIPS, of_roles, scores, told, written

FAR = -20.0
CERTAIN = 20.0


@pytest.fixture(autouse=True)
def made_up_stories(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "stories", lambda: STORIES)


def of_stories(**likely: float) -> dict[str, float]:
    """Log odds of stories, of which all others are out of question."""
    return {NONE: 0.0, **dict.fromkeys(STORIES, FAR), **likely}


def role(place: str, *names: str) -> dict[str, float]:
    """One number's role in each of some stories, beyond doubt."""
    return of_roles(**{score_name(name, place): CERTAIN for name in names})


def in_doubt(story: str, *places: str) -> dict[str, float]:
    """One number that has one of some roles of a story, each as likely."""
    return of_roles(**{score_name(story, place): CERTAIN for place in places})


def all_roles() -> list[dict[str, float]]:
    """The roles of two numbers in the stories of two numbers."""
    first = {**role("one", "change", "together", "ratio"), "left.have": CERTAIN}
    second = {**role("other", "change", "together", "ratio"), "left.spent": CERTAIN}
    return [first, second]


def test_stories_that_come_to_the_same_figure_speak_for_it_together() -> None:
    likely = {"together": 3.0, "left": 2.6, "change": 2.5}
    found = told_story(numbers_in("80 and 50"), StoryScores(of_stories(**likely), all_roles()))
    assert found is not None
    assert found.story.name == "left", "the likelier of the two that are left after the sum"
    same, other = exp(2.6) + exp(2.5), exp(3.0)
    assert found.sureness == pytest.approx(same / (1 + same + other), abs=0.001)


def test_the_likeliest_story_is_told_where_others_come_to_other_figures() -> None:
    likely = {"together": 3.0, "ratio": 2.6, "change": 2.5}
    found = told_story(numbers_in("80 and 50"), StoryScores(of_stories(**likely), all_roles()))
    assert found is not None
    assert found.story.name == "together"
    everything = 1 + sum(map(exp, likely.values()))
    assert found.sureness == pytest.approx(exp(3.0) / everything, abs=0.001)


@pytest.mark.parametrize(
    ("story", "text", "sure"),
    [("together", "80 and 50", 1.0), ("ratio", "80 and 50", 0.5)],
)
def test_ways_to_give_roles_that_come_to_the_same_figure_speak_for_it_together(
    story: str, text: str, sure: float
) -> None:
    roles = [in_doubt(story, "one", "other"), in_doubt(story, "one", "other")]
    found = told_story(numbers_in(text), StoryScores(of_stories(**{story: CERTAIN}), roles))
    assert found is not None
    assert found.story.name == story
    assert found.sureness == pytest.approx(sure, abs=0.01)


def test_a_way_to_give_roles_that_comes_to_no_figure_speaks_for_nothing() -> None:
    roles = [in_doubt("change", "one", "other"), in_doubt("change", "one", "other")]
    found = told_story(numbers_in("50 off 80"), StoryScores(of_stories(change=CERTAIN), roles))
    assert found is not None
    assert written(found) == {"one": ["80"], "other": ["50"]}
    assert found.sureness > 0.99


@pytest.mark.parametrize(("no_story", "is_told"), [(2.9, True), (3.1, False)])
def test_nothing_is_told_where_no_story_is_likelier_than_each_figure(no_story: float, is_told: bool) -> None:
    likely = of_stories(together=3.0, **{NONE: no_story})
    found = told_story(numbers_in("80 and 50"), StoryScores(likely, all_roles()))
    assert (found is not None) is is_told


def test_stories_that_come_to_the_same_are_together_likelier_than_no_story() -> None:
    likely = of_stories(left=2.6, change=2.5, **{NONE: 3.0})
    found = told_story(numbers_in("80 and 50"), StoryScores(likely, all_roles()))
    assert found is not None
    assert found.story.name == "left"


def test_a_story_that_lacks_a_number_counts_less_than_one_with_all() -> None:
    roles = [
        {**role("one", "change"), "tips.pool": CERTAIN},
        {**role("other", "change"), "tips.hours": CERTAIN},
    ]
    likely = of_stories(tips=3.0, change=2.5)
    found = told_story(numbers_in("80 and 50"), StoryScores(likely, roles))
    assert found is not None
    assert found.story.name == "change"
    found = told_story(numbers_in("80 and 50"), StoryScores({**likely, "tips": 4.5}, roles))
    assert found is not None
    assert list(found.lacking) == ["hours"]


def test_a_story_that_lacks_two_numbers_is_not_told() -> None:
    assert told_story(numbers_in("10 %"), scores("tips", "kept")) is None


@pytest.mark.parametrize(
    ("text", "unit", "in_roles"),
    [
        ("480 over 4 years", "months", {"one": ["480"], "other": ["48"]}),
        ("480 over 48 months", "months", {"one": ["480"], "other": ["48"]}),
        ("480 over 48", "", {"one": ["480"], "other": ["48"]}),
    ],
)
def test_a_number_is_converted_to_the_unit_of_its_role(
    text: str, unit: str, in_roles: dict[str, list[str]]
) -> None:
    found = told(text, "each_month", "one", "other")
    assert {name: [each.told for each in numbers] for name, numbers in found.numbers.items()} == in_roles
    assert found.numbers["other"][0].unit == unit
    assert [each.expression for each in found.sums()] == ["480 / 48"]


@pytest.mark.parametrize("text", ["480 at 4 %", "480 over 4 weeks", "480 and $4"])
def test_a_number_has_no_role_that_takes_another_unit(text: str) -> None:
    numbers = numbers_in(text)
    told_so = scores("each_month", "one", "other")
    [cast] = casts_of(EACH_MONTH, numbers, told_so)
    assert "other" not in cast.numbers
    assert cast.likelihood < 0.01, "it is what the network says last"
    assert told_story(numbers, told_so) is None


def test_the_roles_of_one_story_are_likely_beside_each_other_alone() -> None:
    odds = odds_of(TIPS, of_roles(**{"tips.pool": 1.0, "left.have": CERTAIN}))
    assert odds.keys() == {UNUSED, *TIPS.roles}
    assert sum(map(exp, odds.values())) == pytest.approx(1.0)
    assert exp(odds["pool"]) == pytest.approx(exp(1.0) / (exp(1.0) + 3))


WHOLE = {"pool": numbers_in("612"), "hours": numbers_in("31 and 22.5")}


@pytest.mark.parametrize(
    ("text", "as_told", "given"),
    [
        ("700", ["pool"], {"pool": ["700"]}),
        ("700, 31 and 20", ["pool", "hours", "hours"], {"pool": ["700"], "hours": ["31", "20"]}),
        ("10 %", ["kept"], {"kept": ["10"]}),
        ("10 % of 700", ["pool", "pool"], {"kept": ["10"], "pool": ["700"]}),
    ],
)
def test_later_numbers_have_their_likeliest_roles(
    text: str, as_told: list[str], given: dict[str, list[str]]
) -> None:
    story = ToldStory(TIPS, WHOLE, 1.0)
    found = roles_of(story, numbers_in(text), scores("tips", *as_told).roles, sure=0.6)
    assert found is not None
    assert written(ToldStory(TIPS, found, 1.0)) == given


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("700", [in_doubt("tips", "pool", "hours")]),
        ("700 and 800", [role("pool", "tips"), role("pool", "tips")]),
        ("700 and 20", [role("pool", "tips"), of_roles()]),
    ],
)
def test_later_numbers_have_no_roles_when_one_of_them_is_not_sure(
    text: str, roles: list[dict[str, float]]
) -> None:
    assert roles_of(ToldStory(TIPS, WHOLE, 1.0), numbers_in(text), roles, sure=0.6) is None


def test_the_only_number_that_lacks_is_what_a_later_one_is() -> None:
    lacking = ToldStory(TIPS, {"hours": WHOLE["hours"]}, 1.0)
    found = roles_of(lacking, numbers_in("700"), [of_roles()], sure=0.6)
    assert found is not None
    assert written(ToldStory(TIPS, found, 1.0)) == {"pool": ["700"]}
    assert roles_of(lacking, numbers_in("10 %"), [of_roles()], sure=0.6) is None, "no amount is in percent"
    assert roles_of(lacking, numbers_in("600 or 700"), [of_roles(), of_roles()], sure=0.6) is None


def test_the_number_that_lacks_is_converted() -> None:
    lacking = ToldStory(EACH_MONTH, {"one": numbers_in("480")}, 1.0)
    found = roles_of(lacking, numbers_in("4 years"), [of_roles()], sure=0.6)
    assert found is not None
    assert [each.told for each in found["other"]] == ["48"]
