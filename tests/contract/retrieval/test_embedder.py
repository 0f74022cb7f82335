"""OpenAI's embeddings: what is sent, and every way in which a server can fail."""

import math
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from finassist.adapters.embeddings.openai import OpenAiEmbedder
from finassist.application.ports.knowledge import Embedder
from finassist.domain.errors import EmbeddingError
from finassist.testing.contracts import EmbedderContract
from servers.embedding_server import EmbeddingServer, serve_embeddings


def embed(texts: Any) -> list[list[float]]:
    """Vectors that tell texts apart by their length."""
    return [[3.0, 4.0, float(len(text))] for text in texts]


@pytest.fixture
async def server() -> AsyncIterator[EmbeddingServer]:
    async with serve_embeddings(embed) as running:
        yield running


@pytest.fixture
async def make(server: EmbeddingServer) -> AsyncIterator[Callable[..., OpenAiEmbedder]]:
    made: list[OpenAiEmbedder] = []

    def make_one(**changes: Any) -> OpenAiEmbedder:
        given = {"model": "small", "api_key": "sk-test", "base_url": server.url, "pause_seconds": 0.001}
        made.append(OpenAiEmbedder(**{**given, **changes}))
        return made[-1]

    yield make_one
    for embedder in made:
        await embedder.close()


@pytest.fixture
def embedder(make: Callable[..., OpenAiEmbedder]) -> OpenAiEmbedder:
    return make()


async def test_vectors_have_length_one_and_come_in_the_order_of_the_texts(
    server: EmbeddingServer, embedder: OpenAiEmbedder
) -> None:
    server.fail(change=lambda answer: answer["data"].reverse())
    vectors = await embedder.embed(["a", "bb", "ccc"])
    assert [vector.typecode for vector in vectors] == ["f", "f", "f"]
    assert all(math.isclose(math.hypot(*vector), 1, rel_tol=1e-6) for vector in vectors)
    assert [round(vector[2] / vector[0] * 3) for vector in vectors] == [1, 2, 3]
    assert server.requests[0] == {"model": "small", "input": ["a", "bb", "ccc"]}
    assert server.heads[0].startswith(b"POST /v1/embeddings ")
    assert b"Bearer sk-test" in server.heads[0]


async def test_without_a_key_none_is_sent(
    server: EmbeddingServer, make: Callable[..., OpenAiEmbedder]
) -> None:
    await make(api_key=None).embed_query("a")
    assert b"authorization" not in server.heads[0].lower()


async def test_many_texts_go_in_batches_of_bounded_size(
    server: EmbeddingServer, embedder: OpenAiEmbedder
) -> None:
    assert len(await embedder.embed(["short"] * 130)) == 130
    assert [len(batch) for batch in server.batches] == [64, 64, 2]
    server.batches.clear()
    await embedder.embed(["x" * 20_000] * 25)
    assert [len(batch) for batch in server.batches] == [10, 10, 5]


@pytest.mark.parametrize(("text", "sent"), [("", " "), ("a\ud800", "a?"), ("x" * 100_000, "x" * 24_000)])
async def test_what_servers_refuse_is_made_acceptable(
    server: EmbeddingServer, embedder: OpenAiEmbedder, text: str, sent: str
) -> None:
    await embedder.embed([text])
    await embedder.embed_query(text)
    assert server.texts == [sent, sent]


def spoil(key: str, value: object) -> Callable[[dict[str, Any]], object]:
    return lambda answer: answer["data"][0].update({key: value})


FAILURES: list[tuple[dict[str, Any], str, bool]] = [
    ({"status": 401}, "auth", False),
    ({"status": 403}, "auth", False),
    ({"status": 400}, "bad_request", False),
    ({"status": 404}, "bad_request", False),
    ({"status": 429}, "rate_limited", True),
    ({"status": 500}, "overloaded", True),
    ({"status": 503}, "overloaded", True),
    ({"cut": True}, "connection", True),
    ({"delay": 5}, "timeout", True),
    ({"body": b"{not json"}, "malformed", False),
    ({"body": b"[" * 100_000}, "malformed", False),
    ({"body": b'{"data": [{"embedding": "AAAA", "index": 0}]}'}, "malformed", False),
    ({"change": spoil("embedding", [])}, "malformed", False),
    ({"change": spoil("embedding", [0.0, 0.0, 0.0])}, "malformed", False),
    ({"change": spoil("embedding", [1.7e308, 1.7e308, 1.7e308])}, "malformed", False),
    ({"change": spoil("index", 7)}, "wrong_count", False),
    ({"change": lambda answer: answer["data"].pop()}, "wrong_count", False),
    ({"change": lambda answer: answer["data"].append(answer["data"][0])}, "wrong_count", False),
]


