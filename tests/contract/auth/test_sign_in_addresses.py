from datetime import datetime

from finassist.domain.auth.local_accounts import LOCAL_ISSUER, LocalAccount
from finassist.domain.auth.sign_in_limits import ADDRESS_KEPT_FOR, SignInAddress
from finassist.domain.erasure import ProviderIdentity
from stores import NOW, Store, after

ANN = ProviderIdentity(issuer="https://issuer.test", subject="ann")
DAY = 86_400


def seen(address_hash: str, at: datetime = NOW, identity: ProviderIdentity = ANN) -> SignInAddress:
    return SignInAddress(hash=address_hash, identity=identity, first_seen_at=at, last_seen_at=at)


async def test_an_address_is_found_by_its_hash(store: Store) -> None:
    await store.sign_in_addresses.note(seen("home"))
    assert await store.sign_in_addresses.get("home") == seen("home")
    assert await store.sign_in_addresses.get("train") is None


async def test_an_address_that_is_seen_again_keeps_its_first_time(store: Store) -> None:
    await store.sign_in_addresses.note(seen("home"))
    await store.sign_in_addresses.note(seen("home", after(DAY)))
    found = await store.sign_in_addresses.get("home")
    assert found is not None
    assert (found.first_seen_at, found.last_seen_at) == (NOW, after(DAY))


async def test_the_addresses_of_identities_are_listed_the_first_seen_first(store: Store) -> None:
    ben = ProviderIdentity(issuer="https://issuer.test", subject="ben")
    other_issuer = ProviderIdentity(issuer="https://other.test", subject="ann")
    await store.sign_in_addresses.note(seen("train", after(1)))
    await store.sign_in_addresses.note(seen("home"))
    await store.sign_in_addresses.note(seen("of ben", identity=ben))
    await store.sign_in_addresses.note(seen("of another", identity=other_issuer))
    assert [each.hash for each in await store.sign_in_addresses.list_of([ANN])] == ["home", "train"]
    assert len(await store.sign_in_addresses.list_of([ANN, ben])) == 3
    assert not list(await store.sign_in_addresses.list_of([]))


async def test_nothing_is_stored_for_an_account_that_is_gone(store: Store) -> None:
    account = ProviderIdentity(issuer=LOCAL_ISSUER, subject="account-1")
    await store.sign_in_addresses.note(seen("home", identity=account))
    assert await store.sign_in_addresses.get("home") is None
    await store.local_accounts.create(
        LocalAccount(subject="account-1", name="Ann", created_at=NOW, updated_at=NOW)
    )
    await store.sign_in_addresses.note(seen("home", identity=account))
    assert await store.sign_in_addresses.get("home") is not None


async def test_an_address_is_forgotten_a_year_after_it_was_seen(store: Store) -> None:
    await store.sign_in_addresses.note(seen("home"))
    await store.sign_in_addresses.note(seen("train", after(DAY)))
    year = ADDRESS_KEPT_FOR.total_seconds()
    assert await store.sign_in_addresses.delete_expired(after(year - 1)) == 0
    assert await store.sign_in_addresses.delete_expired(after(year)) == 1
    assert await store.sign_in_addresses.get("home") is None
