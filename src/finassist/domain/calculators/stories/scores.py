"""What the network says of a message: how likely each story is, and each role of each number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import exp, log
from typing import Final

from finassist.domain.calculators.stories.numbers import Number
from finassist.domain.calculators.stories.story import NONE, UNUSED, Story

_SEPARATOR: Final = "."
NUMBERS_MAX: Final = 24
"""A message with more numbers is read as no story."""
_WAYS_MAX: Final = 32
"""So many of the likeliest ways to give roles to the first numbers are followed: all of them grow beyond
measure with the numbers."""

_Taken = tuple[tuple[str, Number], ...]
"""The roles that take one number, with the numbers that have them."""


@dataclass(frozen=True, slots=True)
class StoryScores:
    """``stories`` are log odds of all stories and of none; ``roles`` for each number those of all roles of
    all stories, and of no role."""

    stories: Mapping[str, float]
    roles: Sequence[Mapping[str, float]]

    def likelihood(self, name: str) -> float:
        """How likely a story is among all."""
        most = max(self.stories.values())
        return exp(self.stories[name] - most) / sum(exp(each - most) for each in self.stories.values())

    def likeliest(self, count: int) -> Sequence[str]:
        """The names of the likeliest stories, the likeliest first."""
        names = (name for name in self.stories if name != NONE)
        return sorted(names, key=lambda name: self.stories[name], reverse=True)[:count]


@dataclass(frozen=True, slots=True)
class Cast:
    """The numbers of a message in the roles of a story; ``likelihood`` is that of all of them together."""

    numbers: Mapping[str, Sequence[Number]]
    likelihood: float


def score_name(story: str, role: str) -> str:
    """What the score of a role is called."""
    return f"{story}{_SEPARATOR}{role}"


def casts_of(story: Story, numbers: Sequence[Number], scores: StoryScores, most: int = 1) -> Sequence[Cast]:
    """The likeliest roles of the numbers, one number at most for a role that takes one; a number that is told
    twice may have it twice, and one of another unit is converted. Empty for more numbers than a story has."""
    if len(numbers) > NUMBERS_MAX:
        return ()
    ways: dict[_Taken, tuple[float, tuple[str, ...]]] = {(): (0.0, ())}
    for number, of_number in zip(numbers, scores.roles, strict=True):
        odds = odds_of(story, of_number)
        later: dict[_Taken, tuple[float, tuple[str, ...]]] = {}
        for taken, (so_far, chosen) in ways.items():
            given = dict(taken)
            for role, score in odds.items():
                told = _told_as(number, role, story)
                is_single = role != UNUSED and not story.roles[role].several
                if told is None or (is_single and role in given and given[role].value != told.value):
                    continue
                now = taken if not is_single or role in given else (*taken, (role, told))
                way = so_far + score, (*chosen, UNUSED if is_single and role in given else role)
                later[now] = max(later.get(now, way), way)
        ways = dict(nlargest(_WAYS_MAX, later.items(), key=lambda way: way[1]))
    return [_cast(story, numbers, chosen, total) for total, chosen in nlargest(most, ways.values())]


def _cast(story: Story, numbers: Sequence[Number], chosen: Sequence[str], total: float) -> Cast:
    cast: dict[str, list[Number]] = {}
    for number, role in zip(numbers, chosen, strict=True):
        told = _told_as(number, role, story)
        if told is not None and role != UNUSED:
            cast.setdefault(role, []).append(told)
    return Cast(cast, exp(total))


def _told_as(number: Number, role: str, story: Story) -> Number | None:
    """The number in the unit of a role; None where it cannot have the role."""
    return number if role == UNUSED else number.in_unit(story.roles[role].unit)


def odds_of(story: Story, scores: Mapping[str, float]) -> Mapping[str, float]:
    """The logarithms of how likely the roles of one story are for a number."""
    own = {UNUSED: scores[UNUSED], **{role: scores[score_name(story.name, role)] for role in story.roles}}
    most = max(own.values())
    total = most + log(sum(exp(each - most) for each in own.values()))
    return {role: score - total for role, score in own.items()}
