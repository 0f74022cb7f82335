"""The order of the first finds of a search, by how near a question is to each wording in which they are asked."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from finassist.domain.knowledge import Hit

_ENTRY: Final = 0.85
_TITLE: Final = 0.43
_NEAREST: Final = 1.27
"""What a cosine is worth beside the share of the best score: to the vector of the entry, to its title, and to
the nearest of its wordings. Fitted to 1,094 first messages and later turns (docs/retrieval.md)."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """The cosines of a question to the ``title`` of an entry, and to the ``nearest`` of its wordings, of which
    the title is one."""

    title: float
    nearest: float


def reranked(hits: Sequence[Hit], nearness: Sequence[Nearness | None]) -> Sequence[Hit]:
    """The hits in the order in which their scores and their wordings together would have them answer. Those of
    which the nearness is not known keep their places.

    How likely the best find answers is not changed: the scores fall over the places as before.
    """
    known = [(place, hit, near) for place, (hit, near) in enumerate(zip(hits, nearness, strict=True)) if near]
    best = max((hit.score for hit in hits), default=0.0) or 1.0
    in_order = sorted(known, key=lambda each: _worth(each[1], each[2], best), reverse=True)
    ordered = list(hits)
    for (place, before, _), (_, hit, _) in zip(known, in_order, strict=True):
        ordered[place] = replace(hit, score=before.score)
    return ordered


def _worth(hit: Hit, near: Nearness, best: float) -> float:
    return hit.score / best + _ENTRY * hit.cosine + _TITLE * near.title + _NEAREST * near.nearest
