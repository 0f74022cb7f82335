"""What users count payments as, in every database."""

import asyncio

from finassist.domain.statements.corrections import CORRECTIONS_MAX
from stores import NOW, Store, after, new_id


async def test_corrections_are_kept_changed_and_taken_back_one_by_one(store: Store) -> None:
    owner, repository = new_id(), store.payee_categories
    assert await repository.list_of([owner]) == []
    assert await repository.correct(owner, "ärzte 24", "Health", NOW)
    assert await repository.correct(owner, "aldi", "Groceries", after(1))
    assert await repository.correct(owner, "aldi", "Shopping", after(2))
    assert await repository.correct(owner, "aldi", "Shopping", after(3))
    [kept] = await repository.list_of([owner, new_id()])
    assert dict(kept.categories) == {"aldi": "Shopping", "ärzte 24": "Health"}
    assert (kept.revision, kept.updated_at) == (3, after(2))
    assert await repository.correct(owner, "aldi", None, after(4))
    assert await repository.correct(owner, "lidl", None, after(5))
    [kept] = await repository.list_of([owner])
    assert dict(kept.categories) == {"ärzte 24": "Health"}


async def test_parallel_corrections_are_all_kept(store: Store) -> None:
    owner = new_id()
    payees = [f"shop {number}" for number in range(20)]
    await asyncio.gather(*(store.payee_categories.correct(owner, payee, "Shopping", NOW) for payee in payees))
    [kept] = await store.payee_categories.list_of([owner])
    assert sorted(kept.categories) == sorted(payees)
    assert kept.revision == 20


async def test_there_is_a_limit_for_corrections(store: Store) -> None:
    owner, correct = new_id(), store.payee_categories.correct
    for number in range(CORRECTIONS_MAX):
        assert await correct(owner, f"shop {number}", "Shopping", NOW)
    assert not await correct(owner, "one more", "Shopping", NOW)
    assert await correct(owner, "shop 1", "Groceries", NOW)
    [kept] = await store.payee_categories.list_of([owner])
    assert len(kept.categories) == CORRECTIONS_MAX
