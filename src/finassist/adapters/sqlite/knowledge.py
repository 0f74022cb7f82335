"""The knowledge base in SQLite: whole articles under full-text search (FTS5, Porter stems, BM25)."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from sqlite3 import Connection
from typing import Final

from finassist.adapters.sqlite.database import Database, snapshot
from finassist.adapters.sqlite.stems import Stemmer
from finassist.domain.knowledge import Article, Hit
from finassist.domain.passages import split_passages
from finassist.domain.relevance import TITLE_WEIGHT, Matches, Relevance
from finassist.domain.words import topic_words

_TERMS_MAX: Final = 48
_RERANKED: Final = 8
"""How many finds beyond the limit take part when they are put in order."""
_BATCH: Final = 500
_IN_PLACE_MAX: Final = 2_000
"""Up to so many articles a search takes less time than its way through a thread."""
_GLUED: Final = re.compile(r"([0-9]+)([a-z])")
"""Names like 401k, which many write 401(k)."""
_OPENING_BONUS: Final = 1.2
"""An article says first what it is about."""

_OPEN, _CLOSE = "\x02", "\x03"
_MARKED: Final = re.compile(f"{_OPEN}([^{_CLOSE}]*){_CLOSE}")
_RUN: Final = re.compile(f"(?:{_OPEN}[^{_CLOSE}]*{_CLOSE}[ -]?)+")
_NO_WORD: Final = re.compile(r"[\W_]+")
_MARKS: Final = re.compile(f"[{_OPEN}{_CLOSE}]")

_COLUMNS: Final = "id, title, body, category, jurisdiction, as_of, url"
_LIST: Final = f"SELECT {_COLUMNS} FROM articles ORDER BY id LIMIT ? OFFSET ?"
_INSERT: Final = f"INSERT INTO articles ({_COLUMNS}, edition) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_REPLACE: Final = f"""{_INSERT} ON CONFLICT (id) DO UPDATE SET
    title = excluded.title, body = excluded.body, category = excluded.category,
    jurisdiction = excluded.jurisdiction, as_of = excluded.as_of, url = excluded.url, edition = NULL"""
_HAS_EDITION: Final = "SELECT 1 FROM articles WHERE edition = ? LIMIT 1"
_DELETE_EDITIONS: Final = "DELETE FROM articles WHERE edition IS NOT NULL"
_INSERT_NEW: Final = f"{_INSERT} ON CONFLICT (id) DO NOTHING"

_SIZE: Final = "SELECT coalesce(max(number), 0) FROM articles"
_FREQUENCY: Final = "SELECT doc FROM articles_terms WHERE term = ?"
_MATCHES: Final = "SELECT count(*) FROM articles_index WHERE articles_index MATCH ?"
_FIND: Final = f"""SELECT articles.id, articles.url, articles.title, length(body), marked_title, marked_body
    FROM (SELECT rowid AS number,
            highlight(articles_index, 0, '{_OPEN}', '{_CLOSE}') AS marked_title,
            highlight(articles_index, 1, '{_OPEN}', '{_CLOSE}') AS marked_body
        FROM articles_index
        WHERE articles_index MATCH ? AND rank MATCH 'bm25({TITLE_WEIGHT}, 1)' ORDER BY rank LIMIT ?)
    JOIN articles USING (number)"""

Row = tuple[str, str | None, str, int, str, str]


@dataclass(frozen=True, slots=True)
class SqliteKnowledge:
    """``KnowledgeBase`` in SQLite. The index finds, ``domain/relevance.py`` puts in order and scores."""

    database: Database
    _stemmer: Stemmer = field(default_factory=Stemmer)

    async def add(self, articles: Sequence[Article]) -> int:
        for start in range(0, len(articles), _BATCH):
            rows = [_row(article, None) for article in articles[start : start + _BATCH]]
            await self.database.write(_execute_many(_REPLACE, rows))
        return len(articles)

    async def store_edition(self, articles: Sequence[Article], *, edition: str) -> bool:
        rows = [_row(article, edition) for article in articles]

        def unit(connection: Connection) -> bool:
            if connection.execute(_HAS_EDITION, (edition,)).fetchone():
                return False
            connection.execute(_DELETE_EDITIONS)
            connection.executemany(_INSERT_NEW, rows)
            return True

        if self.database.lookup(lambda connection: connection.execute(_HAS_EDITION, (edition,)).fetchone()):
            return False
        return await self.database.write(unit)

    async def list(self, *, limit: int, offset: int) -> Sequence[Article]:
        rows = await self.database.read(
            lambda connection: connection.execute(_LIST, (limit, offset)).fetchall()
        )
        return [Article(**dict(zip(_COLUMNS.split(", "), row, strict=True))) for row in rows]

    async def count(self) -> int:
        statement = "SELECT count(*) FROM articles"
        (found,) = await self.database.read(lambda connection: connection.execute(statement).fetchone())
        return int(found)

    async def search(self, query: str, *, limit: int) -> Sequence[Hit]:
        words = topic_words(query)[:_TERMS_MAX]
        if not words:
            return ()
        terms = self._stemmer.stems_of(words)
        size = self.database.lookup(lambda connection: connection.execute(_SIZE).fetchone()[0])

        def find(connection: Connection) -> tuple[Mapping[str, int], Sequence[Row]]:
            match = " OR ".join(map(_expression, words))
            with snapshot(connection):
                found = connection.execute(_FIND, (match, limit + _RERANKED)).fetchall()
                return _frequencies(connection, terms), found

        in_place = size <= _IN_PLACE_MAX
        frequencies, rows = self.database.lookup(find) if in_place else await self.database.read(find)
        count = _Counting(self._stemmer, frequencies, frozenset(pairwise(terms.values())))
        return self._hits(Relevance(frequencies, size), count, rows, limit)

    def _hits(
        self, relevance: Relevance, count: "_Counting", rows: Sequence[Row], limit: int
    ) -> Sequence[Hit]:
        found = [
            Matches(
                count(marked_title), count(marked_body), len(title) + length, count.pairs_in(marked_title)
            )
            for _, _, title, length, marked_title, marked_body in rows
        ]
        ranked = sorted(
            zip(relevance.scores(found), rows, strict=True), key=lambda scored: scored[0], reverse=True
        )
        return [
            Hit(
                article_id=article_id,
                title=title,
                url=url,
                snippet=_best_passage(marked_body, relevance, count),
                score=round(score, 4),
            )
            for score, (article_id, url, title, _, _, marked_body) in ranked[:limit]
        ]


@dataclass(frozen=True, slots=True)
class _Counting:
    """Counts a query's terms, and its pairs of neighbours, in text that the index has marked."""

    stemmer: Stemmer
    terms: Mapping[str, int]
    pairs: frozenset[tuple[str, str]]

    def __call__(self, marked: str) -> Counter[str]:
        words = [_NO_WORD.sub("", word).casefold() for word in _MARKED.findall(marked)]
        stems = self.stemmer.stems_of(words)
        return Counter(stem for word in words if (stem := stems[word]) in self.terms)

    def pairs_in(self, marked: str) -> int:
        runs = (_MARKED.findall(run) for run in _RUN.findall(marked))
        stems = (list(self.stemmer.stems_of(map(str.casefold, run)).values()) for run in runs)
        return sum(pair in self.pairs for run in stems for pair in pairwise(run))


