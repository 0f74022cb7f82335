"""What a search found for a question: what answers it, and what is only near."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.jurisdictions import (
    ELSEWHERE,
    answering_for,
    countries_meant,
    holds_in,
    in_order_for,
)
from finassist.domain.retrieval.queries import NEAR_SHARE, NEAREST_SHARE, asked_by_title, worth_injecting
from finassist.domain.retrieval.questions import told_otherwise

_NOT_FAR: Final = 0.75
"""The least share of the best score with which an entry answers for one on another country's rules."""

NEAR_COSINE: Final = 0.4
"""The least cosine of an entry that is shown though nothing answers (docs/retrieval.md)."""

_CLEAR: Final = 0.85
"""From such a score on what is found with the question before a message is clear, though it sounds of no
money."""

_ASKS_IT: Final = 0.6
"""From this cosine on an entry asks what a later message asks, whatever came before: of 45 such messages 76 %
found one that is useful so, and 62 % with the question that opened the conversation."""

_OTHERWISE: Final = 0.7
"""What the score counts for of an entry that is about the opposite of what a message tells."""

_QUOTED_SCORE: Final = 1.25
"""What was quoted gets so many times the least score of an answer: whatever answers has 0.8 of that, and goes
before it (``adapters/llm/offline/quotes.py``)."""
_QUOTED_MAX: Final = 2
"""So many of the entries that the last replies quoted are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was found for a question, best first: passages that are likely to answer it, and passages ``near``
    it that may not. ``asks_nothing`` says that the message is small talk or a reaction, ``goes_on`` that it
    goes on from what was quoted last, which is among the passages; ``together`` is the best score of what was
    found with the question before it. ``nearest`` is the one near it that may be shown when none answers.
    ``is_vague`` says that the question names a subject alone; ``near`` are then where it may lead.
    ``lacks_country`` says that it was asked again for a country that has no entry on it.
    """

    answering: Sequence[Hit] = ()
    near: Sequence[Hit] = ()
    nearest: Hit | None = None
    is_vague: bool = False
    asks_nothing: bool = False
    goes_on: bool = False
    lacks_country: bool = False
    together: float = 0.0

    @property
    def best(self) -> float:
        """The score of the first passage, 0 without one."""
        return max((hit.score for hit in (*self.answering, *self.near)), default=0.0)

    @property
    def lacks_cosines(self) -> bool:
        """Whether there are passages, and of none is known how near it is in meaning: without an embedder,
        and with a knowledge base that does not say so."""
        hits = (*self.answering, *self.near)
        return bool(hits) and not any(hit.cosine for hit in hits)

    @property
    def is_clear(self) -> bool:
        """Whether it was clearly found with the question before it."""
        return self.together >= _CLEAR

    @property
    def stands_alone(self) -> bool:
        """Whether a later message is answered by what it finds by itself: by an entry that asks it, or, when
        of none is known how near it is, by one that scores as much."""
        first = next(iter(self.answering), None)
        return first is not None and (first.score if self.lacks_cosines else first.cosine) >= _ASKS_IT


def judged(hits: Sequence[Hit], query: str, min_score: float, country: str | None, *, passages: int) -> Found:
    """What of the hits answers a query, and what is near; so many passages in all. An entry that is asked by
    its title answers in any country, and comes first."""
    hits = _true_first(hits, query)
    best = max((hit.score for hit in hits), default=0.0)
    asked = asked_by_title(hits, query)
    first = [replace(hit, score=max(best, min_score)) for hit in asked]
    others = [hit for hit in in_order_for(hits, country, query) if hit not in asked]
    ordered = [*first, *others]
    holding = [*first, *answering_for(others, query, country)]
    is_elsewhere = holding[:1] != ordered[:1]
    least = max(min_score, _NOT_FAR * ordered[0].score) if is_elsewhere else min_score
    likely = [hit for hit in holding if hit.score >= least]
    unlikely = [hit for hit in ordered if hit not in likely]
    chosen = worth_injecting([*likely, *unlikely][:passages], min_score * NEAR_SHARE)
    answering = [hit for hit in chosen if hit in likely]
    near = [hit for hit in chosen if hit not in answering]
    if country not in (None, ELSEWHERE):
        near = [hit for hit in near if hit in holding] or near
    enough = min_score * NEAREST_SHARE
    nearest = [
        hit
        for hit in near
        if hit in holding and hit.score >= enough and (not hit.cosine or hit.cosine >= NEAR_COSINE)
    ]
    return Found(answering=answering, near=near, nearest=None if answering else next(iter(nearest), None))


def _true_first(hits: Sequence[Hit], query: str) -> Sequence[Hit]:
    """The hits, those farther behind that are about the opposite of what a query tells; the others stay in
    their order, which is not by score alone."""
    true: list[Hit] = []
    otherwise: list[tuple[int, Hit]] = []
    for hit, is_otherwise in zip(hits, told_otherwise(query, [hit.title for hit in hits]), strict=True):
        if is_otherwise:
            otherwise.append((len(true), replace(hit, score=round(hit.score * _OTHERWISE, 4))))
        else:
            true.append(hit)
    for place, hit in reversed(otherwise):
        behind = (index for index in range(place, len(true)) if true[index].score < hit.score)
        true.insert(next(behind, len(true)), hit)
    return true


def first_answering(hits: Sequence[Hit], min_score: float) -> Sequence[Hit]:
    """The hits, of which the first answers if any does: it goes before others for its country's sake."""
    if all(hit.score < min_score for hit in hits):
        return hits
    first, *others = hits
    return [replace(first, score=max(first.score, min_score)), *others]


def kept_of_quoted(hits: Iterable[Hit], quoted: Sequence[str], min_score: float) -> Sequence[Hit]:
    """Those of the hits that the last replies ``quoted``, by their ids, which stay among the passages of a
    follow-up."""
    found = {hit.article_id: hit for hit in hits}
    score = _QUOTED_SCORE * min_score
    return [replace(found[each], score=score) for each in quoted if each in found][:_QUOTED_MAX]


def may_be_quoted(hit: Hit, country: str | None, text: str) -> bool:
    """Whether an entry holds in the country that a message is about, or in one that it names."""
    return country is None or holds_in(hit.jurisdiction, (country, *countries_meant(text)))
