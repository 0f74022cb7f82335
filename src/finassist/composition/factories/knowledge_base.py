"""The knowledge base: a file, or a server of vectors."""

from typing import TYPE_CHECKING

from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.sqlite.retrieval.knowledge import SqliteKnowledge
from finassist.adapters.sqlite.retrieval.vectors import SqliteVectors
from finassist.application.ports.classifiers import LanguageDetector
from finassist.application.ports.database import DatabaseConnection
from finassist.application.ports.knowledge import Embedder, KnowledgeBase, VectorIndex, VectorServer
from finassist.application.retrieval.embedding import HybridKnowledge
from finassist.composition.factories.storage import instance_of
from finassist.config import Settings, SettingsError
from finassist.domain.retrieval.judgement import Meaning

if TYPE_CHECKING:
    from finassist.adapters.vectors.weaviate import WeaviateKnowledge


def knowledge_database(settings: Settings, embedder: Embedder | None) -> DatabaseConnection:
    """The database of the knowledge base: a file, or Weaviate. Raises SettingsError without its client."""
    if not settings.vector_store_url:
        return Database(settings.knowledge_path, "knowledge", maps_lookups=False)
    try:
        from finassist.adapters.vectors.weaviate import WeaviateKnowledge
        from finassist.adapters.vectors.weaviate_server import WeaviateServer
    except ImportError:
        raise SettingsError({"VECTOR_STORE_URL": "needs its client: install finassist[weaviate]"}) from None
    try:
        return WeaviateKnowledge(WeaviateServer(settings.vector_store_url), embedder)
    except ValueError:
        raise SettingsError({"VECTOR_STORE_URL": "must name two different ports, each to 65535"}) from None


def vector_index(
    settings: Settings, knowledge_database: DatabaseConnection, embedder: Embedder | None
) -> VectorIndex | None:
    """The vectors of the embedded knowledge base; None without an embedder, and with a server of vectors."""
    if embedder is None or not isinstance(knowledge_database, Database):
        return None
    return SqliteVectors(knowledge_database, folder=settings.data_dir / "vectors")


def vector_server(knowledge_database: DatabaseConnection) -> VectorServer | None:
    """The server that holds articles and vectors; None when they are in a file."""
    return None if isinstance(knowledge_database, Database) else _weaviate(knowledge_database)


def knowledge(
    knowledge_database: DatabaseConnection,
    vector_index: VectorIndex | None,
    embedder: Embedder | None,
    meaning: Meaning,
    language_detector: LanguageDetector,
) -> KnowledgeBase:
    """The knowledge base, with search by meaning when there is an embedder."""
    if not isinstance(knowledge_database, Database):
        return _weaviate(knowledge_database)
    lexical = SqliteKnowledge(knowledge_database)
    if embedder is None or vector_index is None:
        return lexical
    return HybridKnowledge(
        lexical=lexical,
        vectors=vector_index,
        embedder=embedder,
        meaning=meaning,
        language_detector=language_detector,
    )


def _weaviate(knowledge_database: DatabaseConnection) -> "WeaviateKnowledge":
    from finassist.adapters.vectors.weaviate import WeaviateKnowledge

    return instance_of(knowledge_database, WeaviateKnowledge)
