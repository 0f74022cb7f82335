"""The data export reads page after page, whatever the number of a user's records."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from finassist.adapters.sqlite import data_export
from finassist.adapters.sqlite.engine.database import Database


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = Database(tmp_path / "records.db")
    await database.open()
    yield database
    await database.close()


@pytest.mark.parametrize("name", ["_CONVERSATIONS", "_MESSAGES", "_FILES", "_DEVICES", "_SHARES", "_AUDIT"])
async def test_a_page_is_read_in_the_order_of_an_index_and_not_sorted(database: Database, name: str) -> None:
    plan = await database.read(
        lambda connection: connection.execute(
            f"EXPLAIN QUERY PLAN {getattr(data_export, name)}", ("owner", "", 10)
        ).fetchall()
    )
    steps = [step[-1] for step in plan]
    assert not any("TEMP B-TREE" in step or "SCAN" in step for step in steps), steps
    assert any("id>?" in step for step in steps), steps
