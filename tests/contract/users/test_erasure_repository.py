"""``ErasureRepository``: the job, the hashes of erased identities, and every record of its subject."""

import asyncio
from dataclasses import asdict, replace
from typing import Any

import pytest

from everything import everything_of, guest_of
from finassist.adapters.sqlite.erasure.steps import ROWS
from finassist.domain.auth.local_accounts import LOCAL_ISSUER
from finassist.domain.erasure import Erasure, ErasureCounts, ErasureSubject, ProviderIdentity
from finassist.domain.users import Platform, User
from raw_records import names_of
from stores import NOW, Store, after, identity_of, new_id

ALL = 10_000


def erasure_of(subject: ErasureSubject, **fields: Any) -> Erasure:
    return Erasure(**{"receipt_id": new_id(), "requested_at": NOW, "subject": subject, **fields})


async def begin(store: Store, erasure: Erasure, holder: str = "a") -> Erasure:
    return await store.erasures.begin(erasure, holder=holder, lease_until=after(30))


async def register(store: Store, subject: str = "1", **fields: Any) -> User:
    identity = identity_of(subject, issuer=LOCAL_ISSUER, **fields)
    return await store.users.upsert_identity(identity, new_user_id=new_id(), now=NOW)


async def subject_of(store: Store, user_id: str, device_id: str | None = None) -> ErasureSubject:
    subject = await store.erasures.find_subject(user_id, device_id)
    assert subject is not None
    return subject


# Whom it is about


async def test_a_subject_is_all_that_a_users_records_are_found_by(store: Store) -> None:
    user = await register(store, email="Ann@example.org", phone="+491701234567")
    guest = await guest_of(store, "device-1")
    await store.messages.begin_turn(*everything_of(guest.guest_owner_id).turn)
    assert await store.devices.claim_guest(
        "device-1", owner_id=guest.guest_owner_id, new_owner_id=new_id(), user_id=user.id
    )

    assert await store.erasures.find_subject(user.id, None) == ErasureSubject(
        user_id=user.id,
        owner_ids=(user.id, guest.guest_owner_id),
        identities=(ProviderIdentity(issuer=LOCAL_ISSUER, subject="1"),),
        emails=("Ann@example.org",),
        phones=("+491701234567",),
    )


async def test_a_guest_is_found_with_its_device(store: Store) -> None:
    device = await guest_of(store, "device-1")

    assert await store.erasures.find_subject(device.guest_user_id, "device-1") == ErasureSubject(
        user_id=device.guest_user_id, device_id="device-1", owner_ids=(device.guest_owner_id,)
    )


async def test_nobody_has_no_subject(store: Store) -> None:
    assert await store.erasures.find_subject(new_id(), None) is None
    assert await store.erasures.find_subject("no-id", "no-device") is None


# The job


async def test_many_requests_make_one_erasure(store: Store) -> None:
    user = await register(store)
    subject = await subject_of(store, user.id)

    begun = await asyncio.gather(*(begin(store, erasure_of(subject)) for _ in range(20)))

    assert len({erasure.receipt_id for erasure in begun}) == 1
    kept = await store.erasures.get(begun[0].receipt_id)
    assert kept is not None
    assert (kept.requests, kept.subject, kept.completed_at) == (20, subject, None)


async def test_what_else_is_known_is_noted_and_nothing_is_lost(store: Store) -> None:
    subject = ErasureSubject(user_id=new_id(), owner_ids=("a",), emails=("ann@example.org",))
    erasure = await begin(store, erasure_of(subject))

    other = replace(subject, avatar_keys=("b.webp",))
    others = [replace(other, owner_ids=(f"estate-{number}",)) for number in range(10)]
    await asyncio.gather(*(store.erasures.widen(erasure.receipt_id, each) for each in others))

    kept = await store.erasures.get(erasure.receipt_id)
    assert kept is not None
    assert kept.subject is not None
    assert set(kept.subject.owner_ids) == {"a", *(f"estate-{number}" for number in range(10))}
    assert (kept.subject.emails, kept.subject.avatar_keys) == (("ann@example.org",), ("b.webp",))


