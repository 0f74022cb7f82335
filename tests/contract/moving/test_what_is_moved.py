"""Everything that a database holds is moved, or named as derived with its reason."""

import inspect
import sqlite3
from pathlib import Path

from pymongo.asynchronous.collection import AsyncCollection

from finassist.adapters.mongo.engine.collections import ALL_DOCUMENTS
from finassist.adapters.mongo.engine.gate import GatedCollection
from finassist.adapters.mongo.moving import kinds as mongo_kinds
from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.sqlite.moving import kinds as sqlite_kinds
from finassist.application.operations.moving.kinds import KINDS

READS = frozenset(
    """aggregate aggregate_raw_batches codec_options count_documents database distinct
    estimated_document_count find find_one find_raw_batches full_name index_information list_indexes
    list_search_indexes name next options
    read_concern read_preference watch with_options write_concern""".split()
)
SCHEMA = frozenset(
    """create_index create_indexes create_search_index create_search_indexes drop drop_index drop_indexes
    drop_search_index rename update_search_index""".split()
)
"""What the service does to a collection when it opens it; nothing of it writes a document."""


async def columns_of(path: Path) -> dict[str, set[str]]:
    database = Database(path)
    await database.open()
    await database.close()
    connection = sqlite3.connect(path)
    tables = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    ).fetchall()
    found = {
        name: {column for _, column, *_ in connection.execute(f"PRAGMA table_info({name})")}
        for (name,) in tables
    }
    connection.close()
    return found


async def test_every_table_and_column_is_moved_or_derived(tmp_path: Path) -> None:
    moved = {name: set(columns) for table in sqlite_kinds.TABLES for name, columns in table.written().items()}
    stored = await columns_of(tmp_path / "records.db")
    assert {name for name in stored if name not in moved} == set(sqlite_kinds.NOT_MOVED)
    assert moved == {name: columns for name, columns in stored.items() if name in moved}


def test_every_collection_and_field_is_moved_or_derived() -> None:
    moved = {each.settings.name: each.moved_names() for each in mongo_kinds.COLLECTIONS}
    stored = {kind.Settings.name: set(kind.model_fields) - {"id", "revision_id"} for kind in ALL_DOCUMENTS}
    assert stored.keys() - moved.keys() == mongo_kinds.NOT_MOVED.keys()
    for each in mongo_kinds.COLLECTIONS:
        name = each.settings.name
        left = stored[name] - moved[name] - each.dropped.keys()
        assert left == set(), name


def test_both_databases_have_every_kind() -> None:
    names = [kind.name for kind in KINDS]
    assert [each.kind.name for each in mongo_kinds.COLLECTIONS] == names
    # The signing keys are files beside SQLite.
    assert {table.kind.name for table in sqlite_kinds.TABLES} | {"signing_keys"} == set(names)


def test_every_write_of_the_driver_passes_the_gate() -> None:
    public = {name for name, _ in inspect.getmembers(AsyncCollection) if not name.startswith("_")}
    gated = {name for name in vars(GatedCollection) if not name.startswith("_")}
    assert public - READS - SCHEMA == gated
