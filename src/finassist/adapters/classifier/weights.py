"""The weights of a linear classifier: the format of the shipped files, and scoring a text."""

import math
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Final

import msgspec

_ZERO: Final = 128
_UNSIGNED: Final = bytes((byte + _ZERO) % 256 for byte in range(256))
_NOTHING: Final = -1


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
        return [known[gram] for gram in known.keys() & grams]


class Scorer:
    """The score of one label for the places of a text's grams.

    The weights are picked from unsigned bytes, zero being 128: four times as quick as one by one, or from an
    array of signed ones. The last one is zero, because one place alone is not picked as a tuple.
    """

    def __init__(self, column: Column) -> None:
        self.label = column.label
        self._intercept = column.intercept
        self._scale = column.scale
        self._weights = column.weights.translate(_UNSIGNED) + bytes([_ZERO])

    def score(self, places: Sequence[int]) -> float:
        if not places:
            return self._intercept
        total: int = sum(itemgetter(*places, _NOTHING)(self._weights)) - _ZERO * (len(places) + 1)
        return self._intercept + self._scale * total / math.sqrt(len(places))
