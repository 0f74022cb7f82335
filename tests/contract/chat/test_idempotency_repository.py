import asyncio
from dataclasses import replace

from finassist.application.ports.idempotency import IdempotencyRecord
from stores import NOW, Store, after, new_id


def record(**fields: str) -> IdempotencyRecord:
    names = {"owner": "ann", "key": "key-1", "fingerprint": "f", "message_id": new_id(), **fields}
    return IdempotencyRecord(**names, created_at=NOW, expires_at=after(3600))


async def test_an_unknown_key_is_none(store: Store) -> None:
    assert await store.idempotency_keys.find("ann", "key-1", NOW) is None
    await store.idempotency_keys.release("ann", "key-1", new_id())


async def test_a_key_stands_for_its_first_request(store: Store) -> None:
    first = record()
    assert await store.idempotency_keys.claim(first) is None
    assert await store.idempotency_keys.claim(record(fingerprint="other")) == first
    assert await store.idempotency_keys.find("ann", "key-1", NOW) == first


async def test_owners_and_keys_do_not_share(store: Store) -> None:
    for other in (record(), record(owner="ben"), record(key="key-2"), record(key="KEY-1")):
        assert await store.idempotency_keys.claim(other) is None


async def test_an_expired_key_is_free(store: Store) -> None:
    first = record()
    await store.idempotency_keys.claim(first)
    second = replace(record(), created_at=after(3600), expires_at=after(7200))

    assert await store.idempotency_keys.find("ann", "key-1", after(3599.999)) == first
    assert await store.idempotency_keys.find("ann", "key-1", after(3600)) is None
    assert await store.idempotency_keys.claim(second) is None
    assert await store.idempotency_keys.find("ann", "key-1", after(3600)) == second


async def test_a_key_is_released_only_by_the_message_that_it_stands_for(store: Store) -> None:
    first = record()
    await store.idempotency_keys.claim(first)
    await store.idempotency_keys.release("ann", "key-1", new_id())
    await store.idempotency_keys.release("ben", "key-1", first.message_id)
    assert await store.idempotency_keys.find("ann", "key-1", NOW) == first

    await store.idempotency_keys.release("ann", "key-1", first.message_id)
    assert await store.idempotency_keys.find("ann", "key-1", NOW) is None
    assert await store.idempotency_keys.claim(record()) is None


async def test_expired_keys_are_removed(store: Store) -> None:
    await store.idempotency_keys.claim(record())
    kept = replace(record(key="key-2"), expires_at=after(3601))
    await store.idempotency_keys.claim(kept)

    assert await store.idempotency_keys.delete_expired(after(3600)) == 1
    assert await store.idempotency_keys.delete_expired(after(3600)) == 0
    assert await store.idempotency_keys.find("ann", "key-2", after(3600)) == kept


async def test_of_100_parallel_claims_exactly_one_wins(store: Store) -> None:
    records = [record() for _ in range(100)]
    answers = await asyncio.gather(*(store.idempotency_keys.claim(one) for one in records))

    assert answers.count(None) == 1
    winner = records[answers.index(None)]
    assert all(answer == winner for answer in answers if answer is not None)
