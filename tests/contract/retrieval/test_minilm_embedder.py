"""The embedder in the process: many at once, queries before passages, and a clear end."""

import asyncio
import math
import threading
import zlib
from collections.abc import AsyncIterator, Iterator, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

from finassist.adapters.embeddings.minilm import embedder as module
from finassist.adapters.embeddings.minilm.embedder import MiniLmEmbedder
from finassist.adapters.embeddings.minilm.encoder import Encoder
from finassist.adapters.embeddings.minilm.stories import StoryHead
from finassist.adapters.embeddings.minilm.weights import read_weights
from finassist.adapters.embeddings.minilm.wordpiece import TOKENS_MAX
from finassist.application.ports.knowledge import Embedder, Vector
from finassist.domain.calculators.stories.story import NONE, stories
from finassist.domain.errors import EmbeddingError
from finassist.domain.safety import Concern

PASSAGE = "Diversification spreads money over many investments. " * 50
"""Of more than 256 tokens."""
TEXTS = [f"{'What does this cost, and for how long? ' * (number % 7)}Number {number}" for number in range(60)]


class Gate:
    """Records the shape of what is encoded, and holds it back until it is opened."""

    def __init__(self) -> None:
        self.shapes: list[tuple[int, int]] = []
        self.begun = threading.Event()
        self.opened = threading.Event()

    async def until_begun(self) -> None:
        assert await asyncio.to_thread(self.begun.wait, 30)


@pytest.fixture
async def embedder() -> AsyncIterator[MiniLmEmbedder]:
    embedder = MiniLmEmbedder(query_seconds=60)
    yield embedder
    await embedder.close()


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    gate, encode = Gate(), Encoder.encode

    def held(self: Encoder, sequences: Sequence[Sequence[int]], *, purpose: str = "") -> Any:
        gate.shapes.append((len(sequences), max(map(len, sequences))))
        gate.begun.set()
        assert gate.opened.wait(30)
        return encode(self, sequences, purpose=purpose)

    monkeypatch.setattr(Encoder, "encode", held)
    yield gate
    gate.opened.set()


def difference(one: Vector, other: Vector) -> float:
    return float(np.abs(np.array(one) - np.array(other)).max())


async def test_it_is_an_embedder_of_384_dimensions_and_length_one(embedder: Embedder) -> None:
    assert embedder.model == "all-MiniLM-L6-v2"
    vectors = [*await embedder.embed(["a", "b c", ""]), await embedder.embed_query("d")]
    assert [(vector.typecode, len(vector)) for vector in vectors] == [("f", 384)] * 4
    assert all(math.isclose(math.hypot(*vector), 1, rel_tol=1e-5) for vector in vectors)


async def test_nothing_is_embedded_without_loading(tmp_path: Path) -> None:
    embedder = MiniLmEmbedder(weights=tmp_path / "nowhere")
    assert await embedder.embed([]) == []
    await embedder.close()


async def test_what_a_text_asks_help_for_is_the_same_before_and_after_it_is_embedded(
    embedder: MiniLmEmbedder,
) -> None:
    first = await embedder.help_odds("I lost my job")
    await embedder.embed_query("I lost my job")
    assert await embedder.help_odds("I lost my job") == first
    assert first is not None
    assert first.keys() == set(Concern)
    assert max(first, key=lambda concern: first[concern]) is Concern.JOB_LOSS


async def test_vectors_come_in_the_order_of_the_texts(embedder: Embedder) -> None:
    for text, vector in zip(TEXTS, await embedder.embed(TEXTS), strict=True):
        assert difference(vector, await embedder.embed_query(text)) < 1e-5


