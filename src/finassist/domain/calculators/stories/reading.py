"""A message as the story that it tells, checked before anything is calculated."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from math import exp
from typing import Final

from finassist.domain.calculators.calculation import CalculationError
from finassist.domain.calculators.debts import Debt
from finassist.domain.calculators.everyday.expressions import arithmetic
from finassist.domain.calculators.recognition.reading import Recognised, Value
from finassist.domain.calculators.registry import CALCULATORS
from finassist.domain.calculators.stories.expressions import Expression
from finassist.domain.calculators.stories.numbers import Number
from finassist.domain.calculators.stories.scores import StoryScores, casts_of, odds_of
from finassist.domain.calculators.stories.story import MONEY, NONE, UNUSED, Call, Figure, Story, stories
from finassist.domain.calculators.stories.units import period_behind

_CONSIDERED: Final = 5
"""So many of the likeliest stories are tried on the numbers."""
_CASTS_MAX: Final = 4
_LEAST: Final = 0.002
_OF_ROLES: Final = 0.7
_LACKS_ONE: Final = 0.4
"""What the likelihood of the roles, and a number that lacks, count for beside that of the story; chosen on
examples."""
_ASKED_FOR: Final = 2.0
"""What speaks for a number to be that which was asked for, in log odds."""
_Outcome = tuple[str, ...]
_WHOLE: Final = frozenset(("months", "months_paid"))
_DEBT: Final = "debt"
_NEUTRAL: Final = frozenset((Decimal(0), Decimal(1), Decimal(100), Decimal(10**12)))
"""Numbers by which nothing is added, multiplied, taken off or limited."""


@dataclass(frozen=True, slots=True)
class Sum:
    """A figure of a story as an expression of numbers; ``label`` says what it is."""

    label: str
    expression: str
    unit: str

    @property
    def is_money(self) -> bool:
        """Whether it comes to an amount."""
        return self.unit == MONEY


@dataclass(frozen=True, slots=True)
class ToldStory:
    """A story with the numbers of a message in its roles. ``sureness`` is how likely all of it is right;
    ``needed`` are optional roles whose usual number the message rules out."""

    story: Story
    numbers: Mapping[str, Sequence[Number]]
    sureness: float
    needed: frozenset[str] = frozenset()

    def fitted_to(self, text: str) -> "ToldStory | None":
        """The same, with times in the periods that a text tells amounts for, and lacking the usual numbers
        that its words rule out; None where they rule out the story."""
        if _says(text, self.story.unless):
            return None
        needed = (name for name, role in self.story.roles.items() if _says(text, role.unless))
        periods = {name: self._period(role.per, text) for name, role in self.story.roles.items() if role.per}
        converted = {
            name: [each.in_unit(period) or each for each in self.numbers[name]]
            for name, period in periods.items()
            if period and name in self.numbers
        }
        return replace(self, needed=frozenset(needed), numbers={**self.numbers, **converted})

    def _period(self, role: str, text: str) -> str:
        """The unit of the time that the first number of a role is told for, or nothing."""
        first = next(iter(self.numbers.get(role, ())), None)
        return "" if first is None else period_behind(text, first.start + len(first.written))

    @property
    def lacking(self) -> Sequence[str]:
        """The roles that need a number, or another one."""
        return [
            name
            for name, role in self.story.roles.items()
            if (not role.optional or name in self.needed) and len(self.numbers.get(name, ())) < role.least
        ]

    @property
    def is_even(self) -> bool:
        """Whether roles whose numbers belong to each other have as many."""
        counts = ({len(self.numbers.get(name, ())) for name in group} for group in self.story.together)
        return all(len(each) == 1 for each in counts)

    @property
    def understood(self) -> str:
        """The numbers with what each is, in words."""
        told = [
            f"{', '.join(each.shown for each in self.numbers[name])} ({role.asked})"
            for name, role in self.story.roles.items()
            if self.numbers.get(name)
        ]
        return "; ".join(told)

    @property
    def supposed(self) -> str:
        """What was not told and makes a difference, with the usual number that is taken for it."""
        results = self._results()
        doubled = {
            name: replace(self, numbers={**self.numbers, name: [Number("", value * 2, 0)]})
            for name, value in self._usual.items()
            if value not in _NEUTRAL
        }
        roles = [self.story.roles[name] for name, other in doubled.items() if other._results() != results]
        return "; ".join(f"{role.default} ({role.asked})" for role in roles)

    def _results(self) -> Sequence[Decimal | None]:
        """What the figures come to."""
        if self.story.call is not None:
            first = self.first()
            return [None if first is None else first[1]]
        return [_result(each) for each in self.sums()]

    def first(self) -> tuple[str, Decimal] | None:
        """The unit and the value of the figure that is most wanted, of its first number where it is told for
        each of several; None when fewer numbers are told than the story needs in all, or they have none."""
        if sum(map(len, self.numbers.values())) < self.story.least or not self.is_even:
            return None
        if self.story.call is not None:
            value = _called(self.story.call, self.call())
            return None if value is None else (self.story.call.wanted, value)
        figure = self.story.figures[0]
        first = next(self._of_figure(figure), None)
        result = None if first is None else _result(first)
        if first is None or result is None or (result < 0 and not figure.may_be_below_zero):
            return None
        return first.unit, result

    def call(self) -> Recognised | None:
        """The call of a calculator that tells the figures; None for a story of expressions, and when numbers
        have no result."""
        call = self.story.call
        if call is None:
            return None
        arguments: dict[str, Value] = dict(call.options)
        for name, expression in call.arguments.items():
            value = _exact(expression.with_defaults(self._usual).told(self._given))
            if value is None:
                return None
            arguments[name] = int(value) if name in _WHOLE and value == int(value) else value
        if call.debts:
            debts = self._debts(call.debts)
            if not debts:
                return None
            arguments["debts"] = debts
        return Recognised(call.calculator, arguments)

    def _debts(self, fields: Mapping[str, Expression]) -> tuple[Debt, ...]:
        """The debts of a call: one for each number of the roles in their ``fields``, of which a role has as
        many as the others, or one for all; empty where they differ, and where one cannot be worked out.
        Raises KeyError where a role has no number."""
        given = self._given
        roles = frozenset[str]().union(*(expression.roles for expression in fields.values()))
        counts = {len(given[role]) for role in roles}
        count = max(counts)
        if counts - {1, count}:
            return ()
        debts = [_debt(fields, given, place, count) for place in range(count)]
        return tuple(debt for debt in debts if debt is not None) if None not in debts else ()

    def sums(self) -> Sequence[Sum]:
        """The figures as sums, the one that is most wanted first; empty when one has no result, or one that
        no such figure may have, and when fewer numbers are told than the story needs in all."""
        if sum(map(len, self.numbers.values())) < self.story.least:
            return ()
        found: list[Sum] = []
        results: set[tuple[Decimal, str]] = set()
        for figure in self.story.figures:
            sums = list(self._of_figure(figure))
            told = [(each, _result(each)) for each in sums]
            sound = [
                (each, (result, each.unit))
                for each, result in told
                if result is not None and (result >= 0 or figure.may_be_below_zero)
            ]
            if len(sound) == len(sums) and (figure.each or results.isdisjoint(result for _, result in sound)):
                found += sums
                results.update(result for _, result in sound)
            elif not found:
                return ()
        return found

    @property
    def _given(self) -> Mapping[str, Sequence[str]]:
        """The numbers of the roles as expressions have them."""
        return {name: [each.told for each in numbers] for name, numbers in self.numbers.items()}

    @property
    def _usual(self) -> Mapping[str, Decimal]:
        """The usual numbers of roles that none was told for."""
        return {name: value for name, value in self.story.defaults.items() if name not in self.numbers}

    def _of_figure(self, figure: Figure) -> Iterator[Sum]:
        """A figure once, or for each number of a role; not at all where an optional number lacks."""
        given = self._given
        if not figure.expression.roles <= given.keys() | self.story.defaults.keys():
            return
        expression = figure.expression.with_defaults(self._usual)
        if not expression.roles:
            return
        if not figure.each:
            yield Sum(figure.label, expression.told(given), figure.unit)
            return
        for place, number in enumerate(self.numbers[figure.each]):
            yield Sum(f"{figure.label} ({number.shown})", expression.told(given, place), figure.unit)


def told_story(numbers: Sequence[Number], scores: StoryScores) -> ToldStory | None:
    """What a message most likely asks for: each of the likeliest stories with each of the likeliest ways to
    give it the numbers speaks for one first figure, or for one number that lacks, and what has the most
    likelihood in all is taken. None when none is likelier than no story."""
    if not numbers:
        return None
    outcomes: dict[_Outcome, list[tuple[float, ToldStory]]] = {}
    for fit, told in _ways(numbers, scores):
        outcome = _outcome(told)
        if outcome is not None:
            outcomes.setdefault(outcome, []).append((fit, told))
    sums = [(sum(fit for fit, _ in ways), ways) for ways in outcomes.values()]
    none = scores.likelihood(NONE)
    most, ways = max(sums, key=lambda each: each[0], default=(0.0, []))
    if most <= none:
        return None
    best = max(ways, key=lambda way: way[0])[1]
    return replace(best, sureness=most / (none + sum(each for each, _ in sums)))


def with_later(text: str, later: str) -> str:
    """A story and a later message as the network reads them together."""
    return f"{text} >> {later}"


def alone_lacking(told: ToldStory, numbers: Sequence[Number]) -> Mapping[str, Sequence[Number]] | None:
    """The one number of a bare answer in the one role that a story lacks; None where either are more, or the
    number has another unit."""
    if len(told.lacking) != 1 or len(numbers) != 1:
        return None
    [role] = told.lacking
    in_unit = numbers[0].in_unit(told.story.roles[role].unit)
    return None if in_unit is None else {role: [*told.numbers.get(role, ()), in_unit]}


def roles_of(
    told: ToldStory, numbers: Sequence[Number], roles: Sequence[Mapping[str, float]], *, sure: float
) -> Mapping[str, Sequence[Number]] | None:
    """The roles of a told story that numbers of a later message have: the likeliest of the network's scores,
    or that alone which the story lacks. Numbers that are likelier unused have none. None when one of them is
    not ``sure``, when none has a role, and when they would take the place of more."""
    given: dict[str, list[Number]] = {}
    for number, scores in zip(numbers, roles, strict=True):
        odds = odds_of(told.story, scores)
        fitting = {
            role: in_unit
            for role, its in told.story.roles.items()
            if (not told.lacking or role in told.lacking)
            and (in_unit := number.in_unit(its.unit)) is not None
        }
        best = max(fitting, key=lambda role: odds[role], default="")
        if not best or odds[best] + (_ASKED_FOR if told.lacking else 0.0) < odds[UNUSED]:
            continue
        share = 1 / sum(exp(odds[role] - odds[best]) for role in fitting)
        if share < sure or (best in given and not told.story.roles[best].several):
            return None
        given.setdefault(best, []).append(fitting[best])
    known = {role: told.numbers.get(role, ()) for role in given}
    lacking = set(told.lacking)
    if any(len(given[role]) < len(known[role]) for role in given.keys() - lacking):
        return None
    return {
        role: [*known[role], *those] if role in lacking else those for role, those in given.items()
    } or None


def _ways(numbers: Sequence[Number], scores: StoryScores) -> Iterator[tuple[float, ToldStory]]:
    """Stories with the numbers in their roles, each with how well it fits: by how likely story and roles are.
    A number that lacks speaks against it."""
    for name in scores.likeliest(_CONSIDERED):
        likelihood = scores.likelihood(name)
        for cast in casts_of(stories()[name], numbers, scores, _CASTS_MAX):
            told = ToldStory(stories()[name], cast.numbers, cast.likelihood)
            fit = likelihood * cast.likelihood**_OF_ROLES
            if fit >= _LEAST:
                yield fit * (_LACKS_ONE if told.lacking else 1.0), told


def _outcome(told: ToldStory) -> _Outcome | None:
    """What is lacking, or the first figure; None where nothing can be told."""
    if told.lacking:
        return (told.story.name, *told.lacking) if len(told.lacking) == 1 else None
    first = told.first()
    return None if first is None else (first[0], f"{first[1]:.6g}")


def _says(text: str, words: str) -> bool:
    return bool(words) and re.search(rf"\b(?:{words})\b", text, re.IGNORECASE | re.DOTALL) is not None


def _exact(expression: str) -> Decimal | None:
    """What an argument comes to, a number as it was told; None when it cannot be worked out."""
    try:
        return Decimal(expression)
    except InvalidOperation:
        return _result(Sum("", expression, ""))


def _result(found: Sum) -> Decimal | None:
    """What a sum comes to; None when it cannot be worked out."""
    try:
        figures = arithmetic(expression=found.expression, unit=found.unit).figures
    except CalculationError:
        return None
    results = (figures.result, figures.percent, figures.number)
    return next(each for each in results if each is not None)


def _debt(
    fields: Mapping[str, Expression], given: Mapping[str, Sequence[str]], place: int, count: int
) -> Debt | None:
    """The debt at a place of so many; None where a number of it cannot be worked out."""
    found = {name: _exact(expression.told(given, place)) for name, expression in fields.items()}
    told = {name: value for name, value in found.items() if value is not None}
    if len(told) < len(fields):
        return None
    name = _DEBT if count == 1 else f"{_DEBT} {place + 1} ({told['balance'].normalize():,f})"
    return Debt(name=name, **told)


def _called(call: Call, made: Recognised | None) -> Decimal | None:
    """The figure that is wanted of a calculator; None when it has no answer."""
    if made is None:
        return None
    try:
        figure: object = CALCULATORS[made.name].function(**made.arguments).figures
    except (CalculationError, TypeError, ValueError):
        return None
    for name in call.wanted.split("."):
        figure = getattr(figure, name)
    return None if figure is None else Decimal(str(figure))
