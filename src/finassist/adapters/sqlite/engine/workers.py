"""The threads that run units of work: one writer that commits in groups, and a few readers."""

import asyncio
import sqlite3
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from finassist.adapters.sqlite.engine.connection import (
    Connection,
    as_domain_error,
    execute_when_unlocked,
    has_waited,
    is_lock,
)
from finassist.domain.errors import ServiceUnavailable

T = TypeVar("T")

_GROUP_MAX = 256
"""Units in one transaction: a bound on how long other processes wait for the write lock."""


@dataclass(slots=True, eq=False)
class Unit:
    """A piece of work, who waits for it, and how it ended."""

    work: Callable[[Connection], Any]
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    durable: bool = True
    queued_at: float = field(default_factory=time.monotonic)
    result: Any = None
    error: Exception | None = None

    def run(self, connection: Connection) -> None:
        """Do the work and keep its result or its error."""
        try:
            self.result = self.work(connection)
        except Exception as error:  # whatever it is belongs to the caller, and the thread lives on
            self.error = as_domain_error(error)

    def settle(self) -> None:
        """Resolve the future on its own event loop, unless it was cancelled meanwhile."""
        if self.future.done():
            return
        if self.error is None:
            self.future.set_result(self.result)
        else:
            self.future.set_exception(self.error)


class Worker:
    """A queue of units, and one thread per connection that works on it."""

    def __init__(self, connections: Sequence[Connection]) -> None:
        self._queue: SimpleQueue[Unit | None] = SimpleQueue()
        # Daemons: a program that forgets to close must still be able to end.
        name = f"sqlite-{type(self).__name__.lower()}"
        self._threads = [
            threading.Thread(target=self._work, args=(connection,), name=name, daemon=True)
            for connection in connections
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, work: Callable[[Connection], T], *, durable: bool = True) -> asyncio.Future[T]:
        """Queue the work; the future belongs to the running event loop."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._queue.put(Unit(work, loop, future, durable))
        return future

    def close(self) -> None:
        """Wait until all that was queued is done, then end the threads. Blocks."""
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join()

    def _work(self, connection: Connection) -> None:
        raise NotImplementedError


class Reader(Worker):
    """Runs each query by itself."""

    def _work(self, connection: Connection) -> None:
        while (unit := self._queue.get()) is not None:
            unit.run(connection)
            _deliver((unit,))


class Writer(Worker):
    """Runs all units that wait in one transaction, and completes them after its commit."""

    def _work(self, connection: Connection) -> None:
        while group := self._next_group():
            while group:
                group = _write(connection, group)

    def _next_group(self) -> list[Unit]:
        group: list[Unit] = []
        unit = self._queue.get()
        while unit is not None:
            group.append(unit)
            if len(group) == _GROUP_MAX:
                return group
            try:
                unit = self._queue.get_nowait()
            except Empty:
                return group
        if group:
            self._queue.put(None)  # the end comes after this last group
        return group


def _write(connection: Connection, group: list[Unit]) -> list[Unit]:
    """Run the group, oldest first, and answer; returns those that may wait on for another process's lock.

    Each has a time of its own: one that was queued behind others does not wait for theirs first.
    """
    try:
        connection.make_durable(any(unit.durable for unit in group))
        execute_when_unlocked(connection, "BEGIN IMMEDIATE", since=group[0].queued_at)
    except Exception as error:  # the thread lives on, whatever it is
        lasting = not is_lock(error)
        refused = [unit for unit in group if lasting or has_waited(unit.queued_at)]
        _fail(refused, error)
        _deliver(refused)
        return group[len(refused) :]
    try:
        _commit(connection, group)
    except Exception as error:  # the thread lives on, whatever it is
        with suppress(sqlite3.Error):
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        _fail(group, error)
    _deliver(group)
    return []


def _commit(connection: Connection, group: Iterable[Unit]) -> None:
    for unit in group:
        connection.execute("SAVEPOINT unit")
        unit.run(connection)
        # A full disk or an I/O error can make SQLite roll back everything; these two then fail.
        if unit.error is not None:
            connection.execute("ROLLBACK TO unit")
        connection.execute("RELEASE unit")
    connection.execute("COMMIT")


def _fail(units: Iterable[Unit], cause: Exception) -> None:
    for unit in units:
        unit.error = ServiceUnavailable()
        unit.error.__cause__ = cause


def _deliver(units: Iterable[Unit]) -> None:
    waiting: defaultdict[asyncio.AbstractEventLoop, list[Unit]] = defaultdict(list)
    for unit in units:
        waiting[unit.loop].append(unit)
    for loop, answered in waiting.items():
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(_settle, answered)


def _settle(units: Iterable[Unit]) -> None:
    for unit in units:
        unit.settle()
