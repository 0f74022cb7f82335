"""What ``finassist verify`` finds in the records of either database, and what it mends."""

import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient
from pymongo.database import Database as MongoDatabase

from everything import Everything, everything_of
from finassist.application.ports.database import Fault
from finassist.domain.auth.local_accounts import LOCAL_ISSUER
from stores import NOW, Store, after, identity_of, new_id

LONG_AGO = NOW.replace(year=2000)
LATER = after(2 * 3600)
"""What the tests wrote is not under way any more."""

Mongo = MongoDatabase[dict[str, Any]]
Damage = tuple[str, Callable[[Mongo, Everything], object]]


def oid(text: str) -> ObjectId:
    return ObjectId(text)


MENDED: Mapping[str, Damage] = {
    "a message without its conversation": (
        "DELETE FROM conversations WHERE id = :conversation",
        lambda db, one: db.conversations.delete_one({"_id": oid(one.conversation.id)}),
    ),
    "a running turn that no process can end": (
        "UPDATE messages SET lease_holder = NULL, lease_expires_at = NULL WHERE id = :reply",
        lambda db, one: db.messages.update_one({"_id": oid(one.turn[1].id)}, {"$unset": {"lease": ""}}),
    ),
    "a lease of a turn that has ended": (
        "UPDATE messages SET status = 'completed' WHERE id = :reply",
        lambda db, one: db.messages.update_one(
            {"_id": oid(one.turn[1].id)}, {"$set": {"status": "completed"}}
        ),
    ),
    "a question that the search does not know": (
        "DELETE FROM questions",
        lambda db, one: db.messages.update_many({}, {"$unset": {"question_folded": ""}}),
    ),
    "a conversation with a wrong number of messages": (
        "UPDATE conversations SET message_count = 7",
        lambda db, one: db.conversations.update_many({}, {"$set": {"message_count": 7}}),
    ),
    "a conversation with instructions that do not exist": (
        "UPDATE conversations SET instructions_id = :unknown",
        lambda db, one: db.conversations.update_many({}, {"$set": {"instructions_id": new_id()}}),
    ),
    "a file of a conversation that does not exist": (
        "UPDATE files SET conversation_id = :unknown",
        lambda db, one: db.files.update_many({}, {"$set": {"conversation_id": ObjectId()}}),
    ),
    "a file of a message that does not exist": (
        "UPDATE files SET message_id = :unknown",
        lambda db, one: db.files.update_many({}, {"$set": {"message_id": ObjectId()}}),
    ),
    "categories of payees without an owner": (
        "UPDATE payee_categories SET owner_id = :unknown",
        lambda db, one: db.payee_categories.insert_one(
            {**(db.payee_categories.find_one() or {}), "_id": new_id()}
        ),
    ),
    "a share of a conversation that does not exist": (
        "UPDATE shares SET conversation_id = :unknown",
        lambda db, one: db.shares.update_many({}, {"$set": {"conversation_id": ObjectId()}}),
    ),
    "a share without its user": (
        "UPDATE shares SET user_id = :unknown",
        lambda db, one: db.shares.update_many({}, {"$set": {"user_id": ObjectId()}}),
    ),
    "a part of a share that does not exist": (
        "DELETE FROM shares",
        lambda db, one: db.shares.delete_many({}),
    ),
    "a share with a wrong number of views": (
        "UPDATE shares SET view_count = 9",
        lambda db, one: db.share_tallies.update_many({}, {"$set": {"views": 9}}),
    ),
    "a guest without a device": (
        "DELETE FROM devices",
        lambda db, one: db.devices.delete_many({}),
    ),
    "a device of a user who does not exist": (
        "UPDATE devices SET bound_user_id = :unknown",
        lambda db, one: db.devices.update_many({}, {"$set": {"bound_user_id": ObjectId()}}),
    ),
    "a profile or an allowance of a user who does not exist": (
        "UPDATE quotas SET subject = :unknown",
        lambda db, one: db.quotas.insert_one({"_id": new_id(), "used": 1, "granted": 0}),
    ),
    "an idempotency key of a turn that does not exist": (
        "UPDATE idempotency_keys SET message_id = :unknown",
        lambda db, one: db.idempotency_keys.update_many({}, {"$set": {"message_id": ObjectId()}}),
    ),
    "a session, a second factor or an address without its account": (
        "DELETE FROM accounts",
        lambda db, one: db.accounts.delete_many({}),
    ),
}
NAMED_ONLY: Mapping[str, Damage] = {
    "a conversation without an owner": (
        "UPDATE conversations SET owner_id = :unknown",
        lambda db, one: db.conversations.update_many({}, {"$set": {"owner_id": new_id()}}),
    ),
    "a file without an owner": (
        "UPDATE files SET owner_id = :unknown",
        lambda db, one: db.files.update_many({}, {"$set": {"owner_id": new_id()}}),
    ),
    "a user whose account does not exist": (
        "DELETE FROM accounts",
        lambda db, one: db.accounts.delete_many({}),
    ),
    "an erasure that has taken longer than a day": (
        "INSERT INTO erasures (receipt_id, requested_at, requests) VALUES ('r', 1, 1)",
        lambda db, one: db.erasures.insert_one({"_id": "r", "requested_at": LONG_AGO, "requests": 1}),
    ),
    "a reserved message of a turn that does not run": (
        "INSERT INTO quota_reservations VALUES (:user, :unknown, 1)",
        lambda db, one: db.quotas.update_one(
            {"_id": one.user_id},
            {"$push": {"reservations": {"turn_id": new_id(), "reserved_at": LONG_AGO}}},
        ),
    ),
}  # fmt: skip
ONLY_SQLITE: Mapping[str, str] = {
    "a message that is shown in another state than it has": (
        "UPDATE messages SET shown = json_set(shown, '$[4]', 'error') WHERE id = :question"
    ),
    "a catalog with a wrong number of records": "UPDATE catalog_counts SET records = 5",
}
ONLY_MONGODB: Mapping[str, Callable[[Mongo, Everything], object]] = {
    "a conversation whose messages name another owner": lambda db, one: db.messages.update_one(
        {"_id": oid(one.turn[0].id)}, {"$set": {"owner_id": new_id()}}
    ),
    "a device without its guest": lambda db, one: db.users.delete_many({"is_guest": True}),
    "a quote image that nobody can see": lambda db, one: db.visual_embeds.insert_one(
        {"batch": "lost", "created_at": NOW, "updated_at": NOW, "category_key": "Bonds", "is_active": True}
    ),
}


