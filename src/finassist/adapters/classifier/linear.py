"""A linear classifier of questions: the weights ship with the package, training/ makes them."""

import math
from collections.abc import Sequence
from functools import cached_property, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

import msgspec

from finassist.adapters.classifier.grams import clauses, grams
from finassist.adapters.classifier.weights import Column, Places, Scorer
from finassist.adapters.data_files.sharing import once_per_file
from finassist.domain.retrieval.questions import Classification, leans_on_earlier

_WEIGHTS: Final = files("finassist.data") / "classifiers" / "question.msgpack"

_LEAN: Final = 0.5
_LEAN_AFTER_FINANCE: Final = 1.0
"""Added to every margin: a retrieval too many is better than one too few."""
_PLAIN: Final = 2.0
"""From this margin on a message is plainly about money, and what came before it does not matter."""
_CLAUSE_DOUBT: Final = 0.75
"""Taken from the margin of a clause: "thanks, and the tax?" is about money though most of it is thanks."""
_TURNS: Final = 4
"""Earlier messages that a follow-up can lean on."""
_CLASSIFIED: Final = 64
"""So many classifications are remembered: a message is classified first, and again with its reply."""
_FOLLOW_UP_SHARE: Final = 0.5
"""Weight of a follow-up's own categories beside those of the question that it follows."""
_CATEGORY_LIKELY: Final = 0.45
"""Above it nine of ten categories are right."""


class Weights(msgspec.Struct, frozen=True):
    """The file of weights."""

    grams: list[str]
    finance: Column
    finance_after_finance: Column
    categories: list[Column]


class _Model:
    """The weights, unpacked."""

    def __init__(self, weights: Weights) -> None:
        self._places = Places(weights.grams)
        self._finance = Scorer(weights.finance)
        self._finance_after_finance = Scorer(weights.finance_after_finance)
        self._categories = [Scorer(column) for column in weights.categories]
        self.labels = [scorer.label for scorer in self._categories]

    def places(self, text_grams: set[str]) -> list[int]:
        return self._places.of(text_grams)

    def margin(self, places: Sequence[int], *, after_finance: bool = False) -> float:
        """Log odds of finance against small talk; "and for ten years?" depends on what it follows."""
        scorer = self._finance_after_finance if after_finance else self._finance
        return scorer.score(places) + (_LEAN_AFTER_FINANCE if after_finance else _LEAN)

    def category_scores(self, places: Sequence[int]) -> list[float]:
        return [scorer.score(places) for scorer in self._categories]


@once_per_file(_WEIGHTS)
def _model_of(file: Traversable) -> _Model:
    return _Model(msgspec.msgpack.decode(file.read_bytes(), type=Weights))


class LinearQuestionClassifier:
    """Logistic regression over words, word pairs and letter runs. The first call loads the weights."""

    def __init__(self, weights: Traversable = _WEIGHTS) -> None:
        self._file = weights
        self._classified = lru_cache(_CLASSIFIED)(self._classify)

    def classify(self, question: str, history: Sequence[str] = ()) -> Classification:
        """Classify a message; ``history`` is what the same user wrote before it, oldest first.

        A message without a word is small talk.
        """
        return self._classified(question, tuple(history[-_TURNS:]))

    def _classify(self, question: str, history: Sequence[str]) -> Classification:
        text_grams = grams(question)
        if not text_grams:
            return Classification(is_finance=False, confidence=1.0)
        model = self._model
        places = model.places(text_grams)
        margin = model.margin(places)
        topic: Sequence[int] | None = None
        if margin < _PLAIN or leans_on_earlier(question):
            topic = self._topic(history)
            if topic is not None and margin < _PLAIN:
                margin = model.margin(places, after_finance=True)
        if margin < 0:
            margin = max(margin, self._best_clause(question, after_finance=topic is not None))
        confidence = 1 / (1 + math.exp(-abs(margin)))
        if margin < 0:
            return Classification(is_finance=False, confidence=confidence)
        category, category_confidence = self._category(places, topic)
        return Classification(
            is_finance=True,
            confidence=confidence,
            category=category,
            category_confidence=category_confidence,
        )

    @cached_property
    def _model(self) -> _Model:
        return _model_of(self._file)

    def _topic(self, history: Sequence[str]) -> Sequence[int] | None:
        """The latest of the last messages that is plainly about money, else the latest that is at all."""
        topic: Sequence[int] | None = None
        for text in reversed(history):
            places = self._model.places(grams(text))
            margin = self._model.margin(places)
            if places and margin >= _PLAIN:
                return places
            if places and margin >= 0 and topic is None:
                topic = places
        return topic

    def _best_clause(self, question: str, *, after_finance: bool) -> float:
        """The highest margin of the question's clauses, less what a clause alone is doubted."""
        found = [self._model.places(grams(clause)) for clause in clauses(question)]
        margins = [self._model.margin(places, after_finance=after_finance) for places in found if places]
        return max(margins, default=-math.inf) - _CLAUSE_DOUBT

    def _category(self, places: Sequence[int], topic: Sequence[int] | None) -> tuple[str | None, float]:
        scores = self._model.category_scores(places)
        if topic is not None:
            of_topic = self._model.category_scores(topic)
            scores = [_FOLLOW_UP_SHARE * own + old for own, old in zip(scores, of_topic, strict=True)]
        best, probability = _likeliest(scores)
        if probability < _CATEGORY_LIKELY:
            return None, probability
        return self._model.labels[best] or None, probability


def _likeliest(scores: Sequence[float]) -> tuple[int, float]:
    """The place of the highest score, and its probability by softmax."""
    highest = max(scores)
    return scores.index(highest), 1 / sum(math.exp(score - highest) for score in scores)
