"""What ``check-config`` has to say about the servers behind the knowledge base."""

from collections.abc import Sequence
from typing import Any

from finassist.config import Settings
from finassist.domain.errors import FinassistError


async def check_knowledge(container: Any, settings: Settings) -> Sequence[str]:
    """Ask the embedder and the server of vectors, when they are set; answers what is wrong with them."""
    problems: list[str] = []
    if (embedder := container.embedder()) is not None:
        try:
            await embedder.embed_query("What is an emergency fund?")
        except FinassistError as error:
            problems.append(f"EMBEDDINGS_MODEL: {error.message}")
        await embedder.close()
    if settings.vector_store_url:
        store = container.knowledge_database()
        try:
            print(f"VECTOR_STORE_URL: {await store.count()} articles.")
        except FinassistError as error:
            problems.append(f"VECTOR_STORE_URL: {error.message}")
        await store.close()
    elif container.vector_index() is not None and settings.knowledge_path.exists():
        problems += await _check_vectors(container, settings)
    return problems


async def _check_vectors(container: Any, settings: Settings) -> Sequence[str]:
    """Whether the vectors beside the embedded articles are of the model that is set."""
    database = container.knowledge_database()
    await database.open()
    try:
        status = await container.vector_index().status()
    finally:
        await database.close()
    if status.model not in (None, settings.embeddings_model):
        return [
            f"EMBEDDINGS_MODEL: the knowledge base has vectors of {status.model}; search is lexical until "
            "`finassist knowledge embed --replace` has embedded it anew."
        ]
    missing = status.articles - status.with_vectors
    if missing:
        print(f"Note: {missing} articles have no vectors yet; the service embeds them while it runs.")
    return ()