async def test_an_erasure_whose_lease_ran_out_goes_to_exactly_one(store: Store) -> None:
    erasure = await begin(store, erasure_of(ErasureSubject(user_id=new_id())))
    assert await store.erasures.take(holder="b", now=after(29), lease_until=after(60)) is None

    taken = await asyncio.gather(
        *(
            store.erasures.take(holder=f"h{number}", now=after(31), lease_until=after(60))
            for number in range(10)
        )
    )

    [found] = [each for each in taken if each is not None]
    assert found.receipt_id == erasure.receipt_id
    assert await store.erasures.hold(erasure.receipt_id, "a", after(90)) is None


async def test_the_holder_renews_the_lease_and_learns_how_the_erasure_stands(store: Store) -> None:
    erasure = await begin(store, erasure_of(ErasureSubject(user_id=new_id())))
    await begin(store, erasure_of(ErasureSubject(user_id=str(erasure.subject and erasure.subject.user_id))))

    held = await store.erasures.hold(erasure.receipt_id, "a", after(90))

    assert held is not None
    assert held.requests == 2
    assert await store.erasures.take(holder="b", now=after(89), lease_until=after(99)) is None


async def test_counts_are_kept_once(store: Store) -> None:
    erasure = await begin(store, erasure_of(ErasureSubject(user_id=new_id())))

    await store.erasures.keep_counts(erasure.receipt_id, ErasureCounts(messages=4, accounts=1))
    await store.erasures.keep_counts(erasure.receipt_id, ErasureCounts())

    kept = await store.erasures.get(erasure.receipt_id)
    assert kept is not None
    assert kept.counts == ErasureCounts(messages=4, accounts=1)


async def test_a_done_erasure_knows_nobody(store: Store) -> None:
    subject = ErasureSubject(user_id=new_id(), owner_ids=("a",), phones=("+491701234567",))
    erasure = await begin(store, erasure_of(subject))

    assert await store.erasures.complete(erasure, holder="a", now=after(5))

    done = await store.erasures.get(erasure.receipt_id)
    assert done == replace(erasure, subject=None, completed_at=after(5))
    assert await store.erasures.hold(erasure.receipt_id, "a", after(90)) is None
    assert await store.erasures.take(holder="b", now=after(999), lease_until=after(1999)) is None
    again = await begin(store, erasure_of(subject))
    assert again.receipt_id != erasure.receipt_id


async def test_an_erasure_is_not_done_when_somebody_asked_again(store: Store) -> None:
    erasure = await begin(store, erasure_of(ErasureSubject(user_id=new_id())))
    assert erasure.subject is not None
    await begin(store, erasure_of(erasure.subject), holder="b")

    assert not await store.erasures.complete(erasure, holder="a", now=after(5))
    assert not await store.erasures.complete(replace(erasure, requests=2), holder="b", now=after(5))
    assert await store.erasures.complete(replace(erasure, requests=2), holder="a", now=after(5))


async def test_a_withdrawn_erasure_is_gone(store: Store) -> None:
    erasure = await begin(store, erasure_of(ErasureSubject(user_id=new_id())))

    await store.erasures.withdraw(erasure.receipt_id)

    assert await store.erasures.get(erasure.receipt_id) is None


# What stays


async def test_the_latest_erasure_of_an_identity_is_remembered(store: Store) -> None:
    assert await store.erasures.erased_at("hash") is None

    for seconds in (5, 9, 7):
        await store.erasures.bury("hash", after(seconds))

    assert await store.erasures.erased_at("hash") == after(9)
    assert await store.erasures.erased_at("another") is None


async def test_receipts_and_hashes_are_removed_when_they_are_old(store: Store) -> None:
    done = await begin(store, erasure_of(ErasureSubject(user_id=new_id())))
    pending = await begin(store, erasure_of(ErasureSubject(user_id=new_id())))
    await store.erasures.complete(done, holder="a", now=after(5))
    await store.erasures.bury("old", after(5))
    await store.erasures.bury("new", after(15))

    assert await store.erasures.delete_expired(after(10)) == 2

    assert await store.erasures.get(done.receipt_id) is None
    assert await store.erasures.get(pending.receipt_id) is not None
    assert await store.erasures.erased_at("old") is None
    assert await store.erasures.erased_at("new") == after(15)