@pytest.fixture
async def one(store: Store) -> Everything:
    """A user with a record of every kind, all of which fit together."""
    user = await store.users.upsert_identity(
        identity_of("1", issuer=LOCAL_ISSUER), new_user_id=new_id(), now=NOW
    )
    one = await everything_of(user.id).store_in(store)
    for reservation in await store.quotas.stale_reservations(LATER, limit=9):
        await store.quotas.commit_message(reservation.subject, reservation.turn_id)
    return one


async def found(store: Store) -> list[Fault]:
    return [fault async for fault in store.record_checks.faults(before=LATER)]


async def mend(store: Store) -> None:
    for _ in range(2):  # a record that is deleted may have been what another one belonged to
        for fault in await found(store):
            if fault.repair is not None:
                await store.record_checks.mend(fault, before=LATER)


def break_sqlite(url: str, statement: str, one: Everything) -> None:
    values = {
        "user": one.user_id,
        "conversation": one.conversation.id,
        "question": one.turn[0].id,
        "reply": one.turn[1].id,
        "unknown": new_id(),
    }
    connection = sqlite3.connect(Path(url.removeprefix("sqlite:///")))  # which checks no foreign keys
    with connection:
        connection.execute(statement, values)
    connection.close()


def break_mongodb(url: str, damage: Callable[[Mongo, Everything], object], one: Everything) -> None:
    client: MongoClient[dict[str, Any]]
    with MongoClient(url) as client:
        damage(client.get_default_database(), one)


def break_store(url: str, damage: Damage, one: Everything) -> None:
    if url.startswith("mongodb"):
        break_mongodb(url, damage[1], one)
    else:
        break_sqlite(url, damage[0], one)


async def test_records_that_fit_together_have_no_fault(store: Store, one: Everything) -> None:
    assert await found(store) == []


@pytest.mark.parametrize("check", MENDED)
async def test_a_fault_is_named_and_mended(store: Store, one: Everything, check: str) -> None:
    break_store(store.url, MENDED[check], one)
    assert check in {fault.check for fault in await found(store) if fault.repair is not None}
    await mend(store)
    assert check not in {fault.check for fault in await found(store)}


@pytest.mark.parametrize("check", NAMED_ONLY)
async def test_what_nothing_mends_without_loss_is_named_and_stays(
    store: Store, one: Everything, check: str
) -> None:
    break_store(store.url, NAMED_ONLY[check], one)
    await mend(store)
    assert check in {fault.check for fault in await found(store) if fault.repair is None}


async def test_what_only_one_database_can_have_wrong_is_mended_there(store: Store, one: Everything) -> None:
    checks = ONLY_MONGODB if store.url.startswith("mongodb") else ONLY_SQLITE
    for check, damage in checks.items():
        if callable(damage):
            break_mongodb(store.url, damage, one)
        else:
            break_sqlite(store.url, damage, one)
        assert check in {fault.check for fault in await found(store)}
        await mend(store)
        assert check not in {fault.check for fault in await found(store)}


async def test_what_was_written_lately_is_left_out(store: Store, one: Everything) -> None:
    break_store(store.url, MENDED["a conversation with a wrong number of messages"], one)
    early = [fault async for fault in store.record_checks.faults(before=after(-60))]
    assert early == []


async def test_a_record_that_fits_by_now_is_not_mended(store: Store, one: Everything) -> None:
    check = "a conversation with a wrong number of messages"
    break_store(store.url, MENDED[check], one)
    [fault] = await found(store)
    assert await store.record_checks.mend(fault, before=LATER)
    assert not await store.record_checks.mend(fault, before=LATER)


async def test_every_check_of_the_records_is_tried(store: Store) -> None:
    tried = {*MENDED, *NAMED_ONLY, *ONLY_SQLITE, *ONLY_MONGODB}
    by_sqlite_itself = {"a damaged database file", "a row without the row that it belongs to"}
    assert set(store.record_checks.names) - tried <= by_sqlite_itself


async def test_every_object_that_a_record_names_is_listed(store: Store, one: Everything) -> None:
    named = [each async for page in store.record_checks.named_objects() for each in page]
    assert [(each.key, each.size) for each in named] == [(one.file.key, one.file.size)]
