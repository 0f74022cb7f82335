"""The domain decides: a rule that changes there changes in every database, and what a query has to restate
agrees with the domain."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from finassist.domain import shares
from finassist.domain.auth.local_accounts import FailedSignIns, LocalAccount
from finassist.domain.auth.otp import OtpCode
from finassist.domain.auth.refresh_tokens import RefreshToken, RotationOutcome
from finassist.domain.catalogs.quote_images import QuoteImage, QuoteImageChanges
from finassist.domain.conversations.conversation import Conversation, ConversationChanges
from finassist.domain.errors import InvalidState, OtpInvalid
from finassist.domain.shares import Share, ShareChanges, ShareStatus, ShareUsage
from finassist.domain.users import Identity, Platform, ProfileChanges, User
from stores import NOW, Store, after, conversation_of, embed_of, identity_of, new_id, turn_of


async def added_share(store: Store, **fields: Any) -> Share:
    values: dict[str, Any] = {
        "id": new_id(),
        "share_id": new_id(),
        "user_id": "1" * 24,
        "conversation_id": new_id(),
        "message_ids": (new_id(),),
        "title": "Bonds",
        "created_at": NOW,
        "updated_at": NOW,
        **fields,
    }
    share = Share(**values)
    await store.shares.add(share, ())
    return share


async def upsert(store: Store, subject: str, **fields: Any) -> User:
    return await store.users.upsert_identity(identity_of(subject, **fields), new_user_id=new_id(), now=NOW)


# Shares


async def test_a_changed_rule_of_revoking_is_followed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def revoke_closed(share: Share, now: datetime) -> Share:
        return replace(share, revoked_at=after(77), allow_continuation=False, custom_title="Gone")

    share = await added_share(store)
    again = await added_share(store, revoked_at=after(1), conversation_id=share.conversation_id)
    monkeypatch.setattr(Share, "revoke", lambda share, now: share)
    await store.shares.revoke(share.share_id, NOW)
    assert await store.shares.get(share.share_id) == share

    def revoke_once(before: Share, now: datetime) -> Share:
        return before if before.revoked_at == after(77) else revoke_closed(before, now)

    monkeypatch.setattr(Share, "revoke", revoke_once)
    await store.shares.revoke_all_of(share.conversation_id, NOW)
    for before in (share, again):
        assert await store.shares.get(before.share_id) == revoke_closed(before, NOW)


async def test_a_changed_rule_of_changing_a_share_is_followed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def change_title(share: Share, changes: ShareChanges, now: datetime) -> Share:
        if share.custom_title == "Final":
            raise InvalidState("This title is final.")
        return replace(share, custom_title="Final", revoked_at=None)

    share = await added_share(store, revoked_at=after(1))
    monkeypatch.setattr(Share, "change", change_title)

    changed = await store.shares.update(share.share_id, ShareChanges(), after(5))
    refused = await store.shares.update(share.share_id, ShareChanges(custom_title="Other"), after(6))

    assert changed == replace(share, custom_title="Final", revoked_at=None)
    assert refused is None
    assert await store.shares.get(share.share_id) == changed


async def test_a_changed_span_of_one_view_is_followed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    share = await added_share(store)
    monkeypatch.setattr(shares, "VIEW_EVERY", timedelta(seconds=10))
    counted = [await store.shares.record_view(share.share_id, "0" * 32, after(at)) for at in (0, 9, 10, 19)]
    assert counted == [True, False, True, False]


async def test_the_states_that_are_queried_are_those_of_the_domain(store: Store) -> None:
    times = (None, after(-1), NOW, after(1))
    kept = [
        await added_share(store, expires_at=expires_at, revoked_at=revoked_at)
        for expires_at in times
        for revoked_at in times
    ]
    for now in (after(-1), NOW, after(1), after(2)):
        for status in ShareStatus:
            page = await store.shares.list("1" * 24, status, now=now, limit=50, offset=0)
            expected = {share.id for share in kept if share.status(now) is status}
            assert {share.id for share in page.items} == expected
        states = [share.status(now) for share in kept]
        assert await store.shares.usage("1" * 24, now) == ShareUsage(
            **{status: states.count(status) for status in ShareStatus}, last_shared_at=NOW
        )


# Users and their accounts


async def test_a_changed_rule_of_a_profile_is_followed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def changed(user: User, changes: ProfileChanges, now: datetime) -> User:
        preferences = replace(user.preferences, language="tlh")
        return replace(user, name="Chosen", phone="+49301", preferences=preferences, avatar_url=None)

    user = await upsert(store, "1", name="Ann", picture="https://pictures.test/1")
    monkeypatch.setattr(User, "changed", changed)

    assert await store.users.update_account(user.id, ProfileChanges(full_name="Ann"), after(1)) == user
    assert await store.users.get(user.id) == changed(user, ProfileChanges(), NOW)


@pytest.mark.parametrize("verified", [False, True])
async def test_who_joins_nobody_makes_a_user_of_its_own(
    store: Store, monkeypatch: pytest.MonkeyPatch, verified: bool
) -> None:
    monkeypatch.setattr(User, "joinable_email", None)
    users = [await upsert(store, n, email="ann@example.com", email_verified=verified) for n in "123"]
    assert len({user.id for user in users}) == 3


async def test_an_identity_joins_by_an_unverified_email_where_the_domain_says_so(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind, name in ((User, "joinable_email"), (Identity, "joining_email")):
        monkeypatch.setattr(kind, name, property(lambda of: of.email))
    users = [await upsert(store, n, email="ann@example.com") for n in "123"]
    assert len({user.id for user in users}) == 1
    assert await store.users.find_by_identity("https://issuer.test", "3") == users[-1]


async def test_a_user_is_stored_as_joining_leaves_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def joined(user: User, identity: Identity, now: datetime, tokens_after: datetime | None) -> User:
        return replace(user, name="Joined", tokens_after=after(99))

    first = await upsert(store, "1", email="ann@example.com", email_verified=True)
    monkeypatch.setattr(User, "joined", joined)

    second = await upsert(store, "2", email="ann@example.com", email_verified=True)

    assert second == joined(first, identity_of("2"), NOW, None) == await store.users.get(first.id)


async def test_a_user_who_may_not_claim_records_takes_none_over(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = await store.devices.get_or_create(
        "phone-1", Platform.WEB, guest_user_id=new_id(), guest_owner_id="guest-1", now=NOW
    )
    user = await upsert(store, "1")

    async def claim() -> bool:
        return await store.devices.claim_guest(
            device.id, owner_id="guest-1", new_owner_id="guest-2", user_id=user.id
        )

    with monkeypatch.context() as changed:
        changed.setattr(User, "may_claim_records", False)
        assert not await claim()
    assert await claim()


async def test_which_account_keeps_an_email_and_which_a_password_signs_in_to_is_the_domains_to_say(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def account(**fields: Any) -> LocalAccount:
        values: dict[str, Any] = {
            "subject": new_id(),
            "name": "Ann",
            "created_at": NOW,
            "updated_at": NOW,
            **fields,
        }
        return LocalAccount(email="ann@example.org", **values)

    squatter, owner = account(password_hash="h"), account(email_verified=True)
    assert await store.local_accounts.create(squatter)
    with monkeypatch.context() as changed:
        changed.setattr(LocalAccount, "keeps_out", lambda known, new: True)
        assert not await store.local_accounts.create(owner)
    assert await store.local_accounts.create(owner)
    monkeypatch.setattr(LocalAccount, "sign_in_order", property(lambda known: not known.email_verified))
    assert await store.local_accounts.find_by_email("ann@example.org") == owner


# Signing in


async def test_a_changed_count_of_wrong_codes_is_followed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = OtpCode(phone="+49301", device_id="phone-1", code_hash="right", sent_at=NOW, expires_at=after(300))
    await store.otp_codes.replace_code(code)
    monkeypatch.setattr(OtpCode, "tried_wrong", lambda code: replace(code, wrong_tries=code.wrong_tries + 3))
    with pytest.raises(OtpInvalid):
        await store.otp_codes.consume_otp("+49301", "phone-1", "wrong", NOW)
    kept = await store.otp_codes.get("+49301", "phone-1")
    assert kept == replace(code, wrong_tries=3)


@pytest.mark.parametrize(
    "outcome", [RotationOutcome.ROTATED, RotationOutcome.EXPIRED, RotationOutcome.REUSED]
)
async def test_a_changed_rule_of_refresh_tokens_is_followed(
    store: Store, monkeypatch: pytest.MonkeyPatch, outcome: RotationOutcome
) -> None:
    async def rotate(token: str) -> RotationOutcome:
        return (
            await store.refresh_tokens.rotate(
                token, new_hash="two", now=NOW, expires_at=after(60), grace_seconds=0
            )
        ).outcome

    await store.refresh_tokens.start_family(
        "one", family_id=new_id(), subject="ann", now=NOW, expires_at=after(60), ends_at=after(60)
    )
    with monkeypatch.context() as changed:
        changed.setattr(RefreshToken, "present", lambda token, now, grace_seconds: outcome)
        assert await rotate("one") is outcome
    follows = {
        RotationOutcome.EXPIRED: RotationOutcome.ROTATED,
        RotationOutcome.ROTATED: RotationOutcome.REUSED,
    }
    assert await rotate("one") is follows.get(outcome, RotationOutcome.UNKNOWN)


async def test_a_changed_lock_of_failed_sign_ins_is_followed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = FailedSignIns(failures=7, locked_until=after(30), expires_at=after(60))
    monkeypatch.setattr(FailedSignIns, "one_more", lambda known, now, failures_max: locked)
    assert await store.sign_in_failures.admit("ann", NOW) == 0
    assert await store.sign_in_failures.admit("ann", after(1)) == 29


# What is kept


async def test_a_changed_rule_of_conversations_is_followed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changed(before: Conversation, changes: ConversationChanges, now: datetime) -> Conversation:
        return replace(before, title="ÄNDERUNG", tags=("kept",), updated_at=after(9))

    conversation = conversation_of("owner-1")
    await store.messages.begin_turn(*turn_of(conversation.id), conversation)
    before = await store.conversations.get(conversation.id)
    assert before is not None
    monkeypatch.setattr(Conversation, "changed", changed)

    after_it = await store.conversations.update(conversation.id, ConversationChanges(pinned=True), NOW)

    assert after_it == changed(before, ConversationChanges(), NOW)
    assert await store.conversations.get(conversation.id) == after_it


async def test_a_changed_rule_of_quote_images_is_followed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changed(before: QuoteImage, changes: QuoteImageChanges, now: datetime) -> QuoteImage:
        return replace(before, image_url=None, image_key="kept", quote_text="Said", updated_at=after(9))

    image = embed_of()
    await store.quote_images.add([image])
    monkeypatch.setattr(QuoteImage, "changed", changed)

    assert await store.quote_images.update(image.id, QuoteImageChanges(clear_quote=True), NOW) == image

    edition = await store.quote_images.edition()
    assert list(edition.quote_images) == [changed(image, QuoteImageChanges(), NOW)]
