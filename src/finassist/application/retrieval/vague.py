"""Vague questions, which name a subject and not what they want to know of it: "should I invest?"."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from finassist.application.ports.classifiers import VagueQuestions
from finassist.application.ports.knowledge import KnowledgeBase
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.jurisdictions import ELSEWHERE, is_foreign

_WORDS_MAX: Final = 10
"""Longer questions say what they want to know."""
_LOOKED_THROUGH: Final = 60
_COMPARED: Final = 32
"""So many titles are compared, which takes a few milliseconds each."""
_PLAIN: Final = 0.65
_SAME: Final = 0.75
"""From the second cosine on an entry asks the same, however wide that is; from the first on a title does."""
_FITTING: Final = 0.5
"""From this on a title is worth offering to who only tells of trouble."""
_SUBJECT_SHARE: Final = 0.5
"""From this share of the best score on an entry is taken to be on the subject."""


@dataclass(frozen=True, slots=True)
class Leads:
    """Entries that a vague question may lead to, best first. ``is_plain`` says that the title of the first
    asks about the same."""

    hits: Sequence[Hit]
    is_plain: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadOn:
    """Find where a vague question may lead: the entries on its subject that hold where the user lives, those
    first that are as wide as the question. What scores best is chance: each has the one word that it has."""

    knowledge: KnowledgeBase
    vague_questions: VagueQuestions

    async def __call__(
        self, question: str, country: str | None, *, finds_nothing: bool = False
    ) -> Leads | None:
        """The entries; None for a question that is not vague, that an entry asks just so, or whose subject
        is one country's matter. With ``finds_nothing`` a short message is taken for vague that only tells of
        trouble: "the bank said no"."""
        if len(question.split()) > _WORDS_MAX:
            return None
        if not finds_nothing and not await self.vague_questions.is_vague(question):
            return None
        found = await self.knowledge.search(question, limit=_LOOKED_THROUGH)
        if any(hit.cosine >= _SAME for hit in found[:1]):
            return None
        least = _SUBJECT_SHARE * max((hit.score for hit in found), default=0.0)
        holding = [hit for hit in found if not is_foreign(hit.jurisdiction, country or ELSEWHERE)]
        close = [hit for hit in holding if hit.score >= least][:_COMPARED]
        widths = await self.vague_questions.leads(question, [hit.title for hit in close])
        pairs = sorted(zip(widths, close, strict=True), key=lambda pair: pair[0], reverse=True)
        pairs = [pair for pair in pairs if not finds_nothing or pair[0] >= _FITTING]
        return Leads([hit for _, hit in pairs], pairs[0][0] >= _PLAIN) if pairs else None
