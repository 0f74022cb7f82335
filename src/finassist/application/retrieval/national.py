"""The entries on a question that tell the rules of one country."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from finassist.application.ports.knowledge import Embedder
from finassist.application.retrieval.reranking import RerankedSearch
from finassist.domain.errors import EmbeddingError, FinassistError
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.hybrid import asked_for, cosine
from finassist.domain.retrieval.jurisdictions import (
    ELSEWHERE,
    GENERAL,
    UNION,
    countries_named,
    holds_in,
    is_foreign,
    mentions_in,
    name_of,
    without_countries,
)

_log = logging.getLogger(__name__)

_WIDER: Final = 3
"""Times as many hits are looked through for those that hold in the user's country."""
_LOOKED_THROUGH: Final = 12
_MEANT: Final = 100
_MEANT_SHARE: Final = 0.4
"""What a question finds when the country is added to it was meant if the question alone finds it among so
many, with so much of the best score: the name of a country alone finds something, too."""
_CLEAR: Final = 0.85
_AS_GOOD: Final = 0.9
"""The share of the best score from which a hit fits about as well."""
_SAME: Final = 0.55
_LESS: Final = 0.18
"""An entry asks the same as a question if its title without the country has the first cosine to it, and at
most the second less than the title of what is found without a country."""
_OFFERED: Final = 3
_ASKED: Final = 0.54
_FARTHER: Final = -0.12
_LIKELY: Final = 0.65
"""An entry answers a question that is asked again for its country from such a cosine of its title on, such a
distance to what is found without a country, and such a score, or from the next three on: of 42 pairs of
a question and a country it tells 31, and never takes an entry on something else."""
_HALF_ASKED: Final = 0.4
_NEARER: Final = 0.04
_VERY_LIKELY: Final = 0.95
_RELATED: Final = 0.28
"""From this cosine of its title without the country on, an entry may be worth asking for."""


@dataclass(frozen=True, slots=True)
class National:
    """What a country has on a question: entries that answer it, best first, and others that may be near."""

    answering: Sequence[Hit]
    near: Sequence[Hit]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchInCountry:
    """Search for a question, and put what the user's own country has on it before the rules of others and
    before what holds everywhere, if it asks the same."""

    reranked: RerankedSearch
    embedder: Embedder | None

    async def __call__(
        self, query: str, country: str | None, limit: int, *, is_meant: bool = False
    ) -> Sequence[Hit]:
        """The hits, best first; with ``is_meant`` the country's own are what is asked for. A question that
        names a country is about that one, and between two members of the union about what that has on it."""
        wide = limit if country is None else limit * _WIDER
        hits = await self.reranked.search(query, limit=wide)
        if not hits or country is None or country == ELSEWHERE:
            return hits
        names_place = country in {each.country for each in mentions_in(query)}
        least = hits[0].score if names_place else _CLEAR
        if hits[0].jurisdiction == country and (hits[0].score >= _CLEAR or not names_place):
            return hits
        named = countries_named(query)
        if country != UNION and named and (country in named or not names_place):
            return hits
        plain = without_countries(query)
        own = await self.reranked.search(f"{plain} in {name_of(country)}", limit=wide)
        if not own or own[0].jurisdiction != country or own[0].score < least:
            return hits
        is_meant = is_meant or names_place or await self._is_meant(query, own[0], hits, country)
        return own if is_meant else hits

    async def or_nothing(
        self, query: str, country: str | None, limit: int, *, is_meant: bool = False
    ) -> Sequence[Hit]:
        """The hits; nothing when the search fails."""
        try:
            return await self(query, country, limit, is_meant=is_meant)
        except FinassistError as error:
            _log.warning("retrieval failed, the reply goes on without it: %s", error.code)
            return ()

    async def asked_again(self, question: str, country: str) -> National:
        """What a country, or the union that it belongs to, has on a question that was asked without one."""
        if country == ELSEWHERE:
            return National((), ())
        plain = without_countries(question)
        hits = await self.reranked.search(plain, limit=_LOOKED_THROUGH)
        found = await self.reranked.search(f"{plain} in {name_of(country)}", limit=_LOOKED_THROUGH)
        own = [hit for hit in found if _is_of(hit, country)]
        near = await self._near(plain, *(hit.title for hit in own))
        least = _AS_GOOD * max((hit.score for hit in own), default=0.0)
        first = next((hit.cosine for hit in hits), 0.0)
        nearness = dict(zip((hit.article_id for hit in own), near, strict=True))
        answering = [
            hit
            for hit in own[:_OFFERED]
            if hit.score >= least and _answers(hit, nearness[hit.article_id], hit.cosine - first)
        ]
        others = [hit for hit in own if hit not in answering]
        others.sort(key=lambda hit: nearness[hit.article_id], reverse=True)
        related = [hit for hit in others if nearness[hit.article_id] >= _RELATED]
        return National(answering, related[:_OFFERED])

    async def _is_meant(self, query: str, own: Hit, hits: Sequence[Hit], country: str) -> bool:
        """Whether an entry of a country answers a question that finds these hits without it."""
        as_good = [hit for hit in hits if hit.score >= _AS_GOOD * hits[0].score]
        if any(is_foreign(hit.jurisdiction, country) for hit in as_good):
            every = await self.reranked.search(query, limit=_MEANT)
            least = _MEANT_SHARE * hits[0].score
            if any(hit.article_id == own.article_id and hit.score >= least for hit in every):
                return True
        own_near, first_near = await self._near(query, own.title, hits[0].title)
        return own_near >= max(_SAME, first_near - _LESS)

    async def _near(self, query: str, *titles: str) -> Sequence[float]:
        """How near titles without their countries are to a question."""
        if self.embedder is None:
            return [0.0 for _ in titles]
        try:
            vector = await self.embedder.embed_query(asked_for(without_countries(query)))
            vectors = await self.embedder.embed([asked_for(without_countries(title)) for title in titles])
        except EmbeddingError:
            return [0.0 for _ in titles]
        return [cosine(vector, each) for each in vectors]


def _answers(hit: Hit, near: float, nearer: float) -> bool:
    """Whether an entry answers a question for its country, by the cosine of its title, and by how much nearer
    it is with the country than what is found without."""
    asks_same = near >= _ASKED and nearer >= _FARTHER and hit.score >= _LIKELY
    return asks_same or (near >= _HALF_ASKED and nearer >= _NEARER and hit.score >= _VERY_LIKELY)


def _is_of(hit: Hit, country: str) -> bool:
    """Whether an entry tells the rules of a country, or of the union that it belongs to."""
    return hit.jurisdiction not in (None, GENERAL) and holds_in(hit.jurisdiction, [country])