async def test_many_at_once_get_what_each_gets_alone_and_the_weights_are_loaded_once(
    embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads, load = [], module._load

    def counted(*files: Traversable) -> module._Model:
        loads.append(files)
        return load(*files)

    monkeypatch.setattr(module, "_load", counted)
    queries = await asyncio.gather(*map(embedder.embed_query, TEXTS))
    batches = await asyncio.gather(
        *(embedder.embed(TEXTS[begin:] + TEXTS[:begin]) for begin in range(0, 60, 15))
    )
    assert len(loads) == 1
    for begin, batch in zip(range(0, 60, 15), batches, strict=True):
        for place, vector in enumerate(batch):
            assert difference(vector, queries[(begin + place) % 60]) < 1e-5


async def test_texts_of_similar_length_are_encoded_together_up_to_256_tokens(
    embedder: Embedder, gate: Gate
) -> None:
    gate.opened.set()
    await embedder.embed([*TEXTS, PASSAGE, PASSAGE])
    assert all(count * tokens <= TOKENS_MAX for count, tokens in gate.shapes)
    assert sum(count for count, _ in gate.shapes) == 62
    assert gate.shapes[0][0] > 10
    assert gate.shapes[-2:] == [(1, TOKENS_MAX)] * 2


async def test_a_query_waits_for_no_more_than_one_passage(embedder: Embedder, gate: Gate) -> None:
    batches = [asyncio.create_task(embedder.embed([PASSAGE] * 5)) for _ in range(3)]
    await gate.until_begun()
    queries = [asyncio.create_task(embedder.embed_query("What is a bond?")) for _ in range(2)]
    await asyncio.sleep(0)
    gate.opened.set()
    await asyncio.gather(*queries, *batches)
    assert [tokens for _, tokens in gate.shapes] == [TOKENS_MAX, 7, 7, *[TOKENS_MAX] * 14]


async def test_a_query_that_waits_too_long_is_given_up(gate: Gate) -> None:
    embedder = MiniLmEmbedder(query_seconds=0.05)
    for _ in range(2):
        with pytest.raises(EmbeddingError) as caught:
            await embedder.embed_query("secret question")
        assert (caught.value.kind, caught.value.retryable) == ("timeout", True)
        assert "secret" not in str(caught.value)
    gate.opened.set()
    await embedder.close()
    assert len(gate.shapes) <= 1, "what nobody waits for is not computed"


async def test_a_caller_that_gives_up_does_not_stop_the_others(embedder: Embedder, gate: Gate) -> None:
    given_up = asyncio.create_task(embedder.embed([PASSAGE] * 3))
    await gate.until_begun()
    waiting = asyncio.create_task(embedder.embed(["a", PASSAGE]))
    given_up.cancel()
    await asyncio.sleep(0)
    gate.opened.set()
    assert len(await waiting) == 2
    assert len(gate.shapes) == 3


async def test_blas_has_one_thread_once_the_weights_are_loaded(embedder: MiniLmEmbedder) -> None:
    await embedder.load()
    assert {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"} <= {1}


async def test_without_weights_every_call_says_so_until_they_are_there(tmp_path: Path) -> None:
    file = tmp_path / "tiles.safetensors"
    embedder = MiniLmEmbedder(weights=file)
    calls = (embedder.load(), embedder.embed(["a"]), embedder.embed_query("a"), embedder.help_odds("a"))
    for call in (*calls, embedder.story_scores("1", [0])):
        with pytest.raises(EmbeddingError, match="cannot be read") as caught:
            await call
        assert (caught.value.kind, caught.value.retryable) == ("weights", False)
    file.write_bytes(Path(str(module._SHIPPED)).read_bytes())
    assert len(await embedder.embed_query("a")) == 384
    await embedder.close()


async def test_without_the_layers_for_search_those_of_any_text_search(tmp_path: Path) -> None:
    embedder = MiniLmEmbedder(search_weights=tmp_path / "none", query_seconds=60)
    assert await embedder.embed_search("a bond") == await embedder.embed_query("a bond")
    assert await embedder.help_odds("a bond") is not None
    await embedder.close()


async def test_without_the_layers_for_help_nothing_is_told_by_them(tmp_path: Path) -> None:
    damaged = tmp_path / "help_layers.safetensors"
    damaged.write_bytes(b"damaged")
    embedder = MiniLmEmbedder(help_weights=damaged, query_seconds=60)
    assert await embedder.help_odds("a bond") is None
    assert await embedder.embed_search("a bond") != await embedder.embed_query("a bond")
    await embedder.close()


async def test_without_the_layers_for_stories_no_story_is_told(tmp_path: Path) -> None:
    damaged = tmp_path / "story_layers.safetensors"
    damaged.write_bytes(b"damaged")
    await knows_no_story(damaged)


async def test_layers_that_know_other_stories_tell_no_story(tmp_path: Path) -> None:
    other = tmp_path / "story_layers.safetensors"
    other.write_bytes(with_another_story(module._SHIPPED_FOR_STORIES.read_bytes()))
    with pytest.raises(EmbeddingError, match="other stories"):
        StoryHead(read_weights(other))
    await knows_no_story(other)


async def knows_no_story(layers: Path) -> None:
    """An embedder with such a file of layers for stories does everything else."""
    embedder = MiniLmEmbedder(story_weights=layers, query_seconds=60)
    assert await embedder.story_scores("612.00 by hours", [0]) is None
    assert await embedder.help_odds("a bond") is not None
    assert await embedder.embed_search("a bond") != await embedder.embed_query("a bond")
    await embedder.close()


def with_another_story(layers: bytes) -> bytes:
    """A file of layers in which one story has another name."""
    begin = 8 + int.from_bytes(layers[:8], "little")
    name = next(iter(stories())).encode()
    arrays = layers[begin:].replace(b"\n%b\n" % name, b"\n%b\n" % name[::-1])
    before, after = (f"{zlib.crc32(each):08x}".encode() for each in (layers[begin:], arrays))
    return layers[:begin].replace(before, after) + arrays


async def test_the_layers_that_ship_know_the_stories_and_the_roles_of_numbers(
    embedder: MiniLmEmbedder,
) -> None:
    text = "612 by hours, 31 and 22"
    scores = await embedder.story_scores(text, [text.index(each) for each in ("612", "31", "22")])
    assert scores is not None
    assert scores.stories.keys() == {NONE, *stories()}
    assert len(scores.roles) == 3
    assert await embedder.story_scores("no number", []) is None
    assert await embedder.story_scores(f"{PASSAGE} 612", [0, len(PASSAGE) + 1]) is None


async def test_close_waits_for_what_is_computed_and_refuses_the_rest(
    embedder: MiniLmEmbedder, gate: Gate
) -> None:
    passages = asyncio.create_task(embedder.embed([PASSAGE] * 5))
    await gate.until_begun()
    query = asyncio.create_task(embedder.embed_query("What is a bond?"))
    await asyncio.sleep(0)
    closing = asyncio.create_task(embedder.close())
    await asyncio.sleep(0.01)
    assert not closing.done()
    gate.opened.set()
    await closing
    assert len(await query) == 384
    with pytest.raises(EmbeddingError) as caught:
        await passages
    assert (caught.value.kind, caught.value.retryable) == ("closed", False)
    with pytest.raises(EmbeddingError):
        await embedder.embed_query("a")
    await embedder.close()
