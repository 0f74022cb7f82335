"""SQLite's own full-text search: the baseline of ``knowledge eval`` and of the benchmarks."""

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final

from finassist.adapters.sqlite.retrieval.stems import TOKENIZER
from finassist.domain.knowledge import Article, Hit
from finassist.domain.retrieval.words import topic_words

_FIND: Final = "SELECT rowid, -rank FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?"


class PlainSearch:
    """FTS5 with Porter stems and BM25: any of the words that are no stop words, best first.

    A hit has the article's id; its score is BM25's, and neither title nor snippet are given.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._connection = sqlite3.connect(path or ":memory:", isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute(
            f"CREATE VIRTUAL TABLE texts USING fts5 (title, body, content = '', tokenize = '{TOKENIZER}')"
        )
        self._ids: list[str] = []

    def __enter__(self) -> "PlainSearch":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def add(self, articles: Iterable[Article]) -> None:
        """Index articles with ids that are new."""
        self._connection.execute("BEGIN")
        for article in articles:
            self._ids.append(article.id)
            row = (len(self._ids), article.title, article.body)
            self._connection.execute("INSERT INTO texts (rowid, title, body) VALUES (?, ?, ?)", row)
        self._connection.execute("COMMIT")

    async def search(self, query: str, *, limit: int) -> Sequence[Hit]:
        words = topic_words(query)
        if not words:
            return ()
        match = " OR ".join(f'"{word}"' for word in words)
        return [
            Hit(article_id=self._ids[number - 1], title="", url=None, snippet="", score=score)
            for number, score in self._connection.execute(_FIND, (match, limit))
        ]
