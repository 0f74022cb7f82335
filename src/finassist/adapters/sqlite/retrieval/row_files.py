"""Matrices in files that processes map, so that all processes share one copy in memory."""

import logging
import os
import secrets
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from finassist.adapters.system.private_files import PRIVATE, create_private

_log = logging.getLogger(__name__)

_ENDING: Final = ".rows"
_DRAFT_SECONDS: Final = 600
"""A draft that is older was left by a process that was killed."""

N = TypeVar("N", np.float32, np.float16)


class RowFiles:
    """A folder that holds the current matrix, named after its content; it can be made again at any time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, name: str, shape: tuple[int, int], dtype: type[N]) -> NDArray[N] | None:
        """The matrix of this name, read-only; None when there is none."""
        file = self._folder / f"{name}{_ENDING}"
        with suppress(OSError):
            if file.stat().st_size == np.dtype(dtype).itemsize * shape[0] * shape[1]:
                return np.asarray(np.memmap(file, dtype, mode="r", shape=shape))
        return None

    def keep(
        self, name: str, blocks: Iterable[NDArray[N]], shape: tuple[int, int], dtype: type[N]
    ) -> NDArray[N] | None:
        """The matrix of these blocks of rows, in a file of this name, whose predecessor is removed; None
        where no file can be written. One block is in memory at a time."""
        file = self._folder / f"{name}{_ENDING}"
        draft = self._folder / f"{secrets.token_hex(8)}.draft"
        try:
            self._folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
            with create_private(draft) as stream:
                for block in blocks:
                    stream.write(block.data)
                stream.flush()
                os.fsync(stream.fileno())  # a file of this name is whole, whatever happens
            draft.replace(file)
            self._remove_others(file)
        except OSError as error:
            _log.warning("the vectors cannot be kept in %s: %s", self._folder, error.strerror)
            with suppress(OSError):
                draft.unlink(missing_ok=True)
            return None
        return self.find(name, shape, dtype)

    def _remove_others(self, current: Path) -> None:
        for file in self._folder.iterdir():
            is_draft = file.suffix != _ENDING
            if file != current and not (is_draft and _age(file) < _DRAFT_SECONDS):
                with suppress(OSError):  # where what is mapped cannot be removed
                    file.unlink(missing_ok=True)


def _age(file: Path) -> float:
    """Seconds since it was written, 0 when it is gone."""
    with suppress(OSError):
        return time.time() - file.stat().st_mtime
    return 0.0
