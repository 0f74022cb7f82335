"""Backing up the embedded data into one archive, and restoring it."""

from finassist.adapters.backups.contents import EmbeddedData, Manifest
from finassist.adapters.backups.reading import finish_restore, require_finished, restore_backup
from finassist.adapters.backups.writing import write_backup

__all__ = ["EmbeddedData", "Manifest", "finish_restore", "require_finished", "restore_backup", "write_backup"]
