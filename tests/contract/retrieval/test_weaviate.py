"""Weaviate beyond what every knowledge base keeps: its failures, and what happens to the vectors."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from urllib.parse import parse_qs, urlsplit

import pytest

from engines.weaviate import new_name, weaviate_url
from finassist.adapters.embeddings.openai import OpenAiEmbedder
from finassist.adapters.vectors.weaviate import WeaviateKnowledge
from finassist.adapters.vectors.weaviate_server import WeaviateServer
from finassist.domain.errors import Conflict, EmbeddingError, KnowledgeError
from finassist.domain.knowledge import Article
from servers.embedding_server import EmbeddingServer, serve_embeddings
from servers.tcp_proxy import TcpProxy
from waiting import until

LOAN = Article(id="loan", title="Loans", body="A mortgage is a loan that a house secures.")
FUND = Article(id="fund", title="Funds", body="A fund buys shares of many companies.")

Make = Callable[..., WeaviateKnowledge]


@pytest.fixture
async def make() -> AsyncIterator[Make]:
    """Makes knowledge bases of one name, with the embedder that is given."""
    name = new_name()
    made: list[WeaviateKnowledge] = []

    def make_one(embedder: OpenAiEmbedder | None = None, url: str = "", **limits: float) -> WeaviateKnowledge:
        server = WeaviateServer(url or weaviate_url(), **{"call_seconds": 60, **limits})
        made.append(WeaviateKnowledge(server, embedder, name=name))
        return made[-1]

    yield make_one
    for knowledge in made:
        await knowledge.close()


@pytest.fixture
async def server() -> AsyncIterator[EmbeddingServer]:
    async with serve_embeddings() as running:
        yield running


@asynccontextmanager
async def through_proxies() -> AsyncIterator[tuple[Sequence[TcpProxy], str]]:
    """A proxy in front of each port of the server, and the URL that leads through them."""
    parts = urlsplit(weaviate_url())
    proxies = [
        TcpProxy("127.0.0.1", port) for port in (parts.port or 0, int(parse_qs(parts.query)["grpc"][0]))
    ]
    for proxy in proxies:
        await proxy.restore()
    try:
        yield proxies, f"weaviate://127.0.0.1:{proxies[0].port}?grpc={proxies[1].port}"
    finally:
        for proxy in proxies:
            await proxy.cut()


async def embedder_of(stack: AsyncExitStack, server: EmbeddingServer, model: str) -> OpenAiEmbedder:
    embedder = OpenAiEmbedder(model=model, base_url=server.url, pause_seconds=0.001)
    stack.push_async_callback(embedder.close)
    return embedder


async def ids(knowledge: WeaviateKnowledge, query: str) -> list[str]:
    return [hit.article_id for hit in await knowledge.search(query, limit=5)]


async def test_a_server_that_is_not_there_is_a_knowledge_error(make: Make) -> None:
    knowledge = make(url="weaviate://127.0.0.1:9?grpc=10")
    with pytest.raises(KnowledgeError):
        await knowledge.search("loan", limit=3)
    with pytest.raises(KnowledgeError):
        await knowledge.list(limit=1, offset=0)
    with pytest.raises(KnowledgeError):
        await knowledge.add([LOAN])
    with pytest.raises(KnowledgeError):
        await knowledge.store_edition([LOAN], edition="1")


async def test_a_server_that_was_lost_is_used_again_when_it_is_back(make: Make) -> None:
    async with through_proxies() as (proxies, url):
        knowledge = make(url=url, call_seconds=10, rest_seconds=0)
        await knowledge.add([LOAN])
        for proxy in proxies:
            await proxy.cut()
        with pytest.raises(KnowledgeError):
            await knowledge.search("loan", limit=3)
        for proxy in proxies:
            await proxy.restore()
        assert await until(lambda: ids(knowledge, "loan"), ignored=KnowledgeError) == ["loan"]


async def test_a_server_that_does_not_answer_is_given_up_and_left_alone(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with through_proxies() as (proxies, url):
        knowledge = make(url=url, rest_seconds=600)
        await knowledge.count()
        monkeypatch.setattr(knowledge._server, "_call_seconds", 0.1)
        for proxy in proxies:
            proxy.freeze()
        with pytest.raises(KnowledgeError, match="TimeoutError"):
            await knowledge.search("loan", limit=3)
        with pytest.raises(KnowledgeError, match="a moment ago"):
            await knowledge.search("loan", limit=3)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (401, b"{}"),
        (403, b"{}"),
        (500, b"scripted"),
        (503, b""),
        (200, b"scripted"),
        (200, b"{}"),
        (200, b'{"version": "1.20.0"}'),
        (200, b'{"version": 7}'),
        (200, b"[" * 100_000),
    ],
)
async def test_whatever_else_answers_is_a_knowledge_error(make: Make, status: int, body: bytes) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        writer.close()

    fake = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with fake:
        port = fake.sockets[0].getsockname()[1]
        with pytest.raises(KnowledgeError) as caught:
            await make(url=f"weaviate://127.0.0.1:{port}?grpc=9", call_seconds=20).search("loan", limit=3)
    assert "scripted" not in str(caught.value)


async def test_an_unchanged_article_is_not_embedded_again(make: Make, server: EmbeddingServer) -> None:
    async with AsyncExitStack() as stack:
        knowledge = make(await embedder_of(stack, server, "one"))
        await knowledge.add([LOAN, FUND])
        await knowledge.add([LOAN, Article(id="fund", title="Funds", body="Other words.")])
    assert len(server.texts) == 3


async def test_what_was_stored_before_the_embedder_failed_is_kept(
    make: Make, server: EmbeddingServer
) -> None:
    articles = [Article(id=f"x{number}", title="", body=f"text {number}") for number in range(150)]
    async with AsyncExitStack() as stack:
        knowledge = make(await embedder_of(stack, server, "one"))
        answers = iter([None, None])
        server.fail(change=lambda answer: next(answers, 0) == 0 and answer["data"].clear())
        with pytest.raises(EmbeddingError):
            await knowledge.add(articles)
        assert await knowledge.count() == 100
        server.recover()
        server.batches.clear()
        await knowledge.add(articles)
        assert len(server.texts) == 50
        assert await knowledge.count() == 150


async def test_another_model_is_refused_until_everything_is_embedded_again(
    make: Make, server: EmbeddingServer
) -> None:
    async with AsyncExitStack() as stack:
        one = make(await embedder_of(stack, server, "one"))
        await one.store_edition([FUND], edition="1")
        await one.add([LOAN])

        other = make(await embedder_of(stack, server, "other"))
        with pytest.raises(Conflict, match="embed --replace"):
            await other.add([FUND])
        assert await ids(other, "mortgages") == ["loan"], "found by its words"

        assert await other.replace_vectors() == 2
        assert await other.replace_vectors() == 0
        assert await ids(other, "mortgages") == ["loan"]
        assert await ids(other, "shares of companies") == ["fund"]
        assert await other.store_edition([FUND], edition="1") is False
        assert list(await other.list(limit=5, offset=0)) == [FUND, LOAN]
        await other.add([LOAN])


async def test_a_query_that_cannot_be_embedded_is_searched_by_its_words(
    make: Make, server: EmbeddingServer
) -> None:
    async with AsyncExitStack() as stack:
        knowledge = make(await embedder_of(stack, server, "one"))
        await knowledge.add([LOAN, FUND])
        server.fail(status=500)
        assert await ids(knowledge, "mortgages") == ["loan"]


async def test_articles_beyond_what_the_server_pages_are_listed(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    knowledge = make()
    await knowledge.add([Article(id=f"x{number}", title="", body="text") for number in range(9)])
    monkeypatch.setattr("finassist.adapters.vectors.weaviate._PAGED_MAX", 4)
    assert [article.id for article in await knowledge.list(limit=4, offset=4)] == ["x4", "x5", "x6", "x7"]
