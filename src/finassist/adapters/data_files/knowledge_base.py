"""The knowledge base of a fresh installation: the shipped articles, indexed and with their vectors.

Reading, indexing and storing some thousand entries takes seconds, and gives the same file on every machine,
so the finished file ships (``training/knowledge.py`` makes it). A version of the program that indexes in
another way indexes it again at its start, like any older file.
"""

import gzip
import os
from contextlib import suppress
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from finassist.adapters.system.private_files import PRIVATE, create_private

SHIPPED_BASE: Final = files("finassist.data") / "retrieval" / "knowledge.db.gz"


def unpack_base(path: Path, *, base: Traversable = SHIPPED_BASE) -> None:
    """Write the shipped base to ``path``, unless there is a file; of many processes one does."""
    if path.exists() or not base.is_file():
        return
    path.parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    unpacked = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with create_private(unpacked) as file:
            file.write(gzip.decompress(base.read_bytes()))
        with suppress(FileExistsError):  # another process was first, and may have opened it
            os.link(unpacked, path)
    finally:
        unpacked.unlink(missing_ok=True)
