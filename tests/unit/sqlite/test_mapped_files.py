"""What reading a file keeps in the memory of the process."""

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from finassist import ChatMessage, Platform, open_container
from finassist.adapters.sqlite.engine.connection import Connection, connect

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc tells what of a file is mapped")

ROWS = 500


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    """A file of some two megabytes."""
    file = tmp_path / "large.db"
    with closing(connect(file, query_only=False)) as connection:
        connection.execute("CREATE TABLE large (id INTEGER PRIMARY KEY, content BLOB)")
        connection.executemany("INSERT INTO large (content) VALUES (zeroblob(?))", [(4_000,)] * ROWS)
        connection.execute("PRAGMA journal_mode = DELETE")
        yield file


def kept(path: Path) -> int:
    """How many bytes of the file the process has in memory."""
    resident, is_file = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        name, _, rest = line.partition(" ")
        if not name.endswith(":"):
            is_file = rest.endswith(str(path))
        elif name == "Rss:" and is_file:
            resident += int(rest.split()[0]) * 1024
    return resident


def read_all(connection: Connection) -> None:
    assert connection.execute("SELECT count(*), sum(length(hex(content))) FROM large").fetchone() == (
        ROWS,
        ROWS * 8_000,
    )


def test_a_mapped_file_stays_in_memory_until_it_is_mapped_again(path: Path) -> None:
    with closing(connect(path, query_only=True)) as connection:
        read_all(connection)
        assert kept(path) > ROWS * 4_000
        connection.map_file()
        assert kept(path) < 256 * 1024
        read_all(connection)


def test_a_file_that_is_not_mapped_keeps_nothing_beside_the_cache(path: Path) -> None:
    with closing(connect(path, query_only=True, mapped=False)) as connection:
        read_all(connection)
        assert kept(path) == 0


async def test_searching_keeps_less_than_the_knowledge_base_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    async with open_container() as finassist:
        caller = await finassist.resolve_caller(
            bearer=None, device_id="a-device", platform=Platform.WEB, address="127.0.0.1"
        )
        for question in ("What is an ETF?", "How large should my emergency fund be?"):
            turn = await finassist.send_message(caller, ChatMessage(message=question))
            assert "[1]" in (await turn.ending()).message.content
        base = tmp_path / "knowledge.db"
        assert 0 < kept(base) < 0.8 * base.stat().st_size
