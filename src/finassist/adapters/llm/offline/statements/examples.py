"""What a question wants of the statements, by its likeness to examples: by their vectors where the embedder
knows the language, else by their words."""

import logging
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from finassist.adapters.embeddings.ridge import Ridge
from finassist.application.ports.knowledge import Embedder
from finassist.data import shipped
from finassist.domain.errors import EmbeddingError
from finassist.domain.retrieval.hybrid import asked_for
from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.statements.categories import ENCODER, plain_words
from finassist.domain.statements.questions.subjects import things

OTHER: Final = "other"
"""What questions want that have nothing to do with the statements."""

_STEM: Final = 5
"""Letters of a word that are compared in languages with many endings: ``ausgaben`` and ``ausgabe``."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Likeness:
    """How like a question is to the examples of each thing that may be wanted."""

    wanted: Mapping[str, float]
    is_by_meaning: bool

    @property
    def other(self) -> float:
        """To the examples that ask nothing of the statements."""
        return self.wanted.get(OTHER, 0.0)


@dataclass(frozen=True, slots=True)
class _Example:
    wanted: str
    text: str
    stems: frozenset[str]


class Examples:
    """The examples of each language, and what a question is like."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder: Final = embedder if embedder is not None and embedder.model == ENCODER else None
        self._ridge: Ridge | None = None

    async def likeness(self, question: str, language: str) -> Likeness:
        """The likeness of a question to the examples of each kind."""
        found = await self._by_meaning(question, language)
        return Likeness(found or _by_words(question, language), is_by_meaning=found is not None)

    async def _by_meaning(self, question: str, language: str) -> Mapping[str, float] | None:
        if self._embedder is None or not self._embedder.understands(language):
            return None
        try:
            if self._ridge is None:
                examples = _examples(ENGLISH)
                vectors = await self._embedder.embed([asked_for(example.text) for example in examples])
                self._ridge = Ridge([example.wanted for example in examples], vectors)
            return self._ridge(await self._embedder.embed_query(asked_for(question)))
        except EmbeddingError as error:
            _log.warning("a question could not be embedded, its words decide: %s", error.kind)
            return None


def _by_words(question: str, language: str) -> Mapping[str, float]:
    """The share of words in common with the nearest example of each kind; a word counts by how few of the
    examples have it."""
    asked, weights = _stems(question), _weights(language)
    rarest = max(weights.values(), default=1.0)

    def weight(stems: frozenset[str]) -> float:
        return sum(weights.get(stem, rarest) for stem in stems)

    nearest: dict[str, float] = {}
    for each in _examples(language):
        share = weight(asked & each.stems) / (weight(asked | each.stems) or 1)
        nearest[each.wanted] = max(share, nearest.get(each.wanted, 0.0))
    return nearest


@cache
def _weights(language: str) -> Mapping[str, float]:
    examples = _examples(language)
    frequency = Counter(stem for example in examples for stem in example.stems)
    return {stem: math.log(len(examples) / number) for stem, number in frequency.items()}


@cache
def _examples(language: str) -> Sequence[_Example]:
    return [
        _Example(wanted, text, _stems(text)) for wanted, texts in _texts(language).items() for text in texts
    ]


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in plain_words(text))


def kinds() -> Mapping[str, Mapping[str, Any]]:
    """What may be wanted, with the tool's arguments for it."""
    found: Mapping[str, Mapping[str, Any]] = shipped("statements/questions")["kinds"]
    return found


def _of_language(language: str) -> Mapping[str, Any]:
    """What is known of a language; of any other that of English."""
    others: Mapping[str, Mapping[str, Any]] = shipped("statements/questions_by_language")
    return others.get(language, shipped("statements/questions"))


def _texts(language: str) -> Mapping[str, Sequence[str]]:
    """The examples of each kind."""
    found = _of_language(language)["kinds"].items()
    return {wanted: kind["examples"] if isinstance(kind, Mapping) else kind for wanted, kind in found}


def placeholder(language: str) -> str:
    """What stands for payees in the examples."""
    return str(_of_language(language)["placeholder"])


@cache
def example_words(language: str) -> frozenset[str]:
    """The words of the examples that ask the statements."""
    return frozenset(
        word
        for wanted, texts in _texts(language).items()
        if wanted != OTHER
        for text in texts
        for word in plain_words(text)
    )


@cache
def asking_words(language: str) -> frozenset[str]:
    """The words that ask, and name no payment: those of the examples, and the small words of a language."""
    words = example_words(ENGLISH) | example_words(language)
    small = str(_of_language(language).get("small_words", "")).split()
    return (words - (things() - {"income", "interest"})).union(small)
