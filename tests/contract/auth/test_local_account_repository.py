import asyncio
from typing import Any

from finassist.domain.auth.local_accounts import LocalAccount
from stores import NOW, Store, after, new_id


def account(**fields: Any) -> LocalAccount:
    values: dict[str, Any] = {
        "subject": new_id(),
        "name": "Ann",
        "created_at": NOW,
        "updated_at": NOW,
        **fields,
    }
    return LocalAccount(**values)


async def test_an_account_is_found_by_all_that_names_it(store: Store) -> None:
    ann = account(email="Ann@Example.org", phone="+4915112345678", phone_verified=True, password_hash="h")
    assert await store.local_accounts.create(ann)

    assert await store.local_accounts.get(ann.subject) == ann
    assert await store.local_accounts.find_by_email("aNN@example.ORG") == ann
    assert await store.local_accounts.find_by_phone("+4915112345678") == ann
    assert await store.local_accounts.find_by_verified_email("ann@example.org") is None


async def test_an_unknown_account_is_none(store: Store) -> None:
    assert await store.local_accounts.get(new_id()) is None
    assert await store.local_accounts.find_by_email("ann@example.org") is None
    assert await store.local_accounts.find_by_phone("+4915112345678") is None
    assert await store.local_accounts.find_by_social("https://issuer.test", "1") is None


async def test_many_accounts_may_have_neither_email_nor_phone(store: Store) -> None:
    assert await store.local_accounts.create(account())
    assert await store.local_accounts.create(account())


async def test_an_email_in_any_spelling_and_a_phone_are_taken_once(store: Store) -> None:
    assert await store.local_accounts.create(account(email="ann@example.org", phone="+4915112345678"))

    assert not await store.local_accounts.create(account(email="ANN@example.org"))
    assert not await store.local_accounts.create(account(phone="+4915112345678"))


async def test_an_unverified_email_does_not_keep_its_owner_out(store: Store) -> None:
    squatter = account(email="ann@example.org", password_hash="h")
    owner = account(email="ann@example.org", email_verified=True)
    await store.local_accounts.create(squatter)

    assert await store.local_accounts.create(owner)
    assert await store.local_accounts.find_by_verified_email("Ann@example.org") == owner
    assert await store.local_accounts.find_by_email("ann@example.org") == squatter
    assert not await store.local_accounts.create(account(email="ann@example.org", email_verified=True))
    assert not await store.local_accounts.create(account(email="ann@example.org"))


async def test_a_verified_email_cannot_be_signed_up_with(store: Store) -> None:
    await store.local_accounts.create(account(email="ann@example.org", email_verified=True))

    assert not await store.local_accounts.create(account(email="ann@example.org", password_hash="h"))


async def test_of_50_parallel_sign_ups_with_one_email_one_makes_the_account(store: Store) -> None:
    made = await asyncio.gather(
        *(store.local_accounts.create(account(email="ann@example.org", password_hash="h")) for _ in range(50))
    )

    assert made.count(True) == 1


async def test_a_social_identity_signs_in_to_the_account_it_was_linked_to_first(store: Store) -> None:
    ann, ben = account(), account()
    for each in (ann, ben):
        await store.local_accounts.create(each)

    assert await store.local_accounts.link_social(ann.subject, "https://issuer.test", "1") == ann.subject
    assert await store.local_accounts.link_social(ben.subject, "https://issuer.test", "1") == ann.subject
    assert await store.local_accounts.link_social(ben.subject, "https://issuer.test", "2") == ben.subject
    assert await store.local_accounts.find_by_social("https://issuer.test", "1") == ann


async def test_parallel_links_of_one_social_identity_agree(store: Store) -> None:
    accounts = [account() for _ in range(10)]
    for each in accounts:
        await store.local_accounts.create(each)

    linked = await asyncio.gather(
        *(store.local_accounts.link_social(each.subject, "https://issuer.test", "1") for each in accounts)
    )

    assert len(set(linked)) == 1


async def test_a_password_is_replaced(store: Store) -> None:
    ann = account(email="ann@example.org", password_hash="old")
    await store.local_accounts.create(ann)
    await store.local_accounts.set_password(ann.subject, "other", after(5), instead_of="not this one")
    unchanged = await store.local_accounts.get(ann.subject)
    assert unchanged is not None
    assert unchanged.password_hash != "other"
    await store.local_accounts.set_password(ann.subject, "new", after(5))

    kept = await store.local_accounts.get(ann.subject)

    assert kept is not None
    assert (kept.password_hash, kept.updated_at) == ("new", after(5))
