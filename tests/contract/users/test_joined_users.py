"""Users who turn out to be one, because they verified the same email (contract section 13)."""

import asyncio

from finassist.domain.auth.local_accounts import LocalAccount
from finassist.domain.erasure import ProviderIdentity
from finassist.domain.profile_cards import ProfileAnswer
from finassist.domain.users import Platform, User
from stores import NOW, Store, after, conversation_of, identity_of, new_id, turn_of

EMAIL = "ann@example.org"


async def user_of(store: Store, subject: str, *, verified: bool) -> User:
    identity = identity_of(subject, email=EMAIL, email_verified=verified)
    return await store.users.upsert_identity(identity, new_user_id=new_id(), now=NOW)


async def test_everything_of_a_joined_user_is_the_other_ones(store: Store) -> None:
    first, second = await user_of(store, "1", verified=True), await user_of(store, "2", verified=False)
    conversation = conversation_of(second.id)
    await store.messages.begin_turn(*turn_of(conversation.id), conversation)
    await store.profile_cards.save_answers(first.id, {"goal": ProfileAnswer(value="mine")}, NOW)
    answers = {"goal": ProfileAnswer(value="other"), "age": ProfileAnswer(value=40)}
    await store.profile_cards.save_answers(second.id, answers, NOW)
    await store.devices.get_or_create(
        "phone-1", Platform.IOS, guest_user_id=new_id(), guest_owner_id=new_id(), now=NOW
    )
    await store.devices.bind("phone-1", second.id, NOW)

    assert await store.users.join(second.id, first.id, after(1))

    joined = await store.users.get(first.id)
    assert joined is not None
    assert set(joined.owner_ids) == {first.id, second.id}
    assert await store.conversations.any_owned_by(second.id)
    assert await store.users.find_by_identity("https://issuer.test", "2") == joined
    assert await store.users.get(second.id) == joined
    assert {each.subject for each in await store.users.identities_of(first.id)} == {"1", "2"}
    assert [device.id for device in await store.devices.bound_to(first.id)] == ["phone-1"]
    profile = await store.profile_cards.get(first.id)
    assert {key: answer.value for key, answer in profile.answers.items()} == {"goal": "mine", "age": 40}
    assert (await store.profile_cards.get(second.id)).answers == {}
    assert await store.users.find_registered(email=EMAIL, phone=None) == joined
    assert await store.users.with_email(EMAIL) == [joined]


async def test_a_token_of_a_joined_user_keeps_the_other_one_up_to_date(store: Store) -> None:
    first, second = await user_of(store, "1", verified=True), await user_of(store, "2", verified=False)
    await store.users.join(second.id, first.id, after(1))

    again = await user_of(store, "2", verified=True)

    assert again.id == first.id
    assert again.email_verified


async def test_of_20_parallel_joins_one_counts_and_records_are_owned_once(store: Store) -> None:
    first, second = await user_of(store, "1", verified=True), await user_of(store, "2", verified=False)

    joins = await asyncio.gather(*(store.users.join(second.id, first.id, after(1)) for _ in range(20)))

    assert True in joins
    joined = await store.users.get(first.id)
    assert joined is not None
    assert joined.claimed_owner_ids == (second.id,)
    assert not await store.users.join(second.id, first.id, after(2))


async def test_a_user_who_was_joined_before_leads_to_the_last_one(store: Store) -> None:
    third, second = await user_of(store, "3", verified=False), await user_of(store, "2", verified=False)
    first = await user_of(store, "1", verified=True)
    await store.users.join(third.id, second.id, after(1))
    await store.users.join(second.id, first.id, after(2))

    for user_id in (second.id, third.id):
        found = await store.users.get(user_id)
        assert found is not None
        assert found.id == first.id
    assert {each.subject for each in await store.users.identities_of(first.id)} == {"1", "2", "3"}


async def test_nobody_joins_a_guest_or_somebody_who_is_gone(store: Store) -> None:
    user = await user_of(store, "1", verified=True)
    device = await store.devices.get_or_create(
        "phone-1", Platform.IOS, guest_user_id=new_id(), guest_owner_id=new_id(), now=NOW
    )

    for into_id in (device.guest_user_id, new_id(), user.id):
        assert not await store.users.join(user.id, into_id, after(1))
    assert await store.users.get(user.id) == user


