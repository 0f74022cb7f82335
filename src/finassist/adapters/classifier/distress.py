"""A linear classifier of messages in distress: the weights ship with the package, training/ makes them."""

import re
import unicodedata
from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import pairwise
from operator import mul
from typing import Final

import msgspec

from finassist.adapters.classifier.grams import grams, wide_pairs
from finassist.adapters.classifier.weights import Column, Places, Scorer
from finassist.adapters.data_files.sharing import once_per_file
from finassist.adapters.embeddings.network import Network, NetworkWeights
from finassist.application.ports.knowledge import Vector
from finassist.data import shipped
from finassist.domain.safety import EMERGENCIES, Concern, Sign

_WEIGHTS: Final = files("finassist.data") / "classifiers" / "distress.msgpack"

_SOONER: Final = 5.0
"""Log odds added after thoughts of death a moment ago: "no use any more" then continues it."""

_SOONER_OF_OTHERS: Final = 3.0
"""Log odds added after another emergency: "they want more now" continues it, "the bank gave me the money
back" does not."""

_TOLD: Final = 1.5
"""So many log odds other help needs more, right after it was given: what follows is mostly a question."""

_RATHER_SELF_HARM: Final = 0.5
"""Up to so many log odds something else may be likelier than self-harm, help for which must not be missed."""

_PART_DOUBT: Final = 0.75
"""Log odds subtracted when only a part of a message is judged: the rest may change its meaning."""

_CLAUSE_DOUBT: Final = 1.5
"""Taken from the log odds of a clause, which is less than a part."""

_MEANING_SHARE: Final = 0.2
"""What the log odds of the network count for beside those of the words, by cross-validation."""

_NEAR_SHARE: Final = 0.3
"""What the log odds count for that a message only sounds alike, by the network without ordinary questions."""

_WENT_SHARE: Final = 0.5
"""What the vector counts for beside the words when a swindle is looked at again, by cross-validation."""

_NONE: Final = "none"

_SENTENCE_END: Final = re.compile(r"(?<=[.!?\u0964\n])\s+")
_JOINING: Final = shipped("classifiers/clauses")["joining"]
_CLAUSE_END: Final = re.compile(rf"(?<=[,;:])\s+|\s+[-\u2013\u2014]\s+|\s+(?:{_JOINING})\s+", re.IGNORECASE)
_IDIOMS: Final = [
    (re.compile(rf"\b(?:{idiom})\b", re.IGNORECASE), plain)
    for idiom, plain in shipped("classifiers/clauses")["idioms"].items()
]
_PLAINLY_TOLD: Final = {
    language: [(Concern(label), re.compile(rf"\b(?:{said})", re.IGNORECASE)) for label, said in told.items()]
    for language, told in shipped("classifiers/clauses")["plainlyTold"].items()
}
_WORDS_OF_A_CLAUSE: Final = 3
_ACCENTS: Final = re.compile("[\u0300-\u036f]")


class Columns(msgspec.Struct, frozen=True):
    """Labels that are told apart by the same grams."""

    grams: list[str]
    columns: list[Column]


class MeaningColumn(msgspec.Struct, frozen=True, array_like=True):
    """The weights of one sign for the vector of a message: 16-bit integers, times ``scale``."""

    label: str
    intercept: float
    scale: float
    weights: bytes


class DistressWeights(msgspec.Struct, frozen=True):
    """The file of weights. By words: columns for the concerns, and for the signs of a scam. By the vectors of
    the model ``embedder``: a network for the concerns, one that was fitted to calls for help and to what only
    sounds alike, and what is added for each sign. What else is added to the log odds of a concern beside a
    vector, and in other languages than English. ``went`` and ``went_meaning`` tell among swindles whether
    money or data went."""

    concerns: Columns
    signs: Columns
    embedder: str
    network: NetworkWeights
    near: NetworkWeights
    beside_vector: dict[str, float]
    other_languages: dict[str, float]
    meanings: list[MeaningColumn]
    went: Columns
    went_meaning: MeaningColumn


