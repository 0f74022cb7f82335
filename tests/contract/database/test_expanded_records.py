"""A program goes on working with a database that a later version has expanded (CONTRIBUTING.md)."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from engines.mongodb import empty_mongodb
from everything import everything_of
from finassist.adapters.mongo.engine.migrations import MIGRATIONS
from finassist.domain.auth.local_accounts import LOCAL_ISSUER
from finassist.domain.users import User
from stores import NOW, Store, identity_of, new_id, open_store

PHONES = ("+491701234567", "+491707654321")


async def registered(store: Store, subject: str, phone: str) -> User:
    identity = identity_of(subject, issuer=LOCAL_ISSUER, phone=phone)
    return await store.users.upsert_identity(identity, new_user_id=new_id(), now=NOW)


def expand(url: str) -> None:
    """Give every record fields that only a later version knows."""
    if url.startswith("mongodb"):
        with MongoClient[dict[str, Any]](url) as client:
            database = client.get_default_database()
            for name in database.list_collection_names():
                database[name].update_many({}, {"$set": {"later": "text", "nested": {"later": [1]}}})
        return
    with closing(sqlite3.connect(Path(url.removeprefix("sqlite:///")))) as connection:
        tables = connection.execute("PRAGMA table_list").fetchall()
        for _, name, kind, *_ in tables:
            if kind == "table" and not name.startswith("sqlite_"):
                connection.execute(f"ALTER TABLE {name} ADD COLUMN later TEXT")
                connection.execute(f"ALTER TABLE {name} ADD COLUMN counted INTEGER NOT NULL DEFAULT 0")


async def test_records_with_fields_of_a_later_version_are_read_written_and_erased(
    store: Store, store_url: str
) -> None:
    ann, bob = await registered(store, "1", PHONES[0]), await registered(store, "2", PHONES[1])
    before = await everything_of(ann.id, phone=PHONES[0]).store_in(store)
    expand(store_url)

    after = await everything_of(bob.id, account="2", phone=PHONES[1]).store_in(store)
    assert all((await before.found_in(store)).values())
    assert all((await after.found_in(store)).values())
    for user, mine in ((ann, before), (bob, after)):
        subject = await store.erasures.find_subject(user.id, None)
        assert subject is not None
        while await store.erasures.erase_some(subject, limit=1000):
            pass
        assert not any((await mine.found_in(store)).values())


CONTRACTIONS: dict[str, str] = {}
"""Migrations of MongoDB that remove what the last release does not use, each with the release that
stopped."""


@pytest.mark.engine
@pytest.mark.parametrize("name", [name for name in MIGRATIONS if name not in CONTRACTIONS])
async def test_a_migration_of_mongodb_only_adds(name: str) -> None:
    with empty_mongodb() as url:
        async with open_store(url) as store:
            await everything_of((await registered(store, "1", PHONES[0])).id).store_in(store)
            before = documents(url)
            await MIGRATIONS[name]()
            after = documents(url)
    assert before
    for key, document in before.items():
        assert is_in(document, after.get(key)), key


def documents(url: str) -> dict[tuple[str, str], Any]:
    """Every document, by collection and id."""
    with MongoClient[dict[str, Any]](url) as client:
        database = client.get_default_database()
        return {
            (name, str(document["_id"])): document
            for name in database.list_collection_names()
            for document in database[name].find()
        }


def is_in(old: Any, new: Any) -> bool:
    """Whether a value is as it was, except for fields that were added."""
    if isinstance(old, dict) and isinstance(new, dict):
        return all(name in new and is_in(value, new[name]) for name, value in old.items())
    return bool(old == new)


@pytest.mark.parametrize(
    ("new", "kept"),
    [
        (lambda old: {**old, "later": 1}, True),
        (lambda old: {"a": 1}, False),
        (lambda old: {"a": 2, "b": {"c": 3}}, False),
        (lambda old: {"a": 1, "b": {"c": 3, "d": 4}}, True),
    ],
)
def test_what_is_lost_from_a_document_is_found(
    new: Callable[[dict[str, Any]], dict[str, Any]], kept: bool
) -> None:
    old = {"a": 1, "b": {"c": 3}}
    assert is_in(old, new(old)) is kept
