"""The knowledge base in SQLite: articles, and a search over their sections (FTS5)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from sqlite3 import Connection
from typing import Any, Final

import msgspec

from finassist.adapters.data_files.vocabulary import vocabulary
from finassist.adapters.sqlite.engine.codec import strings, to_json
from finassist.adapters.sqlite.engine.database import Database, snapshot
from finassist.adapters.sqlite.retrieval.section_search import FoundSection, SectionQuery
from finassist.adapters.sqlite.retrieval.sections import SectionIndex
from finassist.adapters.sqlite.retrieval.stems import Stemmer
from finassist.domain.knowledge import Article, Hit
from finassist.domain.retrieval.vocabulary import Vocabulary

_BATCH: Final = 500
_IN_PLACE_MAX: Final = 2_000
"""Up to so many sections a search takes less time than its way through a thread."""

_COLUMNS: Final = "id, title, body, category, jurisdiction, as_of, url, variants, quotable"
_LIST: Final = f"SELECT {_COLUMNS} FROM articles ORDER BY id LIMIT ? OFFSET ?"
_INSERT: Final = f"INSERT INTO articles ({_COLUMNS}, edition) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_REPLACE: Final = f"""{_INSERT} ON CONFLICT (id) DO UPDATE SET
    title = excluded.title, body = excluded.body, category = excluded.category,
    jurisdiction = excluded.jurisdiction, as_of = excluded.as_of, url = excluded.url,
    variants = excluded.variants, quotable = excluded.quotable, edition = NULL
    RETURNING number, title, body, variants"""
_HAS_EDITION: Final = "SELECT 1 FROM articles WHERE edition = ? LIMIT 1"
_EDITIONS: Final = "SELECT number FROM articles WHERE edition IS NOT NULL"
_DELETE_EDITIONS: Final = "DELETE FROM articles WHERE edition IS NOT NULL"
_INSERT_NEW: Final = f"{_INSERT} ON CONFLICT (id) DO NOTHING RETURNING number, title, body, variants"

_SIZE: Final = "SELECT coalesce(max(number), 0) FROM sections"
_SHOWN: Final = """SELECT json_group_array(
        json_array(number, id, title, url, body, quotable, jurisdiction, as_of)
    ) FROM articles WHERE number IN (SELECT value FROM json_each(?))"""

Shown = tuple[int, str, str, str | None, str, int, str | None, str | None]
_shown: Final = msgspec.json.Decoder(list[Shown]).decode


@dataclass(frozen=True, slots=True)
class SqliteKnowledge:
    """``KnowledgeBase`` in SQLite."""

    database: Database
    vocabulary: Vocabulary = field(default_factory=vocabulary)
    _stemmer: Stemmer = field(default_factory=Stemmer)

    async def add(self, articles: Sequence[Article]) -> int:
        index = self._index()
        for start in range(0, len(articles), _BATCH):
            rows = [_row(article, None) for article in articles[start : start + _BATCH]]

            def unit(connection: Connection, rows: Sequence[Sequence[str | int | None]] = rows) -> None:
                index.put(connection, [connection.execute(_REPLACE, row).fetchone() for row in rows])

            await self.database.write(unit)
        return len(articles)

    async def has_edition(self, edition: str) -> bool:
        await self._index_anew()
        return self.database.lookup(
            lambda connection: bool(connection.execute(_HAS_EDITION, (edition,)).fetchone())
        )

    async def store_edition(self, articles: Sequence[Article], *, edition: str) -> bool:
        index = self._index()
        rows = [_row(article, edition) for article in articles]

        def unit(connection: Connection) -> bool:
            if connection.execute(_HAS_EDITION, (edition,)).fetchone():
                return False
            index.remove(connection, [number for (number,) in connection.execute(_EDITIONS).fetchall()])
            connection.execute(_DELETE_EDITIONS)
            stored = (connection.execute(_INSERT_NEW, row).fetchone() for row in rows)
            index.put(connection, [article for article in stored if article is not None])
            return True

        if await self.has_edition(edition):
            return False
        return await self.database.write(unit)

    async def _index_anew(self) -> None:
        """Index what an earlier version of the program left."""
        index = self._index()

        def unit(connection: Connection) -> None:
            index.put(connection, index.stale(connection, _BATCH))

        while self.database.lookup(lambda connection: index.stale(connection, 1)):
            await self.database.write(unit)

    async def list(self, *, limit: int, offset: int) -> Sequence[Article]:
        rows = await self.database.read(
            lambda connection: connection.execute(_LIST, (limit, offset)).fetchall()
        )
        return list(map(_article, rows))

    async def count(self) -> int:
        statement = "SELECT count(*) FROM articles"
        (found,) = await self.database.read(lambda connection: connection.execute(statement).fetchone())
        return int(found)

    async def search(self, query: str, *, limit: int) -> Sequence[Hit]:
        asked = SectionQuery(query, self.vocabulary, self._stemmer)
        if not asked:
            return ()

        def find(connection: Connection) -> Sequence[Hit]:
            with snapshot(connection):
                found = asked.find(connection, limit)
                numbers = to_json([section.article for section in found])
                (articles,) = connection.execute(_SHOWN, (numbers,)).fetchone()
            shown = {article[0]: article for article in _shown(articles)}
            return [_hit(section, shown[section.article]) for section in found]

        size = self.database.lookup(lambda connection: connection.execute(_SIZE).fetchone()[0])
        return self.database.lookup(find) if size <= _IN_PLACE_MAX else await self.database.read(find)

    def _index(self) -> SectionIndex:
        return SectionIndex(self.vocabulary, self._stemmer)


def _hit(section: FoundSection, article: Shown) -> Hit:
    _, article_id, title, url, body, quotable, jurisdiction, as_of = article
    return Hit(
        article_id=article_id,
        title=title,
        url=url,
        snippet=section.shown(body, quotable=bool(quotable)),
        score=section.score,
        quotable=bool(quotable),
        jurisdiction=jurisdiction,
        as_of=as_of,
        worded=section.worded,
        asked_so=section.asked_so,
    )


def _row(article: Article, edition: str | None) -> tuple[str | int | None, ...]:
    return (
        article.id,
        article.title,
        article.body,
        article.category,
        article.jurisdiction,
        article.as_of,
        article.url,
        to_json(article.variants),
        int(article.quotable),
        edition,
    )


def _article(row: tuple[Any, ...]) -> Article:
    *texts, variants, quotable = row
    fields = dict(zip(_COLUMNS.split(", "), texts, strict=False))
    return Article(**fields, variants=strings(variants), quotable=bool(quotable))
