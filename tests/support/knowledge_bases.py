"""Every knowledge base that there is, each opened by a name in a folder."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from engines.weaviate import weaviate_url
from finassist.adapters.embeddings.openai import OpenAiEmbedder
from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.sqlite.retrieval.knowledge import SqliteKnowledge
from finassist.adapters.sqlite.retrieval.vectors import SqliteVectors
from finassist.adapters.system.clock import SystemClock
from finassist.application.ports.knowledge import Embedder, KnowledgeBase
from finassist.application.retrieval.embedding import EmbedArticles, HybridKnowledge
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.judgement import Meaning
from servers.embedding_server import serve_embeddings

MODEL = "latent-semantics"


class EmbeddedAtOnce:
    """The embedded knowledge base with vectors, which are there before a search comes."""

    def __init__(self, knowledge: HybridKnowledge, embed_articles: EmbedArticles) -> None:
        self.add = knowledge.add
        self.has_edition = knowledge.has_edition
        self.store_edition = knowledge.store_edition
        self.list = knowledge.list
        self.count = knowledge.count
        self._search = knowledge.search
        self._embed_articles = embed_articles

    async def search(self, query: str, *, limit: int) -> Sequence[Hit]:
        """Embed what is new, then search."""
        await self._embed_articles(wait_for_others=True)
        return await self._search(query, limit=limit)


@asynccontextmanager
async def lexical(folder: Path, name: str) -> AsyncIterator[KnowledgeBase]:
    """SQLite, by words alone."""
    async with database(folder, name) as opened:
        yield SqliteKnowledge(opened)


@asynccontextmanager
async def hybrid(folder: Path, name: str) -> AsyncIterator[KnowledgeBase]:
    """SQLite, by words and vectors."""
    async with database(folder, name) as opened, embedding() as embedder:
        vectors = SqliteVectors(opened)
        knowledge = HybridKnowledge(
            lexical=SqliteKnowledge(opened), vectors=vectors, embedder=embedder, meaning=Meaning(weight=0.12)
        )
        yield EmbeddedAtOnce(
            knowledge, EmbedArticles(vector_index=vectors, embedder=embedder, clock=SystemClock())
        )


@asynccontextmanager
async def weaviate_lexical(folder: Path, name: str) -> AsyncIterator[KnowledgeBase]:
    """Weaviate, by words alone."""
    async with weaviate(folder, name, None) as opened:
        yield opened


@asynccontextmanager
async def weaviate_hybrid(folder: Path, name: str) -> AsyncIterator[KnowledgeBase]:
    """Weaviate, by words and vectors."""
    async with embedding() as embedder, weaviate(folder, name, embedder) as opened:
        yield opened


OPENERS: Mapping[str, Callable[[Path, str], AbstractAsyncContextManager[KnowledgeBase]]] = {
    "sqlite": lexical,
    "sqlite-hybrid": hybrid,
    "weaviate": weaviate_lexical,
    "weaviate-hybrid": weaviate_hybrid,
}


@asynccontextmanager
async def database(folder: Path, name: str) -> AsyncIterator[Database]:
    """The file of an embedded knowledge base."""
    opened = Database(folder / name / "knowledge.db", "knowledge")
    await opened.open()
    try:
        yield opened
    finally:
        await opened.close()


@asynccontextmanager
async def embedding() -> AsyncIterator[Embedder]:
    """An embedder and its server."""
    async with serve_embeddings() as server:
        embedder = OpenAiEmbedder(model=MODEL, base_url=server.url)
        try:
            yield embedder
        finally:
            await embedder.close()


@asynccontextmanager
async def weaviate(folder: Path, name: str, embedder: Embedder | None) -> AsyncIterator[KnowledgeBase]:
    """Collections of its own in the Weaviate of the session."""
    url = weaviate_url()
    from finassist.adapters.vectors.weaviate import WeaviateKnowledge
    from finassist.adapters.vectors.weaviate_server import WeaviateServer

    unique = f"Test{uuid5(NAMESPACE_URL, f'{folder}/{name}').hex}"
    knowledge = WeaviateKnowledge(WeaviateServer(url, call_seconds=60), embedder, name=unique)
    await knowledge.open()
    try:
        yield knowledge
    finally:
        await knowledge.close()
