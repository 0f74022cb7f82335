"""What differs after a `make move-load` is found, and so is what was acknowledged and is not there."""

import asyncio
import shutil
from pathlib import Path

import pytest

from finassist.domain.conversations.conversation import ConversationChanges
from outside.moving import compare
from outside.moving_load import Acknowledged, Share, fill, writing
from stores import NOW, Store, open_store

USERS, MESSAGES = 8, 160


@pytest.fixture
def urls(tmp_path: Path) -> tuple[str, str]:
    one, two = (f"sqlite:///{tmp_path / name / 'finassist.db'}" for name in ("one", "two"))
    return one, two


async def copied(urls: tuple[str, str]) -> list[Share]:
    """Two databases with the same records; returns whom the writers change."""
    shares = await fill(urls[0], USERS, MESSAGES)
    one, two = (Path(url.removeprefix("sqlite:///")).parent for url in urls)
    shutil.copytree(one, two)
    return shares


async def test_databases_that_are_the_same_are_the_same_and_a_changed_or_lost_record_is_found(
    urls: tuple[str, str],
) -> None:
    shares = await copied(urls)
    found = await compare(*urls)
    assert found["messages"] > MESSAGES
    assert min(found.values()) > 0
    assert len(found) > 25

    [[user_id, [conversation_id, *_]], *_] = shares[0].items()
    async with open_store(urls[1]) as store:
        await store.conversations.update(conversation_id, ConversationChanges(title="Another"), NOW)
    with pytest.raises(AssertionError, match=f"conversations .*{conversation_id}.* differs"):
        await compare(*urls)
    async with open_store(urls[1]) as store:
        await erase(store, user_id)
    with pytest.raises(AssertionError, match=f"users .*{user_id}.* is missing"):
        await compare(*urls)
    with pytest.raises(AssertionError):  # what only the other one has
        await compare(*reversed(urls))


async def test_what_was_acknowledged_and_is_not_there_is_named(urls: tuple[str, str]) -> None:
    shares = await copied(urls)
    known = Acknowledged()
    async with writing(urls[0], shares, known, seed=1) as load:
        async with asyncio.timeout(60):
            while not all((known.replies, known.titles, known.granted, known.erased)):
                await asyncio.sleep(0.05)
    assert load.done.total() > 0
    async with open_store(urls[0]) as store:
        assert await known.missing_in(store) == []
    async with open_store(urls[1]) as store:
        assert len(await known.missing_in(store)) == len(known)


async def erase(store: Store, user_id: str) -> None:
    subject = await store.erasures.find_subject(user_id, None)
    assert subject is not None
    while await store.erasures.erase_some(subject, limit=100):
        pass
    assert await store.erasures.remove_user(subject)
