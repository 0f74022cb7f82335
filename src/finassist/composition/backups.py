"""The embedded data of the settings, for ``finassist backup`` and ``finassist restore``."""

from finassist.adapters.backups import (
    EmbeddedData,
    Manifest,
    finish_restore,
    require_finished,
    restore_backup,
    write_backup,
)
from finassist.adapters.sqlite.engine.copies import erased_since, identities_of
from finassist.config import Settings, SettingsError

__all__ = [
    "EmbeddedData",
    "Manifest",
    "embedded_data",
    "erased_since",
    "finish_restore",
    "identities_of",
    "require_finished",
    "restore_backup",
    "write_backup",
]


def embedded_data(settings: Settings) -> EmbeddedData:
    """The databases and files that are in DATA_DIR. Raises SettingsError when servers hold everything."""
    databases = {}
    if settings.sqlite_path is not None:
        databases["records"] = settings.sqlite_path
    if not settings.vector_store_url:
        databases["knowledge"] = settings.knowledge_path
    if not databases and settings.object_store_url:
        raise SettingsError({"DATA_DIR": "there is no embedded data: back up the servers that hold the data"})
    return EmbeddedData(
        folder=settings.data_dir, databases=databases, with_objects=not settings.object_store_url
    )
