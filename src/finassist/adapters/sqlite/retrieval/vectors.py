"""The vectors of articles in SQLite, searched in memory.

``matrix`` is imported with the first search: numpy takes its time, and a start needs none.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from finassist.adapters.sqlite.engine.connection import Connection
from finassist.adapters.sqlite.engine.database import Database, snapshot
from finassist.application.ports.knowledge import Vector
from finassist.domain.errors import Conflict
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.hybrid import Embedded, Near, Unembedded
from finassist.domain.retrieval.passages import shown_passage

if TYPE_CHECKING:
    from finassist.adapters.sqlite.retrieval.cosines import NearArticle
    from finassist.adapters.sqlite.retrieval.matrix import Matrix

EXACT_ROWS: Final = 20_000
"""Up to so many passages all are multiplied: 1.5 ms."""

_IN_PLACE_NUMBERS: Final = 500_000
"""Up to so many numbers a product takes less time than its way through a thread."""

_MODEL: Final = "SELECT model, dimensions FROM embedding_model"
_COUNTS: Final = "SELECT (SELECT count(*) FROM articles), (SELECT count(hash) FROM embedded_articles)"
_FREE: Final = """SELECT articles.number, id, title, body, quotable FROM articles
    LEFT JOIN embedded_articles AS held USING (number)
    WHERE held.number IS NULL OR (held.hash IS NULL AND held.claimed_until <= ?)
    ORDER BY articles.number LIMIT ?"""
_CLAIM: Final = """INSERT INTO embedded_articles (number, hash, claimed_until) VALUES (?, NULL, ?)
    ON CONFLICT (number) DO UPDATE SET claimed_until = excluded.claimed_until WHERE hash IS NULL"""
_LINK: Final = """INSERT INTO embedded_articles (number, hash, claimed_until) VALUES (?, ?, 0)
    ON CONFLICT (number) DO UPDATE SET hash = excluded.hash"""
_RELEASE: Final = """DELETE FROM embedded_articles
    WHERE hash IS NULL AND number = (SELECT number FROM articles WHERE id = ?)"""
_SET_MODEL: Final = "INSERT INTO embedding_model (model, dimensions) VALUES (?, ?)"
_KEPT: Final = "SELECT 1 FROM vectors WHERE hash = ?"
_KEEP: Final = "INSERT INTO vectors (hash, vectors) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING"
_TEXT: Final = "SELECT number, title, body FROM articles WHERE id = ?"
_SHOWN: Final = """SELECT number, id, title, url, body, quotable, jurisdiction, as_of FROM articles
    WHERE number IN ({marks})"""
_UNUSED: Final = "NOT EXISTS (SELECT 1 FROM embedded_articles AS held WHERE held.hash = vectors.hash)"
_FORGET_UNUSED: Final = f"DELETE FROM vectors WHERE {_UNUSED}"
_TO_DO: Final = f"""SELECT EXISTS (SELECT 1 FROM articles LEFT JOIN embedded_articles AS held USING (number)
        WHERE held.hash IS NULL)
    OR EXISTS (SELECT 1 FROM vectors WHERE {_UNUSED})"""


class SqliteVectors:
    """``VectorIndex`` in the database of the articles.

    The matrix is loaded with the first search. SQLite says with one number whether any process has changed
    the file since, and then what is new is read, and only that. Up to ``exact_rows`` passages all are
    multiplied with a question.
    """

    def __init__(
        self, database: Database, *, exact_rows: int = EXACT_ROWS, folder: Path | None = None
    ) -> None:
        """The files in ``folder`` keep the matrix for all processes; without, each has its own."""
        self._database = database
        self._folder = folder
        self._exact_rows = exact_rows
        self._matrix: Matrix | None = None
        self._loading = asyncio.Lock()

    async def status(self) -> Embedded:
        """How far embedding is."""

        def count(connection: Connection) -> Embedded:
            with snapshot(connection):
                model = connection.execute(_MODEL).fetchone()
                articles, with_vectors = connection.execute(_COUNTS).fetchone()
            return Embedded(model=model and model[0], articles=articles, with_vectors=with_vectors)

        return await self._database.read(count)

    async def clear(self) -> None:
        """Forget all vectors."""

        def unit(connection: Connection) -> None:
            for table in ("vectors", "embedded_articles", "embedding_model"):
                connection.execute(f"DELETE FROM {table}")

        await self._database.write(unit)

    async def take(self, *, limit: int, now: datetime, until: datetime) -> Sequence[Unembedded]:
        """Claim articles without vectors; those whose text is known get theirs at once."""

        def unit(connection: Connection) -> Sequence[Unembedded]:
            taken: list[Unembedded] = []
            free = (int(now.timestamp()), limit)
            while not taken and (rows := connection.execute(_FREE, free).fetchall()):
                for number, article_id, title, body, quotable in rows:
                    article = Unembedded(article_id, title, body, bool(quotable))
                    made_of = _hash(article.title, article.body)
                    if connection.execute(_KEPT, (made_of,)).fetchone():
                        connection.execute(_LINK, (number, made_of))
                    else:
                        connection.execute(_CLAIM, (number, int(until.timestamp())))
                        taken.append(article)
            if not taken:
                connection.execute(_FORGET_UNUSED)
            return taken

        # Readers map the file, which processes share. The writer would keep what it read to itself: 13 MB.
        (is_to_do,) = await self._database.read(_one(_TO_DO))
        return await self._database.write(unit) if is_to_do else ()

    async def release(self, articles: Sequence[Unembedded]) -> None:
        """Drop the claims."""

        def unit(connection: Connection) -> None:
            connection.executemany(_RELEASE, [(article.article_id,) for article in articles])

        await self._database.write(unit)

    async def store(self, embedded: Sequence[tuple[Unembedded, Sequence[Vector]]], *, model: str) -> None:
        """Keep the vectors, and give them to the articles that still have that text."""
        from finassist.adapters.sqlite.retrieval.matrix import as_stored

        (dimensions,) = {len(vector) for _, vectors in embedded for vector in vectors}

        def unit(connection: Connection) -> None:
            _require(connection, model, dimensions)
            for article, vectors in embedded:
                made_of = _hash(article.title, article.body)
                connection.execute(_KEEP, (made_of, as_stored(vectors)))
                found = connection.execute(_TEXT, (article.article_id,)).fetchone()
                if found and _hash(*found[1:]) == made_of:
                    connection.execute(_LINK, (found[0], made_of))

        await self._database.write(unit)

    async def nearest(
        self, vector: Vector, *, model: str, limit: int, including: Awaitable[Sequence[Hit]] | None = None
    ) -> Sequence[Near] | None:
        """The nearest articles by the cosine of their nearest passage."""
        matrix = await self._current()
        if not matrix.complete or matrix.model not in (None, model):
            return None
        compare = partial(matrix.compare, vector, limit=limit)
        compared = compare() if matrix.size <= _IN_PLACE_NUMBERS else await asyncio.to_thread(compare)
        included = matrix.by_index(await including if including else ())
        near = [] if compared is None else compared.nearest(including=[*included])
        unknown = [each for each in near if each.index not in included]
        hits = {**included, **self._shown({matrix.numbers[each.index]: each for each in unknown})}
        # Without what is gone since the matrix was made.
        return [Near(hits[each.index], each.cosine, each.deviations) for each in near if each.index in hits]

    async def _current(self) -> "Matrix":
        """The matrix of the database as it is now."""
        async with self._loading:
            (version,) = self._database.lookup(_one("PRAGMA data_version"))
            if self._matrix is None or version != self._matrix.version:
                self._matrix = await self._database.read(partial(self._load, version, self._matrix))
            return self._matrix

    def _load(self, version: int, earlier: "Matrix | None", connection: Connection) -> "Matrix":
        from finassist.adapters.sqlite.retrieval.matrix import load
        from finassist.adapters.sqlite.retrieval.row_files import RowFiles

        files = RowFiles(self._folder) if self._folder else None
        try:
            return load(connection, version, earlier, exact_rows=self._exact_rows, files=files)
        finally:
            connection.map_file()  # all vectors were read, and are not read again

    def _shown(self, near: Mapping[int, "NearArticle"]) -> Mapping[int, Hit]:
        """What is near, given by the number of its article, as hits by its index."""
        statement = _SHOWN.format(marks=", ".join("?" for _ in near))
        rows = self._database.lookup(lambda connection: connection.execute(statement, [*near]).fetchall())
        return {near[row[0]].index: _hit(row, near[row[0]]) for row in rows}


def _hit(row: tuple[Any, ...], near: "NearArticle") -> Hit:
    _, article_id, title, url, body, quotable, jurisdiction, as_of = row
    return Hit(
        article_id=article_id,
        title=title,
        url=url,
        snippet=shown_passage(body, near.position, quotable=bool(quotable)) or title,
        score=near.cosine,
        quotable=bool(quotable),
        jurisdiction=jurisdiction,
        as_of=as_of,
    )


def _one(statement: str, *values: object) -> Callable[[Connection], Any]:
    return lambda connection: connection.execute(statement, values).fetchone()


def _require(connection: Connection, model: str, dimensions: int) -> None:
    """Raise Conflict unless the index holds vectors of this model and dimension, or none."""
    found = connection.execute(_MODEL).fetchone()
    if found is None:
        connection.execute(_SET_MODEL, (model, dimensions))
    elif found != (model, dimensions):
        raise Conflict(f"The knowledge base has vectors of {found[0]} ({found[1]} dimensions).")


def _hash(title: str, body: str) -> bytes:
    return hashlib.sha256(f"{title}\0{body}".encode("utf-8", "surrogatepass")).digest()
