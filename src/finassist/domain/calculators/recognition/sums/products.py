"""Products: an amount for one of something, times how many there are, until the units are those asked for."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from finassist.domain.calculators.recognition.sums.terms import Term
from finassist.domain.calculators.recognition.sums.values import A_YEAR, Value, factor

_WAYS: Final = frozenset(("km", "mile"))
ALL_PERIODS: Final = "*"


@dataclass(slots=True)
class Counts:
    """The counts of a question and which of them a sum has used; one may count for several amounts."""

    terms: Sequence[Term]
    used: set[int] = field(default_factory=set)

    @property
    def are_used(self) -> bool:
        """Whether every count has a part in the sum."""
        return all(term.place in self.used for term in self.terms)

    def leave_distances(self, per: str) -> None:
        """A distance beside the litres that it took has no part in what they cost."""
        if any(term.place in self.used and "litre" in term.value.unit for term in self.terms):
            self.used |= {
                term.place
                for term in self.terms
                if per not in term.value.unit and set(term.value.unit) <= _WAYS
            }

    def multiplied(self, value: Value, place: int, keep: str = "") -> Value | None:
        """A value times the counts of what it is told for, except ``keep``
        (all periods, or one); None when two would fit."""
        seen: set[int] = set()
        while True:
            step = self._step(value, place, keep, seen)
            if step is None:
                return value
            if not step.fits:
                return None
            seen.add(step.term.place)
            value = value * step.factor if step.is_multiplied else value / step.factor

    def _step(self, value: Value, place: int, keep: str, seen: set[int]) -> "_Step | None":
        for name, power in value.unit.items():
            if power >= 0 or name == keep or (keep == ALL_PERIODS and name in A_YEAR):
                continue
            steps = [
                step
                for term in self.terms
                if term.place not in seen and (step := _step_of(term, name, keep)) is not None
            ]
            steps = [step for step in steps if step.is_multiplied] or steps
            if len(steps) > 1:
                steps = _beside(steps, place)
            if steps:
                self.used.add(steps[0].term.place)
                return steps[0]
        return None

    def of(self, name: str) -> list[Term]:
        """The counts of something that are not used."""
        return [term for term in self.terms if term.value.unit.get(name) == 1 and term.place not in self.used]


@dataclass(frozen=True, slots=True)
class _Step:
    term: Term
    factor: Value
    is_multiplied: bool = True
    fits: bool = True


def _step_of(term: Term, name: str, keep: str) -> _Step | None:
    """How a count takes away the unit that a value is for; periods are turned into one another."""
    unit = term.value.unit
    if unit.get(name) == 1:
        return _Step(term, term.value)
    if unit.get(name) == -1 and len(unit) > 1 and name not in A_YEAR:
        return _Step(term, term.value, is_multiplied=False)
    if name in A_YEAR and not keep and name not in unit:
        other = next((each for each, power in unit.items() if power == 1 and each in A_YEAR), "")
        if other:
            return _Step(term, _turned(term.value, other, name))
    return None


def _turned(value: Value, period: str, other: str) -> Value:
    """A count of one period as a count of another: 2 years are 24 months."""
    turned = value * factor(other, period)
    unit = {**{name: power for name, power in value.unit.items() if name != period}, other: 1}
    return Value(turned.number, turned.written, unit, turned.rank)


def _beside(steps: Sequence[_Step], place: int) -> list[_Step]:
    """The count right before or after an amount; of several others none fits."""
    for near in (place - 1, place + 1):
        beside = [step for step in steps if step.term.place == near]
        if beside:
            return beside
    return [_Step(steps[0].term, steps[0].factor, fits=False)]
