import asyncio

import pytest

from contract.conftest import CallFromProcesses
from finassist.domain.users import Identity, Platform, Preferences, ProfileChanges, Theme, User
from stores import NOW, Store, after, identity_of, new_id


async def upsert(store: Store, identity: Identity, seconds: float = 0) -> User:
    return await store.users.upsert_identity(identity, new_user_id=new_id(), now=after(seconds))


async def new_guest(store: Store) -> User:
    device = await store.devices.get_or_create(
        new_id(), Platform.WEB, guest_user_id=new_id(), guest_owner_id=new_id(), now=NOW
    )
    guest = await store.users.get(device.guest_user_id)
    assert guest is not None
    return guest


async def test_an_unknown_user_is_none(store: Store) -> None:
    assert await store.users.get(new_id()) is None
    assert await store.users.find_by_identity("https://issuer.test", "nobody") is None
    assert await store.users.find_registered(email="a@example.com", phone="+49301234567") is None
    assert await store.users.find_registered(email=None, phone=None) is None
    assert await store.users.keep_claims(new_id(), email="a@example.com", phone=None, now=NOW) is None


async def test_an_identity_makes_a_registered_user_with_all_it_says(store: Store) -> None:
    user = await store.users.upsert_identity(
        identity_of(
            "1",
            email="Ann@example.com",
            email_verified=True,
            phone="+49301234567",
            phone_verified=True,
            name="Ann Émile",
        ),
        new_user_id="a" * 24,
        now=NOW,
    )

    assert user == User(
        id="a" * 24,
        is_guest=False,
        auth_provider="local",
        name="Ann Émile",
        created_at=NOW,
        updated_at=NOW,
        email="Ann@example.com",
        email_verified=True,
        phone="+49301234567",
        phone_verified=True,
    )
    assert await store.users.get(user.id) == user
    assert await store.users.find_by_identity("https://issuer.test", "1") == user


@pytest.mark.parametrize(
    ("email", "name", "expected"),
    [("ann@example.com", None, "ann"), ("ann@example.com", "Ann", "Ann"), (None, None, "User")],
)
async def test_a_user_without_a_name_is_named_after_its_email(
    store: Store, email: str | None, name: str | None, expected: str
) -> None:
    assert (await upsert(store, identity_of("1", email=email, name=name))).name == expected


async def test_the_same_identity_is_the_same_user(store: Store) -> None:
    first = await upsert(store, identity_of("1", email="ann@example.com"))
    assert await upsert(store, identity_of("1", email="ann@example.com"), 60) == first


async def test_the_same_subject_of_another_issuer_is_another_user(store: Store) -> None:
    first = await upsert(store, identity_of("1"))
    second = await upsert(store, identity_of("1", issuer="https://other.test"))
    assert first.id != second.id


async def test_an_identity_brings_newer_values_and_leaves_out_none(store: Store) -> None:
    first = await upsert(store, identity_of("1", email="ann@example.com", phone="+49301", name="Ann"))

    changed = await upsert(store, identity_of("1", email="new@example.com", email_verified=True), 60)

    assert (changed.email, changed.email_verified) == ("new@example.com", True)
    assert (changed.name, changed.phone) == ("Ann", "+49301")
    assert (changed.created_at, changed.updated_at) == (NOW, after(60))
    assert await store.users.get(first.id) == changed
    assert await store.users.find_registered(email="ANN@example.com", phone=None) is None
    assert await store.users.find_registered(email="NEW@example.com", phone=None) == changed


async def test_a_verified_email_stays_verified_when_a_token_does_not_say_so(store: Store) -> None:
    await upsert(store, identity_of("1", email="ann@example.com", email_verified=True))
    again = await upsert(store, identity_of("1", email="ANN@example.com"))
    assert (again.email, again.email_verified) == ("ann@example.com", True)


@pytest.mark.parametrize(
    ("first_verified", "second_verified", "joined"),
    [(True, True, True), (True, False, False), (False, True, False), (False, False, False)],
)
async def test_identities_join_by_email_only_when_it_is_verified_on_both_sides(
    store: Store, first_verified: bool, second_verified: bool, joined: bool
) -> None:
    first = await upsert(store, identity_of("1", email="straße@example.com", email_verified=first_verified))
    other = identity_of("2", email="STRASSE@example.com", email_verified=second_verified)
    second = await upsert(store, other)

    assert (second.id == first.id) is joined
    found = await store.users.find_by_identity(other.issuer, other.subject)
    assert found is not None
    assert found.id == second.id


