"""A linear classifier of messages in distress: the weights ship with the package, training/ makes them."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import pairwise
from typing import Final

import msgspec

from finassist.adapters.classifier.grams import grams, wide_pairs
from finassist.adapters.classifier.weights import Column, Places, Scorer
from finassist.domain.safety import Concern

_WEIGHTS: Final = files("finassist.data") / "distress_classifier.msgpack"

_SOONER: Final = 2.5
"""Log odds added when the user was in distress a moment ago: "they want more now" then continues it."""

_PART_DOUBT: Final = 0.75
"""Log odds subtracted when only a part of a message is judged: the rest may change its meaning."""

_CLAUSE_DOUBT: Final = 1.5
"""Taken from the log odds of a clause, which is less than a part."""

_SENTENCE_END: Final = re.compile(r"(?<=[.!?\u0964\n])\s+")
_CLAUSE_END: Final = re.compile(
    r"(?<=[,;:])\s+|\s+[-\u2013\u2014]\s+|\s+(?:and|but|und|aber|y|pero|e|mas|et|mais|aur|\u0914\u0930)\s+",
    re.IGNORECASE,
)
_WORDS_OF_A_CLAUSE: Final = 3
_ACCENTS: Final = re.compile("[\u0300-\u036f]")


class DistressWeights(msgspec.Struct, frozen=True):
    """The file of weights: a column for each concern, in the order in which help matters."""

    grams: list[str]
    concerns: list[Column]


def pieces(text: str) -> set[str]:
    """What is weighed of a text: its grams and wide pairs, without accents, which people in a hurry omit."""
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return grams(plain) | wide_pairs(plain)


def parts(message: str) -> Iterator[str]:
    """Where a message has several sentences each of them, and each with the next.

    A cry for help in the middle of a long story is nearly as loud as one that stands alone.
    """
    sentences = _SENTENCE_END.split(message.strip())
    if len(sentences) > 1:
        yield from sentences
        if len(sentences) > 2:
            yield from map(" ".join, pairwise(sentences))


def clauses(message: str) -> Iterator[str]:
    """The clauses of each sentence that has several, without those of one or two words.

    Somebody who owes a sum "and does not want to live" says so in half a sentence; the rest must not hide it.
    """
    for sentence in _SENTENCE_END.split(message.strip()):
        found = _CLAUSE_END.split(sentence)
        if len(found) > 1:
            yield from (clause for clause in found if len(clause.split()) >= _WORDS_OF_A_CLAUSE)


class _Model:
    """The weights, unpacked."""

    def __init__(self, weights: DistressWeights) -> None:
        self._places = Places(weights.grams)
        self._scorers = [(Concern(column.label), Scorer(column)) for column in weights.concerns]

    def margins(self, message: str) -> dict[Concern, float]:
        """The log odds of each concern, of that part of the message where they are highest.

        Clauses count for self-harm alone: a fraud or the loss of a home is told by what stands together.
        """
        whole = self._places_of(message)
        within = [(self._places_of(part), _PART_DOUBT) for part in parts(message)]
        aside = [(self._places_of(clause), _CLAUSE_DOUBT) for clause in clauses(message)]
        return {
            concern: max(
                scorer.score(places) - doubt
                for places, doubt in [
                    (whole, 0.0),
                    *within,
                    *(aside if concern is Concern.SELF_HARM else []),
                ]
            )
            for concern, scorer in self._scorers
        }

    def _places_of(self, text: str) -> list[int]:
        return self._places.of(pieces(text))


class LinearDistressClassifier:
    """Logistic regression over words, word pairs and letter runs. The first call loads the weights."""

    def __init__(self, weights: Traversable = _WEIGHTS) -> None:
        self._file = weights

    def concern(self, message: str, history: Sequence[str] = ()) -> Concern | None:
        """What the message asks help for, or None; ``history`` is what the same user wrote before it."""
        margins = self._model.margins(message)
        if history and max(margins.values()) > -_SOONER:
            before = self.concern(history[-1])
            if before is not None:
                margins[before] += _SOONER
        return next((concern for concern in Concern if margins[concern] > 0), None)

    @cached_property
    def _model(self) -> _Model:
        return _Model(msgspec.msgpack.decode(self._file.read_bytes(), type=DistressWeights))
