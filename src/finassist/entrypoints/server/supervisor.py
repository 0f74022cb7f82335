"""Several server processes that share one listening socket."""

import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from types import FrameType

_log = logging.getLogger(__name__)


class Supervisor:
    """Keeps a number of processes running until SIGTERM or SIGINT.

    The signal is passed on and waited for; a second one kills. A worker that was killed is replaced,
    one that fails by itself ends them all: it would fail again. ``on_end`` hears of every process that
    ended, by its id.
    """

    def __init__(
        self,
        work: Callable[..., None],
        *args: object,
        workers: int,
        on_end: Callable[[int], None] = lambda pid: None,
    ) -> None:
        self._work = work
        self._args = args
        self._workers = workers
        self._on_end = on_end
        self._processes: list[SpawnProcess] = []
        self._stopping = False
        self._status = 0

    def run(self) -> int:
        """Run until all workers have ended; the exit status is that of the first that failed, else 0."""
        for signal_number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(signal_number, self._on_signal)
        for _ in range(self._workers):
            self._start()
        while self._processes:
            wait([process.sentinel for process in self._processes])
            self._reap()
        return self._status

    def _start(self) -> None:
        process = multiprocessing.get_context("spawn").Process(target=_work, args=(self._work, *self._args))
        process.start()
        self._processes.append(process)
        if self._stopping:  # the signal came before the process was in the list
            process.terminate()

    def _reap(self) -> None:
        for process in [each for each in self._processes if not each.is_alive()]:
            self._processes.remove(process)
            self._on_end(process.pid or 0)
            if self._stopping:
                continue
            if process.exitcode:
                _log.error("worker %s ended with status %s", process.pid, process.exitcode)
            if process.exitcode is not None and process.exitcode > 0:
                self._status = process.exitcode
                self._stop()
            else:
                self._start()

    def _stop(self) -> None:
        self._stopping = True
        for process in self._processes:
            process.terminate()

    def _on_signal(self, signal_number: int, _: FrameType | None) -> None:
        if not self._stopping:
            self._stop()
            return
        self._status = 128 + signal_number
        for process in self._processes:
            process.kill()


def _work(work: Callable[..., None], *args: object) -> None:
    """A worker's main function. Ctrl-C reaches it through the supervisor, and it ends when that dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    work(*args)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