async def test_a_verified_identity_joins_the_verified_one_of_several_users_with_its_email(
    store: Store,
) -> None:
    await upsert(store, identity_of("1", email="ann@example.com"))
    verified = await upsert(store, identity_of("2", email="ann@example.com", email_verified=True))
    joined = await upsert(store, identity_of("3", email="ann@example.com", email_verified=True))
    assert joined.id == verified.id


async def test_identities_never_join_a_guest_that_claims_their_email(store: Store) -> None:
    guest = await new_guest(store)
    await store.users.keep_claims(guest.id, email="ann@example.com", phone="+49301", now=NOW)

    assert await store.users.find_registered(email="ann@example.com", phone="+49301") is None
    user = await upsert(store, identity_of("1", email="ann@example.com", email_verified=True))
    assert user.id != guest.id


async def test_a_registered_user_is_found_by_email_in_any_case_or_else_by_phone(store: Store) -> None:
    ann = await upsert(store, identity_of("1", email="Ann.Ünal@Example.com"))
    ben = await upsert(store, identity_of("2", phone="+49301234567"))

    assert await store.users.find_registered(email="ANN.ÜNAL@EXAMPLE.COM", phone=None) == ann
    assert await store.users.find_registered(email=None, phone="+49301234567") == ben
    assert await store.users.find_registered(email="nobody@example.com", phone="+49301234567") == ben
    assert await store.users.find_registered(email="ann.ünal@example.com", phone="+49301234567") == ann


async def test_the_users_with_an_email_are_listed_verified_ones_first(store: Store) -> None:
    first = await upsert(store, identity_of("1", email="ann@example.com"))
    verified = await upsert(store, identity_of("2", email="Ann@Example.com", email_verified=True))
    await upsert(store, identity_of("3", email="ben@example.com"))
    guest = await new_guest(store)
    await store.users.keep_claims(guest.id, email="ann@example.com", phone=None, now=NOW)

    assert await store.users.with_email("ANN@example.com") == [verified, first]
    assert await store.users.with_email("nobody@example.com") == []


async def test_claims_are_kept_on_a_guest_and_none_leaves_the_earlier_one(store: Store) -> None:
    guest = await new_guest(store)
    await store.users.keep_claims(guest.id, email="ann@example.com", phone=None, now=after(1))

    claimed = await store.users.keep_claims(guest.id, email=None, phone="+49301", now=after(2))

    assert claimed is not None
    assert (claimed.claimed_email, claimed.claimed_phone) == ("ann@example.com", "+49301")
    assert (claimed.email, claimed.phone, claimed.updated_at) == (None, None, after(2))
    assert await store.users.get(guest.id) == claimed


async def test_claims_are_not_kept_on_a_registered_user(store: Store) -> None:
    user = await upsert(store, identity_of("1"))
    assert await store.users.keep_claims(user.id, email="ann@example.com", phone=None, now=after(1)) is None
    assert await store.users.get(user.id) == user


async def test_of_100_parallel_calls_one_makes_the_user(store: Store) -> None:
    users = await asyncio.gather(*(upsert(store, identity_of("1")) for _ in range(100)))
    assert len({user.id for user in users}) == 1


async def test_100_new_identities_with_one_verified_email_make_one_user(store: Store) -> None:
    identities = [identity_of(str(n), email="ann@example.com", email_verified=True) for n in range(100)]
    users = await asyncio.gather(*(upsert(store, identity) for identity in identities))
    assert len({user.id for user in users}) == 1


async def test_two_processes_make_one_user_of_an_identity(
    store: Store, call_from_processes: CallFromProcesses
) -> None:
    user_ids = await call_from_processes("upsert_identity", 50, "1")
    assert len(user_ids) == 100
    assert len(set(user_ids)) == 1


