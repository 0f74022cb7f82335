import asyncio

from contract.conftest import CallFromProcesses
from finassist.domain.conversations.conversation import ConversationFilter
from finassist.domain.users import GUEST_NAME, Device, Platform, User
from stores import NOW, Store, after, conversation_of, identity_of, new_id, turn_of


async def new_device(store: Store, device_id: str = "device-1") -> Device:
    return await store.devices.get_or_create(
        device_id, Platform.WEB, guest_user_id=new_id(), guest_owner_id=new_id(), now=NOW
    )


async def new_user(store: Store, subject: str = "1") -> User:
    return await store.users.upsert_identity(identity_of(subject), new_user_id=new_id(), now=NOW)


async def claim(store: Store, device: Device, user: User) -> bool:
    return await store.devices.claim_guest(
        device.id, owner_id=device.guest_owner_id, new_owner_id=new_id(), user_id=user.id
    )


async def test_an_unknown_device_is_none_and_changes_nothing(store: Store) -> None:
    user = await new_user(store)
    await store.devices.bind("nobody", user.id, NOW)
    await store.devices.unbind("nobody")

    assert await store.devices.get("nobody") is None
    assert await store.devices.record_launch("nobody", Platform.IOS, hinted_user_id=None, now=NOW) is None
    assert not await store.devices.claim_guest("nobody", owner_id="a", new_owner_id="b", user_id=user.id)
    assert await store.devices.get("nobody") is None


async def test_a_new_device_gets_a_guest_of_its_own(store: Store) -> None:
    device = await store.devices.get_or_create(
        'd"é', Platform.ANDROID, guest_user_id="a" * 24, guest_owner_id="b" * 24, now=NOW
    )

    assert device == Device(
        id='d"é',
        platform=Platform.ANDROID,
        guest_user_id="a" * 24,
        guest_owner_id="b" * 24,
        created_at=NOW,
        last_seen_at=NOW,
    )
    assert await store.devices.get('d"é') == device
    guest = await store.users.get("a" * 24)
    assert guest is not None
    assert (guest.is_guest, guest.name, guest.needs_onboarding) == (True, GUEST_NAME, True)


async def test_a_known_device_stays_as_it_is(store: Store) -> None:
    first = await new_device(store)
    again = await store.devices.get_or_create(
        first.id, Platform.IOS, guest_user_id=new_id(), guest_owner_id=new_id(), now=after(60)
    )
    assert again == first


async def test_a_launch_answers_the_device_as_it_was_before(store: Store) -> None:
    device = await new_device(store)
    user = await new_user(store)

    before = await store.devices.record_launch(device.id, Platform.IOS, hinted_user_id=user.id, now=after(60))

    assert before == device
    launched = await store.devices.get(device.id)
    assert launched is not None
    assert (launched.platform, launched.hinted_user_id) == (Platform.IOS, user.id)
    assert (launched.created_at, launched.last_seen_at) == (NOW, after(60))


async def test_a_launch_without_a_hinted_user_leaves_the_earlier_one(store: Store) -> None:
    device = await new_device(store)
    await store.devices.record_launch(device.id, Platform.WEB, hinted_user_id="a" * 24, now=after(1))
    await store.devices.record_launch(device.id, Platform.WEB, hinted_user_id=None, now=after(2))
    launched = await store.devices.get(device.id)
    assert launched is not None
    assert launched.hinted_user_id == "a" * 24


async def test_a_device_is_bound_to_the_last_user_until_it_is_unbound(store: Store) -> None:
    device = await new_device(store)
    first, second = await new_user(store, "1"), await new_user(store, "2")

    await store.devices.bind(device.id, first.id, after(1))
    await store.devices.bind(device.id, second.id, after(2))
    bound = await store.devices.get(device.id)
    await store.devices.unbind(device.id)
    unbound = await store.devices.get(device.id)

    assert bound is not None
    assert (bound.bound_user_id, bound.bound_at, bound.session_exists) == (second.id, after(2), True)
    assert unbound == device


