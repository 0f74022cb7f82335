"""The weights of a linear classifier: the format of the shipped files, and scoring a text."""

import math
from array import array
from collections.abc import Iterable, Sequence

import msgspec


class Column(msgspec.Struct, frozen=True, array_like=True):
    """The weights of one label: signed bytes, a gram each, to be multiplied by ``scale``.

    The label is empty where it stands for no category.
    """

    label: str
    intercept: float
    scale: float
    weights: bytes


class Places:
    """Maps each gram of a file to its index in the columns."""

    def __init__(self, grams: Iterable[str]) -> None:
        self._place_of = {gram: place for place, gram in enumerate(grams)}

    def of(self, grams: Iterable[str]) -> list[int]:
        """The places of those that the file knows."""
        known = self._place_of
        return [known[gram] for gram in grams if gram in known]


class Scorer:
    """The score of one label for the places of a text's grams."""

    def __init__(self, column: Column) -> None:
        self.label = column.label
        self._intercept = column.intercept
        self._scale = column.scale
        self._weight_at = array("b", column.weights).__getitem__

    def score(self, places: Sequence[int]) -> float:
        if not places:
            return self._intercept
        return self._intercept + self._scale * sum(map(self._weight_at, places)) / math.sqrt(len(places))
