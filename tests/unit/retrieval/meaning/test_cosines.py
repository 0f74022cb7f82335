"""The nearest articles of a large base, chosen by the signs of their vectors."""

import numpy as np
import pytest
from numpy.typing import NDArray

from finassist.adapters.sqlite.retrieval.cosines import ArticleCosines, products

ARTICLES, DIMENSIONS = 30_000, 100
BEGINS = np.cumsum(np.r_[0, 1 + np.arange(ARTICLES) % 2])
"""Every second article has two passages."""


def unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths: NDArray[np.float32] = np.linalg.norm(rows, axis=-1, keepdims=True)
    return rows / lengths


@pytest.fixture(scope="module")
def rows() -> NDArray[np.float32]:
    random = np.random.default_rng(4)
    kinds = random.standard_normal((200, DIMENSIONS), dtype=np.float32)
    near = random.standard_normal((BEGINS[-1], DIMENSIONS), dtype=np.float32)
    return unit(kinds[random.integers(200, size=BEGINS[-1])] + near)


def test_the_signs_find_what_a_full_product_finds(rows: NDArray[np.float32]) -> None:
    by_signs, exact = ArticleCosines(rows.astype(np.float16), BEGINS[:-1]), ArticleCosines(rows, BEGINS[:-1])
    random = np.random.default_rng(5)
    found = []
    for row in random.integers(len(rows), size=50):
        asked = unit(rows[row] + 0.05 * random.standard_normal(DIMENSIONS, dtype=np.float32))
        wanted = exact.compare(asked, limit=10).nearest([3, 8])
        got = by_signs.compare(asked, limit=10).nearest([3, 8])
        assert (got[0].index, got[0].position) == (wanted[0].index, wanted[0].position)
        assert rows[BEGINS[got[0].index] + got[0].position] @ asked == pytest.approx(got[0].cosine, abs=1e-3)
        assert got[0].deviations == pytest.approx(wanted[0].deviations, abs=0.5)
        assert {3, 8} <= {each.index for each in got}
        found.append(len({each.index for each in got} & {each.index for each in wanted}) / len(wanted))
    assert np.mean(found) > 0.98


def test_dimensions_that_fill_no_whole_word_are_compared_too(rows: NDArray[np.float32]) -> None:
    narrow = unit(rows[:, :5])
    cosines = ArticleCosines(narrow.astype(np.float16), BEGINS[:-1])
    near = cosines.compare(narrow[0], limit=1).nearest()
    assert near[0].cosine == pytest.approx(1, abs=1e-2)


def test_products_are_those_of_the_same_numbers_as_floats() -> None:
    halves = np.arange(2**16, dtype=np.uint16).view(np.float16)
    finite = halves[np.isfinite(halves)].reshape(-1, 1)  # zeros and the least numbers among them
    numbers = np.arange(len(finite))[::3]
    multiplied = products(finite, numbers, np.ones(1, np.float32))
    assert np.array_equal(multiplied, finite[numbers, 0].astype(np.float32))