async def test_a_claimed_estate_belongs_to_the_user_and_the_guest_gets_a_new_one(store: Store) -> None:
    device, user = await new_device(store), await new_user(store)
    conversation = conversation_of(device.guest_owner_id)
    await store.messages.begin_turn(*turn_of(conversation.id), conversation)

    claimed = await store.devices.claim_guest(
        device.id, owner_id=device.guest_owner_id, new_owner_id="c" * 24, user_id=user.id
    )

    owner = await store.users.get(user.id)
    after_claim = await store.devices.get(device.id)
    stored = await store.conversations.get(conversation.id)
    assert claimed
    assert owner is not None
    assert after_claim is not None
    assert stored is not None
    assert after_claim.guest_owner_id == "c" * 24
    assert after_claim.guest_user_id == device.guest_user_id
    assert stored.owner_id in owner.owner_ids
    page = await store.conversations.list(owner.owner_ids, ConversationFilter(), limit=20, offset=0)
    assert [item.id for item in page.items] == [conversation.id]
    assert page.total == 1


async def test_a_claim_of_an_estate_that_the_device_no_longer_holds_changes_nothing(store: Store) -> None:
    device = await new_device(store)
    first, second = await new_user(store, "1"), await new_user(store, "2")

    assert await claim(store, device, first)
    assert not await claim(store, device, first)
    assert not await claim(store, device, second)

    untouched = await store.users.get(second.id)
    assert untouched == second
    owner = await store.users.get(first.id)
    assert owner is not None
    assert owner.owner_ids.count(device.guest_owner_id) == 1


async def test_an_estate_is_not_handed_to_a_user_that_does_not_exist_or_is_a_guest(store: Store) -> None:
    device, other = await new_device(store), await new_device(store, "device-2")
    for user_id in (new_id(), other.guest_user_id):
        assert not await store.devices.claim_guest(
            device.id, owner_id=device.guest_owner_id, new_owner_id=new_id(), user_id=user_id
        )
    assert await store.devices.get(device.id) == device


async def test_a_user_takes_over_many_estates_one_after_the_other(store: Store) -> None:
    device, user = await new_device(store), await new_user(store)
    owned_records = []
    for _ in range(3):
        owned_records.append(device.guest_owner_id)
        assert await claim(store, device, user)
        known = await store.devices.get(device.id)
        assert known is not None
        device = known

    owner = await store.users.get(user.id)
    assert owner is not None
    assert set(owner.owner_ids) == {user.id, *owned_records}


async def test_of_100_parallel_claims_of_two_users_exactly_one_wins(store: Store) -> None:
    device = await new_device(store)
    users = [await new_user(store, "1"), await new_user(store, "2")]

    won = await asyncio.gather(*(claim(store, device, users[n % 2]) for n in range(100)))

    assert won.count(True) == 1
    owners = [await store.users.get(user.id) for user in users]
    assert sum(device.guest_owner_id in owner.owner_ids for owner in owners if owner) == 1


async def test_of_100_parallel_calls_one_makes_the_device(store: Store) -> None:
    devices = await asyncio.gather(*(new_device(store) for _ in range(100)))
    assert len({device.guest_user_id for device in devices}) == 1


async def test_two_processes_make_one_device(store: Store, call_from_processes: CallFromProcesses) -> None:
    guests = await call_from_processes("get_or_create", 50, "device-1")
    assert len(guests) == 100
    assert len({tuple(guest) for guest in guests}) == 1


async def test_a_device_is_given_one_secret_however_many_are_offered(store: Store) -> None:
    device = await new_device(store)
    given = await asyncio.gather(*(store.devices.give_token(device.id, f"hash-{n}") for n in range(20)))
    assert given.count(True) == 1
    stored = await store.devices.get(device.id)
    assert stored is not None
    assert (stored.token_hash, stored.is_locked) == (f"hash-{given.index(True)}", False)
    assert not await store.devices.give_token("nobody", "hash")


async def test_a_device_is_locked_by_the_secret_that_it_was_given(store: Store) -> None:
    device = await new_device(store)
    await store.devices.give_token(device.id, "its-hash")
    await store.devices.lock(device.id, "another-hash")
    before = await store.devices.get(device.id)
    await store.devices.lock(device.id, "its-hash")
    after_it = await store.devices.get(device.id)
    assert before is not None
    assert after_it is not None
    assert (before.is_locked, after_it.is_locked) == (False, True)
