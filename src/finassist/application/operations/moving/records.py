"""Moving the records while the service goes on: a first pass, rounds over what changed since, the last step.

A record is written by its key, so doing it again changes nothing; whatever ends the process, the next call
goes on. Why nothing is missed: the source notes changes before the first pass reads, and a record is read
after its note is. So each record at the target is as it was at the source when it was last read, or there is
a note that it has changed since; in the last round nothing changes any more.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from finassist.application.operations.moving.kinds import BY_NAME, KINDS, Kind
from finassist.application.operations.moving.objects import MoveObjects
from finassist.application.operations.moving.stores import DONE, Key, MoveSource, MoveTarget, Record
from finassist.domain.errors import Conflict

REFUSED_SECONDS_MAX: Final = 10.0
"""How long writes may be refused; then they are taken again, and the last step has failed."""

LAST_STEP: Final = "last step"
"""What is shown while writes are refused: 0 of 2 as it begins, 1 once every process refuses them."""

_BATCH: Final = 500
_FEW: Final = 200
_SHOWN: Final = 5

Show = Callable[[str, int, int], None]
"""Hears what is done, how far it is, and of how many."""

Suspects = set[tuple[str, Key]]


def show_nothing(what: str, done: int, of: int) -> None:
    """For a caller that has no terminal."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How the last step went: how many records came to the new store, and how long writes were refused until
    all had."""

    records: dict[str, int]
    refused_seconds: float


@dataclass(slots=True)
class MoveRecords:
    """Moves every record from one store to the other."""

    source: MoveSource
    target: MoveTarget
    new_id: Callable[[], str]
    objects: MoveObjects | None = None
    show: Show = show_nothing
    _suspects: Suspects = field(default_factory=set)
    _move_id: str = ""

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Connect to both stores, and disconnect at the end."""
        async with AsyncExitStack() as stack:
            for store in (self.source, self.target):
                await store.open()
                stack.push_async_callback(store.close)
            if self.objects is not None:
                for objects in (self.objects.source, self.objects.target):
                    await objects.connect()
                    stack.push_async_callback(objects.close)
            yield

    async def begin(self) -> None:
        """Begin the move, or go on with the one that began. Raises Conflict."""
        self._move_id = await self.source.begin(self.new_id())
        if not await self.source.is_complete():
            await self.target.begin(self._move_id)

    async def copy(self) -> int:
        """Copy every record, from where an earlier call ended; returns how many were copied now."""
        progress = await self.source.progress()
        copied = 0
        for kind in KINDS:
            total = await self._count(kind)
            cursor = progress.get(kind.name)
            done = 0
            while cursor != DONE:
                records, cursor = await self.source.page(kind, cursor, _BATCH)
                await self._copy_objects(kind, records)
                await self.target.write(kind, records)
                progress[kind.name] = cursor = DONE if cursor is None else cursor
                await self.source.keep_progress(progress)
                done += len(records)
                self.show(kind.name, min(done, total), total)
            copied += done
        return copied

    async def catch_up(self) -> int:
        """Move what changed; returns how many records that were. Each is read at the target again.

        Raises Conflict when one is not as it was written.
        """
        moved = 0
        async for changed in self.source.changes():
            await self._move_again(changed.kind, changed.keys)
            moved += len(changed.keys)
            self.show("changes", moved, moved)
        for kind in KINDS:
            if kind.swept:
                keys = {
                    record.key
                    for store in (self.source, self.target)
                    async for records in _pages(store, kind)
                    for record in records
                }
                await self._move_again(kind, sorted(keys))
        return moved

    async def compare(self) -> int:
        """Compare the hash of every record, and how many there are; returns how many differ.

        Those may have changed meanwhile, and are compared again: most of them before the last step, which
        therefore takes no longer when there are more records.
        """
        self._suspects.clear()
        for kind in KINDS:
            total, done, same_keys = await self._count(kind), 0, 0
            async for records in _pages(self.source, kind):
                stored = await self.target.read(kind, [record.key for record in records])
                self._suspects |= _differing(kind, records, stored)
                done, same_keys = done + len(records), same_keys + len(stored)
                self.show(f"comparing {kind.name}", min(done, total), total)
            if await self.target.count(kind, 0) > same_keys:  # nothing but this move writes there
                self._suspects |= await self._only_at_target(kind)
        return len(self._suspects)

    async def finish(self) -> Finished:
        """Compare everything, catch up, and then refuse writes for the last round; the target can be used
        afterwards, and the source refuses writes for good. Raises Conflict, and the source takes writes, when
        the stores differ or the last step takes too long."""
        if await self.source.is_complete():  # the process ended right after that
            await self.target.complete(self._move_id)
            return Finished({}, 0.0)
        await self.copy()
        await self._catch_up_until_few()
        await self.compare()
        await self._compare_again_until_few()
        began = time.monotonic()
        try:
            async with asyncio.timeout(REFUSED_SECONDS_MAX):
                self.show(LAST_STEP, 0, 2)
                await self.source.refuse_writes()
                self.show(LAST_STEP, 1, 2)
                await self.catch_up()
                await self._check()
                await self.source.complete()
                self.show(LAST_STEP, 2, 2)
        except TimeoutError:
            await self.source.accept_writes()
            raise Conflict(
                f"The last step took more than {REFUSED_SECONDS_MAX:.0f} seconds. Writes are taken again: "
                "try it at a quieter time."
            ) from None
        except BaseException:
            await self.source.accept_writes()
            raise
        refused_seconds = time.monotonic() - began
        after = time.time_ns() // 1_000_000
        records = {kind.name: await self.target.count(kind, after) for kind in KINDS}
        await self.target.complete(self._move_id)
        return Finished(records, refused_seconds)

    async def _catch_up_until_few(self) -> None:
        """Catch up until few changes are left, or as many as come while a round is moved."""
        before = await self.catch_up()
        while before > _FEW and (now := await self.catch_up()) < before / 2:
            before = now

    async def _compare_again_until_few(self) -> None:
        """Catch up, and compare again what differed, until few still do, or as many as change meanwhile.

        What is the same once is moved and compared with every change from then on.
        """
        before = len(self._suspects)
        await self._catch_up_until_few()
        while self._suspects:
            self._suspects = await self._still_differing()
            await self._catch_up_until_few()
            if len(self._suspects) <= _FEW or len(self._suspects) >= before / 2:
                return
            before = len(self._suspects)

    async def _move_again(self, kind: Kind, keys: Sequence[Key]) -> None:
        found = await self.source.read(kind, keys)
        if self.objects is not None and self.objects.concerns(kind):
            before = await self.target.read(kind, keys)
            await self.objects.copy(kind, found.values())
            await self.objects.discard(kind, before.values(), found.values())
        await self.target.remove(kind, [key for key in keys if key not in found])
        await self.target.write(kind, list(found.values()))
        if differing := _differing(kind, found.values(), await self.target.read(kind, list(found))):
            raise Conflict(f"Records are not as they were written: {_shown(differing)}.")

    async def _copy_objects(self, kind: Kind, records: Sequence[Record]) -> None:
        if self.objects is not None and self.objects.concerns(kind):
            await self.objects.copy(kind, records)

    async def _only_at_target(self, kind: Kind) -> Suspects:
        """The records that the source does not have."""
        found: Suspects = set()
        async for records in _pages(self.target, kind):
            keys = [record.key for record in records]
            known = await self.source.read(kind, keys)
            found |= {(kind.name, key) for key in keys if key not in known}
        return found

    async def _check(self) -> None:
        """Compare what differed, while nothing changes. Raises Conflict when it still does."""
        if differing := await self._still_differing():
            raise Conflict(f"The stores differ: {_shown(differing)}.")

    async def _still_differing(self) -> Suspects:
        differing: Suspects = set()
        for name in {name for name, _ in self._suspects}:
            kind, keys = BY_NAME[name], [key for suspect, key in self._suspects if suspect == name]
            for start in range(0, len(keys), _BATCH):
                some = keys[start : start + _BATCH]
                found, stored = await self.source.read(kind, some), await self.target.read(kind, some)
                differing |= _differing(kind, found.values(), stored)
                differing |= {(name, key) for key in stored.keys() - found.keys()}
        return differing

    async def _count(self, kind: Kind) -> int:
        return await self.source.count(kind, 0)


def _differing(kind: Kind, records: Iterable[Record], stored: Mapping[Key, Record]) -> Suspects:
    """Those of the records that are stored otherwise, or not at all."""
    now_ms = time.time_ns() // 1_000_000
    return {
        (kind.name, record.key)
        for record in records
        if (
            stored[record.key].digest != record.digest
            if record.key in stored
            else not record.has_expired(now_ms)
        )
    }


async def _pages(store: MoveSource | MoveTarget, kind: Kind) -> AsyncIterator[Sequence[Record]]:
    """All records of a store, some at a time."""
    cursor, is_more = None, True
    while is_more:
        records, cursor = await store.page(kind, cursor, _BATCH)
        is_more = cursor is not None
        yield records


def _shown(differing: Suspects) -> str:
    """A few of the keys, by kind; they are identifiers and hashes."""
    some = sorted({name for name, _ in differing})
    return f"{len(differing)} of {', '.join(some[:_SHOWN])}"
