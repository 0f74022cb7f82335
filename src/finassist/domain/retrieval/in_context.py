"""Which entry a follow-up moves on to, by what it finds together with the question before it and by itself. A
logistic curve weighs the signs; ``training/in_context.py`` fits it."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Final

from finassist.data import shipped
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.jurisdictions import GENERAL, is_foreign

_ALONE: Final = 0.4
_FITS: Final = 0.4
"""What the score counts for with which a follow-up finds an entry by itself, beside what it finds with the
question before it, and the share of the best that this has to be. With less, what was just quoted hides what
the follow-up moved on to; with more, words that have another meaning elsewhere lead away."""
_LIKELY: Final = 0.5
_WEIGHTS: Final[Mapping[str, float]] = shipped("retrieval/in_context")


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """What speaks for an entry: its share of the best score ``together`` with the question before it; its
    score ``alone``, which is small for what makes no sense alone; the cosines of both (``near_together``,
    ``near_alone``); and whether it tells ``foreign`` rules."""

    together: float
    alone: float
    near_together: float
    near_alone: float
    foreign: float

    @property
    def likelihood(self) -> float:
        """How likely it is that the entry is the one that a follow-up asks for, 0..1; from 0.5 on it is worth
        being quoted (``training/in_context.py``)."""
        favour = _WEIGHTS["intercept"] + sum(
            _WEIGHTS[name] * value for name, value in zip(self.__slots__, astuple(self), strict=True)
        )
        return 1 / (1 + math.exp(-favour))


def signs_in_context(
    together: Sequence[Hit], alone: Sequence[Hit], quoted: Collection[str], country: str | None
) -> Mapping[str, Signs]:
    """The signs of what a follow-up finds beside the entries that were ``quoted``, by id."""
    found = {hit.article_id: hit for hit in (*alone, *together)}
    shares, scores = _shares(together), {hit.article_id: hit.score for hit in alone}
    cosines = [_cosines(hits) for hits in (together, alone)]
    country = country or _told_of(found, quoted)
    return {
        article_id: Signs(
            together=shares.get(article_id, 0.0),
            alone=scores.get(article_id, 0.0),
            near_together=cosines[0].get(article_id, min(cosines[0].values(), default=0.0)),
            near_alone=cosines[1].get(article_id, min(cosines[1].values(), default=0.0)),
            foreign=float(is_foreign(hit.jurisdiction, country)),
        )
        for article_id, hit in found.items()
        if article_id not in quoted
    }


def in_context(
    together: Sequence[Hit], alone: Sequence[Hit], quoted: Collection[str], country: str | None
) -> Sequence[Hit]:
    """What a follow-up finds ``together`` with the question before it, best first, without what was
    ``quoted`` last. What it finds ``alone`` counts, too, for what fits the question before it. An entry that
    is not likely to be asked for scores no more than it is likely."""
    signs = signs_in_context(together, alone, quoted, country)
    scores = {hit.article_id: hit.score for hit in alone}
    best = max((hit.score for hit in together), default=0.0)
    favours = {
        hit.article_id: hit.score + _ALONE * scores.get(hit.article_id, 0.0) * (hit.score >= _FITS * best)
        for hit in together
        if hit.article_id in signs
    }
    share = best / (max(favours.values(), default=0.0) or 1.0)
    found = []
    for hit in together:
        if hit.article_id in favours:
            likelihood, score = signs[hit.article_id].likelihood, favours[hit.article_id] * share
            likely = score if likelihood >= _LIKELY else min(score, likelihood)
            found.append(replace(hit, score=round(likely, 4)))
    return sorted(found, key=lambda hit: hit.score, reverse=True)


def _shares(hits: Sequence[Hit]) -> Mapping[str, float]:
    best = max((hit.score for hit in hits), default=0.0)
    return {hit.article_id: hit.score / best for hit in hits} if best else {}


def _cosines(hits: Sequence[Hit]) -> Mapping[str, float]:
    return {hit.article_id: hit.cosine for hit in hits if hit.cosine}


def _told_of(found: Mapping[str, Hit], quoted: Collection[str]) -> str | None:
    """The country whose rules were quoted, if those of one."""
    told = {found[each].jurisdiction for each in quoted if each in found} - {None, GENERAL}
    return told.pop() if len(told) == 1 else None
