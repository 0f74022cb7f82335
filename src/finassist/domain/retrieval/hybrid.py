"""Embedding articles, and searching by words and by meaning at once (docs/retrieval.md)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Final, NamedTuple

from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.judgement import Evidence, Meaning
from finassist.domain.retrieval.passages import split_passages

_CHANCE: Final = 3.0
"""In standard deviations, how near the nearest of some hundred articles is to any question."""

_EXTREME: Final = 9.0
"""Further than that only bases of nearly equal articles go, where it says little."""


_UNLIKE: Final = 0.4
"""What the score counts for when the first entry means something else: it may be near, but hardly answers."""

_NO_WORDINGS: Final = 0.45
"""How much an article of one's own, of which nobody wrote how it is asked for, counts as worded at least."""

_HALF_SURE: Final = 4.0
"""Deviations at which an article answers a question in another language as likely as not; assumed."""

_NEAREST: Final = 1.25
"""What the cosine to the nearest way of asking is worth beside the share of the best score. Fitted to 879
first messages (docs/retrieval.md)."""


@dataclass(frozen=True, slots=True)
class Unembedded:
    """An article without vectors. ``texts`` are what has to be embedded."""

    article_id: str
    title: str
    body: str
    quotable: bool = False

    @property
    def texts(self) -> Sequence[str]:
        return texts_to_embed(self.title, self.body, quotable=self.quotable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """How far embedding is. ``model`` is None before the first vector."""

    model: str | None
    articles: int
    with_vectors: int


class Near(NamedTuple):
    """An article that means something like the query: the ``cosine`` of its nearest passage, and how near
    that is in standard deviations above the mean of all articles. The hit shows that passage, or is the one
    that was to be included."""

    hit: Hit
    cosine: float
    deviations: float


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """How near two vectors of length one are."""
    return sum(a * b for a, b in zip(one, other, strict=True))


def asked_for(query: str) -> str:
    """The text of a query that is embedded: a question mark changes its vector, and not what it asks."""
    return query.rstrip(" ?!.") or query


def texts_to_embed(title: str, body: str, *, quotable: bool = False) -> Sequence[str]:
    """What stands for an article: each passage with its title, or the question with its answer.

    The details of an answer, which follow its first paragraph, say less of what it is about.
    """
    if quotable:
        answer, _, _ = body.partition("\n\n")
        return [f"{title}\n{answer}"]
    return [f"{title}\n{passage}".strip() for passage in split_passages(body)] or [title]


def fuse(
    lexical: Sequence[Hit],
    near: Sequence[Near],
    *,
    question: Sequence[float],
    meaning: Meaning,
    limit: int,
) -> Sequence[Hit]:
    """One order out of two: the lexical score and, on top of it, how near an article is.

    Cosines of two models cannot be compared, deviations can. A hit without a word of the question must be
    nearer than chance brings. The scores fall from that of the best hit, which says how likely it answers:
    hardly, when it is near neither by its cosine nor by its deviations.
    """
    answered = _answered(lexical, near, question, meaning)
    if not answered:
        return []
    found = {hit.article_id: hit for hit in lexical}
    weights = _weights(found, near, meaning)
    best = max(weights.values(), default=0.0)
    ranked = sorted(found.values(), key=lambda hit: weights[hit.article_id], reverse=True)
    if ranked and _is_unlike(ranked[0].article_id, near, meaning):
        answered *= _UNLIKE
    cosines = {each.hit.article_id: each.cosine for each in near}
    return [
        replace(
            hit,
            score=round(answered * max(0.0, weights[hit.article_id]) / (best or 1.0), 4),
            cosine=cosines.get(hit.article_id, 0.0),
        )
        for hit in ranked[:limit]
    ]


def reranked(hits: Sequence[Hit], *, limit: int) -> Sequence[Hit]:
    """The first ``limit`` hits in the order in which their scores and the ways of asking for them together
    would have them answer. Those for which no way of asking is known keep their places.

    How likely the best find answers is not changed: the scores fall over the places as before.
    """
    best = max((hit.score for hit in hits), default=0.0) or 1.0
    known = [
        (place, hit.score / best + _NEAREST * hit.nearest) for place, hit in enumerate(hits) if hit.nearest
    ]
    in_order = sorted(known, key=itemgetter(1), reverse=True)
    ordered = list(hits[:limit])
    for (place, _), (before, worth) in zip(known, in_order, strict=True):
        if place < limit:
            ordered[place] = replace(hits[before], worth=worth, score=hits[place].score)
    return ordered


def _weights(found: dict[str, Hit], near: Sequence[Near], meaning: Meaning) -> dict[str, float]:
    """What each find counts by words and by meaning; what only meaning finds is added to what was found."""
    top = max((hit.score for hit in found.values()), default=0.0)
    weights = {article_id: hit.score / top if top else 0.0 for article_id, hit in found.items()}
    for each in near:
        article_id = each.hit.article_id
        if article_id in found or each.deviations > _CHANCE:
            found.setdefault(article_id, each.hit)
            deviations = max(-_CHANCE, min(each.deviations, _EXTREME))
            weights[article_id] = weights.get(article_id, 0.0) + meaning.weight * deviations
    return weights


def across_languages(near: Sequence[Near], *, limit: int) -> Sequence[Hit]:
    """The articles that mean what a question in another language asks, nearest first. Its words say nothing
    about English articles, so the deviations of the nearest say how likely that one answers."""
    ranked = sorted(near, key=lambda each: each.deviations, reverse=True)[:limit]
    best = ranked[0].deviations if ranked else 0.0
    if best <= _CHANCE:
        return []
    answered = 1 / (1 + math.exp(_HALF_SURE - best))
    return [
        replace(each.hit, score=round(answered * each.deviations / best, 4))
        for each in ranked
        if each.deviations > _CHANCE
    ]


def _is_unlike(article_id: str, near: Sequence[Near], meaning: Meaning) -> bool:
    """Whether an entry means something else than the question, whatever words they share."""
    judgement = meaning.judgement
    return judgement is not None and any(
        each.hit.article_id == article_id
        and each.hit.quotable
        and each.cosine < judgement.cosine_min
        and each.deviations < judgement.deviations_min
        for each in near
    )


def _answered(
    lexical: Sequence[Hit], near: Sequence[Near], question: Sequence[float], meaning: Meaning
) -> float:
    """How likely it is that the best find answers the question."""
    words = max((hit.score for hit in lexical), default=0.0)
    if meaning.judgement is None or not near:
        return words
    cosines = {each.hit.article_id: each.cosine for each in near}
    nearest = max(near, key=lambda each: each.deviations)
    return meaning.judgement.score(
        Evidence(
            words=words,
            worded=_worded(lexical),
            deviations=nearest.deviations,
            agreed=cosines.get(lexical[0].article_id, 0.0) if lexical else 0.0,
            likeness=meaning.likeness(question),
        )
    )


def _worded(lexical: Sequence[Hit]) -> float:
    """How much the question has of a wording of what its words find."""
    if not lexical:
        return 0.0
    least = 0.0 if lexical[0].quotable else _NO_WORDINGS
    return max(least, *(hit.worded for hit in lexical))
