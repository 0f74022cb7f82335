"""Searching, and then looking at how the first finds are asked for."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from finassist.application.ports.knowledge import EntryWordings, KnowledgeBase
from finassist.domain.errors import EmbeddingError
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.hybrid import reranked
from finassist.domain.retrieval.languages import ENGLISH

_log = logging.getLogger(__name__)

_RERANKED: Final = 12
"""So many of the first finds are put in order: 99 of 100 messages that have an entry find it among eight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankedSearch:
    """``Search`` whose first finds are in the order in which their wordings would have them answer, too: an
    entry has one vector for all ways of asking for it, and the nearest way says more."""

    knowledge: KnowledgeBase
    entry_wordings: EntryWordings | None

    async def search(self, query: str, *, limit: int) -> Sequence[Hit]:
        """The hits, best first. They stay as the knowledge base found them without vectors of wordings, when
        the query cannot be embedded, and where no cosine is known."""
        hits = await self.knowledge.search(query, limit=max(limit, _RERANKED))
        first = hits[:_RERANKED]
        if self.entry_wordings is None or not all(hit.cosine and hit.language == ENGLISH for hit in first):
            return hits[:limit]
        try:
            nearness = await self.entry_wordings.nearness(query, [hit.title for hit in first])
        except EmbeddingError as error:
            _log.warning("the query could not be embedded, the finds stay in order: %s", error.kind)
            return hits[:limit]
        return (*reranked(first, nearness), *hits[_RERANKED:])[:limit]
