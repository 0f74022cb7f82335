"""The vectors of articles in SQLite, searched in memory by numpy."""

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from sqlite3 import Connection
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from finassist.adapters.sqlite.engine.database import Database, snapshot
from finassist.adapters.sqlite.retrieval.cosines import (
    EXACT_ROWS,
    ArticleCosines,
    Floats,
    HalfFloats,
    NearArticle,
    are_few,
)
from finassist.adapters.sqlite.retrieval.row_files import N, RowFiles
from finassist.application.ports.knowledge import Vector
from finassist.domain.errors import Conflict
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.hybrid import Embedded, Near, Unembedded
from finassist.domain.retrieval.passages import shown_passage

_IN_PLACE_NUMBERS: Final = 500_000
"""Up to so many numbers a product takes less time than its way through a thread."""
_FLOAT: Final = np.dtype("<f4")

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
_LINKS: Final = """SELECT articles.number, id, held.hash, length(vectors) FROM articles
    LEFT JOIN embedded_articles AS held USING (number) LEFT JOIN vectors USING (hash)"""
_VECTORS: Final = "SELECT vectors FROM vectors WHERE hash = ?"
_SHOWN: Final = "SELECT id, title, url, body, quotable, jurisdiction, as_of FROM articles WHERE number = ?"
_UNUSED: Final = "NOT EXISTS (SELECT 1 FROM embedded_articles AS held WHERE held.hash = vectors.hash)"
_FORGET_UNUSED: Final = f"DELETE FROM vectors WHERE {_UNUSED}"
_TO_DO: Final = f"""SELECT EXISTS (SELECT 1 FROM articles LEFT JOIN embedded_articles AS held USING (number)
        WHERE held.hash IS NULL)
    OR EXISTS (SELECT 1 FROM vectors WHERE {_UNUSED})"""


@dataclass(frozen=True, slots=True)
class _Matrix:
    """All vectors at one state of the database: ``cosines`` compares them with a question, ``blocks`` holds
    them by the text that they were made of."""

    version: int
    model: str | None
    complete: bool
    numbers: Sequence[int]
    index_of: Mapping[str, int]
    blocks: Mapping[bytes, Floats | HalfFloats]
    size: int
    cosines: ArticleCosines | None


_NOTHING: Final = _Matrix(-1, None, True, (), {}, {}, 0, None)


class SqliteVectors:
    """``VectorIndex`` in the database of the articles.

    The matrix is loaded with the first search. SQLite says with one number whether any process has changed
    the file since, and then what is new is read, and only that. Up to ``exact_rows`` passages all are
    multiplied with a question.
    """

    def __init__(
        self, database: Database, *, exact_rows: int = EXACT_ROWS, files: RowFiles | None = None
    ) -> None:
        """``files`` keep the matrix for all processes; without, each has its own."""
        self._database = database
        self._files = files
        self._exact_rows = exact_rows
        self._matrix = _NOTHING
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
        (dimensions,) = {len(vector) for _, vectors in embedded for vector in vectors}

        def unit(connection: Connection) -> None:
            _require(connection, model, dimensions)
            for article, vectors in embedded:
                made_of = _hash(article.title, article.body)
                connection.execute(_KEEP, (made_of, np.asarray(vectors, _FLOAT).tobytes()))
                found = connection.execute(_TEXT, (article.article_id,)).fetchone()
                if found and _hash(*found[1:]) == made_of:
                    connection.execute(_LINK, (found[0], made_of))

        await self._database.write(unit)

    async def nearest(
        self, vector: Vector, *, model: str, limit: int, including: Sequence[str] = ()
    ) -> Sequence[Near] | None:
        """The nearest articles by the cosine of their nearest passage."""
        matrix = await self._current()
        if not matrix.complete or matrix.model not in (None, model):
            return None
        if matrix.cosines is None:
            return ()
        search = partial(
            matrix.cosines.nearest,
            np.frombuffer(vector, np.float32),
            limit=limit,
            including=[matrix.index_of[each] for each in including if each in matrix.index_of],
        )
        found = search() if matrix.size <= _IN_PLACE_NUMBERS else await asyncio.to_thread(search)
        return [near for each in found if (near := self._shown(matrix, each)) is not None]

    async def _current(self) -> _Matrix:
        """The matrix of the database as it is now."""
        async with self._loading:
            (version,) = self._database.lookup(_one("PRAGMA data_version"))
            if version != self._matrix.version:
                earlier = self._matrix
                self._matrix = await self._database.read(
                    lambda connection: _load(connection, version, earlier, self._exact_rows, self._files)
                )
            return self._matrix

    def _shown(self, matrix: _Matrix, near: NearArticle) -> Near | None:
        row = self._database.lookup(_one(_SHOWN, matrix.numbers[near.index]))
        if row is None:  # gone since the matrix was made
            return None
        article_id, title, url, body, quotable, jurisdiction, as_of = row
        hit = Hit(
            article_id=article_id,
            title=title,
            url=url,
            snippet=shown_passage(body, near.position, quotable=bool(quotable)) or title,
            score=near.cosine,
            quotable=bool(quotable),
            jurisdiction=jurisdiction,
            as_of=as_of,
        )
        return Near(hit, near.deviations)


