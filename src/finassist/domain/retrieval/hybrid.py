"""Embedding articles, and searching by words and by meaning at once (docs/retrieval.md)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.passages import split_passages

_MEANING: Final = 0.12
"""What one standard deviation of nearness is worth, in parts of the best lexical score."""
_CHANCE: Final = 3.0
"""In standard deviations, how near the nearest of some hundred articles is to any question."""

_EXTREME: Final = 9.0
"""Further than that only bases of nearly equal articles go, where it says little."""


@dataclass(frozen=True, slots=True)
class Unembedded:
    """An article without vectors. ``texts`` are what has to be embedded."""

    article_id: str
    title: str
    body: str

    @property
    def texts(self) -> Sequence[str]:
        return texts_to_embed(self.title, self.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """How far embedding is. ``model`` is None before the first vector."""

    model: str | None
    articles: int
    with_vectors: int


@dataclass(frozen=True, slots=True)
class Near:
    """An article that means something like the query. The hit shows its nearest passage; ``deviations`` says
    how near that is, in standard deviations above the mean of all articles."""

    hit: Hit
    deviations: float


def texts_to_embed(title: str, body: str) -> Sequence[str]:
    """What stands for an article: each passage with its title."""
    return [f"{title}\n{passage}".strip() for passage in split_passages(body)] or [title]


def fuse(lexical: Sequence[Hit], near: Iterable[Near], *, limit: int) -> Sequence[Hit]:
    """One order out of two: the lexical score and, on top of it, how near an article is.

    Cosines of two models cannot be compared, deviations can. A hit without a word of the query must be nearer
    than chance brings. The words alone say how well the best hit answers, so that one threshold fits with
    vectors and without.
    """
    answered = max((hit.score for hit in lexical), default=0.0)
    if not answered:
        return []
    found = {hit.article_id: hit for hit in lexical}
    weights = {article_id: hit.score / answered for article_id, hit in found.items()}
    for each in near:
        article_id = each.hit.article_id
        if article_id in found or each.deviations > _CHANCE:
            found.setdefault(article_id, each.hit)
            deviations = max(-_CHANCE, min(each.deviations, _EXTREME))
            weights[article_id] = weights.get(article_id, 0.0) + _MEANING * deviations
    best = max(weights.values())
    ranked = sorted(found.values(), key=lambda hit: weights[hit.article_id], reverse=True)
    return [
        replace(hit, score=round(answered * max(0.0, weights[hit.article_id]) / best, 4))
        for hit in ranked[:limit]
    ]
