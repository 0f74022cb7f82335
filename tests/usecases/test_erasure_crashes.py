"""A process that dies while it erases somebody leaves what the next one finishes, wherever it died."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.errors import AutoReconnect

from everything import Everything, everything_of
from finassist.application.erasure.requests import EndAccess, EraseAccount, ErasureRunner, RequestErasure
from finassist.composition.application import Finassist
from finassist.config import Settings
from finassist.domain.errors import FinassistError
from finassist.domain.users import Caller, User
from finassist.testing import FakeClock, ScriptedModel
from raw_records import texts_of
from stores import identity_of, new_id, open_store
from usecases.conftest import opened
from waiting import until

pytestmark = pytest.mark.engine  # on SQLite, too: a hundred crashes are not fast

WRITES = ("insert_one", "update_one", "update_many", "find_one_and_update", "delete_one", "delete_many")
ENOUGH = 200


class Crash(BaseException):
    """The process is gone: nothing of it runs any more."""


class Fuse:
    """Lets so many steps through, and none after them."""

    def __init__(self, steps: int) -> None:
        self.left = steps
        self.blown = False

    def step(self) -> None:
        """Raise Crash when none is left."""
        if self.left == 0:
            self.blown = True
            raise Crash
        self.left -= 1


class Mortal:
    """An adapter of a process that dies: every call is a step."""

    def __init__(self, inner: Any, fuse: Fuse) -> None:
        self._inner = inner
        self._fuse = fuse

    def __getattr__(self, name: str) -> Any:
        verb = getattr(self._inner, name)

        async def call(*args: Any, **kwargs: Any) -> Any:
            self._fuse.step()
            return await verb(*args, **kwargs)

        return call


@contextmanager
def writes_lost_after(steps: int) -> Iterator[Fuse]:
    """A database that is lost after so many writes, in the middle of a call too."""
    fuse = Fuse(steps)

    def counted(write: Any) -> Any:
        async def call(*args: Any, **kwargs: Any) -> Any:
            try:
                fuse.step()
            except Crash:
                raise AutoReconnect("lost") from None
            return await write(*args, **kwargs)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in WRITES:
            patch.setattr(AsyncCollection, name, counted(getattr(AsyncCollection, name)))
        yield fuse


@dataclass
class World:
    """A service that lives on, and the URL of the database that it shares with one that dies."""

    finassist: Finassist
    clock: FakeClock
    url: str
    folder: Path

    async def somebody(self, number: int) -> tuple[User, Everything]:
        """A user with one record of everything."""
        subject, phone = f"{number:024x}", f"+49170{1000000 + number}"
        identity = identity_of(subject, issuer="local", phone=phone)
        user = await self.finassist.adapters.users.upsert_identity(
            identity, new_user_id=new_id(), now=self.clock.now()
        )
        async with open_store(self.url) as store:
            mine = await everything_of(user.id, account=subject, phone=phone).store_in(store)
        await self.finassist.adapters.object_store.put(mine.file.key, b"content", "application/pdf")
        return user, mine

    async def die(self, user: User, fuse: Fuse) -> bool:
        """Ask for the erasure in a process that dies; whether it lived to finish it."""
        adapters = self.finassist.adapters
        erasures, messages = Mortal(adapters.erasures, fuse), Mortal(adapters.messages, fuse)
        end_access = EndAccess(
            erasures=erasures,
            messages=messages,
            identity_provider=adapters.identity_provider,
            turn_runner=self.finassist.workers.turn_runner,
            fingerprints=adapters.fingerprints,
            clock=self.clock,
        )
        runner = ErasureRunner(
            erasures=erasures,
            files=Mortal(adapters.files, fuse),
            object_store=Mortal(adapters.object_store, fuse),
            identity_provider=adapters.identity_provider,
            background_tasks=self.finassist.workers.background_tasks,
            clock=self.clock,
            ids=adapters.ids,
            end_access=end_access,
        )
        request = RequestErasure(
            confirm_erasure=self.finassist.request_erasure.confirm_erasure,
            erase_account=EraseAccount(
                erasures=erasures, end_access=end_access, erasure_runner=runner, clock=self.clock
            ),
        )
        try:
            await request(
                Caller.registered(user, None, identity_of("ann", issued_at=self.clock.now())), None, ""
            )
        except (Crash, FinassistError):
            return False
        tasks = [task for task in asyncio.all_tasks() if task.get_name() == "erasure"]
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        return not fuse.blown and outcomes == [None]

    async def recover(self, user: User) -> None:
        """What the process that lives on does, once the leases have run out."""
        self.clock.advance(120)

        async def erased() -> bool:
            await self.finassist.workers.erasure_runner()
            return not any(name == "erasures" and user.id in text for name, text in texts_of(self.url))

        await until(erased)

    def traces_of(self, user: User, mine: Everything) -> list[tuple[str, str]]:
        """Where something of the user is left."""
        traces = {user.id, mine.account, mine.phone, mine.conversation.id, mine.share.share_id, mine.file.id}
        left = [(name, trace) for name, text in texts_of(self.url) for trace in traces if trace in text]
        return left + [(str(path), mine.file.id) for path in self.folder.rglob(mine.file.id)]


@pytest.fixture
async def world(database: dict[str, Any], tmp_path: Path) -> AsyncIterator[World]:
    clock = FakeClock()
    settings = Settings(improve_titles=False, data_dir=tmp_path, **database)
    async with opened(settings, language_model=ScriptedModel(), clock=clock) as finassist:
        yield World(finassist, clock, settings.database_url, tmp_path)


async def die_everywhere(world: World, die: Callable[[User, int], Awaitable[bool]]) -> int:
    """Die after 0, 1, 2… steps, each time with somebody else, until the erasure is done by then."""
    for steps in range(ENOUGH):
        user, mine = await world.somebody(steps)
        finished = await die(user, steps)
        await world.recover(user)
        left = world.traces_of(user, mine)
        if await world.finassist.adapters.users.get(user.id) is not None:
            # It died before the request was kept: nobody was erased, and nothing is missing.
            assert steps < 3
            assert len({name for name, _ in left}) > 5
            continue
        assert left == [], f"after {steps} steps"
        if finished:
            return steps
    raise AssertionError("an erasure has an end")


async def test_a_crash_between_any_two_calls_is_finished_by_another_process(world: World) -> None:
    async def die(user: User, steps: int) -> bool:
        return await world.die(user, Fuse(steps))

    assert await die_everywhere(world, die) > 20


@pytest.mark.parametrize("store_url", ["mongodb"], indirect=True)  # in SQLite a call is one transaction
async def test_a_database_that_is_lost_after_any_write_is_no_harm(world: World) -> None:
    async def die(user: User, steps: int) -> bool:
        with writes_lost_after(steps) as fuse:
            return await world.die(user, Fuse(10_000)) and not fuse.blown

    assert await die_everywhere(world, die) > 15
