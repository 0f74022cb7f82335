"""A record that cannot be read costs the others nothing: sweeps count the failure, and go on."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient

from finassist.composition.application import Finassist
from finassist.config import Settings
from finassist.domain.conversations.message import LEASE_SECONDS, Message, MessageStatus
from finassist.domain.erasure import Erasure, ErasureSubject
from finassist.domain.users import Caller
from finassist.testing import FakeClock, ScriptedModel
from stores import NOW, conversation_of, new_id, turn_of
from usecases.conftest import opened

FAILURES = b'finassist_background_failures_total{job="collect orphans"}'


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOW)  # MongoDB removes by its own clock what is expired


@pytest.fixture
async def service(
    settings: Settings, database: dict[str, Any], model: ScriptedModel, clock: FakeClock
) -> AsyncIterator[Finassist]:
    async with opened(replace(settings, **database), language_model=model, clock=clock) as finassist:
        yield finassist


async def begin(service: Finassist, guest: Caller, clock: FakeClock) -> Message:
    """A turn of a process that is gone."""
    conversation = conversation_of(guest.owner_id)
    question, reply = turn_of(conversation.id, at=clock.now())
    assert reply.lease is not None
    reply = replace(reply, lease=replace(reply.lease, quota_subject=guest.user_id))
    assert await service.adapters.messages.begin_turn(question, reply, conversation)
    assert await service.adapters.quotas.reserve_message(
        guest.user_id, reply.id, threshold=10, now=clock.now()
    )
    clock.advance(seconds=1)
    return reply


def spoil(service: Finassist, table: str, key: tuple[str, object], column: tuple[str, str]) -> None:
    """Store what this program cannot read: in a document's field, or a row's column."""
    settings = service.settings
    if settings.database_url.startswith("mongodb"):
        with MongoClient[dict[str, Any]](settings.database_url) as client:
            records = client.get_default_database()[table]
            assert records.update_one({"_id": key[1]}, {"$set": {column[0]: "["}}).modified_count == 1
        return
    assert settings.sqlite_path is not None
    with closing(sqlite3.connect(settings.sqlite_path)) as connection, connection:
        statement = f"UPDATE {table} SET {column[1]} = '[' WHERE {key[0]} = ?"
        assert connection.execute(statement, (str(key[1]),)).rowcount == 1


def spoil_message(service: Finassist, message: Message) -> None:
    spoil(service, "messages", ("id", ObjectId(message.id)), ("visual_embeds", "shown"))


async def test_a_turn_that_cannot_be_read_keeps_no_other_from_being_collected(
    service: Finassist, guest: Caller, clock: FakeClock
) -> None:
    spoilt, good = [await begin(service, guest, clock) for _ in range(2)]
    spoil_message(service, spoilt)
    clock.advance(seconds=LEASE_SECONDS + 1)

    assert await service.workers.collect_orphans() == 1
    collected = await service.adapters.messages.get(good.id)
    assert collected is not None
    assert collected.status is MessageStatus.INTERRUPTED
    assert FAILURES in service.adapters.telemetry.render()  # type: ignore[attr-defined]


async def test_a_message_that_cannot_be_read_keeps_no_other_reservation_from_being_settled(
    service: Finassist, guest: Caller, clock: FakeClock
) -> None:
    spoilt = await begin(service, guest, clock)
    spoil_message(service, spoilt)
    await service.adapters.quotas.reserve_message(guest.user_id, "0" * 24, threshold=10, now=clock.now())
    clock.advance(seconds=120)
    await service.workers.collect_orphans()
    assert (await service.adapters.quotas.get(guest.user_id)).used == 1


async def test_a_store_that_fails_at_every_turn_does_not_keep_the_sweep_busy_for_good(
    service: Finassist, guest: Caller, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: Any, **__: Any) -> None:
        raise TypeError("as nobody thought of")

    monkeypatch.setattr(type(service.adapters.messages), "take_over_expired", broken)
    assert await service.workers.collect_orphans() == 0


async def test_an_erasure_that_cannot_be_read_keeps_no_other_from_being_carried_out(
    service: Finassist, clock: FakeClock
) -> None:
    receipts = []
    for name in ("ann", "bob"):
        erasure = Erasure(
            receipt_id=new_id(), requested_at=clock.now(), subject=ErasureSubject(user_id=name, owner_ids=())
        )
        await service.adapters.erasures.begin(erasure, holder="gone", lease_until=clock.now())
        receipts.append(erasure.receipt_id)
        clock.advance(seconds=1)
    spoil(service, "erasures", ("receipt_id", receipts[0]), ("subject", "subject"))
    with pytest.raises(ValueError):  # noqa: PT011  # of the library that reads them
        await service.workers.erasure_runner()
    await service.workers.erasure_runner()
    assert (await service.get_erasure(receipts[1])).completed_at is not None
