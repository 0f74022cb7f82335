"""Migrating the files of the databases before workers open them."""

from finassist.adapters.sqlite.engine.database import Database
from finassist.config import Settings


async def migrate_files(settings: Settings) -> None:
    """Bring the database files that are there up to date. Raises ServiceUnavailable."""
    files = {"records": settings.sqlite_path}
    if not settings.vector_store_url:
        files["knowledge"] = settings.knowledge_path
    for schema, path in files.items():
        if path is not None and path.is_file():
            database = Database(path, schema)
            await database.open()
            await database.close()
