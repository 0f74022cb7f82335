"""Which calculator a question asks for, by what it means.

A softmax over the question's vector, its words and pairs of words, and the numbers it holds by their kind; a
second one without the vector serves when no embedder is set. ``training/calculations.py`` fits both to the
examples in ``data/calculators/examples.txt``.
"""

import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Final

from finassist.domain.calculators.recognition.reading import Reading

NO_CALCULATION: Final = "none"
"""The label of questions that ask for none."""


@dataclass(frozen=True, slots=True)
class Column:
    """The weights of one label: signed bytes, to be multiplied by the ``scale`` of each kind of feature."""

    intercept: float
    signs_scale: float
    signs: bytes
    vector_scale: float
    vector: bytes


@dataclass(frozen=True, slots=True)
class Choice:
    """The fitted weights. ``model`` is the embedding model whose vectors ``by_meaning`` weighs."""

    model: str
    examples: str
    """The digest of the examples that the weights were fitted to."""
    labels: Sequence[str]
    signs: Sequence[str]
    by_meaning: Sequence[Column]
    by_words: Sequence[Column]


class Chooser:
    """Weighs what a question may ask for."""

    def __init__(self, choice: Choice) -> None:
        self.model = choice.model
        self._labels = choice.labels
        self._place_of = {sign: place for place, sign in enumerate(choice.signs)}
        self._by_meaning = [_Unpacked(column) for column in choice.by_meaning]
        self._by_words = [_Unpacked(column) for column in choice.by_words]

    def shares(self, reading: Reading, vector: Sequence[float] | None) -> Mapping[str, float]:
        """How likely each label is, 0..1, adding up to 1; ``vector`` is that of the reading's sketch, or None
        to judge by its words."""
        places = [self._place_of[sign] for sign in reading.signs if sign in self._place_of]
        columns = self._by_words if vector is None else self._by_meaning
        scores = [column.score(places, vector or ()) for column in columns]
        highest = max(scores)
        powers = [math.exp(score - highest) for score in scores]
        total = sum(powers)
        return {label: power / total for label, power in zip(self._labels, powers, strict=True)}


class _Unpacked:
    def __init__(self, column: Column) -> None:
        self._intercept = column.intercept
        self._signs_scale, self._sign_at = column.signs_scale, array("b", column.signs).__getitem__
        self._vector_scale = column.vector_scale
        self._vector = [float(weight) for weight in array("b", column.vector)]  # faster to multiply

    def score(self, places: Sequence[int], vector: Sequence[float]) -> float:
        signs = self._signs_scale * sum(map(self._sign_at, places)) / math.sqrt(len(places) or 1)
        meaning = self._vector_scale * float(sum(map(mul, self._vector, vector)))
        return self._intercept + signs + meaning
