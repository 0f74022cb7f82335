"""Searching by meaning as well as by words: embedding articles, and searching with their vectors."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from finassist.application.ports.classifiers import LanguageDetector
from finassist.application.ports.knowledge import Embedder, KnowledgeBase, Vector, VectorIndex, VectorServer
from finassist.application.ports.system import Clock
from finassist.domain.errors import EmbeddingError
from finassist.domain.knowledge import Article, Hit
from finassist.domain.retrieval.hybrid import Near, Unembedded, across_languages, asked_for, fuse
from finassist.domain.retrieval.judgement import Meaning
from finassist.domain.retrieval.languages import ENGLISH

_log = logging.getLogger(__name__)

_CANDIDATES: Final = 20
"""How many hits of each kind of search are merged."""
_BATCH: Final = 16
_CLAIM: Final = timedelta(minutes=10)
_OTHERS_SECONDS: Final = 1.0

Progress = Callable[[int, int], None]
"""Called with the number of articles that have vectors, and the number of all."""


def nobody(done: int, of: int) -> None:
    """Report no progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HybridKnowledge:
    """``KnowledgeBase`` that searches by words and by meaning, and by words alone while vectors are missing
    or the embedder fails. A query in a language that the embedder understands beside English is searched by
    meaning alone, in one that it does not understand by words alone."""

    lexical: KnowledgeBase
    vectors: VectorIndex
    embedder: Embedder
    meaning: Meaning
    language_detector: LanguageDetector | None = None

    async def add(self, articles: Sequence[Article]) -> int:
        return await self.lexical.add(articles)

    async def has_edition(self, edition: str) -> bool:
        return await self.lexical.has_edition(edition)

    async def store_edition(self, articles: Sequence[Article], *, edition: str) -> bool:
        return await self.lexical.store_edition(articles, edition=edition)

    async def list(self, *, limit: int, offset: int) -> Sequence[Article]:
        return await self.lexical.list(limit=limit, offset=offset)

    async def count(self) -> int:
        return await self.lexical.count()

    async def search(self, query: str, *, limit: int) -> Sequence[Hit]:
        language = await self._language(query)
        asked = asyncio.ensure_future(self._vectors(query, language))  # first, because it takes longest
        by_words = asyncio.ensure_future(self.lexical.search(query, limit=limit + _CANDIDATES))
        found, meant = await asyncio.gather(by_words, self._near(asked, by_words, limit))
        if meant is None:
            return found[:limit]
        question, near = meant
        if language != ENGLISH:
            return across_languages(near, limit=limit)
        return fuse(found, near, question=question, meaning=self.meaning, limit=limit)

    async def _language(self, query: str) -> str:
        return ENGLISH if self.language_detector is None else await self.language_detector.language_of(query)

    async def _vectors(self, query: str, language: str) -> tuple[Vector, Vector] | None:
        """The vector by which a query is compared with other questions, if it is, and that with which
        passages are searched for."""
        if not query.strip() or not self.embedder.understands(language):
            return None
        try:
            text = asked_for(query)
            searched = await self.embedder.embed_search(text)
            is_judged = self.meaning.judgement is not None
            return await self.embedder.embed_query(text) if is_judged else searched, searched
        except EmbeddingError as error:
            _log.warning("the query could not be embedded, the search is lexical: %s", error.kind)
            return None

    async def _near(
        self, asked: Awaitable[tuple[Vector, Vector] | None], by_words: Awaitable[Sequence[Hit]], limit: int
    ) -> tuple[Vector, Sequence[Near]] | None:
        """The vector of the query, and what is near: all articles are compared with it while the search by
        words is under way."""
        vectors = await asked
        if vectors is None:
            return None
        question, searched = vectors
        near = await self.vectors.nearest(
            searched, model=self.embedder.model, limit=limit + _CANDIDATES, including=by_words
        )
        return None if near is None else (question, near)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceVectors:
    """Replace the vectors on a vector server by those of the configured model. Returns how many articles were
    embedded: 0 when it has these vectors already."""

    vector_server: VectorServer | None

    async def __call__(self) -> int:
        return 0 if self.vector_server is None else await self.vector_server.replace_vectors()


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedArticles:
    """Embed the articles that have no vectors yet; what was embedded is kept, also after a failure.

    Several processes may do so at once and share the work. Vectors of another model are replaced; until all
    articles have new ones, search is lexical.
    """

    vector_index: VectorIndex | None
    embedder: Embedder | None
    clock: Clock
    _alone: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def __call__(
        self, progress: Progress = nobody, *, replace: bool = False, wait_for_others: bool = False
    ) -> int:
        if self.vector_index is None or self.embedder is None:
            return 0
        async with self._alone:
            status = await self.vector_index.status()
            if replace or status.model not in (None, self.embedder.model):
                await self.vector_index.clear()
            return await self._embed(self.vector_index, self.embedder, progress, wait_for_others)

    async def _embed(
        self, index: VectorIndex, embedder: Embedder, progress: Progress, wait_for_others: bool
    ) -> int:
        embedded = 0
        while True:
            now = self.clock.now()
            taken = await index.take(limit=_BATCH, now=now, until=now + _CLAIM)
            if taken:
                await _embed_batch(index, embedder, taken)
                embedded += len(taken)
            status = await index.status()
            progress(status.with_vectors, status.articles)
            if not taken:
                if not wait_for_others or status.with_vectors == status.articles:
                    return embedded
                await asyncio.sleep(_OTHERS_SECONDS)


async def _embed_batch(index: VectorIndex, embedder: Embedder, articles: Sequence[Unembedded]) -> None:
    texts = [article.texts for article in articles]
    try:
        vectors = iter(await embedder.embed([text for each in texts for text in each]))
        embedded = [
            (article, [next(vectors) for _ in each]) for article, each in zip(articles, texts, strict=True)
        ]
        await index.store(embedded, model=embedder.model)
    except BaseException:
        await index.release(articles)
        raise
