"""The vectors of the wordings of the shipped entries."""

from itertools import accumulate
from pathlib import Path

import pytest

from finassist.adapters.data_files.articles import starter_articles
from finassist.adapters.embeddings.minilm.weights import read_weights
from finassist.adapters.embeddings.shipped import ShippedVectors
from finassist.adapters.embeddings.wordings import SHIPPED, ShippedWordings
from finassist.domain.errors import EmbeddingError
from remembered_vectors import VECTORS


@pytest.fixture
def wordings() -> ShippedWordings:
    return ShippedWordings(ShippedVectors(VECTORS))


async def test_every_entry_that_ships_has_vectors_and_is_nearest_to_its_own_wordings(
    wordings: ShippedWordings,
) -> None:
    entries = starter_articles()
    nearness = await wordings.nearness("what is apr", [entry.title for entry in entries])
    assert None not in nearness
    for entry in entries[::400]:
        for wording in (entry.title, entry.variants[0]):
            (near,) = await wordings.nearness(wording, [entry.title])
            assert near is not None
            assert near.nearest > 0.95
            assert near.title <= near.nearest


def test_every_wording_of_every_entry_has_a_vector() -> None:
    ends = read_weights(SHIPPED)["titles.ends"].tolist()
    wordings = [1 + len(entry.variants) for entry in starter_articles()]
    assert ends == list(accumulate(wordings)), "run training/knowledge.py"


async def test_what_does_not_ship_has_no_wordings(wordings: ShippedWordings) -> None:
    assert await wordings.nearness("what is apr", ["An article of one's own"]) == [None]


async def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    damaged = tmp_path / "wordings.safetensors"
    damaged.write_bytes(SHIPPED.read_bytes()[:-1000])
    wordings = ShippedWordings(ShippedVectors(VECTORS), file=damaged)
    with pytest.raises(EmbeddingError):
        await wordings.nearness("what is apr", ["What is APR?"])
