"""Sums as they are told."""

from dataclasses import dataclass
from typing import Final

from finassist.domain.calculators.recognition.sums.asked import Asked
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


def told_unit(value: Value, asked: Asked) -> Sum | None:
    """A sum that words name, with its own unit; None when another period is asked for."""
    unit = dict(value.unit)
    if not unit:
        return Sum(value.written, "percent")
    unit.pop(MONEY, None)
    per = next(iter(unit), "")
    return Sum(value.written, MONEY, shown(per, asked.rest))
