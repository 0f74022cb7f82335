"""Retrieval: what the knowledge base says about a question (contract section 4, "Retrieval")."""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass

from finassist.application.ports.gateways import KnowledgeBase
from finassist.domain.errors import FinassistError
from finassist.domain.knowledge import Hit

_log = logging.getLogger(__name__)

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_COURTESIES = frozenset(
    "a about all am and are at bye bot can chat cheers cool day do doing evening fine from for friend "
    "good goodbye great have hello help hey hi hiya how howdy i is it joke later lot me morning much my "
    "name nice night no ok okay please pleased real really see so sorry sure talk tell thank thanks that "
    "the there thx to today u up very welcome well what what's whats who who's yes yo you you're your".split()
)


def is_small_talk(message: str) -> bool:
    """Whether a message is nothing but courtesies, which no knowledge article can answer."""
    words = _WORD.findall(message.casefold())
    return all(word in _COURTESIES for word in words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieve:
    """Find the passages that a question can be answered from; small talk gets none.

    A failing knowledge base is no error: the reply goes on without passages, and the log says so.
    """

    knowledge: KnowledgeBase
    rag_enabled: bool
    rag_min_score: float
    passages: int = 4

    async def __call__(self, question: str) -> Sequence[Hit]:
        if not self.rag_enabled or is_small_talk(question):
            return ()
        try:
            hits = await self.knowledge.search(question, limit=self.passages)
        except FinassistError as error:
            _log.warning("retrieval failed, the reply goes on without it: %s", error.code)
            return ()
        return [hit for hit in hits if hit.score >= self.rag_min_score]