def _without_accents(text: str) -> str:
    return _ACCENTS.sub("", unicodedata.normalize("NFKD", text))


def pieces(text: str) -> set[str]:
    """What is weighed of a text: its grams and wide pairs, without accents, which people in a hurry omit."""
    plain = _without_accents(text)
    return grams(plain) | wide_pairs(plain)


def without_idioms(message: str) -> str:
    """A message with plain words for those of money that sound of death: "stop living beyond our means"."""
    for idiom, plain in _IDIOMS:
        message = idiom.sub(plain, message)
    return message


def plainly_told(message: str, language: str) -> Concern | None:
    """Thoughts of death or violence that a message tells in plain words, in a language that nothing was
    trained on: Dutch, Italian and Polish."""
    plain = _without_accents(message.replace("\u0142", "l"))
    told = _PLAINLY_TOLD.get(language, ())
    return next((concern for concern, said in told if said.search(plain)), None)


def sentences(message: str) -> Sequence[str]:
    """The sentences of a message that has several."""
    found = _SENTENCE_END.split(message.strip())
    return found if len(found) > 1 else ()


def parts(message: str) -> Iterator[str]:
    """Where a message has several sentences each of them, and each with the next.

    A cry for help in the middle of a long story is nearly as loud as one that stands alone.
    """
    found = sentences(message)
    yield from found
    if len(found) > 2:
        yield from map(" ".join, pairwise(found))


def clauses(message: str) -> Iterator[str]:
    """The clauses of each sentence that has several, without those of one or two words.

    Somebody who owes a sum "and does not want to live" says so in half a sentence; the rest must not hide it.
    """
    for sentence in _SENTENCE_END.split(message.strip()):
        found = _CLAUSE_END.split(sentence)
        if len(found) > 1:
            yield from (clause for clause in found if len(clause.split()) >= _WORDS_OF_A_CLAUSE)


class _Scorers:
    """Columns, unpacked."""

    def __init__(self, columns: Columns) -> None:
        self._places = Places(columns.grams)
        self._scorers = {column.label: Scorer(column) for column in columns.columns}

    def scores(self, text: str) -> dict[str, float]:
        """The score of each label."""
        places = self._places.of(pieces(text))
        return {label: scorer.score(places) for label, scorer in self._scorers.items()}

    def score(self, label: str, text: str) -> float:
        """The score of one label."""
        return self._scorers[label].score(self._places.of(pieces(text)))


class _Model:
    """The weights, unpacked."""

    def __init__(self, weights: DistressWeights) -> None:
        self._concerns = _Scorers(weights.concerns)
        self.signs = _Scorers(weights.signs)
        self.embedder = weights.embedder
        self.network, self.near = Network(weights.network), Network(weights.near)
        self.beside_vector = weights.beside_vector
        self.other_languages = {Concern(label): lean for label, lean in weights.other_languages.items()}
        self.meanings = [(column, array("h", column.weights)) for column in weights.meanings]
        self.went = _Scorers(weights.went)
        self.went_meaning = weights.went_meaning, array("h", weights.went_meaning.weights)

    def margins(self, message: str) -> dict[Concern, float]:
        """The log odds of each concern, of that part of the message where they are highest.

        Clauses count for self-harm alone: everything else is told by what stands together.
        """
        margins = self._concerns.scores(message)
        for part in parts(message):
            for label, score in self._concerns.scores(part).items():
                margins[label] = max(margins[label], score - _PART_DOUBT)
        for clause in clauses(message):
            score = self._concerns.score(Concern.SELF_HARM, clause)
            margins[Concern.SELF_HARM] = max(margins[Concern.SELF_HARM], score - _CLAUSE_DOUBT)
        return {Concern(label): margin for label, margin in margins.items()}


