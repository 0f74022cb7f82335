"""The knowledge base: filling it, searching it, measuring its search (contract section 12)."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from finassist.application.ports.knowledge import KnowledgeBase, Search
from finassist.application.retrieval.reranking import RerankedSearch
from finassist.domain.knowledge import Article, Hit

_CUTOFFS = (1, 5, 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddArticles:
    """Add articles to the knowledge base; one with the id of an earlier article replaces it."""

    knowledge: KnowledgeBase

    async def __call__(self, articles: Sequence[Article]) -> int:
        return await self.knowledge.add(articles)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListArticles:
    """The articles of the knowledge base, by id."""

    knowledge: KnowledgeBase

    async def __call__(self, *, limit: int, offset: int) -> Sequence[Article]:
        return await self.knowledge.list(limit=limit, offset=offset)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchKnowledge:
    """Search the knowledge base for a question: best hit first, one per article."""

    reranked: RerankedSearch

    async def __call__(self, query: str, *, limit: int) -> Sequence[Hit]:
        return await self.reranked.search(query, limit=limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedKnowledge:
    """Fill the knowledge base with the starter articles, once for each shipped edition; articles that an
    operator added stay. Returns whether anything was stored."""

    knowledge: KnowledgeBase
    starter_articles: Callable[[], Sequence[Article]]
    starter_edition: Callable[[], str]

    async def __call__(self) -> bool:
        edition = self.starter_edition()
        if await self.knowledge.has_edition(edition):
            return False  # reading the files takes longer than the rest of a start
        return await self.knowledge.store_edition(self.starter_articles(), edition=edition)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question for measuring the search: ``article_id`` is the article that answers it."""

    text: str
    article_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """How well the search finds the right articles: recall at 1, 5 and 10, and nDCG at 10, each 0..1."""

    questions: int
    recall: dict[int, float]
    ndcg: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateKnowledge:
    """Search for every question, and measure where the article that answers it is found."""

    knowledge: Search

    async def __call__(self, questions: Sequence[Question]) -> Evaluation:
        ranks = [await self._rank(question) for question in questions]
        found = [rank for rank in ranks if rank is not None]
        asked = max(1, len(questions))
        return Evaluation(
            questions=len(questions),
            recall={cutoff: sum(rank <= cutoff for rank in found) / asked for cutoff in _CUTOFFS},
            # One article answers each question, so the best possible gain is 1.
            ndcg=sum(1 / math.log2(rank + 1) for rank in found) / asked,
        )

    async def _rank(self, question: Question) -> int | None:
        hits = await self.knowledge.search(question.text, limit=max(_CUTOFFS))
        ids = [hit.article_id for hit in hits]
        return ids.index(question.article_id) + 1 if question.article_id in ids else None
