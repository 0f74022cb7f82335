"""What every catalog of pre-prompts keeps, in every database (contract section 7)."""

import asyncio
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from contract.conftest import CallFromProcesses
from finassist.application.ports.catalogs import PrepromptRepository
from finassist.domain.catalogs.preprompts import KeyTaken, Preprompt
from stores import NOW, Store, after, new_id


@pytest.fixture(params=["preprompts", "second_opinion_preprompts"])
def catalog(store: Store, request: pytest.FixtureRequest) -> PrepromptRepository:
    found: PrepromptRepository = getattr(store, request.param)
    return found


def preprompt(key: str, **fields: Any) -> Preprompt:
    values = {"public_value": "A label", "masked_value": "A hidden text", **fields}
    return Preprompt(**{"id": new_id(), "key": key, "created_at": NOW, "updated_at": NOW, **values})


async def keys_of(catalog: PrepromptRepository, **which: Any) -> list[str]:
    asked = {"include_deleted": False, "limit": None, "offset": 0, **which}
    return [each.key for each in (await catalog.list(**asked)).items]


async def create(catalog: PrepromptRepository, new: Preprompt) -> Preprompt | None:
    try:
        return await catalog.create(new)
    except KeyTaken:
        return None


async def delete(catalog: PrepromptRepository, known: Preprompt) -> None:
    await catalog.change(known.id, lambda record: record.deleted(after(1)))


async def test_a_record_is_found_by_id_and_by_key(catalog: PrepromptRepository) -> None:
    budget = preprompt("budget", description="Subtitle", tags=("money", "Größe"))
    assert await catalog.create(budget) == budget
    assert await catalog.get(budget.id) == budget
    assert await catalog.find("budget") == budget
    assert await catalog.find("Budget") is None
    assert await catalog.get(new_id()) is None
    assert await catalog.get("no id") is None


async def test_the_two_catalogs_know_nothing_of_each_other(store: Store) -> None:
    await store.preprompts.create(preprompt("budget"))
    await store.second_opinion_preprompts.create(preprompt("budget"))
    assert await keys_of(store.preprompts) == await keys_of(store.second_opinion_preprompts) == ["budget"]


async def test_of_fifty_parallel_creates_of_one_key_one_succeeds(catalog: PrepromptRepository) -> None:
    made = await asyncio.gather(*(create(catalog, preprompt("budget")) for _ in range(50)))
    assert sum(record is not None for record in made) == 1
    assert await keys_of(catalog) == ["budget"]


async def test_of_fifty_parallel_creates_of_a_deleted_key_one_restores_it(
    catalog: PrepromptRepository,
) -> None:
    old = await catalog.create(preprompt("budget", description="Old"))
    await delete(catalog, old)
    made = await asyncio.gather(
        *(create(catalog, preprompt("budget", public_value=f"Label {n}")) for n in range(50))
    )
    [restored] = [record for record in made if record is not None]
    assert restored.id == old.id
    assert (restored.is_deleted, restored.description) == (False, None)
    assert await catalog.find("budget") == restored


async def test_creates_of_several_processes_have_one_winner(
    store: Store, call_from_processes: CallFromProcesses
) -> None:
    assert sorted(await call_from_processes("create_preprompt", 25, "budget")) == [False] * 49 + [True]


async def test_a_key_of_any_record_cannot_be_taken_by_a_change(catalog: PrepromptRepository) -> None:
    active, gone, mine = [await catalog.create(preprompt(key)) for key in ("active", "gone", "mine")]
    await delete(catalog, gone)
    for taken in (active, gone):
        with pytest.raises(KeyTaken):
            await catalog.change(mine.id, partial(replace, key=taken.key, revision=9))
    assert await catalog.get(mine.id) == mine


async def test_of_fifty_parallel_renames_to_one_key_one_succeeds(catalog: PrepromptRepository) -> None:
    records = [await catalog.create(preprompt(f"key-{n}")) for n in range(50)]

    async def rename(record: Preprompt) -> bool:
        try:
            await catalog.change(record.id, lambda known: known.changed({"key": "wanted"}, after(1)))
        except KeyTaken:
            return False
        return True

    assert (await asyncio.gather(*map(rename, records))).count(True) == 1


async def test_parallel_changes_are_all_applied(catalog: PrepromptRepository) -> None:
    record = await catalog.create(preprompt("budget"))

    def add_tag(known: Preprompt, number: int) -> Preprompt:
        return known.changed({"tags": (*known.tags, str(number))}, after(number))

    await asyncio.gather(*(catalog.change(record.id, partial(add_tag, number=n)) for n in range(12)))
    changed = await catalog.get(record.id)
    assert changed is not None
    assert sorted(map(int, changed.tags)) == list(range(12))
    assert changed.revision == 13


async def test_changing_what_is_not_there_answers_none(catalog: PrepromptRepository) -> None:
    assert await catalog.change(new_id(), lambda record: record.deleted(NOW)) is None


async def test_lists_are_oldest_first_and_leave_the_deleted_out_unless_asked(
    catalog: PrepromptRepository,
) -> None:
    records = [await catalog.create(preprompt(f"key-{n}")) for n in range(5)]
    await delete(catalog, records[1])
    assert await keys_of(catalog) == ["key-0", "key-2", "key-3", "key-4"]
    assert await keys_of(catalog, include_deleted=True) == [f"key-{n}" for n in range(5)]


@pytest.mark.parametrize(
    ("limit", "offset", "keys", "total_limit"),
    [
        (2, 0, ["key-0", "key-2"], (4, 2)),
        (2, 2, ["key-3", "key-4"], (4, 2)),
        (2, 9, [], (4, 2)),
        (None, 1, ["key-2", "key-3", "key-4"], (4, 4)),
        (None, 9, [], (4, 4)),
    ],
)
async def test_a_page_says_how_many_there_are_in_all(
    catalog: PrepromptRepository,
    limit: int | None,
    offset: int,
    keys: list[str],
    total_limit: tuple[int, int],
) -> None:
    records = [await catalog.create(preprompt(f"key-{n}")) for n in range(5)]
    await delete(catalog, records[1])
    page = await catalog.list(include_deleted=False, limit=limit, offset=offset)
    assert [record.key for record in page.items] == keys
    assert (page.total, page.limit) == total_limit
    everything = await catalog.list(include_deleted=True, limit=2, offset=0)
    assert everything.total == 5


async def test_a_restored_record_counts_again(catalog: PrepromptRepository) -> None:
    record = await catalog.create(preprompt("budget"))
    await delete(catalog, record)
    await delete(catalog, record)
    await catalog.create(preprompt("budget"))
    assert (await catalog.list(include_deleted=False, limit=1, offset=0)).total == 1