# The user


async def test_a_user_is_removed_only_as_it_is_known(store: Store) -> None:
    user = await register(store, email="ann@example.org")
    subject = await subject_of(store, user.id)
    guest = await guest_of(store, "device-1")
    await store.devices.claim_guest(
        "device-1", owner_id=guest.guest_owner_id, new_owner_id=new_id(), user_id=user.id
    )

    assert not await store.erasures.remove_user(subject)
    assert await store.users.get(user.id) is not None
    assert await store.erasures.remove_user(await subject_of(store, user.id))

    assert await store.users.get(user.id) is None
    assert await store.users.find_by_identity(LOCAL_ISSUER, "1") is None
    assert await store.users.find_registered(email="ann@example.org", phone=None) is None
    assert await store.erasures.remove_user(subject)


async def test_a_guest_is_removed_with_its_device_and_may_come_back_as_a_new_one(store: Store) -> None:
    before = await guest_of(store, "device-1")

    assert await store.erasures.remove_user(await subject_of(store, before.guest_user_id, "device-1"))

    assert await store.devices.get("device-1") is None
    assert await store.users.get(before.guest_user_id) is None
    now = await guest_of(store, "device-1")
    assert {now.guest_user_id, now.guest_owner_id}.isdisjoint({before.guest_user_id, before.guest_owner_id})


async def test_an_estate_that_was_claimed_meanwhile_is_not_the_guests_any_more(store: Store) -> None:
    user = await register(store)
    guest = await guest_of(store, "device-1")
    subject = await subject_of(store, guest.guest_user_id, "device-1")
    await store.devices.claim_guest(
        "device-1", owner_id=guest.guest_owner_id, new_owner_id="new-estate", user_id=user.id
    )

    assert not await store.erasures.remove_user(subject)

    assert (await subject_of(store, guest.guest_user_id, "device-1")).owner_ids == ("new-estate",)


async def test_nobody_claims_for_a_user_who_is_gone(store: Store) -> None:
    user = await register(store)
    guest = await guest_of(store, "device-1")
    assert await store.erasures.remove_user(await subject_of(store, user.id))

    assert not await store.devices.claim_guest(
        "device-1", owner_id=guest.guest_owner_id, new_owner_id=new_id(), user_id=user.id
    )

    device = await store.devices.get("device-1")
    assert device is not None
    assert device.guest_owner_id == guest.guest_owner_id


async def test_a_user_made_after_an_erasure_refuses_older_tokens(store: Store) -> None:
    made = await store.users.upsert_identity(
        identity_of("1"), new_user_id=new_id(), now=NOW, tokens_after=after(30)
    )

    assert made.tokens_after == after(30)
    found = await store.users.find_by_identity("https://issuer.test", "1")
    assert found is not None
    assert found.tokens_after == after(30)


async def test_a_user_who_is_joined_after_an_erasure_refuses_older_tokens_too(store: Store) -> None:
    verified: dict[str, Any] = {"email": "ann@example.org", "email_verified": True}
    first = await store.users.upsert_identity(identity_of("1", **verified), new_user_id=new_id(), now=NOW)
    joined = await store.users.upsert_identity(
        identity_of("2", **verified), new_user_id=new_id(), now=NOW, tokens_after=after(30)
    )

    assert (joined.id, joined.tokens_after) == (first.id, after(30))


# Their records


async def test_access_ends_at_once(store: Store) -> None:
    user = await register(store, phone="+491701234567")
    mine = await everything_of(user.id).store_in(store)
    subject = await subject_of(store, user.id)

    await store.erasures.end_access(subject, after(5))

    share = await store.shares.get(mine.share.share_id)
    assert share is not None
    assert share.revoked_at == after(5)
    assert await store.local_accounts.get("1") is None
    assert await store.otp_codes.get("+491701234567", "device-1") is None
    assert await store.authorization_codes.take("code-1", NOW) is None
    assert await store.conversations.get(mine.conversation.id) is not None


