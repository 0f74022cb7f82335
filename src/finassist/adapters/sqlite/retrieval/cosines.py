"""The cosines of a question to the vectors of all articles, in memory, by numpy.

A small base is multiplied as a whole. In a large one that would move hundreds of megabytes through memory
for each question, so the signs of the numbers, beside their mean, choose first: 384 bits a passage, and the
more of them differ from those of the question, the larger is the angle. Only the passages with the least
difference are multiplied, and a sample of all articles, which says how near articles are on average.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
HalfFloats = NDArray[np.float16]
"""Half the memory, and within 0.001 of a cosine."""
Rows = NDArray[np.intp]

_CANDIDATES: Final = 8_192
"""How many passages the signs choose. Of 200,000 that lie much closer than those of real articles they hold
99 % of the nearest ones and 98 % of the nearest twenty (2,048 would hold 95 % and 91 %)."""
_SAMPLE: Final = 2_048
_BLOCK: Final = 10_000
_ROWS_IN_CACHE: Final = 256
_SHIFT: Final = 13
_ABOVE_EXPONENT: Final = np.int32(0b0111 << 28)
_BIAS: Final = np.float32(2.0 ** (127 - 15))
_SPREAD_MIN: Final = 0.01
"""Cosines that differ less say nothing."""


def are_few(count: int, *, exact_rows: int) -> bool:
    """Whether ``ArticleCosines`` multiplies all of so many rows, and takes them as float32."""
    return count <= max(exact_rows, _CANDIDATES)


class Cosines(Protocol):
    """The cosines of some or all rows."""

    def of(self, query: Floats) -> tuple[Rows, Floats]:
        """Rows, ascending, and the cosine of each: the nearest, and a sample."""
        ...

    def of_rows(self, numbers: Rows, query: Floats) -> Floats:
        """The cosines of these rows."""
        ...


class AllCosines:
    """Every row is multiplied."""

    def __init__(self, rows: Floats) -> None:
        self._rows = rows
        self._numbers = np.arange(len(rows))

    def of(self, query: Floats) -> tuple[Rows, Floats]:
        return self._numbers, self._rows @ query

    def of_rows(self, numbers: Rows, query: Floats) -> Floats:
        found: Floats = self._rows[numbers] @ query
        return found


class SignedCosines:
    """Rows whose signs differ little from those of the query are multiplied."""

    def __init__(self, rows: HalfFloats, sample: Rows) -> None:
        self._rows = rows
        self._sample = sample
        self._mean = rows[sample].mean(axis=0, dtype=np.float32)
        blocks = np.array_split(rows, -(-len(rows) // _BLOCK))
        self._signs = np.concatenate([_signs(block - self._mean).T for block in blocks], axis=1)

    def of(self, query: Floats) -> tuple[Rows, Floats]:
        differing = np.zeros(len(self._rows), np.uint16)
        for signs, asked in zip(self._signs, _signs(query - self._mean), strict=True):
            differing += np.bitwise_count(signs ^ asked)
        likely = np.argpartition(differing, _CANDIDATES)[:_CANDIDATES].astype(np.intp)
        numbers = np.unique(np.concatenate([likely, self._sample]))
        return numbers, self.of_rows(numbers, query)

    def of_rows(self, numbers: Rows, query: Floats) -> Floats:
        return products(self._rows, numbers, query)


def products(rows: HalfFloats, numbers: Rows, query: Floats) -> Floats:
    """The products of some rows, which are finite, with a query.

    The rows become float32 by moving their bits, some at a time: numpy converts number by number, into fresh
    memory, which took most of a search among 200,000 passages.
    """
    found = np.empty(len(numbers), np.float32)
    for begin in range(0, len(numbers), _ROWS_IN_CACHE):
        block = slice(begin, begin + _ROWS_IN_CACHE)
        bits = rows[numbers[block]].view(np.int16).astype(np.int32)
        bits <<= _SHIFT
        bits &= ~_ABOVE_EXPONENT  # there are copies of the sign
        floats = bits.view(np.float32)
        floats *= _BIAS
        np.matmul(floats, query, out=found[block])
    return found


def _signs(rows: Floats) -> NDArray[np.uint64]:
    """One bit for each number, in words of 64."""
    bits = np.packbits(rows > 0, axis=-1)
    missing = -bits.shape[-1] % 8
    return np.pad(bits, [(0, 0)] * (bits.ndim - 1) + [(0, missing)]).view(np.uint64)


@dataclass(frozen=True, slots=True)
class NearArticle:
    """An article by its ``index``: the cosine of its nearest passage, the ``position`` of that passage in the
    article, and how many standard deviations it lies above the mean of all articles."""

    index: int
    cosine: float
    position: int
    deviations: float


class ArticleCosines:
    """Finds the nearest of articles that have one or more rows each: ``begins`` says where each begins. Few
    rows are float32 and all are multiplied, many are float16 (``are_few``)."""

    def __init__(self, rows: Floats | HalfFloats, begins: Rows) -> None:
        self._begins = begins
        self._ends = np.append(begins[1:], len(rows)).astype(np.intp)
        self._cosines: Cosines
        self._sample: Rows | None = None
        if rows.dtype == np.float32:
            self._cosines = AllCosines(rows.astype(np.float32, copy=False))
        else:
            self._sample = np.unique(np.linspace(0, len(begins) - 1, _SAMPLE).astype(np.intp))
            self._cosines = SignedCosines(rows.astype(np.float16, copy=False), self._rows_of(self._sample))

    def compare(self, query: Floats, *, limit: int) -> "Compared":
        """Compare all articles with a query, which takes the time, and choose the nearest."""
        rows, cosines = self._cosines.of(query)
        firsts, articles = self._grouped(rows)
        best = np.maximum.reduceat(cosines, firsts)
        known = best if self._sample is None else best[np.searchsorted(articles, self._sample)]
        count = min(limit, len(best))
        return Compared(
            articles=self,
            query=query,
            mean=float(known.mean()),
            spread=max(float(known.std()), _SPREAD_MIN),
            chosen=articles[np.argpartition(-best, count - 1)[:count]],
        )

    def described(self, compared: "Compared", including: Sequence[int]) -> Sequence[NearArticle]:
        """The articles that a comparison has chosen, and those that are asked for, nearest first."""
        wanted = np.union1d(compared.chosen, np.array(including, np.intp))
        cosines = self._cosines.of_rows(self._rows_of(wanted), compared.query)
        counts = self._ends[wanted] - self._begins[wanted]
        near, begin = [], 0
        for index, count in zip(wanted.tolist(), counts.tolist(), strict=True):
            position = 0 if count == 1 else int(cosines[begin : begin + count].argmax())
            cosine = float(cosines[begin + position])
            near.append(NearArticle(index, cosine, position, (cosine - compared.mean) / compared.spread))
            begin += count
        return sorted(near, key=lambda each: -each.cosine)

    def _rows_of(self, articles: Rows) -> Rows:
        """All rows of some articles."""
        counts = self._ends[articles] - self._begins[articles]
        before = np.cumsum(counts) - counts
        rows: Rows = np.arange(counts.sum()) + np.repeat(self._begins[articles] - before, counts)
        return rows

    def _grouped(self, rows: Rows) -> tuple[Rows, Rows]:
        """Where each article begins among ``rows``, which ascend, and which article it is."""
        if len(rows) == self._ends[-1]:
            return self._begins, np.arange(len(self._begins))
        owners = np.searchsorted(self._begins, rows, side="right") - 1
        firsts = np.flatnonzero(np.diff(owners, prepend=-1))
        return firsts, owners[firsts]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """All articles, compared with a query: ``mean`` and ``spread`` of the cosines of their nearest passages,
    and the indexes of the nearest, ``chosen`` in no order."""

    articles: ArticleCosines
    query: Floats
    mean: float
    spread: float
    chosen: Rows

    def nearest(self, including: Sequence[int] = ()) -> Sequence[NearArticle]:
        """The nearest articles, and those that are asked for, nearest first."""
        return self.articles.described(self, including)
