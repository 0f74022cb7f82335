"""Quote images, in every database (contract section 8)."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from finassist.domain.embeds import EmbedChanges, EmbedEdition
from finassist.domain.messages import FinishReason, MessageStatus, VisualEmbed
from stores import NOW, Store, after, conversation_of, embed_of, new_id, open_store, turn_of


async def test_a_new_catalog_is_empty(store: Store) -> None:
    assert await store.embeds.edition() == EmbedEdition(0, ())
    assert await store.embeds.version() == 0


async def test_embeds_come_back_as_they_were_stored_oldest_first(store: Store) -> None:
    embeds = [
        embed_of("Insurance", quote_text="Rain comes."),
        embed_of("Tax_Planning", image_url=None, image_key="visual-embeds/tax/1.png"),
        embed_of("Insurance", is_active=False),
    ]
    await store.embeds.add([embeds[2]])
    await store.embeds.add(embeds[:2])
    edition = await store.embeds.edition()
    assert list(edition.embeds) == embeds
    assert edition.version == await store.embeds.version()


async def test_every_change_raises_the_version(store: Store) -> None:
    embed = embed_of()
    versions = [await store.embeds.version()]
    for change in (
        store.embeds.add([embed]),
        store.embeds.update(embed.id, EmbedChanges(quote_text="New"), after(1)),
        store.embeds.delete(embed.id),
    ):
        await change
        versions.append(await store.embeds.version())
    assert versions == sorted(set(versions))
    for no_change in (
        store.embeds.update(embed.id, EmbedChanges(quote_text="New"), after(1)),
        store.embeds.delete(embed.id),
        store.embeds.update("f" * 24, EmbedChanges(), NOW),
    ):
        assert await no_change is None
    assert await store.embeds.version() == versions[-1]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (EmbedChanges(), {}),
        (EmbedChanges(category_key="Tax_Planning"), {"category_key": "Tax_Planning"}),
        (EmbedChanges(is_active=False), {"is_active": False}),
        (EmbedChanges(quote_text="New"), {"quote_text": "New"}),
        (EmbedChanges(clear_quote=True), {"quote_text": None}),
        (EmbedChanges(image_url="http://x/2.png"), {"image_url": "http://x/2.png", "image_key": None}),
    ],
)  # fmt: skip
async def test_a_change_touches_what_it_names_and_answers_what_was_before(
    store: Store, changes: EmbedChanges, expected: dict[str, Any]
) -> None:
    embed = embed_of(image_url=None, image_key="visual-embeds/x/1.png", quote_text="Old")
    await store.embeds.add([embed])
    assert await store.embeds.update(embed.id, changes, after(3)) == embed
    changed = replace(embed, **expected, updated_at=after(3))
    assert embed.changed(changes, after(3)) == changed
    assert (await store.embeds.edition()).embeds[0] == changed


async def test_of_many_parallel_changes_one_learns_of_the_image_it_took_away(store: Store) -> None:
    embed = embed_of(image_url=None, image_key="visual-embeds/x/1.png")
    await store.embeds.add([embed])
    before = await asyncio.gather(
        *(
            store.embeds.update(embed.id, EmbedChanges(image_url=f"https://x.test/{number}.png"), NOW)
            for number in range(20)
        )
    )
    assert [each.image_key for each in before if each and each.image_key] == [embed.image_key]


async def test_of_many_parallel_deletions_one_removes_it(store: Store) -> None:
    embed = embed_of()
    await store.embeds.add([embed])
    removed = await asyncio.gather(*(store.embeds.delete(embed.id) for _ in range(20)))
    assert [each for each in removed if each is not None] == [embed]
    assert (await store.embeds.edition()).embeds == ()


async def test_a_reader_sees_all_of_a_batch_or_none_of_it(store: Store) -> None:
    sizes = []
    done = asyncio.Event()

    async def read() -> None:
        while not done.is_set():
            sizes.append(len((await store.embeds.edition()).embeds))

    readers = [asyncio.create_task(read()) for _ in range(2)]
    for _ in range(10):
        await store.embeds.add([embed_of() for _ in range(100)])
    done.set()
    await asyncio.gather(*readers)
    assert {size % 100 for size in sizes} == {0}
    assert len((await store.embeds.edition()).embeds) == 1000


async def test_an_edition_is_never_older_than_its_version(store: Store) -> None:
    """Who keeps an edition until the version changes must not miss a change."""

    async def add_and_look() -> bool:
        embed = embed_of()
        await store.embeds.add([embed])
        edition = await store.embeds.edition()
        return any(each.id == embed.id for each in edition.embeds)

    assert all(await asyncio.gather(*(add_and_look() for _ in range(30))))


async def test_a_second_store_sees_a_change_by_the_version(store: Store) -> None:
    async with open_store(store.url) as other:
        before = await other.embeds.version()
        embed = embed_of()
        await store.embeds.add([embed])
        assert await other.embeds.version() > before
        assert (await other.embeds.edition()).embeds == (embed,)


async def test_two_processes_add_and_remove_embeds(store: Store, call_from_processes: Any) -> None:
    ids = await call_from_processes("add_embed", 20, "Insurance")
    assert sorted(each.id for each in (await store.embeds.edition()).embeds) == sorted(ids)
    assert await store.embeds.version() == len(ids) == 40
    removed = await call_from_processes("delete_embed", 10, ids[0])
    assert removed.count(True) == 1


async def test_the_embeds_of_a_conversation_are_found_among_its_messages(store: Store) -> None:
    shown = []
    for owner in ("ann", "ann", "bob"):
        conversation = conversation_of(owner)
        for number in range(3):
            question, reply = turn_of(conversation.id)
            assert await store.messages.begin_turn(question, reply, conversation if number == 0 else None)
            embed = VisualEmbed(id=new_id(), category_key="Insurance", image_url="https://x.test/1.png")
            final = replace(
                reply.finished(MessageStatus.COMPLETED, NOW, finish_reason=FinishReason.STOP),
                content="Yes.",
                visual_embeds=(embed,) if number else (),
            )
            assert await store.messages.finish_turn(final, "task-1")
            if number:
                shown.append((conversation.id, embed.id))
    for conversation_id in {conversation_id for conversation_id, _ in shown}:
        expected = {embed_id for other, embed_id in shown if other == conversation_id}
        assert set(await store.embeds.shown_in(conversation_id)) == expected
    assert list(await store.embeds.shown_in(new_id())) == []
