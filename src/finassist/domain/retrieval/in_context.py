"""Which entry a later message asks for, by what it finds with the question before it, with the one that
opened the conversation, by itself, and about the entry that was quoted last. A logistic curve weighs the
signs; ``training/in_context.py`` fits it."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Final

from finassist.data import shipped
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.jurisdictions import GENERAL, is_foreign

_LIKELY: Final = 0.5
_AS_LIKELY: Final = 0.6
_SPREAD: Final = 0.12
"""What has 0.6 of the best likelihood may as well be meant, and gets 0.94 of the best score, with which both
may be quoted (``adapters/llm/offline/quotes.py``)."""
_WEIGHTS: Final[Mapping[str, float]] = shipped("retrieval/in_context")


@dataclass(frozen=True, slots=True)
class Searches:
    """What a later message finds, best first: ``together`` with the question before it, ``alone``, ``about``
    what was quoted last, with the title of that, and with the ``opening`` question of the conversation."""

    together: Sequence[Hit]
    alone: Sequence[Hit]
    about: Sequence[Hit]
    opening: Sequence[Hit]

    @property
    def hits(self) -> Sequence[Hit]:
        """All of them."""
        return (*self.together, *self.about, *self.opening, *self.alone)

    @property
    def best(self) -> float:
        """How likely any of the searches has an answer."""
        return max((hit.score for hit in (*self.together, *self.about, *self.opening)), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """What speaks for an entry: its share of the best score ``together`` with the question before it,
    ``about`` what was quoted and with the ``opening`` question; its score ``alone``, which is small for what
    makes no sense alone; how near the nearest way of asking for it is to the query of each of the four; and
    whether it tells ``foreign`` rules."""

    together: float
    alone: float
    about: float
    opening: float
    near_together: float
    near_alone: float
    near_about: float
    near_opening: float
    foreign: float

    @property
    def likelihood(self) -> float:
        """How likely it is that the entry answers a later message, 0..1, moved so that from
        0.5 on it is worth being quoted (``LEAST`` of ``training/in_context.py``)."""
        favour = _WEIGHTS["intercept"] + sum(
            _WEIGHTS[name] * value for name, value in zip(self.__slots__, astuple(self), strict=True)
        )
        return 1 / (1 + math.exp(-favour))


def about_subject(text: str, subject: str) -> str:
    """The query for a follow-up on a subject. What is asked comes first: a title before it outweighs it."""
    return f"{text.rstrip(' ?!.')} ({subject.rstrip(' ?!.')})"


def signs_in_context(searches: Searches, quoted: Collection[str], country: str | None) -> Mapping[str, Signs]:
    """The signs of what a later message finds beside the entries that were ``quoted``, by id."""
    every = (searches.together, searches.alone, searches.about, searches.opening)
    found = {hit.article_id: hit for hits in every for hit in hits}
    together, about, opening = map(_shares, (searches.together, searches.about, searches.opening))
    alone = {hit.article_id: hit.score for hit in searches.alone}
    nearest = [_nearest(hits) for hits in every]
    least = [min(each.values(), default=0.0) for each in nearest]
    country = country or country_told(found.values(), quoted)
    signs = {}
    for article_id, hit in found.items():
        near = [each.get(article_id, low) for each, low in zip(nearest, least, strict=True)]
        signs[article_id] = Signs(
            together=together.get(article_id, 0.0),
            alone=alone.get(article_id, 0.0),
            about=about.get(article_id, 0.0),
            opening=opening.get(article_id, 0.0),
            near_together=near[0],
            near_alone=near[1],
            near_about=near[2],
            near_opening=near[3],
            foreign=float(is_foreign(hit.jurisdiction, country)),
        )
    return {article_id: each for article_id, each in signs.items() if article_id not in quoted}


def in_context(searches: Searches, quoted: Collection[str], country: str | None) -> Sequence[Hit]:
    """The entries that a later message may ask for, likeliest first, without what was ``quoted`` last. One
    that is not likely to be asked for, and not about as likely as the first, scores no more than it is
    likely."""
    found = {hit.article_id: hit for hit in searches.hits}
    signs = signs_in_context(searches, quoted, country)
    likelihoods = {article_id: each.likelihood for article_id, each in signs.items()}
    most = max(likelihoods.values(), default=1.0)
    least = min(_AS_LIKELY * most, _LIKELY) if most >= _LIKELY else _LIKELY
    cosines = {hit.article_id: hit.cosine for hit in searches.alone if hit.cosine}
    far = min(cosines.values(), default=0.0)
    scored = []
    for article_id, likelihood in likelihoods.items():
        score = searches.best * (likelihood / most) ** _SPREAD
        likely = score if likelihood >= least else min(score, likelihood)
        cosine = cosines.get(article_id, far)  # those of other queries cannot be compared with it
        scored.append(replace(found[article_id], score=round(likely, 4), cosine=cosine))
    return sorted(scored, key=lambda hit: (hit.score, likelihoods[hit.article_id]), reverse=True)


def _shares(hits: Sequence[Hit]) -> Mapping[str, float]:
    best = max((hit.score for hit in hits), default=0.0)
    return {hit.article_id: hit.score / best for hit in hits} if best else {}


def _nearest(hits: Sequence[Hit]) -> Mapping[str, float]:
    """How near the nearest known way of asking for each is to the query, or else its own vector."""
    return {hit.article_id: near for hit in hits if (near := hit.nearest or hit.cosine)}


def country_told(found: Iterable[Hit], quoted: Collection[str]) -> str | None:
    """The country whose rules were quoted, if those of one."""
    told = {hit.jurisdiction for hit in found if hit.article_id in quoted} - {None, GENERAL}
    return told.pop() if len(told) == 1 else None
