"""The vectors of the wordings of the shipped entries."""

from itertools import accumulate
from pathlib import Path

import pytest
from messages import messages_by_entry

from finassist.adapters.data_files.articles import starter_articles
from finassist.adapters.embeddings.minilm.weights import read_weights
from finassist.adapters.embeddings.shipped import ShippedVectors, text_digest
from finassist.adapters.embeddings.wordings import SHIPPED, ShippedWordings
from finassist.domain.errors import EmbeddingError
from remembered_vectors import VECTORS


@pytest.fixture
def wordings() -> ShippedWordings:
    return ShippedWordings(ShippedVectors(VECTORS))


async def test_an_entry_that_ships_is_near_to_each_of_its_own_wordings(
    wordings: ShippedWordings,
) -> None:
    for entry in starter_articles()[::400]:
        for wording in (entry.title, entry.variants[0]):
            (near,) = await wordings.nearness(wording, [entry.title])
            assert near > 0.95


def test_every_wording_and_message_of_every_entry_has_a_vector() -> None:
    arrays, entries, messages = read_weights(SHIPPED), starter_articles(), messages_by_entry()
    titles = b"".join(text_digest(entry.title) for entry in entries)
    asked = [1 + len(entry.variants) + len(messages.get(entry.title, ())) for entry in entries]
    assert arrays["titles.digests"].tobytes() == titles, "run training/knowledge.py"
    assert arrays["titles.ends"].tolist() == list(accumulate(asked)), "run training/knowledge.py"


async def test_an_entry_is_near_to_the_messages_that_it_is_known_to_answer(wordings: ShippedWordings) -> None:
    message = "does my uni debt stuff up getting a mortgage with commbank?? or can i just move to london"
    hecs, apr = await wordings.nearness(
        message, ["Does HECS affect a home loan or moving overseas?", "What is APR?"]
    )
    assert hecs > 0.95
    assert apr < 0.5


async def test_what_does_not_ship_has_no_wordings(wordings: ShippedWordings) -> None:
    assert await wordings.nearness("what is apr", ["An article of one's own"]) == [0.0]


async def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    damaged = tmp_path / "wordings.safetensors"
    damaged.write_bytes(SHIPPED.read_bytes()[:-1000])
    wordings = ShippedWordings(ShippedVectors(VECTORS), file=damaged)
    with pytest.raises(EmbeddingError):
        await wordings.nearness("what is apr", ["What is APR?"])