@pytest.mark.parametrize("limit", [1, ALL])
async def test_every_record_of_the_subject_is_erased_and_nobody_elses(store: Store, limit: int) -> None:
    ann = await register(store, email="ann@example.org", phone="+491701234567")
    bob = await register(store, "2", email="bob@example.org", phone="+491707654321")
    mine = await everything_of(ann.id).store_in(store)
    theirs = await everything_of(bob.id, account="2", phone="+491707654321").store_in(store)
    before = await theirs.found_in(store)
    subject = await subject_of(store, ann.id)

    while erased := await store.erasures.erase_some(subject, limit=limit):
        assert erased <= max(limit, 4)

    assert not any((await mine.found_in(store)).values())
    assert await theirs.found_in(store) == before
    assert all(before.values())
    counts = await store.erasures.count(subject)
    assert asdict(counts) == {**asdict(ErasureCounts()), "files": 1}


async def test_everything_is_counted(store: Store) -> None:
    user = await register(store)
    await everything_of(user.id).store_in(store)

    assert await store.erasures.count(await subject_of(store, user.id)) == ErasureCounts(
        conversations=1, messages=2, files=1, shares=1, profile_answers=1, devices=1, accounts=1
    )


async def test_running_turns_are_found(store: Store) -> None:
    user = await register(store)
    mine = everything_of(user.id)
    await store.messages.begin_turn(*mine.turn)

    assert await store.erasures.running_turns(await subject_of(store, user.id)) == [mine.turn[1].id]


async def test_others_forget_the_subject(store: Store) -> None:
    user = await register(store, email="Ann@Example.org", phone="+491701234567")
    guest = await guest_of(store, "device-1")
    await store.messages.begin_turn(*everything_of(guest.guest_owner_id).turn)
    await store.devices.record_launch("device-1", Platform.IOS, hinted_user_id=user.id, now=NOW)
    await store.devices.bind("device-1", user.id, NOW)
    await store.users.keep_claims(
        guest.guest_user_id, email="ann@example.org", phone="+491701234567", now=NOW
    )
    subject = await subject_of(store, user.id)

    while await store.erasures.erase_some(subject, limit=ALL):
        pass

    device = await store.devices.get("device-1")
    assert device is not None
    assert (device.bound_user_id, device.bound_at, device.hinted_user_id) == (None, None, None)
    kept = await store.users.get(guest.guest_user_id)
    assert kept is not None
    assert (kept.claimed_email, kept.claimed_phone) == (None, None)


async def test_a_device_whose_guest_has_nothing_goes_with_its_user(store: Store) -> None:
    user = await register(store)
    guest = await guest_of(store, "device-1")
    await store.devices.bind("device-1", user.id, NOW)
    await store.quotas.grant(guest.guest_user_id, 5)

    while await store.erasures.erase_some(await subject_of(store, user.id), limit=ALL):
        pass

    assert await store.devices.get("device-1") is None
    assert await store.users.get(guest.guest_user_id) is None
    assert (await store.quotas.get(guest.guest_user_id)).granted == 0


async def test_a_copy_that_somebody_made_of_a_share_stays(store: Store) -> None:
    user = await register(store)
    mine = await everything_of(user.id).store_in(store)
    copy = await everything_of(
        new_id(), account="2", phone="+49170", forked_from=mine.share.share_id
    ).store_in(store)

    while await store.erasures.erase_some(await subject_of(store, user.id), limit=ALL):
        pass

    assert await store.conversations.get(copy.conversation.id) is not None


KNOWN_TABLES = {
    *ROWS, "users", "identities", "devices", "files", "erasures", "erased_identities", "sign_in_failures",
    "preprompts", "second_opinion_preprompts", "catalog_counts", "catalog_filling", "links", "visual_embeds",
    "visual_embeds_version", "migrations", "probes", "audit_records",
}  # fmt: skip
"""Those that are erased from; keyed hashes; what belongs to the operator, the audit log among it."""


async def test_no_table_is_forgotten(store: Store, store_url: str) -> None:
    """A new table either belongs to users, and ``erase_some`` has to know it, or it does not."""
    same = {
        "share_tallies": "share_days",
        "token_families": "refresh_tokens",
        "signing_keys": "links",
        "questions": "messages",  # goes with its message, by its foreign key
    }
    assert {same.get(name, name) for name in names_of(store_url)} <= KNOWN_TABLES
