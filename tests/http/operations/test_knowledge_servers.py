"""The service starts and answers, whatever the servers behind its knowledge base do."""

from finassist.config import Settings
from http_service import Start
from servers.embedding_server import EmbeddingServer, serve_embeddings
from waiting import until

QUESTION = "How much should I have in my emergency fund?"


def with_embedder(server: EmbeddingServer) -> dict[str, object]:
    settings = Settings.from_env(server.environ)
    return {
        "rag_enabled": True,
        "embeddings_model": settings.embeddings_model,
        "embeddings_base_url": settings.embeddings_base_url,
    }


async def test_the_service_answers_before_its_articles_are_embedded(start: Start) -> None:
    async with serve_embeddings() as server:
        server.fail(status=503)
        service = await start(with_embedder(server))
        assert (await service.client.get("/health/ready")).status_code == 200
        reply = await service.ask(QUESTION)
        assert reply["sources"], "found by its words"


async def test_starter_articles_are_embedded_while_the_service_runs(start: Start) -> None:
    async with serve_embeddings() as server:
        service = await start(with_embedder(server))
        index = service.finassist.adapters.vector_index
        assert index is not None
        embedder = service.finassist.adapters.embedder
        assert embedder is not None

        async def embedded() -> int:
            status = await index.status()
            is_whole = status.model == embedder.model and status.with_vectors == status.articles
            return status.articles if is_whole else 0

        assert await until(embedded) > 100
        asked = len(server.texts)
        assert (await service.ask(QUESTION))["sources"]
        assert server.texts[asked:] == [QUESTION.rstrip("?")]


async def test_without_its_server_of_vectors_the_service_starts_and_replies_without_sources(
    start: Start,
) -> None:
    service = await start({"rag_enabled": True, "vector_store_url": "weaviate://127.0.0.1:9?grpc=10"})
    assert (await service.client.get("/health/ready")).status_code == 200
    assert (await service.ask(QUESTION))["sources"] == []
