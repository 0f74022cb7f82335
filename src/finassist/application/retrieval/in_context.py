"""Searching for a message that follows a question."""

from dataclasses import dataclass, replace
from typing import Final

from finassist.application.retrieval.found import (
    Found,
    first_answering,
    judged,
    kept_of_quoted,
    may_be_quoted,
)
from finassist.application.retrieval.inquiry import Inquiry
from finassist.application.retrieval.national import SearchInCountry
from finassist.domain.retrieval.in_context import (
    Searches,
    about_subject,
    country_told,
    in_context,
)
from finassist.domain.retrieval.jurisdictions import in_order_for
from finassist.domain.retrieval.queries import without_sizes

WIDE: Final = 40
"""So many hits of each search are looked through for what a follow-up asks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchInContext:
    """Search for a message with the question before it, with the one that opened the conversation, by itself,
    and on the subject of what was quoted last. What was quoted last stays among the passages: the message may
    be about a part of it."""

    search_in_country: SearchInCountry
    rag_min_score: float
    passages: int = 4

    async def __call__(
        self, inquiry: Inquiry, text: str, joined: str, country: str | None, opening: str = ""
    ) -> Found:
        """What the message finds; ``text`` is its question, ``joined`` that with the one before it, and
        ``opening`` the first question of the conversation, as it was typed."""
        query = without_sizes(joined)
        searches = await self.searches(text, joined, inquiry.subject or query, country, opening)
        likely = in_context(searches, inquiry.quoted, country)
        order = in_order_for(likely, country or country_told(searches.hits, inquiry.quoted), query)
        ranked = first_answering(order, self.rag_min_score)
        found = judged(ranked, query, self.rag_min_score, country, passages=self.passages)
        holding = [hit for hit in (*searches.about, *searches.together) if may_be_quoted(hit, country, text)]
        quoted = kept_of_quoted(holding, inquiry.quoted, self.rag_min_score)
        answering = (*quoted, *found.answering[: self.passages - len(quoted)])
        others = [hit for hit in ranked if may_be_quoted(hit, country, query)] if quoted else found.near
        near = [hit for hit in others if hit not in answering][: self.passages - len(answering)]
        return Found(
            answering=answering,
            near=near,
            goes_on=bool(quoted),
            together=max((hit.score for hit in searches.together), default=0.0),
        )

    async def searches(
        self, text: str, joined: str, subject: str, country: str | None, opening: str = ""
    ) -> Searches:
        """What a message finds that follows a question, on the ``subject`` of what was quoted last, in a
        conversation that began with the ``opening`` question."""
        query, bare = without_sizes(joined), without_sizes(text)
        begun = without_sizes(f"{opening} {text}") if opening else query
        search = self.search_in_country.or_nothing
        together = await search(query, country, WIDE)
        found = Searches(
            together=together,
            alone=await search(bare, country, WIDE),
            about=await search(about_subject(bare, subject), country, WIDE),
            opening=together if begun == query else await search(begun, country, WIDE),
        )
        if country is None or not any(hit.jurisdiction == country for hit in found.about[:1]):
            return found
        meant = await search(query, country, WIDE, is_meant=True)
        return replace(found, together=meant, opening=meant if begun == query else found.opening)