def _expression(word: str) -> str:
    """What finds a word. It is quoted: nothing in a question is search syntax."""
    glued = _GLUED.fullmatch(word)
    return f'"{word}" OR "{glued[1]} {glued[2]}"' if glued else f'"{word}"'


def _frequencies(connection: Connection, terms: Mapping[str, str]) -> Mapping[str, int]:
    """In how many articles each term stands; ``terms`` are the words with their terms."""
    found = {}
    for word, term in terms.items():
        glued = _GLUED.fullmatch(word)
        query = (_MATCHES, (_expression(word),)) if glued else (_FREQUENCY, (term,))
        row = connection.execute(*query).fetchone()
        found[term] = row[0] if row else 0
    return found


def _best_passage(marked_body: str, relevance: Relevance, count: _Counting) -> str:
    passages = split_passages(marked_body)
    weights = [relevance.weight(count(passage), len(passage)) for passage in passages]
    weights[:1] = [weight * _OPENING_BONUS for weight in weights[:1]]
    best = max(zip(weights, passages, strict=True), key=lambda weighed: weighed[0], default=(0.0, ""))
    return _MARKS.sub("", best[1])


def _row(article: Article, edition: str | None) -> tuple[str | None, ...]:
    return (
        article.id,
        article.title,
        article.body,
        article.category,
        article.jurisdiction,
        article.as_of,
        article.url,
        edition,
    )


def _execute_many(statement: str, rows: Iterable[Sequence[str | None]]) -> Callable[[Connection], None]:
    def unit(connection: Connection) -> None:
        connection.executemany(statement, rows)

    return unit
