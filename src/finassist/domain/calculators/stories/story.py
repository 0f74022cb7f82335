"""Stories as their files define them: the roles that numbers have, and the figures to tell."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any, Final

from finassist.data import shipped
from finassist.domain.calculators.stories.expressions import Expression, parsed

NONE: Final = "none"
"""Stands for no story at all."""
UNUSED: Final = "unused"
"""Stands for a number without a role."""

FAMILIES: Final = tuple(
    sorted(
        file.name.removesuffix(".json")
        for file in (files("finassist.data") / "calculators/stories").iterdir()
    )
)
"""The files of stories."""
MONEY: Final = "money"
_COUNTED: Final = "count"
_BELOW_ZERO: Final = ("minus", "below zero")


@dataclass(frozen=True, slots=True)
class Role:
    """What a number of a story is. ``asked`` says in words what lacks without it. ``several`` numbers may
    have the role, and at ``least`` so many are needed. One that is ``optional`` may lack, and is ``default``
    then, except in a message with the words of ``unless``, which tell another number without saying it. A
    number that is told in another ``unit`` is converted, or cannot have the role; a time is converted to that
    ``per`` which the number of another role is told."""

    asked: str
    several: bool = False
    least: int = 1
    optional: bool = False
    default: str = ""
    unit: str = ""
    unless: str = ""
    per: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """What is told of a story. ``each`` is a role with several numbers, for each of which the expression is
    worked out."""

    label: str
    expression: Expression
    each: str = ""
    unit: str = MONEY

    @property
    def may_be_below_zero(self) -> bool:
        """Whether the label says what a result with minus means."""
        return any(said in self.label for said in _BELOW_ZERO)


@dataclass(frozen=True, slots=True)
class Call:
    """A calculator that tells a story's figures, with expressions over the roles as its arguments, and
    ``options`` that are the same for all. Of ``debts`` it has one for each number of the roles in their
    expressions. ``wanted`` is the figure that is asked for, of a part after a
    point; it is told before the calculator's own answer where that begins with another one."""

    calculator: str
    arguments: Mapping[str, Expression]
    options: Mapping[str, str]
    wanted: str
    is_told_first: bool = False
    debts: Mapping[str, Expression] = field(default_factory=dict)

    @property
    def expressions(self) -> Iterator[tuple[str, Expression]]:
        """All expressions with the names that the calculator has for them."""
        yield from self.arguments.items()
        yield from self.debts.items()


@dataclass(frozen=True, slots=True)
class Story:
    """A kind of sum that is told in words: its figures are expressions, or those of a ``call``."""

    name: str
    about: str
    roles: Mapping[str, Role]
    figures: Sequence[Figure]
    assumes: Sequence[str] = ()
    least: int = 1
    """So many numbers are needed in all: one of several that are optional may have to be there."""
    call: Call | None = None
    unless: str = ""
    """Words of messages that it is not told of: the price of a litre beside miles per gallon."""

    @property
    def defaults(self) -> Mapping[str, Decimal]:
        """What optional numbers are when a message does not tell them."""
        return {name: Decimal(role.default) for name, role in self.roles.items() if role.default}

    @property
    def together(self) -> Sequence[frozenset[str]]:
        """Roles with several numbers that belong to each other one by one."""
        several = {name for name, role in self.roles.items() if role.several}
        return [group for figure in self.figures for group in figure.expression.together(several)]


def story_in(told: Mapping[str, Any]) -> Story:
    """A story as its file tells it. Raises ValueError for one that cannot be worked out."""
    roles = {name: Role(**role) for name, role in told["roles"].items()}
    figures = [
        Figure(
            each["label"],
            parsed(each["expression"]),
            each.get("each", ""),
            each.get("unit", told.get("unit", MONEY)).replace(_COUNTED, ""),
        )
        for each in told.get("figures", ())
    ]
    story = Story(
        told["name"],
        told["about"],
        roles,
        figures,
        tuple(told.get("assumes", ())),
        told.get("least", 1),
        _call_in(told["call"]) if "call" in told else None,
        told.get("unless", ""),
    )
    _check(story)
    return story


def _call_in(told: Mapping[str, Any]) -> Call:
    arguments, debts = (
        {name: parsed(each) for name, each in told.get(part, {}).items()} for part in ("arguments", "debts")
    )
    return Call(
        told["calculator"],
        arguments,
        told.get("options", {}),
        told["wanted"],
        told.get("tell_first", False),
        debts,
    )


def _check(story: Story) -> None:
    if (story.call is None) is not bool(story.figures):
        raise ValueError(f"{story.name} has neither figures nor a call, or both.")
    for name, expression in story.call.expressions if story.call else ():
        if expression.roles - story.roles.keys():
            raise ValueError(f"{story.name}: {name} has no such role.")
    several = {name for name, role in story.roles.items() if role.several}
    for figure in story.figures:
        unknown = figure.expression.roles - story.roles.keys()
        if unknown or not figure.expression.roles:
            raise ValueError(f"{story.name}: {figure.label} has no such role: {', '.join(unknown)}.")
        if figure.each and figure.each not in several:
            raise ValueError(f"{story.name}: {figure.label} is told for each of one number.")
        if not figure.each and figure.expression.alone & several:
            raise ValueError(f"{story.name}: {figure.label} takes one of several numbers.")


@cache
def stories() -> Mapping[str, Story]:
    """All stories by their names."""
    found = [story_in(each) for family in FAMILIES for each in shipped(f"calculators/stories/{family}")]
    return {story.name: story for story in found}
