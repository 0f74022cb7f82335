"""How well a section of an article answers a query: its place, and a score that one threshold fits.

The place is BM25 with a fixed length norm, and a bonus for what stands right at the beginning: a text
says first what it is about. BM25 alone cannot tell an answerable question from another: in a base about
money, "bond" and "inflation" are common words and weigh little, while one odd word of a stray question
weighs much. So the score takes flattened weights and adds the share of the query that is found at all;
both are measured in units that do not grow with the base.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

TITLE_WEIGHT: Final = 3

_K1: Final = 1.6
_B: Final = 0.8
_USUAL_LENGTH: Final = 200
_SMALLEST_BASE: Final = 200
_FLATNESS: Final = 4.0
_SCALE: Final = 3.0
_PAIR_BONUS: Final = 0.25
_EARLY_BONUS: Final = 0.4


@dataclass(frozen=True, slots=True)
class Matches:
    """How often each term of the query stands in a section; ``length`` is that of its body in words.

    ``early`` are the terms among its first words. ``pairs`` counts the neighbours in the query that are
    neighbours in the title as well: "emergency fund" says what a question is about, "emergency" and
    "fund" apart do not.
    """

    title: Mapping[str, float]
    body: Mapping[str, float]
    length: int
    early: Collection[str] = ()
    pairs: int = 0


class Relevance:
    """Scores what a search found for one query.

    ``frequencies`` says in how many of all ``sections`` each of the query's terms stands (0 for none),
    ``weights`` what a term is worth where that is not 1.
    """

    def __init__(
        self, frequencies: Mapping[str, int], sections: int, weights: Mapping[str, float] | None = None
    ) -> None:
        # In a base of five articles every word would be common: take it for a part of a larger one.
        sections = max(sections, _SMALLEST_BASE)
        worth = weights or {}
        self._rarities = {
            term: worth.get(term, 1.0) * math.log(1 + max(0.0, sections - found + 0.5) / (found + 0.5))
            for term, found in frequencies.items()
        }
        self._flat = {
            term: rarity + worth.get(term, 1.0) * _FLATNESS for term, rarity in self._rarities.items()
        }
        self._unit = math.log(sections) + _FLATNESS
        # What the query only implies is a gain where it is found, and no loss where it is not.
        self._all = sum(flat for term, flat in self._flat.items() if worth.get(term, 1.0) >= 1) or 1.0

    def weight(self, counts: Mapping[str, float], length: int, early: Collection[str] = ()) -> float:
        """The BM25 weight of a text with these term counts."""
        found = sum(self._rarities[term] * share for term, share in _saturated(counts, length))
        return found + _EARLY_BONUS * sum(self._rarities[term] for term in early)

    def scores(self, found: Sequence[Matches]) -> list[float]:
        """A score of each find, 0..1: the more a query is answered by the best, and the closer to it."""
        counts = [_total(matches) for matches in found]
        weights = [
            self.weight(total, matches.length, matches.early) * (1 + _PAIR_BONUS * matches.pairs)
            for total, matches in zip(counts, found, strict=True)
        ]
        answered = max(
            (self._answered(total, matches.length) for total, matches in zip(counts, found, strict=True)),
            default=0.0,
        )
        best = max(weights, default=0.0)
        return [1 - math.exp(-answered * weight / best / _SCALE) if best else 0.0 for weight in weights]

    def _answered(self, counts: Mapping[str, float], length: int) -> float:
        depth = sum(self._flat[term] * share for term, share in _saturated(counts, length)) / self._unit
        return depth + min(1.0, sum(self._flat[term] for term in counts) / self._all)


def _total(matches: Matches) -> Mapping[str, float]:
    total = dict(matches.body)
    for term, count in matches.title.items():
        total[term] = total.get(term, 0.0) + TITLE_WEIGHT * count
    return total


def _saturated(counts: Mapping[str, float], length: int) -> Iterable[tuple[str, float]]:
    norm = _K1 * (1 - _B + _B * length / _USUAL_LENGTH)
    return ((term, count * (_K1 + 1) / (count + norm)) for term, count in counts.items())
