"""A page of a catalog is walked to by an index, and never sorted, whatever the catalog's size."""

import sqlite3

import pytest

from finassist.adapters.sqlite.engine.schema import prepare


@pytest.mark.parametrize("table", ["preprompts", "second_opinion_preprompts"])
@pytest.mark.parametrize("shown", ["WHERE is_deleted = 0", ""])
def test_no_page_is_sorted(table: str, shown: str) -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    prepare(connection, "records")
    statement = f"EXPLAIN QUERY PLAN SELECT * FROM {table} {shown} ORDER BY id LIMIT 20"
    [(*_, step)] = connection.execute(statement).fetchall()
    assert step == f"SEARCH {table} USING INDEX {table}_by_age (is_deleted=?)" if shown else f"SCAN {table}"
    connection.close()
