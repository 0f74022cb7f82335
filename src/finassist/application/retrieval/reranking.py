"""Searching, and then looking at how the first finds are asked for."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from finassist.application.ports.knowledge import EntryWordings, Search
from finassist.domain.errors import EmbeddingError
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.hybrid import reranked
from finassist.domain.retrieval.languages import ENGLISH

_log = logging.getLogger(__name__)

_RERANKED: Final = 12
"""So many of the first finds are put in order: 99 of 100 messages that have an entry find it among eight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankedSearch:
    """``Search`` whose finds are compared with the ways in which each is asked for; the first are put in the
    order in which these would have them answer, too. An entry has one vector for all ways of asking for it,
    and the nearest way says more."""

    knowledge: Search
    entry_wordings: EntryWordings | None

    async def search(self, query: str, *, limit: int) -> Sequence[Hit]:
        """The hits, best first. Those of which no cosine is known, or that are in another language, keep
        their places; so do all without vectors of wordings, and when these cannot be compared."""
        if self.entry_wordings is None:
            return await self.knowledge.search(query, limit=limit)
        hits = await self.knowledge.search(query, limit=max(limit, _RERANKED))
        titles = [hit.title for hit in hits if _is_compared(hit)]
        try:
            nearness = iter(await self.entry_wordings.nearness(query, titles) if titles else ())
        except EmbeddingError as error:
            _log.warning("the finds could not be compared by their wordings, they stay: %s", error.kind)
            return hits[:limit]
        known = [replace(hit, nearest=next(nearness)) if _is_compared(hit) else hit for hit in hits]
        return (*reranked(known[:_RERANKED], limit=limit), *known[_RERANKED:limit])


def _is_compared(hit: Hit) -> bool:
    return bool(hit.cosine) and hit.language == ENGLISH
