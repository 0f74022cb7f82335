"""What words are taken for the same: spellings, and abbreviations of the field with what they stand for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Final

from finassist.data import shipped
from finassist.domain.retrieval.words import STOP_WORDS, words_of

ABBREVIATION_WEIGHT: Final = 0.5
"""What an abbreviation is worth where its full form was asked for, and the other way round."""

_QUESTIONS: Final = shipped("retrieval/questions")
_DETERMINERS: Final = frozenset(_QUESTIONS["determiners"].split())
_MODALS: Final = frozenset(_QUESTIONS["modals"].split())


@dataclass(frozen=True, slots=True)
class QueryWord:
    """A word to search for. ``phrase`` is what it stands for, or what stands for it, word by word, and as
    good as half of it.

    ``weight`` is 1 for a word of the query, less for one that the query only implies.
    """

    word: str
    phrase: tuple[str, ...] = ()
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """``spellings`` maps a spelling to the one that stands for all; ``abbreviations`` to full forms."""

    spellings: Mapping[str, str] = field(default_factory=dict)
    abbreviations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def words(self, text: str) -> list[str]:
        """The words of a text in order, each in the one spelling that stands for all."""
        spelled = self.spellings
        return [spelled.get(word, word) for word in words_of(text)]

    def query(self, text: str) -> Sequence[QueryWord]:
        """The different words that say what a text asks for, in order; then the abbreviations that it
        writes in full."""
        words = self.words(text)
        asked = {word: QueryWord(word, self.abbreviations.get(word, ())) for word in _telling(words)}
        implied = (
            QueryWord(word, weight=ABBREVIATION_WEIGHT)
            for word in dict.fromkeys(self._abbreviated(words))
            if word not in asked
        )
        return list(chain(asked.values(), implied))

    def _abbreviated(self, words: Sequence[str]) -> Iterator[str]:
        """The abbreviations of the phrases that occur in the words."""
        present = set(words)
        for abbreviation, phrase in self.abbreviations.items():
            size = len(phrase)
            if phrase[0] in present and any(
                tuple(words[start : start + size]) == phrase for start in range(len(words) - size + 1)
            ):
                yield abbreviation


def _telling(words: Sequence[str]) -> Sequence[str]:
    """The words that say something, once each: a modal verb behind an article is a noun ("a will")."""
    nouns = {word for before, word in pairwise(words) if before in _DETERMINERS and word in _MODALS}
    return [word for word in dict.fromkeys(words) if word in nouns or word not in STOP_WORDS]
