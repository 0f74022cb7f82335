"""What ``finassist verify`` needs: the checks of the knowledge base, and stores that are opened without the
service's background jobs, which would change them."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.sqlite.verification.checks import SqliteKnowledgeChecks
from finassist.application.ports.database import DatabaseConnection, RecordChecks
from finassist.composition.application import Finassist
from finassist.config import Settings
from finassist.domain.errors import ServiceUnavailable


def knowledge_checks(knowledge_database: DatabaseConnection) -> RecordChecks | None:
    """The checks of the embedded knowledge base; None for a server, which keeps an article in one object."""
    if not isinstance(knowledge_database, Database):
        return None
    return SqliteKnowledgeChecks(knowledge_database)


@asynccontextmanager
async def opened_stores(finassist: Finassist) -> AsyncIterator[None]:
    """Open the databases and the object store. Raises ServiceUnavailable when a database file does not exist:
    it would be made."""
    for path in _files(finassist.settings):
        if not path.is_file():
            raise ServiceUnavailable(f"There is no database at {path}.")
    adapters = finassist.adapters
    async with AsyncExitStack() as stack:
        for database in (adapters.database, adapters.knowledge_database):
            await database.open()
            stack.push_async_callback(database.close)
        if adapters.embedder is not None:
            stack.push_async_callback(adapters.embedder.close)
        await adapters.object_store.connect()
        stack.push_async_callback(adapters.object_store.close)
        yield


def _files(settings: Settings) -> list[Path]:
    files = [] if settings.sqlite_path is None else [settings.sqlite_path]
    has_knowledge = settings.rag_enabled and not settings.vector_store_url
    return [*files, settings.knowledge_path] if has_knowledge else files
