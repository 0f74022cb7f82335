"""What the SQLite file promises below the repositories: durability, groups, isolation, migrations."""

import asyncio
import resource
import shutil
import sqlite3
import stat
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from finassist.adapters.sqlite.engine import connection as connection_module
from finassist.adapters.sqlite.engine import workers as workers_module
from finassist.adapters.sqlite.engine.batches import delete_in_batches
from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.sqlite.engine.probe import SqliteProbe
from finassist.adapters.sqlite.engine.schema import migrations
from finassist.adapters.sqlite.engine.workers import Unit
from finassist.domain.errors import ServiceUnavailable

Connection = sqlite3.Connection


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "records.db"


@pytest.fixture
async def database(path: Path) -> AsyncIterator[Database]:
    database = Database(path)
    await database.open()
    yield database
    await database.close()


def insert(subject: str) -> Callable[[Connection], None]:
    def unit(connection: Connection) -> None:
        connection.execute("INSERT INTO quotas VALUES (?, 1, 0)", (subject,))

    return unit


def subjects(connection: Connection) -> list[str]:
    return [row[0] for row in connection.execute("SELECT subject FROM quotas ORDER BY subject")]


def pragma(name: str) -> Callable[[Connection], object]:
    return lambda connection: connection.execute(f"PRAGMA {name}").fetchone()[0]


class Gate:
    """A unit that holds the writer until the test lets it go on, so that others pile up behind it."""

    def __init__(self) -> None:
        self.entered, self.opened = threading.Event(), threading.Event()

    def __call__(self, connection: Connection) -> None:
        self.entered.set()
        self.opened.wait(30)

    async def hold(self, database: Database) -> asyncio.Task[None]:
        task = asyncio.create_task(database.write(self))
        await asyncio.to_thread(self.entered.wait, 30)
        return task