def _one(statement: str, *values: object) -> Callable[[Connection], Any]:
    return lambda connection: connection.execute(statement, values).fetchone()


def _load(
    connection: Connection, version: int, earlier: _Matrix, exact_rows: int, files: RowFiles | None
) -> _Matrix:
    """The matrix of the database as the connection sees it; what ``earlier`` has is not read again."""
    with snapshot(connection):
        model, dimensions = connection.execute(_MODEL).fetchone() or (None, 0)
        links = connection.execute(_LINKS).fetchall()
        known = earlier.blocks if earlier.model == model else {}
        articles = [link for link in links if link[2]]
        ends = np.cumsum([size // (dimensions * _FLOAT.itemsize) for *_, size in articles], dtype=np.intp)
        begins = np.concatenate([[0], ends[:-1]]).astype(np.intp)[: len(ends)]
        made_of = [link[2] for link in articles]
        parts = list(zip(made_of, map(slice, begins, ends), strict=True))
        shape = (int(ends[-1]) if articles else 0, dimensions)

        def matrix(dtype: type[N]) -> NDArray[N]:
            name = _name(model, dtype, made_of)
            kept = files.find(name, shape, dtype) if files and articles else None
            if kept is not None:
                return kept
            rows = np.empty(shape, dtype)
            for text, part in parts:
                rows[part] = known[text] if text in known else _read(connection, text, dimensions)
            return files.keep(name, rows) if files and articles else rows

        rows: Floats | HalfFloats
        rows = matrix(np.float32) if are_few(shape[0], exact_rows=exact_rows) else matrix(np.float16)
    return _Matrix(
        version=version,
        model=model,
        complete=len(articles) == len(links),
        numbers=[number for number, *_ in articles],
        index_of={article_id: index for index, (_, article_id, *_) in enumerate(articles)},
        blocks={text: rows[part] for text, part in parts},
        size=rows.size,
        cosines=ArticleCosines(rows, begins) if articles else None,
    )


def _name(model: str | None, dtype: type[np.floating[Any]], made_of: Sequence[bytes]) -> str:
    """What a matrix is made of: the model, the type of its numbers, and the texts."""
    digest = hashlib.sha256(f"{model}\0{dtype.__name__}\0".encode())
    for text in made_of:
        digest.update(text)
    return digest.hexdigest()


def _read(connection: Connection, made_of: bytes, dimensions: int) -> Floats:
    (blob,) = connection.execute(_VECTORS, (made_of,)).fetchone()
    return np.frombuffer(blob, _FLOAT).reshape(-1, dimensions)


def _require(connection: Connection, model: str, dimensions: int) -> None:
    """Raise Conflict unless the index holds vectors of this model and dimension, or none."""
    found = connection.execute(_MODEL).fetchone()
    if found is None:
        connection.execute(_SET_MODEL, (model, dimensions))
    elif found != (model, dimensions):
        raise Conflict(f"The knowledge base has vectors of {found[0]} ({found[1]} dimensions).")


def _hash(title: str, body: str) -> bytes:
    return hashlib.sha256(f"{title}\0{body}".encode("utf-8", "surrogatepass")).digest()
