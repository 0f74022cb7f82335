"""One SQLite file and several processes: the first start, a death, writers beside each other."""

import asyncio
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.sqlite.engine.schema import migrations

Connection = sqlite3.Connection

PROGRAM = """
import asyncio, os, pathlib, sys
from finassist.adapters.sqlite.engine.database import Database

database = Database(pathlib.Path(sys.argv[1]))

async def count(name):
    await database.write(lambda connection: connection.execute(
        "INSERT INTO quotas VALUES (?, 1, 0) ON CONFLICT DO UPDATE SET used = used + 1", (name,)))

async def count_often():
    for _ in range(50):
        await count("n")

async def main():
    print("ready", flush=True)
    sys.stdin.readline()
    await database.open()
    {then}
    await database.close()

asyncio.run(main())
"""


SERVICE = """
import pathlib, sqlite3, sys
from finassist.config import Settings
from finassist.entrypoints.server import starting

class Supervisor:
    def __init__(self, work, settings, *args, **options):
        self._settings = settings

    def preload(self):
        pass

    def run(self):
        for path in (self._settings.sqlite_path, self._settings.knowledge_path):
            print(*sqlite3.connect(path).execute("PRAGMA user_version").fetchone())
        return 0

starting.Supervisor = Supervisor
starting.serve(Settings.from_env({"DATA_DIR": sys.argv[1], "WORKERS": "2", "PORT": "0"}))
"""
"""What the workers of a service find, instead of workers."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "records.db"


def subjects(connection: Connection) -> list[str]:
    return [row[0] for row in connection.execute("SELECT subject FROM quotas ORDER BY subject")]


def used(connection: Connection) -> int:
    row: tuple[int] = connection.execute("SELECT sum(used) FROM quotas").fetchone()
    return row[0]


async def run_at_once(path: Path, processes: int, *, then: str) -> list[int | None]:
    """Run ``PROGRAM`` in so many processes; returns how each ended."""
    started = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", PROGRAM.replace("{then}", then), str(path)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        for _ in range(processes)
    ]
    for process in started:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"ready\n"
    await asyncio.gather(*(process.communicate(b"go\n") for process in started))
    return [process.returncode for process in started]


async def test_processes_that_start_at_once_make_one_schema(path: Path) -> None:
    assert await run_at_once(path, 4, then="pass") == [0] * 4

    database = Database(path)
    await database.open()
    assert database.lookup(subjects) == []
    await database.close()


async def test_what_was_acknowledged_survives_the_death_of_the_process(path: Path) -> None:
    assert await run_at_once(path, 1, then="await count_often(); os._exit(9)") == [9]

    database = Database(path)
    await database.open()
    assert database.lookup(used) == 50
    await database.close()


async def test_four_processes_write_one_file_and_none_is_starved(path: Path) -> None:
    then = "await asyncio.gather(*(count_often() for _ in range(4)))"
    assert await run_at_once(path, 4, then=then) == [0] * 4

    database = Database(path)
    await database.open()
    assert database.lookup(used) == 4 * 4 * 50
    await database.close()


def test_workers_find_the_newest_schema_however_long_a_large_file_takes(tmp_path: Path) -> None:
    for schema, name in (("records", "finassist.db"), ("knowledge", "knowledge.db")):
        with closing(sqlite3.connect(tmp_path / name, isolation_level=None)) as connection:
            connection.executescript(migrations(schema)[0][1])
            connection.execute("PRAGMA user_version = 1")
    found = subprocess.run(
        [sys.executable, "-c", SERVICE, str(tmp_path)], capture_output=True, text=True, check=True
    )
    newest = [migrations(schema)[-1][0] for schema in ("records", "knowledge")]
    assert found.stdout.split() == [str(number) for number in newest]
