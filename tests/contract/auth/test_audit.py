from dataclasses import replace
from datetime import datetime
from typing import Any

from finassist.domain.auth.audit import Actor, AuditFilter, AuditRecord, AuditResult
from stores import NOW, Store, after, identity_of, new_id

EVERYTHING = AuditFilter()
ANN, BEN = new_id(), new_id()


def record_of(action: str = "signIn", at: datetime = NOW, **fields: Any) -> AuditRecord:
    values = {"actor": Actor.USER, "result": AuditResult.SUCCESS, "request_id": new_id(), **fields}
    return AuditRecord(id=new_id(), at=at, action=action, **values)


def about(user_id: str, **fields: Any) -> AuditRecord:
    return record_of(user_id=user_id, user_hash=f"hash of {user_id}", address="203.0.113.7", **fields)


async def listed(store: Store, wanted: AuditFilter = EVERYTHING) -> list[AuditRecord]:
    return list((await store.audit_records.list(wanted, limit=100, offset=0)).items)


async def test_a_record_is_listed_as_it_was_added(store: Store) -> None:
    records = [
        about(ANN),
        record_of(actor=Actor.ANONYMOUS, result=AuditResult.REFUSED, code="INVALID_CREDENTIALS"),
    ]
    for record in records:
        await store.audit_records.add(record)
    assert await listed(store) == records[::-1]


async def test_pages_begin_with_the_newest(store: Store) -> None:
    records = [record_of(at=after(seconds)) for seconds in (2, 0, 1)]
    for record in records:
        await store.audit_records.add(record)
    page = await store.audit_records.list(EVERYTHING, limit=2, offset=1)
    assert [record.at for record in page.items] == [after(1), after(0)]
    assert (page.total, page.limit, page.offset, page.has_more) == (3, 2, 1, False)


async def test_records_are_found_by_action_user_and_time(store: Store) -> None:
    first, second, third = about(ANN), about(BEN, at=after(1)), about(ANN, action="signUp", at=after(2))
    for record in (first, second, third):
        await store.audit_records.add(record)
    assert await listed(store, AuditFilter(action="signIn")) == [second, first]
    assert await listed(store, AuditFilter(user_id=ANN)) == [third, first]
    assert await listed(store, AuditFilter(since=after(1), until=after(2))) == [second]
    assert await listed(store, AuditFilter(action="signIn", user_id=ANN, until=after(9))) == [first]
    assert await listed(store, AuditFilter(user_id="nobody")) == []


async def test_forgetting_a_user_leaves_the_hash_and_neither_id_nor_address(store: Store) -> None:
    mine, others = about(ANN), about(BEN)
    for record in (mine, others):
        await store.audit_records.add(record)
    await store.audit_records.forget(ANN)
    assert await listed(store) == [others, replace(mine, user_id=None, address=None)]


async def test_the_records_of_a_user_that_joins_another_one_become_the_others(store: Store) -> None:
    users = [
        await store.users.upsert_identity(identity_of(subject), new_user_id=new_id(), now=NOW)
        for subject in ("ann", "ann again")
    ]
    await store.audit_records.add(about(users[1].id))
    assert await store.users.join(users[1].id, users[0].id, NOW)
    assert [record.user_id for record in await listed(store)] == [users[0].id]


async def test_old_records_are_removed_however_many_there_are(store: Store) -> None:
    for seconds in (-2, -1, 0):
        await store.audit_records.add(record_of(at=after(seconds)))
    assert await store.audit_records.delete_before(NOW) == 2
    assert [record.at for record in await listed(store)] == [NOW]
    assert await store.audit_records.delete_before(NOW) == 0