async def test_a_new_user_has_the_default_preferences_and_the_picture_of_its_provider(store: Store) -> None:
    user = await upsert(store, identity_of("1", picture="https://pictures.test/1"))
    assert user.preferences == Preferences(language="en", theme=Theme.SYSTEM, notifications=True)
    assert (user.avatar_url, user.avatar_key) == ("https://pictures.test/1", None)
    assert await store.users.get(user.id) == user


async def test_a_profile_update_changes_only_what_it_names_and_returns_what_was_before(store: Store) -> None:
    user = await upsert(store, identity_of("1", name="Ann"))
    first = ProfileChanges(full_name="Ann Émile", theme=Theme.DARK, avatar_key="avatars/1.webp")
    second = ProfileChanges(language="pt-BR", notifications=False)

    assert await store.users.update_account(user.id, first, after(1)) == user
    between = await store.users.update_account(user.id, second, after(2))

    assert between == user.changed(first, after(1))
    assert await store.users.get(user.id) == between.changed(second, after(2))
    assert await store.users.find_by_identity("https://issuer.test", "1") == await store.users.get(user.id)


async def test_of_30_parallel_profile_updates_of_different_fields_none_is_lost(store: Store) -> None:
    user = await upsert(store, identity_of("1", name="Ann"))
    kinds = (
        ProfileChanges(full_name="Annie"),
        ProfileChanges(theme=Theme.DARK),
        ProfileChanges(language="pt-BR", clear_avatar=True),
    )

    befores = await asyncio.gather(
        *(store.users.update_account(user.id, kind, after(1)) for kind in kinds * 10)
    )

    assert None not in befores
    kept = await store.users.get(user.id)
    assert kept is not None
    assert (kept.name, kept.preferences.theme, kept.preferences.language) == ("Annie", Theme.DARK, "pt-BR")
    assert (kept.name_by_user, kept.avatar_by_user, kept.updated_at) == (True, True, after(1))


async def test_a_profile_update_of_nobody_is_none(store: Store) -> None:
    assert await store.users.update_account(new_id(), ProfileChanges(full_name="Ann"), NOW) is None


async def test_what_the_user_chose_is_not_changed_by_the_provider(store: Store) -> None:
    user = await upsert(store, identity_of("1", name="Ann", picture="https://pictures.test/1"))
    chosen = ProfileChanges(full_name="Annie", clear_avatar=True)
    await store.users.update_account(user.id, chosen, after(1))

    again = identity_of("1", name="Ann", picture="https://pictures.test/2", email="ann@example.com")
    synced = await upsert(store, again, 2)

    assert (synced.name, synced.avatar_url, synced.email) == ("Annie", None, "ann@example.com")
    assert await store.users.get(user.id) == synced


async def test_a_newer_picture_of_the_provider_is_taken_over(store: Store) -> None:
    await upsert(store, identity_of("1", picture="https://pictures.test/1"))
    assert (await upsert(store, identity_of("1"))).avatar_url == "https://pictures.test/1"
    synced = await upsert(store, identity_of("1", picture="https://pictures.test/2"))
    assert synced.avatar_url == "https://pictures.test/2"
    assert await store.users.get(synced.id) == synced


async def test_of_50_parallel_avatars_each_but_the_last_is_taken_away_by_one_call(store: Store) -> None:
    user = await upsert(store, identity_of("1"))
    keys = [f"avatars/{n}.webp" for n in range(50)]
    befores = await asyncio.gather(
        *(store.users.update_account(user.id, ProfileChanges(avatar_key=key), after(1)) for key in keys)
    )
    last = await store.users.get(user.id)
    assert last is not None
    assert last.avatar_key is not None
    assert sorted(
        [*(before.avatar_key for before in befores if before and before.avatar_key), last.avatar_key]
    ) == (sorted(keys))


async def test_keys_that_are_avatars_are_told_from_others(store: Store) -> None:
    user = await store.users.upsert_identity(identity_of("1"), new_user_id=new_id(), now=NOW)
    await store.users.update_account(user.id, ProfileChanges(avatar_key="avatars/1.webp"), NOW)
    assert set(await store.users.avatars_among(["avatars/1.webp", "avatars/2.webp"])) == {"avatars/1.webp"}
    assert not await store.users.avatars_among([])
