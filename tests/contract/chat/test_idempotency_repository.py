import asyncio
from dataclasses import replace
from typing import Any

from finassist.domain.chat.idempotency import HELD_SECONDS, IdempotencyRecord, KeyState
from stores import NOW, Store, after, new_id


def record(**fields: Any) -> IdempotencyRecord:
    values = {"owner": "ann", "key": "key-1", "fingerprint": "f", "holder": new_id(), **fields}
    times = {"created_at": NOW, "held_until": after(HELD_SECONDS), "expires_at": after(3600)}
    return IdempotencyRecord(**{**times, **values})


async def claimed(store: Store, **fields: Any) -> IdempotencyRecord:
    claim = record(**fields)
    assert await store.idempotency_keys.claim(claim) is None
    return claim


async def test_an_unknown_key_is_none(store: Store) -> None:
    keys = store.idempotency_keys
    assert await keys.find("ann", "key-1", NOW) is None
    assert await keys.stop("ann", "key-1", NOW) is None
    assert await keys.begin(record(), new_id()) is None
    assert not await keys.renew(record(), NOW)
    await keys.release(record())
    await keys.release_turn("ann", "key-1", new_id())


async def test_a_key_stands_for_its_first_request(store: Store) -> None:
    first = await claimed(store)
    assert await store.idempotency_keys.claim(record(fingerprint="other")) == first
    assert await store.idempotency_keys.find("ann", "key-1", NOW) == first


async def test_owners_and_keys_do_not_share(store: Store) -> None:
    for other in (record(), record(owner="ben"), record(key="key-2"), record(key="KEY-1")):
        assert await store.idempotency_keys.claim(other) is None


async def test_an_expired_key_is_free(store: Store) -> None:
    first = await claimed(store)
    begun = await store.idempotency_keys.begin(first, new_id())
    second = record(created_at=after(3600), expires_at=after(7200))

    assert await store.idempotency_keys.find("ann", "key-1", after(3599.999)) == begun
    assert await store.idempotency_keys.find("ann", "key-1", after(3600)) is None
    assert await store.idempotency_keys.stop("ann", "key-1", after(3600)) is None
    assert await store.idempotency_keys.claim(second) is None
    assert await store.idempotency_keys.find("ann", "key-1", after(3600)) == second


async def test_a_claim_is_renewed_by_its_holder_alone(store: Store) -> None:
    first = await claimed(store)
    assert await store.idempotency_keys.renew(first, after(5))
    assert not await store.idempotency_keys.renew(record(), after(90))

    kept = await store.idempotency_keys.find("ann", "key-1", NOW)
    assert kept == replace(first, held_until=after(5 + HELD_SECONDS))
    assert [kept.is_abandoned(after(seconds)) for seconds in (19.999, 20)] == [False, True]


async def test_a_record_is_replaced_only_while_it_is_as_it_was_read(store: Store) -> None:
    first = await claimed(store)
    assert await store.idempotency_keys.renew(first, after(5))
    renewed = await store.idempotency_keys.claim(record(), instead_of=first)
    assert renewed is not None
    assert renewed.holder == first.holder

    second = record()
    assert await store.idempotency_keys.claim(second, instead_of=renewed) is None
    assert await store.idempotency_keys.find("ann", "key-1", NOW) == second
    assert await store.idempotency_keys.begin(first, new_id()) is None
    assert not await store.idempotency_keys.renew(first, after(5))
    await store.idempotency_keys.release(first)
    assert await store.idempotency_keys.find("ann", "key-1", NOW) == second


async def test_the_record_of_a_turn_that_has_begun_can_be_replaced(store: Store) -> None:
    begun = await store.idempotency_keys.begin(await claimed(store), new_id())
    second = record()
    assert await store.idempotency_keys.claim(second, instead_of=begun) is None
    assert await store.idempotency_keys.find("ann", "key-1", NOW) == second


async def test_a_turn_that_begins_is_named_once(store: Store) -> None:
    first, reply = await claimed(store), new_id()
    begun = replace(first, state=KeyState.BEGUN, message_id=reply)
    assert await store.idempotency_keys.begin(record(), new_id()) is None
    for _ in range(2):
        assert await store.idempotency_keys.begin(first, reply) == begun
    assert await store.idempotency_keys.stop("ann", "key-1", NOW) == begun
    assert not begun.is_abandoned(after(999))


async def test_a_stop_before_the_beginning_is_told_to_the_turn_that_begins(store: Store) -> None:
    first, reply = await claimed(store), new_id()
    stopped = replace(first, state=KeyState.STOPPED)
    for _ in range(2):
        assert await store.idempotency_keys.stop("ann", "key-1", NOW) == stopped
    assert await store.idempotency_keys.renew(first, after(5))
    held = replace(stopped, held_until=after(5 + HELD_SECONDS))
    for _ in range(2):
        assert await store.idempotency_keys.begin(first, reply) == replace(held, message_id=reply)


async def test_of_a_stop_and_a_beginning_at_once_either_sees_the_other(store: Store) -> None:
    for number in range(20):
        claim, reply = await claimed(store, key=f"key-{number}"), new_id()
        begun, stopped = await asyncio.gather(
            store.idempotency_keys.begin(claim, reply),
            store.idempotency_keys.stop("ann", claim.key, NOW),
        )
        assert begun is not None
        assert stopped is not None
        assert begun.state is KeyState.STOPPED or stopped.message_id == reply


async def test_a_key_is_released_only_by_its_own_turn(store: Store) -> None:
    begun = await store.idempotency_keys.begin(await claimed(store), new_id())
    assert begun is not None
    assert begun.message_id is not None
    await store.idempotency_keys.release_turn("ann", "key-1", new_id())
    await store.idempotency_keys.release_turn("ben", "key-1", begun.message_id)
    assert await store.idempotency_keys.find("ann", "key-1", NOW) == begun

    await store.idempotency_keys.release_turn("ann", "key-1", begun.message_id)
    assert await store.idempotency_keys.find("ann", "key-1", NOW) is None
    await claimed(store)


async def test_a_claim_is_released_only_by_its_holder(store: Store) -> None:
    first = await claimed(store)
    await store.idempotency_keys.release(record())
    assert await store.idempotency_keys.find("ann", "key-1", NOW) == first
    await store.idempotency_keys.release(first)
    assert await store.idempotency_keys.find("ann", "key-1", NOW) is None


async def test_expired_keys_are_removed(store: Store) -> None:
    await claimed(store)
    kept = await claimed(store, key="key-2", expires_at=after(3601))

    assert await store.idempotency_keys.delete_expired(after(3600)) == 1
    assert await store.idempotency_keys.delete_expired(after(3600)) == 0
    assert await store.idempotency_keys.find("ann", "key-2", after(3600)) == kept


async def test_of_100_parallel_claims_exactly_one_wins(store: Store) -> None:
    records = [record() for _ in range(100)]
    answers = await asyncio.gather(*(store.idempotency_keys.claim(one) for one in records))

    assert answers.count(None) == 1
    winner = records[answers.index(None)]
    assert all(answer == winner for answer in answers if answer is not None)


async def test_of_100_parallel_claims_of_an_abandoned_key_exactly_one_wins(store: Store) -> None:
    first = await claimed(store)
    records = [record() for _ in range(100)]
    claims = (store.idempotency_keys.claim(one, instead_of=first) for one in records)
    answers = await asyncio.gather(*claims)

    assert answers.count(None) == 1
    winner = records[answers.index(None)]
    assert all(answer == winner for answer in answers if answer is not None)
