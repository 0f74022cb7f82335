"""All vectors of the articles in memory, as matrices of numpy, and the search in them."""

import hashlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from finassist.adapters.sqlite.engine.database import snapshot
from finassist.adapters.sqlite.retrieval.cosines import (
    ArticleCosines,
    Compared,
    Floats,
    HalfFloats,
    are_few,
)
from finassist.adapters.sqlite.retrieval.row_files import N, RowFiles
from finassist.application.ports.knowledge import Vector
from finassist.domain.knowledge import Hit

_FLOAT: Final = np.dtype("<f4")
_HASH: Final = hashlib.sha256().digest_size

_MODEL: Final = "SELECT model, dimensions FROM embedding_model"
_LINKS: Final = """SELECT articles.number, id, held.hash, length(vectors) FROM articles
    LEFT JOIN embedded_articles AS held USING (number) LEFT JOIN vectors USING (hash)"""
_VECTORS: Final = "SELECT vectors FROM vectors WHERE hash = ?"


@dataclass(frozen=True, slots=True)
class Matrix:
    """All vectors at one state of the database: ``cosines`` compares them with a question, ``texts`` are the
    hashes of what the rows of each article were made of, one after the other, ``begins`` where they begin."""

    version: int
    model: str | None
    complete: bool
    numbers: Sequence[int]
    index_of: Mapping[str, int]
    texts: bytes
    begins: NDArray[np.intp]
    rows: Floats | HalfFloats
    cosines: ArticleCosines | None

    @property
    def size(self) -> int:
        """How many numbers the vectors have."""
        return self.rows.size

    def blocks(self) -> Mapping[bytes, Floats | HalfFloats]:
        """The vectors of each text, by its hash."""
        places = range(0, len(self.texts), _HASH)
        ends = [*self.begins[1:], len(self.rows)]
        return {
            self.texts[place : place + _HASH]: self.rows[begin:end]
            for place, begin, end in zip(places, self.begins, ends, strict=False)
        }

    def compare(self, vector: Vector, *, limit: int) -> Compared | None:
        """All articles, compared with a vector; None when there are none."""
        if self.cosines is None:
            return None
        return self.cosines.compare(np.frombuffer(vector, np.float32), limit=limit)

    def by_index(self, hits: Iterable[Hit]) -> Mapping[int, Hit]:
        """Those of the hits that have vectors, by the index of their article."""
        return {self.index_of[hit.article_id]: hit for hit in hits if hit.article_id in self.index_of}


def load(
    connection: Connection, version: int, earlier: Matrix | None, *, exact_rows: int, files: RowFiles | None
) -> Matrix:
    """The matrix of the database as the connection sees it; what ``earlier`` has is not read again."""
    with snapshot(connection):
        model, dimensions = connection.execute(_MODEL).fetchone() or (None, 0)
        links = connection.execute(_LINKS).fetchall()
        articles = [link for link in links if link[2]]
        ends = np.cumsum([size // (dimensions * _FLOAT.itemsize) for *_, size in articles], dtype=np.intp)
        begins = np.concatenate([[0], ends[:-1]]).astype(np.intp)[: len(ends)]
        made_of = [link[2] for link in articles]
        shape = (int(ends[-1]) if articles else 0, dimensions)

        def blocks(dtype: type[N]) -> Iterator[NDArray[N]]:
            known = earlier.blocks() if earlier and earlier.model == model else {}
            for text in made_of:
                block = known[text] if text in known else _read(connection, text, dimensions)
                yield block.astype(dtype, copy=False)

        def matrix(dtype: type[N]) -> NDArray[N]:
            name = _name(model, dtype, made_of)
            return _matrix(name, lambda: blocks(dtype), shape, dtype, files if articles else None)

        rows: Floats | HalfFloats
        rows = matrix(np.float32) if are_few(shape[0], exact_rows=exact_rows) else matrix(np.float16)
    return Matrix(
        version=version,
        model=model,
        complete=len(articles) == len(links),
        numbers=array("q", [number for number, *_ in articles]),
        index_of={article_id: index for index, (_, article_id, *_) in enumerate(articles)},
        texts=b"".join(made_of),
        begins=begins,
        rows=rows,
        cosines=ArticleCosines(rows, begins) if articles else None,
    )


def _matrix(
    name: str,
    blocks: Callable[[], Iterable[NDArray[N]]],
    shape: tuple[int, int],
    dtype: type[N],
    files: RowFiles | None,
) -> NDArray[N]:
    """The rows of the blocks, in a file that processes share, or else in memory."""
    if files is not None:
        kept = files.find(name, shape, dtype)
        if kept is None:
            kept = files.keep(name, blocks(), shape, dtype)
        if kept is not None:
            return kept
    rows, begin = np.empty(shape, dtype), 0
    for block in blocks():
        rows[begin : begin + len(block)] = block
        begin += len(block)
    return rows


def _name(model: str | None, dtype: type[np.floating[Any]], made_of: Sequence[bytes]) -> str:
    """What a matrix is made of: the model, the type of its numbers, and the texts."""
    digest = hashlib.sha256(f"{model}\0{dtype.__name__}\0".encode())
    for text in made_of:
        digest.update(text)
    return digest.hexdigest()


def _read(connection: Connection, made_of: bytes, dimensions: int) -> Floats:
    (blob,) = connection.execute(_VECTORS, (made_of,)).fetchone()
    return np.frombuffer(blob, _FLOAT).reshape(-1, dimensions)


def as_stored(vectors: Sequence[Vector]) -> bytes:
    """The vectors of a text as the database keeps them."""
    return np.asarray(vectors, _FLOAT).tobytes()
