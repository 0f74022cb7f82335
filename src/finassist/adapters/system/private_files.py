"""Creating files that only their owner can read, and that survive a power failure."""

import os
from pathlib import Path
from typing import BinaryIO


def create_private(path: Path, *, buffering: int = -1) -> BinaryIO:
    """Make a file to write to. Raises FileExistsError when there is one, OSError for every other failure."""
    return open(path, "xb", buffering=buffering, opener=lambda name, flags: os.open(name, flags, 0o600))


def sync_folder(folder: Path) -> None:
    """Make sure that what was made, renamed or removed in the folder is on the disk. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