async def test_erasing_a_user_finds_those_who_joined(store: Store) -> None:
    first, second = await user_of(store, "1", verified=True), await user_of(store, "2", verified=False)
    await store.users.join(second.id, first.id, after(1))

    subject = await store.erasures.find_subject(first.id, None)
    assert subject is not None
    assert set(subject.owner_ids) == {first.id, second.id}
    assert set(subject.identities) == {
        ProviderIdentity(issuer="https://issuer.test", subject=each) for each in ("1", "2")
    }
    assert await store.erasures.remove_user(subject)
    assert await store.users.get(first.id) is None
    assert await store.users.get(second.id) is None
    assert await store.users.find_by_identity("https://issuer.test", "2") is None


# Accounts of the built-in provider


async def account_of(store: Store, subject: str, *, verified: bool = False) -> LocalAccount:
    account = LocalAccount(
        subject=subject,
        name="",
        created_at=NOW,
        updated_at=NOW,
        email=EMAIL,
        email_verified=verified,
        password_hash=None if verified else "hash",
    )
    assert await store.local_accounts.create(account)
    return account


async def test_an_account_verifies_its_email_once_and_for_all(store: Store) -> None:
    await account_of(store, "1")

    first = await store.local_accounts.verify_email("1", EMAIL.upper(), after(1))
    second = await store.local_accounts.verify_email("1", EMAIL, after(2))

    assert first is not None
    assert (first.email_verified, first.joined_to, first.updated_at) == (True, None, after(1))
    assert second == first == await store.local_accounts.find_by_verified_email(EMAIL)
    assert await store.local_accounts.verify_email("1", "other@example.org", after(3)) is None
    assert await store.local_accounts.verify_email("nobody", EMAIL, after(3)) is None


async def test_an_account_without_email_gets_the_one_that_it_verifies(store: Store) -> None:
    phone = LocalAccount(subject="3", name="", created_at=NOW, updated_at=NOW, phone="+4915112345678")
    await store.local_accounts.create(phone)
    await account_of(store, "1")

    verified = await store.local_accounts.verify_email("3", EMAIL.upper(), after(1))

    assert verified is not None
    assert (verified.email, verified.email_is_proven, verified.joined_to) == (EMAIL.upper(), True, None)
    assert verified == await store.local_accounts.get("3")
    assert verified == await store.local_accounts.find_by_verified_email(EMAIL)
    assert await store.local_accounts.verify_email("3", "other@example.org", after(2)) is None


async def test_an_account_without_email_is_joined_to_the_one_that_verified_it_before(store: Store) -> None:
    phone = LocalAccount(subject="3", name="", created_at=NOW, updated_at=NOW, phone="+4915112345678")
    await store.local_accounts.create(phone)
    await account_of(store, "1")
    await account_of(store, "2", verified=True)

    joined = await store.local_accounts.verify_email("3", EMAIL, after(1))

    assert joined is not None
    assert (joined.email, joined.joined_to, joined.email_is_proven) == (None, "2", True)
    assert (
        joined
        == await store.local_accounts.get("3")
        == await store.local_accounts.find_by_phone("+4915112345678")
    )


async def test_of_many_accounts_without_email_one_gets_it_and_the_others_are_joined(store: Store) -> None:
    for n in range(10):
        await store.local_accounts.create(
            LocalAccount(subject=f"p{n}", name="", created_at=NOW, updated_at=NOW, phone=f"+491511234567{n}")
        )

    verified = await asyncio.gather(
        *(store.local_accounts.verify_email(f"p{n}", EMAIL, after(1)) for n in range(10))
    )

    [first] = [each.subject for each in verified if each is not None and each.email_verified]
    assert sorted(each.holder for each in verified if each is not None) == [first] * 10


async def test_an_account_whose_email_another_one_verified_before_is_joined_to_that_one(
    store: Store,
) -> None:
    await account_of(store, "1")
    await account_of(store, "2", verified=True)

    joined = await store.local_accounts.verify_email("1", EMAIL, after(1))

    assert joined is not None
    assert (joined.email_verified, joined.joined_to, joined.holder) == (False, "2", "2")
    assert joined.email_is_proven
    assert await store.local_accounts.get("1") == joined
    signs_in = await store.local_accounts.find_by_email(EMAIL)
    assert signs_in is not None
    assert signs_in.subject == "1"  # it has the password
