"""Pages of wide rows: read another way than other rows, and the same rows."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from finassist.adapters.sqlite.engine.connection import Connection, connect, page_of

VALUES = (None, 0, -(2**63), 2**63 - 1, 0.1, "", "a\0b", "Zinsen – 100 %", "😀" * 500, b"", b"\0\xff")


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    with closing(connect(tmp_path / "pages.db", query_only=False)) as connection:
        connection.execute("CREATE TABLE pages (id INTEGER PRIMARY KEY, shuffled INTEGER, value ANY) STRICT")
        connection.executemany(
            "INSERT INTO pages VALUES (?, ?, ?)",
            ((number, number * 7 % len(VALUES), value) for number, value in enumerate(VALUES)),
        )
        yield connection


@pytest.mark.parametrize(
    "source",
    [
        "FROM pages ORDER BY id",
        "FROM pages ORDER BY id DESC LIMIT 3 OFFSET 2",
        "FROM pages ORDER BY shuffled",
        "FROM pages ORDER BY shuffled DESC LIMIT 4 OFFSET 3",
        "FROM (SELECT * FROM pages ORDER BY shuffled LIMIT 5) ORDER BY id DESC",
        "FROM (SELECT * FROM pages WHERE id < 3 UNION ALL SELECT * FROM pages WHERE id > 6) ORDER BY value",
        "FROM pages WHERE id < 0",
    ],
)
def test_a_page_has_the_rows_of_the_same_select_in_its_order(connection: Connection, source: str) -> None:
    columns = "id, value, shuffled, typeof(value), (SELECT count(*) FROM pages)"
    expected = connection.execute(f"SELECT {columns} {source}").fetchall()
    assert connection.fetch_page(page_of(columns, source), ()) == expected
    assert connection.fetch_page(page_of(columns, source), ()) == expected


def test_values_of_every_kind_come_as_they_are(connection: Connection) -> None:
    rows = connection.fetch_page(page_of("value", "FROM pages ORDER BY id"), ())
    assert rows == [(value,) for value in VALUES]
    assert [type(value) for (value,) in rows] == [type(value) for value in VALUES]


def test_placeholders_are_filled_in_the_order_of_the_text(connection: Connection) -> None:
    rows = connection.fetch_page(
        page_of("?, id", "FROM pages WHERE id > ? ORDER BY id LIMIT ?"), ("first", 3, 2)
    )
    assert rows == [("first", 4), ("first", 5)]


def test_a_page_that_fails_leaves_nothing_for_the_next(connection: Connection) -> None:
    for _ in range(2):
        with pytest.raises(sqlite3.Error):
            connection.fetch_page(
                page_of("id, abs(iif(id < 2, 1, -9223372036854775807 - 1))", "FROM pages"), ()
            )
    assert connection.fetch_page(page_of("id", "FROM pages WHERE id = 5"), ()) == [(5,)]
