"""How well an article answers a query: its place among the hits, and a score that one threshold fits.

The place is BM25 with a fixed length norm. BM25 alone cannot tell an answerable question from another:
in a base about money, "bond" and "inflation" are common words and weigh little, while one odd word of a
stray question weighs much. So the score takes flattened weights and adds the share of the query that is
found at all; both are measured in units that do not grow with the base.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

TITLE_WEIGHT: Final = 3

_K1: Final = 1.2
_B: Final = 0.75
_USUAL_LENGTH: Final = 1000
_SMALLEST_BASE: Final = 200
_FLATNESS: Final = 4.0
_SCALE: Final = 3.0
_PAIR_BONUS: Final = 0.25


@dataclass(frozen=True, slots=True)
class Matches:
    """How often each term of the query stands in an article. ``length`` is in characters.

    ``pairs`` counts the neighbours in the query that are neighbours in the title as well: "emergency
    fund" says what a question is about, "emergency" and "fund" apart do not.
    """

    title: Counter[str]
    body: Counter[str]
    length: int
    pairs: int = 0


class Relevance:
    """Scores what a search found for one query.

    ``frequencies`` says in how many of all ``articles`` each of the query's terms stands (0 for none).
    """

    def __init__(self, frequencies: Mapping[str, int], articles: int) -> None:
        # In a base of five articles every word would be common: take it for a part of a larger one.
        articles = max(articles, _SMALLEST_BASE)
        self._rarities = {
            term: math.log(1 + (articles - found + 0.5) / (found + 0.5))
            for term, found in frequencies.items()
        }
        self._unit = math.log(articles) + _FLATNESS
        self._all = sum(self._rarities.values()) + _FLATNESS * len(self._rarities)

    def weight(self, counts: Mapping[str, int], length: int) -> float:
        """The BM25 weight of a text with these term counts."""
        return sum(self._rarities[term] * share for term, share in _saturated(counts, length))

    def scores(self, found: Sequence[Matches]) -> list[float]:
        """A score of each find, 0..1: the more a query is answered by the best, and the closer to it."""
        counts = [_total(matches) for matches in found]
        weights = [
            self.weight(total, matches.length) * (1 + _PAIR_BONUS * matches.pairs)
            for total, matches in zip(counts, found, strict=True)
        ]
        answered = max(
            (self._answered(total, matches.length) for total, matches in zip(counts, found, strict=True)),
            default=0.0,
        )
        best = max(weights, default=0.0)
        return [1 - math.exp(-answered * weight / best / _SCALE) if best else 0.0 for weight in weights]

    def _answered(self, counts: Mapping[str, int], length: int) -> float:
        flat = {term: self._rarities[term] + _FLATNESS for term in counts}
        depth = sum(flat[term] * share for term, share in _saturated(counts, length)) / self._unit
        return depth + sum(flat.values()) / self._all


def _total(matches: Matches) -> Counter[str]:
    total = Counter(matches.body)
    for term, count in matches.title.items():
        total[term] += TITLE_WEIGHT * count
    return total


def _saturated(counts: Mapping[str, int], length: int) -> Iterable[tuple[str, float]]:
    norm = _K1 * (1 - _B + _B * length / _USUAL_LENGTH)
    return ((term, count * (_K1 + 1) / (count + norm)) for term, count in counts.items())
