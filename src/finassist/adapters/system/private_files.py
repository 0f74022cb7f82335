"""Files and folders that only their owner can read; files that survive a power failure."""

import logging
import os
import stat
from pathlib import Path
from typing import BinaryIO, Final

PRIVATE: Final = 0o700
"""The mode of folders: for their owner alone."""

_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO

_log = logging.getLogger(__name__)


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


def keep_private(folder: Path) -> None:
    """Close an existing folder to everybody but its owner.

    One that others share is left as it is, with a warning: another user's, one in which all may write (such
    as /tmp), the home folder, and the folder that the process was started in.
    """
    if not folder.is_dir():
        return
    state = folder.stat()
    if not state.st_mode & _OTHERS:
        return
    is_shared = state.st_uid != os.geteuid() or state.st_mode & stat.S_IWOTH
    if is_shared or folder.resolve() in (Path.home(), Path.cwd()):
        _log.warning("DATA_DIR is open to others: use a folder of the service's own, with mode 0700")
        return
    try:
        folder.chmod(PRIVATE)
    except OSError as error:
        _log.warning("DATA_DIR is open to others and cannot be closed: %s", error.strerror)