@pytest.mark.parametrize(("how", "kind", "retryable"), FAILURES)
async def test_every_failure_is_an_embedding_error_of_its_kind(
    server: EmbeddingServer,
    make: Callable[..., OpenAiEmbedder],
    how: dict[str, Any],
    kind: str,
    retryable: bool,
) -> None:
    seconds = 0.05 if kind == "timeout" else 60
    embedder = make(query_seconds=seconds, batch_seconds=seconds)
    server.fail(**how)
    for embed_it in (embedder.embed_query, lambda text: embedder.embed([text])):
        with pytest.raises(EmbeddingError) as caught:
            await embed_it("secret question")
        assert (caught.value.kind, caught.value.retryable) == (kind, retryable)
        assert "scripted" not in str(caught.value)
        assert "secret" not in str(caught.value)


async def test_vectors_of_another_dimension_are_refused(
    server: EmbeddingServer, embedder: OpenAiEmbedder
) -> None:
    await embedder.embed(["a"])
    server.fail(change=spoil("embedding", [1.0, 2.0]))
    with pytest.raises(EmbeddingError) as caught:
        await embedder.embed(["a"])
    assert caught.value.kind == "wrong_dimension"
    with pytest.raises(EmbeddingError) as caught:
        await embedder.embed(["a", "b"])
    assert caught.value.kind == "wrong_dimension"


async def test_a_server_that_is_not_there_is_a_connection_failure(
    make: Callable[..., OpenAiEmbedder],
) -> None:
    with pytest.raises(EmbeddingError) as caught:
        await make(base_url="http://127.0.0.1:9/v1").embed_query("a")
    assert caught.value.kind == "connection"


@pytest.mark.parametrize(
    "how", [{"status": 429, "headers": {"retry-after": "0"}}, {"status": 503}, {"cut": True}]
)
async def test_a_batch_is_tried_again_and_a_query_is_not(
    server: EmbeddingServer, embedder: OpenAiEmbedder, how: dict[str, Any]
) -> None:
    server.fail(**how, times=3)
    assert len(await embedder.embed(["a"])) == 1
    assert len(server.requests) == 4
    server.fail(**how, times=3)
    with pytest.raises(EmbeddingError):
        await embedder.embed_query("a")
    assert len(server.requests) == 5


async def test_a_batch_is_tried_five_times_at_most(server: EmbeddingServer, embedder: OpenAiEmbedder) -> None:
    server.fail(status=500)
    with pytest.raises(EmbeddingError):
        await embedder.embed(["a"])
    assert len(server.requests) == 5


@pytest.mark.parametrize("how", [{"status": 400}, {"status": 401}, {"body": b"{}"}])
async def test_what_cannot_get_better_is_not_tried_again(
    server: EmbeddingServer, embedder: OpenAiEmbedder, how: dict[str, Any]
) -> None:
    server.fail(**how)
    with pytest.raises(EmbeddingError):
        await embedder.embed(["a"])
    assert len(server.requests) == 1


@pytest.mark.parametrize("wait", ["3600", "1e999", "Wed, 21 Oct 2099 07:28:00 GMT"])
async def test_a_server_that_wants_a_long_wait_is_left_alone(
    server: EmbeddingServer, embedder: OpenAiEmbedder, wait: str
) -> None:
    server.fail(status=429, headers={"retry-after": wait})
    with pytest.raises(EmbeddingError) as caught:
        await embedder.embed(["a"])
    assert caught.value.retry_after >= 3600
    assert len(server.requests) == 1


class TestTheContract(EmbedderContract):
    @pytest.fixture
    def embedder(self, make: Callable[..., OpenAiEmbedder]) -> Embedder:
        return make()
