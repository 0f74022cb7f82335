"""Everything that grows has an end (docs/operations.md, "What grows, and where it ends")."""

import re
from pathlib import Path

from finassist.adapters.mongo.engine.collections import ALL_DOCUMENTS
from finassist.adapters.sqlite.engine.database import Database
from finassist.domain.auth.audit import Actor, AuditFilter, AuditRecord, AuditResult
from raw_records import names_of
from stores import NOW, Store, after, new_id

PAGE = Path(__file__).parents[3] / "docs" / "operations.md"
SHADOW = re.compile(r"sections_index(_\w+)?")
"""The tables of a full-text index, which grow as the sections do."""


def table() -> set[str]:
    """The tables and collections of the first table of the section."""
    section = PAGE.read_text().split("## What grows, and where it ends")[1].split("## ")[0]
    rows = section.split("| on the disk |")[0].splitlines()
    return {
        name for row in rows if row.startswith("| `") for name in re.findall(r"`(\w+)`", row.split("|")[1])
    }


async def test_every_table_and_collection_says_where_it_ends(store: Store) -> None:
    names = names_of(store.url)
    if store.url.startswith("mongodb"):  # which makes a collection with its first document
        names |= {document.Settings.name for document in ALL_DOCUMENTS}
    assert names - table() == set()


async def test_every_table_of_the_knowledge_base_says_where_it_ends(tmp_path: Path) -> None:
    database = Database(tmp_path / "knowledge.db", "knowledge")
    await database.open()
    await database.close()
    names = names_of(f"sqlite:///{tmp_path}/knowledge.db")
    assert {name for name in names if not SHADOW.fullmatch(name)} - table() == set()


async def test_more_records_expire_than_one_batch_holds(store: Store) -> None:
    for number in range(1050):
        await store.rate_windows.hit(f"key-{number}", limit=9, window_seconds=60, now=NOW)
    await store.rate_windows.hit("fresh", limit=9, window_seconds=60, now=after(60))
    assert await store.rate_windows.delete_expired(after(61)) == 1050
    assert not (await store.rate_windows.peek("fresh", limit=1, window_seconds=60, now=after(61))).allowed


async def test_more_audit_records_are_deleted_than_one_batch_holds(store: Store) -> None:
    for number in range(1050):
        record = AuditRecord(
            id=new_id(), at=after(number), action="signIn", actor=Actor.USER, result=AuditResult.SUCCESS,
            request_id=new_id(), user_id=None, user_hash=None, address=None,
        )  # fmt: skip
        await store.audit_records.add(record)
    assert await store.audit_records.delete_before(after(1040)) == 1040
    assert (await store.audit_records.list(AuditFilter(), limit=1, offset=0)).total == 10
