"""How well a section of an article answers a query: its place, and a score that one threshold fits.

The place is BM25 with a fixed length norm, and a bonus for what stands right at the beginning: a text
says first what it is about. BM25 cannot tell an answerable question from another: in a base about money,
"bond" and "inflation" are common words and weigh little, while one odd word of a stray question weighs
much. So the score of the best find is a judgement of its own (``retrieval/answerability.py``), which does not
grow with the base.
"""

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

from finassist.domain.retrieval.answerability import Judge, Signs

TITLE_WEIGHT: Final = 3

_K1: Final = 1.6
_B: Final = 0.8
_USUAL_LENGTH: Final = 200
_SMALLEST_BASE: Final = 200
_AMOUNT: Final = re.compile(r"(?!(?:19|20)\d\d$)\d+\w*")
"""20, 000 and 45k, but neither 1999 nor 2013: who asks for a year means that year."""
_FALL: Final = 1.5
"""How fast the score falls from the best find to the next."""
_PAIR_BONUS: Final = 0.25
_EARLY_BONUS: Final = 0.4
_DEFINES_BONUS: Final = 1.0
_ONE_COMMON_WORD: Final = 0.3
"""What a word that many sections have weighs, where one that stands nowhere has 1."""


class Matches(NamedTuple):
    """How often each term of the query occurs in a section; ``length`` is that of its body in words.

    ``early`` are the terms among its first words. ``pairs`` counts the neighbours in the query that are
    neighbours in the title as well: "emergency fund" says what a question is about, "emergency" and
    "fund" apart do not. ``defines`` says that the text begins with the definition that is asked for.
    ``wordings`` are the terms in each of the other wordings of the title, asked for of the best find alone.
    """

    title: Mapping[str, float]
    body: Mapping[str, float]
    length: int
    early: Collection[str] = ()
    pairs: int = 0
    defines: bool = False
    wordings: Callable[[], Sequence[Collection[str]]] = tuple


class Relevance:
    """Scores what a search found for one query.

    ``frequencies`` says in how many of all ``sections`` each of the query's terms stands (0 for none),
    ``weights`` what a term is worth where that is not 1.
    """

    def __init__(
        self,
        frequencies: Mapping[str, int],
        sections: int,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        # In a base of five articles every word would be common: take it for a part of a larger one.
        sections = max(sections, _SMALLEST_BASE)
        worth = weights or {}
        self._rarities = {
            term: worth.get(term, 1.0) * _rarity(found, sections) for term, found in frequencies.items()
        }
        # A find need not have what the query only implies, nor an amount that stands nowhere.
        demanded = {
            term: rarity / math.log(sections)
            for term, rarity in self._rarities.items()
            if worth.get(term, 1.0) >= 1 and (frequencies[term] or not _AMOUNT.fullmatch(term))
        }
        self._judge = Judge(demanded)

    def weight(self, counts: Mapping[str, float], length: int, early: Collection[str] = ()) -> float:
        """The BM25 weight of a text with these term counts."""
        rarities = self._rarities
        norm = _K1 * (1 - _B + _B * length / _USUAL_LENGTH)
        found = sum([rarities[term] * (count * (_K1 + 1) / (count + norm)) for term, count in counts.items()])
        return found + _EARLY_BONUS * sum([rarities[term] for term in early])

    def scores(self, found: Sequence[Matches]) -> list[float]:
        """A score of each find, 0..1: the more a query is answered by the best, and the closer to it."""
        weights = self._weights(found)
        best = max(weights, default=0.0)
        if best <= 0:
            return [0.0] * len(weights)
        answered = self._signs(found[weights.index(best)]).score
        return [answered * (weight / best) ** _FALL for weight in weights]

    def signs_of_best(self, found: Sequence[Matches]) -> Signs | None:
        """What speaks for and against the best find as an answer; None without any."""
        weights = self._weights(found)
        return self._signs(found[weights.index(max(weights))]) if weights else None

    def _weights(self, found: Sequence[Matches]) -> list[float]:
        return [
            self.weight(_total(matches), matches.length, matches.early)
            * (1 + _PAIR_BONUS * matches.pairs + _DEFINES_BONUS * matches.defines)
            for matches in found
        ]

    def _signs(self, matches: Matches) -> Signs:
        return self._judge.signs([matches.title, *matches.wordings()], matches.early, _total(matches))


def worded(
    wordings: Sequence[Collection[str]], asked: Collection[str], frequencies: Mapping[str, int], sections: int
) -> float:
    """How much of one of these wordings a query has that asks for these terms, 0..1: most of the words that
    say what it is about, and more than one common word. ``frequencies`` says in how many sections each word
    of the wordings stands."""
    sections = max(sections, _SMALLEST_BASE)
    full = math.log(sections)
    shares = [0.0]
    stated = set(chain.from_iterable(wordings))
    weights = {term: _rarity(frequencies.get(term, 0), sections) / full for term in stated}
    for wording in map(set, wordings):
        found = sum([weights[term] for term in wording if term in asked])
        shares.append(found / (sum([weights[term] for term in wording]) + _ONE_COMMON_WORD))
    return max(shares)


def _rarity(found: int, sections: int) -> float:
    return math.log(1 + max(0.0, sections - found + 0.5) / (found + 0.5))


def _total(matches: Matches) -> Mapping[str, float]:
    total = dict(matches.body)
    for term, count in matches.title.items():
        total[term] = total.get(term, 0.0) + TITLE_WEIGHT * count
    return total
