"""The stories that ship, the examples that they are learned from, and those that they are measured on."""

from collections import Counter
from collections.abc import Iterable
from inspect import Parameter, signature
from random import Random

import pytest
from lines import lines_of
from told_stories import (
    CHANGED,
    Told,
    changed_examples,
    examples,
    held_out_examples,
    talks,
    told_of,
    varied,
)

from finassist.data import shipped
from finassist.domain.calculators.registry import CALCULATORS
from finassist.domain.calculators.stories.numbers import Number, numbers_in
from finassist.domain.calculators.stories.reading import ToldStory
from finassist.domain.calculators.stories.story import FAMILIES, NONE, UNUSED, stories

EXAMPLES_LEAST = 15
UNITS = frozenset(
    (
        "",
        "any",
        "percent",
        "cents",
        "ordinal",
        "clock",
        "minutes",
        "watts",
        *("hours", "days", "weeks", "fortnights", "months", "years"),
    )
)
EXAMPLES, HELD_OUT, CHANGES = examples(), held_out_examples(), changed_examples()
"""Each is checked as it is read: its numbers are read in the text, no number has two roles or one of another
unit, and its figures are what they come to."""
CHANGE_LINES = lines_of(CHANGED)


def same_words(texts: Iterable[str]) -> set[str]:
    """Texts without what makes no difference."""
    return {" ".join(text.casefold().split()) for text in texts}


def test_every_story_has_a_name_of_its_own_and_can_be_worked_out() -> None:
    assert len(stories()) == sum(len(shipped(f"calculators/stories/{family}")) for family in FAMILIES)
    assert not {NONE, UNUSED} & stories().keys()


def test_every_role_is_told_in_a_unit_that_there_is() -> None:
    units = {
        f"{story.name}: {name}": role.unit
        for story in stories().values()
        for name, role in story.roles.items()
    }
    assert {name: unit for name, unit in units.items() if unit not in UNITS} == {}


def test_every_story_is_learned_from_several_examples() -> None:
    counts = Counter(each.story for each in EXAMPLES)
    assert set(stories()) <= set(counts)
    assert min(counts[name] for name in stories()) >= EXAMPLES_LEAST


def test_no_example_is_there_twice() -> None:
    assert len({each.text for each in EXAMPLES}) == len(EXAMPLES)
    assert len({each.text for each in HELD_OUT}) == len(HELD_OUT)
    assert len({each.text for each in CHANGES}) == len(CHANGES)


def test_no_example_is_among_those_that_are_held_out() -> None:
    learned = same_words(
        [*(each.text for each in (*EXAMPLES, *CHANGES)), *(each["text"] for each in CHANGE_LINES)]
    )
    assert learned & same_words(each.text for each in HELD_OUT) == set()


def test_one_message_of_seven_is_held_out() -> None:
    assert 0.12 < sum(each.is_held_out for each in EXAMPLES) / len(EXAMPLES) < 0.18


def test_every_role_that_is_needed_is_in_examples() -> None:
    told = {(each.story, role) for each in EXAMPLES for role in each.roles}
    lacking = [
        f"{story.name}: {name}"
        for story in stories().values()
        for name, role in story.roles.items()
        if not role.optional and (story.name, name) not in told
    ]
    assert lacking == []


def whole_example(story: str) -> Told:
    """An example of a story that lacks nothing."""
    return next(each for each in EXAMPLES if each.story == story and not each.lacks)


@pytest.mark.parametrize("name", [story.name for story in stories().values() if story.call is not None])
def test_a_story_calls_a_calculator_that_there_is_with_its_arguments(name: str) -> None:
    told = told_of(whole_example(name))
    call = told.call()
    assert call is not None
    assert call.name in CALCULATORS
    parameters = signature(CALCULATORS[call.name].function).parameters
    needed = {each for each in parameters if parameters[each].default is Parameter.empty}
    assert needed <= call.arguments.keys() <= parameters.keys()
    assert told.first() is not None, "it comes to the figure that is wanted"


def test_every_conversation_of_the_examples_comes_to_its_figures() -> None:
    told = talks()  # raises for a wrong one
    assert len({each.text for each in told}) == len(told)
    assert {each.story for each in told} > {NONE}
    assert 0.1 < sum(each.is_held_out for each in told) / len(told) < 0.2


def test_a_change_comes_behind_an_example_with_all_its_numbers() -> None:
    whole = {each.text: each for each in EXAMPLES if each.story != NONE and not each.lacks}
    wrong = [
        line["text"]
        for line in CHANGE_LINES
        if getattr(whole.get(line["text"]), "story", "") != line["story"]
    ]
    assert wrong == []


@pytest.mark.parametrize("family", FAMILIES)
def test_a_change_leaves_a_story_that_can_be_told(family: str) -> None:
    names = {each["name"] for each in shipped(f"calculators/stories/{family}")}
    lines = [(line, told) for line, told in zip(CHANGE_LINES, CHANGES, strict=True) if told.story in names]
    assert lines
    wrong = [line["change"] for line, told in lines if not can_be_told(told, len(numbers_in(line["change"])))]
    assert wrong == []


def can_be_told(told: Told, count: int) -> bool:
    """Whether the last numbers, ``count`` of them, have roles in place of others, and come to a figure."""
    before, after = told.numbers[:-count], told.numbers[-count:]
    roles = told.roles[-count:]
    first = told_of(Told(told.text, told.story, before, told.roles[:-count]))
    given = in_roles(first, after, roles)
    story = ToldStory(first.story, {**first.numbers, **given}, 1.0)
    is_single = all(len(its) == 1 or first.story.roles[name].several for name, its in given.items())
    is_whole = not story.lacking and story.is_even
    return bool(given) and is_single and is_whole and story.first() is not None


def in_roles(story: ToldStory, numbers: Iterable[Number], roles: Iterable[str]) -> dict[str, list[Number]]:
    found: dict[str, list[Number]] = {}
    for number, role in zip(numbers, roles, strict=True):
        if role != UNUSED:
            in_unit = number.in_unit(story.story.roles[role].unit)
            assert in_unit is not None, f"{number.written} {number.unit} cannot be the {role}"
            found.setdefault(role, []).append(in_unit)
    return found


def test_a_varied_example_has_the_same_roles_and_other_numbers() -> None:
    random = Random(1)
    told = next(each for each in EXAMPLES if len(each.numbers) > 2)
    others = [varied(told, random) for _ in range(20)]
    assert {(each.story, tuple(each.roles)) for each in others} == {(told.story, tuple(told.roles))}
    assert len({each.text for each in others}) > 10
    assert all(len(each.numbers) == len(told.numbers) for each in others)
