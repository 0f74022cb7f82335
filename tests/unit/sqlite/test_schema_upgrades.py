"""A database of any earlier version becomes one of this version, with what was in it."""

import asyncio
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import pytest

from finassist.adapters.sqlite.auth.refresh_tokens import SqliteRefreshTokens
from finassist.adapters.sqlite.auth.sessions import SqliteSessions
from finassist.adapters.sqlite.chat.conversations import SqliteConversations
from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.sqlite.engine.schema import add_functions, migrations
from finassist.adapters.sqlite.users.users import SqliteUsers
from finassist.domain.auth.refresh_tokens import RotationOutcome
from finassist.domain.auth.sessions import SessionDevice
from finassist.domain.users import Platform

Shape = list[tuple[str, ...]]

ID = "01a1fdb74b08000069493f99"
ROWS: dict[str, dict[str, object]] = {
    "users": {"id": ID, "is_guest": 0, "auth_provider": "local", "name": "Ann", "email": "ann@example.com"},
    "conversations": {"id": ID, "owner_id": ID, "title": "Bonds", "preview": "", "tags": '["a"]'},
}
"""What the first version stored; columns that are not named get a value of their type."""


def versions() -> list[tuple[str, int]]:
    return [(schema, number) for schema in ("records", "knowledge") for number, _ in migrations(schema)]


def make(path: Path, schema: str, version: int) -> None:
    """The file as that version left it, with rows from the first version on."""
    path.write_bytes(content_of(schema, version))


@cache
def content_of(schema: str, version: int) -> bytes:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        if version > 1:
            connection.deserialize(content_of(schema, version - 1))
        add_functions(connection)
        connection.executescript(migrations(schema)[version - 1][1])
        if (schema, version) == ("records", 1):
            for table, row in ROWS.items():
                insert(connection, table, row)
        connection.execute(f"PRAGMA user_version = {version}")
        return connection.serialize()


def insert(connection: sqlite3.Connection, table: str, row: dict[str, object]) -> None:
    columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
    for _, name, kind, required, default, _ in columns:
        if required and default is None:
            row.setdefault(name, {"INTEGER": 1_700_000_000_000, "TEXT": "text"}[kind])
    row |= {"type": "chat", "input_type": "text", "status": "active"} if table == "conversations" else {}
    places = ", ".join("?" for _ in row)
    connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", list(row.values()))


def shape(path: Path) -> Shape:
    """Every table, index and trigger, and the columns of every table."""
    with closing(sqlite3.connect(path)) as connection:
        objects = connection.execute("SELECT type, name FROM sqlite_master ORDER BY type, name").fetchall()
        columns = [
            (name, *map(str, column))
            for kind, name in objects
            if kind == "table"
            for column in connection.execute(f"PRAGMA table_info('{name}')")
        ]
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        return [*objects, *columns, connection.execute("PRAGMA user_version").fetchone()]


async def open_once(path: Path, schema: str) -> None:
    database = Database(path, schema)
    await database.open()
    await database.close()


@pytest.fixture(scope="module")
def new_shapes(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Shape]:
    """The shape of a new database of each schema."""
    shapes = {}
    for schema in ("records", "knowledge"):
        path = tmp_path_factory.mktemp(schema) / "new.db"
        asyncio.run(open_once(path, schema))
        shapes[schema] = shape(path)
    return shapes


@pytest.mark.parametrize(("schema", "version"), versions())
async def test_a_database_of_an_earlier_version_is_brought_up_to_date(
    schema: str, version: int, tmp_path: Path, new_shapes: Mapping[str, Shape]
) -> None:
    make(tmp_path / "earlier.db", schema, version)
    await open_once(tmp_path / "earlier.db", schema)
    assert await asyncio.to_thread(shape, tmp_path / "earlier.db") == new_shapes[schema]


@pytest.mark.parametrize("version", [number for number, _ in migrations("records")])
async def test_what_the_first_version_stored_is_read_by_this_one(version: int, tmp_path: Path) -> None:
    make(tmp_path / "earlier.db", "records", version)
    database = Database(tmp_path / "earlier.db")
    await database.open()
    try:
        user = await SqliteUsers(database).get(ID)
        conversation = await SqliteConversations(database).get(ID)
    finally:
        await database.close()
    assert user is not None
    assert (user.name, user.email, user.preferences.theme) == ("Ann", "ann@example.com", "system")
    assert conversation is not None
    assert (conversation.title, list(conversation.tags)) == ("Bonds", ["a"])


async def test_the_first_device_of_a_session_from_before_all_were_kept_stays_known(tmp_path: Path) -> None:
    make(tmp_path / "earlier.db", "records", 17)
    with closing(sqlite3.connect(tmp_path / "earlier.db")) as connection, connection:
        insert = "INSERT INTO sessions VALUES (?, 'ann', 1, 1, 9, 9, ?, ?)"
        connection.executemany(insert, [("1", "phone-1", "ios"), ("2", "phone-2", None), ("3", None, None)])
    database = Database(tmp_path / "earlier.db")
    await database.open()
    try:
        listed = await SqliteSessions(database).list_of(["ann"], datetime.fromtimestamp(0, UTC))
    finally:
        await database.close()
    assert [each.devices for each in listed] == [
        (),
        (SessionDevice("phone-2"),),
        (SessionDevice("phone-1", Platform.IOS),),
    ]


async def test_a_session_from_before_sessions_were_kept_goes_on_and_is_listed(tmp_path: Path) -> None:
    make(tmp_path / "earlier.db", "records", 12)
    began = datetime(2126, 3, 1, tzinfo=UTC)
    first, newest = began + timedelta(days=30), began + timedelta(days=31)
    with closing(sqlite3.connect(tmp_path / "earlier.db")) as connection, connection:
        for token_hash, expires_at in (("one", first), ("two", newest)):
            values = (token_hash, ID, "ann", int(expires_at.timestamp() * 1000))
            connection.execute(
                "INSERT INTO refresh_tokens (hash, family_id, subject, expires_at) VALUES (?, ?, ?, ?)",
                values,
            )
    database = Database(tmp_path / "earlier.db")
    await database.open()
    try:
        [session] = await SqliteSessions(database).list_of(["ann"], began)
        rotation = await SqliteRefreshTokens(database).rotate(
            "two", new_hash="three", now=began, expires_at=newest, grace_seconds=300
        )
    finally:
        await database.close()
    assert (session.id, session.subject, session.devices) == (ID, "ann", ())
    assert session.created_at <= began  # not later than its tokens say, nor than now
    assert session.ends_at == session.created_at + timedelta(days=90)
    assert rotation.outcome is RotationOutcome.ROTATED
