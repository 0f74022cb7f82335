"""Quote images, in every database (contract section 8)."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from finassist.domain.catalogs.quote_images import QuoteImageChanges, QuoteImageEdition
from finassist.domain.conversations.message import FinishReason, MessageStatus, ShownQuoteImage
from stores import NOW, Store, after, conversation_of, embed_of, new_id, open_store, turn_of


async def test_a_new_catalog_is_empty(store: Store) -> None:
    assert await store.quote_images.edition() == QuoteImageEdition(0, ())
    assert await store.quote_images.version() == 0


async def test_embeds_come_back_as_they_were_stored_oldest_first(store: Store) -> None:
    embeds = [
        embed_of("Insurance", quote_text="Rain comes."),
        embed_of("Tax_Planning", image_url=None, image_key="visual-embeds/tax/1.png"),
        embed_of("Insurance", is_active=False),
    ]
    await store.quote_images.add([embeds[2]])
    await store.quote_images.add(embeds[:2])
    edition = await store.quote_images.edition()
    assert list(edition.quote_images) == embeds
    assert edition.version == await store.quote_images.version()


async def test_every_change_raises_the_version(store: Store) -> None:
    embed = embed_of()
    versions = [await store.quote_images.version()]
    for change in (
        store.quote_images.add([embed]),
        store.quote_images.update(embed.id, QuoteImageChanges(quote_text="New"), after(1)),
        store.quote_images.delete(embed.id),
    ):
        await change
        versions.append(await store.quote_images.version())
    assert versions == sorted(set(versions))
    for no_change in (
        store.quote_images.update(embed.id, QuoteImageChanges(quote_text="New"), after(1)),
        store.quote_images.delete(embed.id),
        store.quote_images.update("f" * 24, QuoteImageChanges(), NOW),
    ):
        assert await no_change is None
    assert await store.quote_images.version() == versions[-1]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (QuoteImageChanges(), {}),
        (QuoteImageChanges(category_key="Tax_Planning"), {"category_key": "Tax_Planning"}),
        (QuoteImageChanges(is_active=False), {"is_active": False}),
        (QuoteImageChanges(quote_text="New"), {"quote_text": "New"}),
        (QuoteImageChanges(clear_quote=True), {"quote_text": None}),
        (QuoteImageChanges(image_url="http://x/2.png"), {"image_url": "http://x/2.png", "image_key": None}),
    ],
)  # fmt: skip
async def test_a_change_touches_what_it_names_and_returns_what_was_before(
    store: Store, changes: QuoteImageChanges, expected: dict[str, Any]
) -> None:
    embed = embed_of(image_url=None, image_key="visual-embeds/x/1.png", quote_text="Old")
    await store.quote_images.add([embed])
    assert await store.quote_images.update(embed.id, changes, after(3)) == embed
    changed = replace(embed, **expected, updated_at=after(3))
    assert embed.changed(changes, after(3)) == changed
    assert (await store.quote_images.edition()).quote_images[0] == changed


async def test_of_many_parallel_changes_one_learns_of_the_image_it_took_away(store: Store) -> None:
    embed = embed_of(image_url=None, image_key="visual-embeds/x/1.png")
    await store.quote_images.add([embed])
    before = await asyncio.gather(
        *(
            store.quote_images.update(
                embed.id, QuoteImageChanges(image_url=f"https://x.test/{number}.png"), NOW
            )
            for number in range(20)
        )
    )
    assert [each.image_key for each in before if each and each.image_key] == [embed.image_key]


async def test_of_many_parallel_deletions_one_removes_it(store: Store) -> None:
    embed = embed_of()
    await store.quote_images.add([embed])
    removed = await asyncio.gather(*(store.quote_images.delete(embed.id) for _ in range(20)))
    assert [each for each in removed if each is not None] == [embed]
    assert (await store.quote_images.edition()).quote_images == ()


async def test_a_reader_sees_all_of_a_batch_or_none_of_it(store: Store) -> None:
    sizes = []
    done = asyncio.Event()

    async def read() -> None:
        while not done.is_set():
            sizes.append(len((await store.quote_images.edition()).quote_images))

    readers = [asyncio.create_task(read()) for _ in range(2)]
    for _ in range(10):
        await store.quote_images.add([embed_of() for _ in range(100)])
    done.set()
    await asyncio.gather(*readers)
    assert {size % 100 for size in sizes} == {0}
    assert len((await store.quote_images.edition()).quote_images) == 1000


async def test_an_edition_is_never_older_than_its_version(store: Store) -> None:
    """Who keeps an edition until the version changes must not miss a change."""

    async def add_and_look() -> bool:
        embed = embed_of()
        await store.quote_images.add([embed])
        edition = await store.quote_images.edition()
        return any(each.id == embed.id for each in edition.quote_images)

    assert all(await asyncio.gather(*(add_and_look() for _ in range(30))))


async def test_a_second_store_sees_a_change_by_the_version(store: Store) -> None:
    async with open_store(store.url) as other:
        before = await other.quote_images.version()
        embed = embed_of()
        await store.quote_images.add([embed])
        assert await other.quote_images.version() > before
        assert (await other.quote_images.edition()).quote_images == (embed,)


async def test_two_processes_add_and_remove_embeds(store: Store, call_from_processes: Any) -> None:
    ids = await call_from_processes("add_quote_image", 20, "Insurance")
    assert sorted(each.id for each in (await store.quote_images.edition()).quote_images) == sorted(ids)
    assert await store.quote_images.version() == len(ids) == 40
    removed = await call_from_processes("delete_quote_image", 10, ids[0])
    assert removed.count(True) == 1


async def test_the_embeds_of_a_conversation_are_found_among_its_messages(store: Store) -> None:
    shown = []
    for owner in ("ann", "ann", "bob"):
        conversation = conversation_of(owner)
        for number in range(3):
            question, reply = turn_of(conversation.id)
            assert await store.messages.begin_turn(question, reply, conversation if number == 0 else None)
            embed = ShownQuoteImage(id=new_id(), category_key="Insurance", image_url="https://x.test/1.png")
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
        assert set(await store.quote_images.shown_in(conversation_id)) == expected
    assert list(await store.quote_images.shown_in(new_id())) == []