@pytest.mark.parametrize(
    ("name", "value"),
    [("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1)],
)
async def test_every_commit_is_durable_and_keeps_references(
    database: Database, name: str, value: object
) -> None:
    assert await database.write(pragma(name)) == value


async def test_what_need_not_outlive_a_power_cut_waits_for_the_disk_with_others_alone(
    database: Database,
) -> None:
    level = pragma("synchronous")
    full, normal = 2, 1
    assert await database.write(level, durable=False) == normal
    assert await database.write(level) == full
    gate = Gate()
    holding = await gate.hold(database)
    together = [asyncio.create_task(database.write(level, durable=durable)) for durable in (False, True)]
    await asyncio.sleep(0)
    gate.opened.set()
    assert await asyncio.gather(*together) == [full, full]
    assert await database.write(level, durable=False) == normal
    await holding


async def test_a_log_that_a_power_cut_left_short_holds_the_first_transactions_whole(
    database: Database, path: Path, tmp_path: Path
) -> None:
    log = path.with_name(f"{path.name}-wal")
    await database.write(insert("a"))
    acknowledged = log.stat().st_size
    for subject in "bc":
        await database.write(insert(subject), durable=False)
    found = set()
    for size in (*range(acknowledged, log.stat().st_size, 1024), log.stat().st_size):
        cut = tmp_path / str(size) / path.name
        cut.parent.mkdir()
        shutil.copy(path, cut)
        cut.with_name(log.name).write_bytes(log.read_bytes()[:size])
        with closing(sqlite3.connect(cut)) as opened:
            found.add("".join(subjects(opened)))
    assert found == {"a", "ab", "abc"}


async def test_readers_cannot_write(database: Database) -> None:
    with pytest.raises(ServiceUnavailable):
        await database.read(insert("a"))
    with pytest.raises(ServiceUnavailable):
        database.lookup(insert("a"))
    assert database.lookup(subjects) == []


async def test_nobody_else_on_the_machine_may_read_the_file(database: Database, path: Path) -> None:
    await database.write(insert("a"))
    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file.name


async def test_what_was_written_is_read_at_once_by_every_connection(database: Database) -> None:
    await database.write(insert("a"))
    assert database.lookup(subjects) == ["a"]
    assert await asyncio.gather(*(database.read(subjects) for _ in range(8))) == [["a"]] * 8


async def test_units_that_wait_together_are_committed_together(database: Database) -> None:
    seen: list[list[str]] = []
    gate = Gate()
    held = await gate.hold(database)
    writes = [asyncio.create_task(database.write(insert(f"{n:03}"))) for n in range(100)]
    loop = asyncio.get_running_loop()

    def look(_: Connection) -> None:
        seen.append(asyncio.run_coroutine_threadsafe(looked_up(database), loop).result())

    watch = asyncio.create_task(database.write(look))
    await asyncio.sleep(0)
    gate.opened.set()
    await asyncio.gather(held, watch, *writes)

    assert seen == [[]]  # the last unit of the group runs before any of the group is committed
    assert len(database.lookup(subjects)) == 100


async def looked_up(database: Database) -> list[str]:
    return database.lookup(subjects)


async def test_a_failing_unit_of_a_group_is_undone_alone(database: Database) -> None:
    def fail(connection: Connection) -> None:
        insert("half done")(connection)
        raise LookupError("mine")

    gate = Gate()
    held = await gate.hold(database)
    units = [insert("a"), fail, insert("b"), insert("a"), insert("c")]
    writes = [asyncio.create_task(database.write(unit)) for unit in units]
    await asyncio.sleep(0)
    gate.opened.set()
    await held
    results = await asyncio.gather(*writes, return_exceptions=True)

    assert [type(result) for result in results] == [
        type(None),
        LookupError,
        type(None),
        sqlite3.IntegrityError,
        type(None),
    ]
    assert database.lookup(subjects) == ["a", "b", "c"]


async def test_when_the_commit_fails_the_whole_group_is_unavailable_and_the_next_one_is_not(
    database: Database,
) -> None:
    def orphan(connection: Connection) -> None:
        connection.execute("PRAGMA defer_foreign_keys = ON")
        connection.execute("INSERT INTO identities VALUES ('issuer', 'subject', 'nobody')")

    gate = Gate()
    held = await gate.hold(database)
    writes = [asyncio.create_task(database.write(unit)) for unit in (insert("a"), orphan, insert("b"))]
    await asyncio.sleep(0)
    gate.opened.set()
    await held
    results = await asyncio.gather(*writes, return_exceptions=True)

    assert [type(result) for result in results] == [ServiceUnavailable] * 3
    assert database.lookup(subjects) == []
    await database.write(insert("c"))
    assert database.lookup(subjects) == ["c"]


async def test_when_sqlite_gives_up_the_transaction_the_whole_group_is_unavailable(
    database: Database,
) -> None:
    gate = Gate()
    held = await gate.hold(database)
    units = (insert("a"), lambda connection: connection.execute("ROLLBACK"), insert("b"))
    writes = [asyncio.create_task(database.write(unit)) for unit in units]
    await asyncio.sleep(0)
    gate.opened.set()
    await held
    results = await asyncio.gather(*writes, return_exceptions=True)

    assert [type(result) for result in results] == [ServiceUnavailable] * 3
    assert database.lookup(subjects) == []
    await database.write(insert("c"))


@pytest.mark.parametrize("statement", ["BEGIN IMMEDIATE", "SAVEPOINT unit", "COMMIT"])
async def test_memory_that_runs_out_fails_what_waits_and_the_writer_goes_on(
    database: Database, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    def without_memory(self: Connection, wanted: str, values: tuple[str, ...] = ()) -> sqlite3.Cursor:
        if wanted == statement:
            raise MemoryError  # what Python makes of SQLITE_NOMEM: no error of its module sqlite3
        return sqlite3.Connection.execute(self, wanted, values)

    with monkeypatch.context() as patched:
        patched.setattr(connection_module.Connection, "execute", without_memory, raising=False)
        with pytest.raises(ServiceUnavailable):
            await asyncio.wait_for(database.write(insert("a")), 10)
    await asyncio.wait_for(database.write(insert("b")), 10)
    assert database.lookup(subjects) == ["b"]


async def test_a_query_for_which_there_is_no_memory_is_unavailable(database: Database) -> None:
    def hungry(connection: Connection) -> None:
        raise MemoryError

    for call in (database.read, database.write):
        with pytest.raises(ServiceUnavailable):
            await call(hungry)
    with pytest.raises(ServiceUnavailable):
        database.lookup(hungry)
    assert database.lookup(subjects) == []


async def test_a_full_disk_is_unavailable_until_there_is_room_again(database: Database) -> None:
    def limit(pages: int) -> Callable[[Connection], object]:
        return pragma(f"max_page_count = {pages}")

    await database.write(limit(1))
    with pytest.raises(ServiceUnavailable):
        await database.write(insert("x" * 100_000))
    assert database.lookup(subjects) == []
    await database.write(limit(2**30))
    await database.write(insert("a"))
    assert database.lookup(subjects) == ["a"]


async def test_a_statement_that_is_wrong_is_no_outage(database: Database) -> None:
    for wrong in (database.write, database.read):
        with pytest.raises(sqlite3.OperationalError):
            await wrong(lambda connection: connection.execute("SELECT nothing FROM nowhere"))
    with pytest.raises(sqlite3.OperationalError):
        database.lookup(lambda connection: connection.execute("SELECT nothing FROM nowhere"))
    await database.write(insert("a"))


async def test_a_cancelled_wait_loses_neither_its_unit_nor_the_others(database: Database) -> None:
    gate = Gate()
    held = await gate.hold(database)
    writes = [asyncio.create_task(database.write(insert(name))) for name in "abc"]
    await asyncio.sleep(0)
    writes[1].cancel()
    gate.opened.set()
    await held
    results = await asyncio.gather(*writes, return_exceptions=True)

    assert [type(result) for result in results] == [type(None), asyncio.CancelledError, type(None)]
    assert database.lookup(subjects) == ["a", "b", "c"]


async def test_callers_on_several_event_loops_are_all_answered(database: Database) -> None:
    async def elsewhere(name: str) -> None:
        await database.write(insert(name))

    await asyncio.gather(
        *(asyncio.to_thread(asyncio.run, elsewhere(f"thread {n}")) for n in range(4)),
        *(database.write(insert(f"here {n}")) for n in range(4)),
    )
    assert len(database.lookup(subjects)) == 8


async def test_a_loop_that_is_gone_does_not_stop_the_writer(database: Database) -> None:
    gate = Gate()
    held = await gate.hold(database)

    async def walk_away() -> None:
        write = asyncio.ensure_future(database.write(insert("abandoned")))
        await asyncio.sleep(0)
        write.cancel()

    await asyncio.to_thread(asyncio.run, walk_away())
    gate.opened.set()
    await held
    await database.write(insert("b"))
    assert database.lookup(subjects) == ["abandoned", "b"]


async def test_closing_runs_what_was_handed_over(path: Path) -> None:
    database = Database(path)
    await database.open()
    writes = [asyncio.create_task(database.write(insert(f"{n:03}"))) for n in range(600)]
    await asyncio.sleep(0)
    await database.close()
    await asyncio.gather(*writes)
    await database.close()

    again = Database(path)
    await again.open()
    assert len(again.lookup(subjects)) == 600
    await again.close()


async def test_a_database_that_is_not_open_is_unavailable(path: Path) -> None:
    database = Database(path)
    for _ in range(2):
        with pytest.raises(ServiceUnavailable):
            await database.write(subjects)
        with pytest.raises(ServiceUnavailable):
            await database.read(subjects)
        with pytest.raises(ServiceUnavailable):
            database.lookup(subjects)
        await database.open()
        await database.close()


async def test_a_file_that_is_no_database_is_unavailable(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"something else " * 1000)
    with pytest.raises(ServiceUnavailable):
        await Database(path).open()


async def test_a_place_that_cannot_hold_a_file_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ServiceUnavailable):
        await Database(tmp_path / "file" / "records.db").open()


async def test_a_lock_held_by_another_process_is_waited_for_and_then_unavailable(
    database: Database, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "LOCK_TIMEOUT_SECONDS", 0.05)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(ServiceUnavailable):
        await database.write(insert("a"))
    assert database.lookup(subjects) == []  # readers do not wait for a writer
    monkeypatch.undo()
    write = asyncio.create_task(database.write(insert("a")))
    done, _ = await asyncio.wait([write], timeout=0.05)
    other.execute("ROLLBACK")
    other.close()
    await write
    assert not done
    assert database.lookup(subjects) == ["a"]


class Waiting:
    """The time as the writer has it, which the test moves, and whether the writer waits for a lock."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        self.tried = threading.Event()
        clock = SimpleNamespace(monotonic=lambda: self.now, sleep=self._sleep)
        monkeypatch.setattr(connection_module, "time", clock)
        monkeypatch.setattr(workers_module, "Unit", partial(self._unit, Unit))

    def _unit(self, kind: Callable[..., Unit], *given: object) -> Unit:
        return kind(*given, queued_at=self.now)

    def _sleep(self, seconds: float) -> None:
        self.tried.set()
        time.sleep(seconds)

    async def until_tried_again(self) -> None:
        self.tried.clear()
        assert await asyncio.to_thread(self.tried.wait, 60)


async def test_a_write_behind_others_that_wait_for_a_lock_is_given_up_after_its_own_time(
    database: Database, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = Waiting(monkeypatch)

    async def write() -> None:
        with pytest.raises(ServiceUnavailable):
            await database.write(insert("a"))

    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        first = asyncio.create_task(write())
        await waiting.until_tried_again()
        waiting.now += 1
        later = [asyncio.create_task(write()) for _ in range(2)]
        await asyncio.sleep(0)
        waiting.now += connection_module.LOCK_TIMEOUT_SECONDS - 0.5
        await first
        await waiting.until_tried_again()
        assert not any(each.done() for each in later)
        waiting.now += 1
        await asyncio.gather(*later)


async def test_a_disk_that_is_full_fails_the_probe_until_there_is_room_again(
    database: Database, path: Path
) -> None:
    probe = SqliteProbe(database)
    await probe.write()
    log = path.with_name(f"{path.name}-wal")
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size, unlimited[1]))
    try:
        with pytest.raises(ServiceUnavailable):
            await probe.write()
        assert database.lookup(subjects) == []
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    await probe.write()


async def test_other_writes_come_between_while_many_rows_are_deleted(database: Database) -> None:
    def fill(connection: Connection) -> None:
        connection.executemany(
            "INSERT INTO rate_windows VALUES (?, '[]', 1)", ((f"{n}",) for n in range(5000))
        )

    await database.write(fill)
    left: list[int] = []
    deletion = asyncio.create_task(delete_in_batches(database, "rate_windows", "key", "expires_at <= ?", 1))
    while not deletion.done():
        left.append(await database.write(count_windows))
    assert await deletion == 5000
    assert any(0 < rows < 5000 for rows in left)
    assert database.lookup(count_windows) == 0


def count_windows(connection: Connection) -> int:
    row: tuple[int] = connection.execute("SELECT count(*) FROM rate_windows").fetchone()
    return row[0]


async def test_the_schema_has_the_number_of_the_last_migration(database: Database) -> None:
    numbers = [number for number, _ in migrations("records")]
    assert numbers == list(range(1, len(numbers) + 1))
    assert database.lookup(pragma("user_version")) == numbers[-1]


async def test_opening_again_keeps_what_is_there(path: Path) -> None:
    for name in "ab":
        database = Database(path)
        await database.open()
        await database.write(insert(name))
        await database.close()
    await database.open()
    assert database.lookup(subjects) == ["a", "b"]
    await database.close()


async def test_a_file_that_is_up_to_date_is_opened_while_another_process_keeps_it_locked(
    database: Database, path: Path
) -> None:
    await database.write(insert("a"))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        beside = Database(path)
        await beside.open()
        assert beside.lookup(subjects) == ["a"]
        await beside.close()


async def test_a_file_that_a_newer_program_has_changed_is_refused(path: Path) -> None:
    def age(connection: Connection) -> None:
        connection.execute("PRAGMA user_version = 9999")
        connection.execute("PRAGMA application_id = 9999")

    database = Database(path)
    await database.open()
    await database.write(age)
    await database.close()
    with pytest.raises(ServiceUnavailable, match="9999"):
        await database.open()


async def test_look_ups_of_one_turn_see_one_state_and_the_next_turn_a_new_one(
    database: Database, path: Path
) -> None:
    assert database.lookup(subjects) == []
    with closing(sqlite3.connect(path)) as other:
        insert("a")(other)
        other.commit()
    assert database.lookup(subjects) == []
    await asyncio.sleep(0)
    assert database.lookup(subjects) == ["a"]


async def test_a_caller_that_waited_for_a_write_sees_it_whatever_was_looked_up_meanwhile(
    database: Database, path: Path
) -> None:
    another = Database(path)
    await another.open()

    async def write(number: int) -> None:
        mine, other = (database, another) if number % 2 else (another, database)
        for half in "ab":
            name = f"{number}{half}"
            assert name not in mine.lookup(subjects)
            await mine.write(insert(name))
            assert name in mine.lookup(subjects)
            assert name in other.lookup(subjects)

    await asyncio.gather(*map(write, range(40)))
    await another.close()
