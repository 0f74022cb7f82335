"""A knowledge base in memory, which finds articles by the words that they have."""

import re
from collections.abc import Sequence

from finassist.domain.knowledge import Article, Hit
from finassist.domain.retrieval.words import STOP_WORDS

_SNIPPET_WORDS = 60


class InMemoryKnowledge:
    """Articles in a dictionary. A hit's score is the share of the query's words that the article has."""

    def __init__(self, articles: Sequence[Article] = ()) -> None:
        self._shipped: dict[str, Article] = {}
        self._added = {article.id: article for article in articles}
        self._edition = ""

    async def search(self, query: str, *, limit: int) -> Sequence[Hit]:
        """The articles that have words of the query, most of them first, short articles before long ones."""
        wanted = _words(query)
        found = []
        for article in self._articles():
            words = _words(f"{article.title} {article.body}")
            if matched := wanted & words:
                found.append((len(matched) / len(wanted), -len(words), article))
        found.sort(key=lambda each: each[:2], reverse=True)
        return [_hit(article, score) for score, _, article in found[:limit]]

    async def add(self, articles: Sequence[Article]) -> int:
        """Keep the articles."""
        self._added.update((article.id, article) for article in articles)
        return len(articles)

    async def has_edition(self, edition: str) -> bool:
        return edition == self._edition

    async def store_edition(self, articles: Sequence[Article], *, edition: str) -> bool:
        """Keep the edition in place of the earlier one."""
        if edition == self._edition:
            return False
        self._shipped, self._edition = {article.id: article for article in articles}, edition
        return True

    async def list(self, *, limit: int, offset: int) -> Sequence[Article]:
        """A page of all articles."""
        return self._articles()[offset : offset + limit]

    async def count(self) -> int:
        """How many articles there are."""
        return len(self._articles())

    def _articles(self) -> Sequence[Article]:
        return [article for _, article in sorted((self._shipped | self._added).items())]


def _words(text: str) -> set[str]:
    return {
        word.removesuffix("s") for word in re.findall(r"[^\W_]+", text.casefold()) if word not in STOP_WORDS
    }


def _hit(article: Article, score: float) -> Hit:
    lines = [line for line in article.body.splitlines() if line.strip() and not line.startswith("#")]
    snippet = " ".join(" ".join(lines).split()[:_SNIPPET_WORDS])
    return Hit(
        article_id=article.id, title=article.title, url=article.url, snippet=snippet, score=min(score, 1.0)
    )