def depends_on_earlier(margins: Mapping[Concern, float]) -> bool:
    """Whether it matters what the message before asked help for."""
    return max(margins.values()) > -_SOONER


def leaning(before: Concern) -> float:
    """What is added to the log odds of what the message before asked help for."""
    if before is Concern.SELF_HARM:
        return _SOONER
    return _SOONER_OF_OTHERS if before in EMERGENCIES else -_TOLD


def decided(margins: Mapping[Concern, float], before: Concern | None = None) -> Concern | None:
    """The likeliest concern, or None; self-harm also where something else is a little likelier.

    ``before`` is what the message before asked help for.
    """
    if before is not None:
        margins = {**margins, before: margins[before] + leaning(before)}
    likeliest = max(margins, key=lambda concern: margins[concern])
    if margins[likeliest] <= 0:
        return None
    if 0 < margins[Concern.SELF_HARM] > margins[likeliest] - _RATHER_SELF_HARM:
        return Concern.SELF_HARM
    return likeliest


class LinearDistressClassifier:
    """Logistic regression over words, word pairs and letter runs. The first call loads the weights."""

    def __init__(self, weights: Traversable = _WEIGHTS) -> None:
        self._file = weights

    def concern(self, message: str, history: Sequence[str] = ()) -> Concern | None:
        """What the message asks help for, or None; ``history`` is what the same user wrote before it."""
        margins = self.margins(message)
        before = self.concern(history[-1]) if history and depends_on_earlier(margins) else None
        return decided(margins, before)

    def margins(self, message: str) -> Mapping[Concern, float]:
        """The log odds of each concern."""
        return self._model.margins(message)

    def signs(self, message: str) -> Mapping[Sign, float]:
        """The log odds of each sign of a scam."""
        return {Sign(label): score for label, score in self._model.signs.scores(message).items()}

    @property
    def embedder(self) -> str:
        """The model whose vectors ``meaning`` understands."""
        return self._model.embedder

    def meaning(self, vector: Vector) -> Mapping[Concern, float]:
        """What the vector of a message adds to the log odds of each concern."""
        odds = self._model.network.log_odds(vector)
        alike = _NEAR_SHARE * self._model.near.log_odds(vector)[_NONE]
        return {
            Concern(label): _MEANING_SHARE * odds[label] - alike + lean
            for label, lean in self._model.beside_vector.items()
        }

    def network_odds(self, vector: Vector) -> tuple[Mapping[Concern, float], float]:
        """By the vector alone: the log odds of each concern beside ordinary questions, and those that a
        message only sounds alike."""
        odds = self._model.network.log_odds(vector)
        return {concern: odds[concern] for concern in Concern}, self._model.near.log_odds(vector)[_NONE]

    def in_another_language(self) -> Mapping[Concern, float]:
        """What is added to the log odds of each concern where the message is not in English."""
        return self._model.other_languages

    def meaning_of_signs(self, vector: Vector) -> Mapping[str, float]:
        """What the vector of a message adds to the log odds of each sign of a scam."""
        return {column.label: _added(column, weights, vector) for column, weights in self._model.meanings}

    def went(self, message: str, vector: Vector | None) -> float:
        """The log odds that money or data went, or goes now, where a message is about a swindle."""
        [score] = self._model.went.scores(message).values()
        return score if vector is None else score + _WENT_SHARE * _added(*self._model.went_meaning, vector)

    @cached_property
    def _model(self) -> _Model:
        return _model_of(self._file)


def _added(column: MeaningColumn, weights: Sequence[int], vector: Vector) -> float:
    """What a vector adds to the log odds of a label."""
    total: float = sum(map(mul, weights, vector))
    return column.intercept + column.scale * total


@once_per_file(_WEIGHTS)
def _model_of(file: Traversable) -> _Model:
    return _Model(msgspec.msgpack.decode(file.read_bytes(), type=DistressWeights))
