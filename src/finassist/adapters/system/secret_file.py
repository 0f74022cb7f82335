"""The server's own secret key, for a deployment that sets no SECRET_KEY (contract section 12)."""

import os
import secrets
import tempfile
from pathlib import Path

from finassist.adapters.system.private_files import PRIVATE, sync_folder

_FILE_NAME = "secret_key"
_BYTES = 32


def load_or_create_secret(data_dir: Path) -> bytes:
    """The key kept in ``data_dir``, made there once: processes that race get the same one.

    64 hexadecimal characters, readable by the owner alone. Raises OSError when it can be neither read
    nor made.
    """
    path = data_dir / _FILE_NAME
    if not path.exists():
        data_dir.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        _create(path)
    return path.read_bytes()


def _create(path: Path) -> None:
    # A hard link appears complete or not at all, and only the first of many can make it.
    with tempfile.NamedTemporaryFile(
        dir=path.parent, prefix=f".{path.name}."
    ) as draft:  # made with mode 0600
        draft.write(secrets.token_hex(_BYTES).encode())
        draft.flush()
        os.fsync(draft.fileno())
        try:
            os.link(draft.name, path)
        except FileExistsError:
            return
    sync_folder(path.parent)
