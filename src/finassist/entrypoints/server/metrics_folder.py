"""The folder in which the figures of several workers meet, and what killed services left of theirs."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_PREFIX: Final = "finassist-metrics-"
_LOCK: Final = "lock"


@contextmanager
def metrics_folder() -> Iterator[Path]:
    """A folder until the end of the service. It is locked meanwhile: one that is not is of a service that
    was killed, and is removed."""
    _remove_abandoned(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as folder:
        unlocked = Path(folder, f"{_LOCK}.new")
        lock = os.open(unlocked, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            unlocked.rename(Path(folder, _LOCK))  # nobody finds it before it is locked
            yield Path(folder)
        finally:
            os.close(lock)


def _remove_abandoned(parent: Path) -> None:
    for folder in parent.glob(f"{_PREFIX}*"):
        try:
            if folder.lstat().st_uid == os.geteuid() and not folder.is_symlink():
                _remove_unlocked(folder)
        except OSError:  # another process removes it, or has just made it and not locked it yet
            continue


def _remove_unlocked(folder: Path) -> None:
    lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder)
    finally:
        os.close(lock)
