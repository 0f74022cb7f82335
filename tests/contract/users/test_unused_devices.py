"""Devices that are never seen again, and their guests (docs/operations.md, "What grows")."""

from collections.abc import Awaitable, Callable

import pytest

from everything import guest_of
from finassist.domain.files.content import FileKind
from finassist.domain.files.record import StoredFile
from finassist.domain.profile_cards import ProfileAnswer
from finassist.domain.users import Device
from stores import NOW, Store, after, conversation_of, new_id, turn_of

LATER = after(1)


async def chats(store: Store, device: Device) -> None:
    conversation = conversation_of(device.guest_owner_id)
    assert await store.messages.begin_turn(*turn_of(conversation.id), conversation)


async def uploads(store: Store, device: Device) -> None:
    file = StoredFile(
        id=new_id(), owner_id=device.guest_owner_id, conversation_id=None, filename="a.pdf",
        mime_type="application/pdf", size=9, kind=FileKind.PDF, created_at=NOW, updated_at=NOW,
    )  # fmt: skip
    await store.files.add(file)


async def answers(store: Store, device: Device) -> None:
    await store.profile_cards.save_answers(
        device.guest_user_id, {"goal": ProfileAnswer(value="a house")}, NOW
    )


async def uses_a_message(store: Store, device: Device) -> None:
    turn_id = new_id()
    await store.quotas.reserve_message(device.guest_user_id, turn_id, threshold=9, now=NOW)
    await store.quotas.commit_message(device.guest_user_id, turn_id)


async def is_granted_messages(store: Store, device: Device) -> None:
    await store.quotas.grant(device.guest_user_id, 3)


async def is_bound(store: Store, device: Device) -> None:
    await store.devices.bind(device.id, new_id(), NOW)


async def test_a_device_whose_guest_has_nothing_goes_with_its_guest(store: Store) -> None:
    device = await guest_of(store, "device-1")
    await store.quotas.reserve_message(device.guest_user_id, "turn-1", threshold=9, now=NOW)
    await store.quotas.release_message(device.guest_user_id, "turn-1")
    assert await store.devices.delete_unused(NOW) == 0
    assert await store.devices.delete_unused(LATER) == 1
    assert await store.devices.get("device-1") is None
    assert await store.users.get(device.guest_user_id) is None
    again = await guest_of(store, "device-1")
    assert again.guest_user_id != device.guest_user_id


@pytest.mark.parametrize(
    "does", [chats, uploads, answers, uses_a_message, is_granted_messages, is_bound], ids=lambda f: f.__name__
)
async def test_a_device_that_somebody_has_something_with_stays(
    store: Store, does: Callable[[Store, Device], Awaitable[None]]
) -> None:
    device = await guest_of(store, "device-1")
    await does(store, device)
    assert await store.devices.delete_unused(LATER) == 0
    assert await store.devices.get("device-1") is not None
    assert await store.users.get(device.guest_user_id) is not None


async def test_a_device_that_is_launched_again_stays(store: Store) -> None:
    device = await guest_of(store, "device-1")
    await store.devices.record_launch("device-1", device.platform, hinted_user_id=None, now=after(5))
    assert await store.devices.delete_unused(LATER) == 0


async def test_more_devices_go_than_one_batch_holds_and_those_between_them_stay(store: Store) -> None:
    for number in range(1100):
        device = await guest_of(store, f"device-{number}")
        if number % 100 == 50:
            await chats(store, device)
    assert await store.devices.delete_unused(LATER) == 1089
    assert await store.devices.delete_unused(LATER) == 0
