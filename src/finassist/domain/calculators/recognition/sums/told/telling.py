"""What a story comes to as sums."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from finassist.domain.calculators.recognition.quantities import Quantity
from finassist.domain.calculators.recognition.sums.asked import Asked, read_asked
from finassist.domain.calculators.recognition.sums.question import Figure, Question
from finassist.domain.calculators.recognition.sums.stories import figures_of
from finassist.domain.calculators.recognition.sums.values import MONEY, Value
from finassist.domain.calculators.recognition.sums.words import said, shown

_ADVICE: Final = said("advice")
MOST: Final = 16
"""So many numbers a sum has at most."""


@dataclass(frozen=True, slots=True)
class Sum:
    """An expression and the unit of its result: ``money``, ``percent`` or what is counted; ``per`` is what an
    amount is for, empty for nothing."""

    expression: str
    unit: str
    per: str = ""


def wants_advice(text: str) -> bool:
    """Whether somebody asks what to do."""
    return _ADVICE.search(text) is not None


def story_of(quantities: Sequence[Quantity], text: str) -> Sequence[tuple[str, Sum]]:
    """What a story comes to and what each figure is; empty when the words tell no story."""
    asked = read_asked(quantities, text)
    if asked is None or not 0 < len(quantities) <= MOST or wants_advice(text):
        return ()
    made = [(each.label, as_sum(each, asked)) for each in figures_of(Question(quantities, asked, text))]
    return [(label, found) for label, found in made if found is not None]


def as_sum(figure: Figure, asked: Asked) -> Sum | None:
    """A figure as a sum; None when its unit is not what is asked for."""
    return Sum(figure.value.written, figure.unit) if figure.unit else told_unit(figure.value, asked)


def told_unit(value: Value, asked: Asked) -> Sum | None:
    """A sum that words name, with its own unit; None when another period is asked for."""
    unit = dict(value.unit)
    if not unit:
        return Sum(value.written, "percent")
    unit.pop(MONEY, None)
    per = next(iter(unit), "")
    return Sum(value.written, MONEY, shown(per, asked.rest))
