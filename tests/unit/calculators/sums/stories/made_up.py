"""Stories that are made up, and what a network would say of messages that tell them."""

from collections.abc import Mapping
from typing import Any

from finassist.domain.calculators.stories.numbers import numbers_in
from finassist.domain.calculators.stories.reading import ToldStory, told_story
from finassist.domain.calculators.stories.scores import StoryScores, score_name
from finassist.domain.calculators.stories.story import NONE, UNUSED, Story, story_in

TIPS = story_in(
    {
        "name": "tips",
        "about": "A pool is split by hours",
        "roles": {
            "pool": {"asked": "the amount to split"},
            "hours": {"asked": "the hours of each", "several": True, "least": 2},
            "kept": {
                "asked": "the percent that is kept",
                "optional": True,
                "default": "0",
                "unit": "percent",
            },
        },
        "figures": [
            {
                "label": "Each",
                "each": "hours",
                "expression": "pool * (1 - kept / 100) * hours / sum(hours)",
            },
            {"label": "For one hour", "expression": "pool * (1 - kept / 100) / sum(hours)"},
            {"label": "Hours", "expression": "sum(hours)", "unit": "hours"},
        ],
    }
)
PACKS = story_in(
    {
        "name": "packs",
        "about": "Prices of packs",
        "roles": {
            "prices": {"asked": "the prices", "several": True},
            "sizes": {"asked": "the sizes", "several": True},
        },
        "figures": [{"label": "For one", "each": "prices", "expression": "prices / sizes"}],
    }
)
LEFT = story_in(
    {
        "name": "left",
        "about": "What is left",
        "roles": {"have": {"asked": "what there is"}, "spent": {"asked": "what is spent"}},
        "figures": [
            {"label": "Left", "expression": "have - spent"},
            {"label": "Share", "expression": "spent / have * 100", "unit": "percent"},
        ],
    }
)


def sum_of(name: str, expression: str, unit: str = "", **more: Any) -> Story:
    """A story of two numbers with one figure; the second is told in a ``unit``."""
    roles = {"one": {"asked": "the first"}, "other": {"asked": "the second", "unit": unit}}
    figures = [{"label": "It", "expression": expression}]
    return story_in({"name": name, "about": "", "roles": roles, "figures": figures, **more})


CHANGE = sum_of("change", "one - other")
TOGETHER = sum_of("together", "one + other")
RATIO = sum_of("ratio", "one / other")
EACH_MONTH = sum_of("each_month", "one / other", "months")

STORIES: Mapping[str, Story] = {
    story.name: story for story in (TIPS, PACKS, LEFT, CHANGE, TOGETHER, RATIO, EACH_MONTH)
}


def scores(story: str, *roles: str, sure: float = 9.0, **others: float) -> StoryScores:
    """What the network says when it is ``sure`` of a story and of the role of each number."""
    chosen = [{UNUSED if role == UNUSED else score_name(story, role): sure} for role in roles]
    return StoryScores(
        {NONE: 0.0, **dict.fromkeys(STORIES, 0.0), story: sure, **others},
        [of_roles(**each) for each in chosen],
    )


def of_roles(**likely: float) -> dict[str, float]:
    """What the network says of the role of a number: some are likelier than all others."""
    names = (score_name(each.name, role) for each in STORIES.values() for role in each.roles)
    return {**dict.fromkeys((UNUSED, *names), 0.0), **likely}


def told(text: str, story: str, *roles: str) -> ToldStory:
    """A message that is read as a story without doubt."""
    found = told_story(numbers_in(text), scores(story, *roles))
    assert found is not None
    return found


def written(story: ToldStory) -> dict[str, list[str]]:
    """The numbers of each role as the message has them."""
    return {role: [each.written for each in numbers] for role, numbers in story.numbers.items()}
