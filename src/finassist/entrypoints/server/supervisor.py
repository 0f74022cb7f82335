"""Several server processes that share one listening socket."""

import logging
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerProcess
from multiprocessing.forkserver import ensure_running
from types import FrameType
from typing import Final

_log = logging.getLogger(__name__)

_RESTART_SECONDS_MAX: Final = 30.0
_TICK_SECONDS: Final = 0.2


class Supervisor:
    """Keeps a number of processes running until SIGTERM or SIGINT.

    The signal is passed on and waited for; a second one kills. ``work`` is called with ``args`` and with a
    function to call when the worker is ready. A worker that was killed is replaced. One that fails by itself
    ends them all while none has been ready yet: it would fail again. Later it is what it depends on that
    fails, a locked database or a full disk: it is started again, every time after a longer while, and the
    others go on. Workers are forked from one process that has imported ``preload``, so that they share what
    these modules take of memory. ``on_end`` hears of every process that ended, by its id.
    """

    def __init__(
        self,
        work: Callable[..., None],
        *args: object,
        workers: int,
        preload: Sequence[str] = (),
        on_end: Callable[[int], None] = lambda pid: None,
    ) -> None:
        self._work = work
        self._args = args
        self._workers = workers
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([*preload])
        self._on_end = on_end
        self._processes: dict[ForkServerProcess, Connection] = {}
        self._has_been_ready = False
        self._failures = 0  # one after the other, with no worker that became ready in between
        self._restarts: list[float] = []
        self._stopping = False
        self._status = 0

    def preload(self) -> None:
        """Let the process that workers are forked from import already, while this one does other things."""
        ensure_running()

    def run(self) -> int:
        """Run until all workers have ended; the exit status is that of the first that failed, else 0."""
        for signal_number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(signal_number, self._on_signal)
        for _ in range(self._workers):
            self._start()
        while self._processes or self._restarts:
            wait(
                [*(process.sentinel for process in self._processes), *self._reports()],
                _TICK_SECONDS if self._restarts else None,
            )
            self._note_ready()
            self._reap()
            self._restart()
        return self._status

    def _start(self) -> None:
        reports, report = self._context.Pipe(duplex=False)
        with report:
            process = self._context.Process(target=_run_worker, args=(report, self._work, *self._args))
            process.start()
        self._processes[process] = reports
        if self._stopping:  # the signal came before the process was known
            process.terminate()

    def _reports(self) -> list[Connection]:
        return [reports for reports in self._processes.values() if not reports.closed]

    def _note_ready(self) -> None:
        for reports in self._reports():
            if not reports.poll():
                continue
            with suppress(EOFError):
                reports.recv_bytes()
                self._has_been_ready = True
                self._failures = 0
            reports.close()

    def _reap(self) -> None:
        for process in [each for each in self._processes if not each.is_alive()]:
            self._processes.pop(process).close()
            self._on_end(process.pid or 0)
            if self._stopping:
                continue
            if process.exitcode:
                _log.error("worker %s ended with status %s", process.pid, process.exitcode)
            if process.exitcode is None or process.exitcode <= 0:
                self._start()
            elif self._has_been_ready:
                delay = min(2.0**self._failures, _RESTART_SECONDS_MAX)
                self._failures += 1
                self._restarts.append(time.monotonic() + delay)
            else:
                self._status = process.exitcode
                self._stop()

    def _restart(self) -> None:
        now = time.monotonic()
        due = [] if self._stopping else [each for each in self._restarts if each <= now]
        self._restarts = [] if self._stopping else [each for each in self._restarts if each > now]
        for _ in due:
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


def _run_worker(report: Connection, work: Callable[..., None], *args: object) -> None:
    """A worker's main function. Ctrl-C reaches it through the supervisor, and it ends when that dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()

    def report_ready() -> None:
        with report, suppress(OSError):  # nobody listens any more: the supervisor has died
            report.send_bytes(b"ready")

    work(*args, report_ready)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
