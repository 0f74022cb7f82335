"""Users, devices and callers (contract section 2)."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from finassist.domain.errors import Forbidden
from finassist.domain.users import (
    LANGUAGE_PATTERN,
    Caller,
    Device,
    Identity,
    Platform,
    User,
    is_reserved_email,
)

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

USER = User(id="a" * 24, is_guest=False, auth_provider="local", name="Ann", created_at=NOW, updated_at=NOW)
DEVICE = Device(
    id="phone-1",
    platform=Platform.IOS,
    guest_user_id="b" * 24,
    guest_owner_id="c" * 24,
    created_at=NOW,
    last_seen_at=NOW,
)
IDENTITY = Identity(
    issuer="local", subject="ann", provider="local", issued_at=NOW, expires_at=NOW + timedelta(hours=1)
)


# Users


def test_a_user_without_email_and_phone_needs_onboarding() -> None:
    assert USER.needs_onboarding


@pytest.mark.parametrize("field", ["email", "phone", "claimed_email", "claimed_phone"])
def test_an_email_or_phone_ends_onboarding_claimed_ones_included(field: str) -> None:
    changes: dict[str, Any] = {field: "x"}
    assert not replace(USER, **changes).needs_onboarding


@pytest.mark.parametrize(("email", "phone"), [(False, False), (True, False), (False, True), (True, True)])
def test_a_user_is_verified_by_email_or_phone(email: bool, phone: bool) -> None:
    assert replace(USER, email_verified=email, phone_verified=phone).is_verified is (email or phone)


def test_a_claimed_email_verifies_nothing() -> None:
    assert not replace(USER, claimed_email="ann@example.org").is_verified


def test_a_user_owns_what_it_took_over_from_guests() -> None:
    assert USER.owner_ids == (USER.id,)
    assert replace(USER, claimed_owner_ids=("x", "y")).owner_ids == (USER.id, "x", "y")


@pytest.mark.parametrize(
    "tag", ["en", "de-AT", "zh-Hant-TW", "sl-rozaj-biske", "de-1996", "es-419", "en-a-bbb-x-c", "tlh"]
)
def test_a_language_is_a_tag_of_bcp_47(tag: str) -> None:
    assert re.search(LANGUAGE_PATTERN, tag)


@pytest.mark.parametrize(
    "tag", ["", "e", "english language", "en_US", "en-", "-en", "en\n", "en-US-", "12", "en--US"]
)
def test_other_texts_are_no_language(tag: str) -> None:
    assert not re.search(LANGUAGE_PATTERN, tag)


# Devices


def test_a_device_without_a_bound_user_has_no_session() -> None:
    assert not DEVICE.session_exists
    assert not DEVICE.refresh_allowed(NOW)


@pytest.mark.parametrize(
    ("unseen", "allowed"),
    [
        (timedelta(0), True),
        (timedelta(days=30), True),
        (timedelta(days=30, milliseconds=1), False),
        (timedelta(days=365), False),
    ],
)
def test_a_bound_device_may_refresh_when_it_was_seen_within_30_days(unseen: timedelta, allowed: bool) -> None:
    device = replace(DEVICE, bound_user_id=USER.id, bound_at=NOW)

    assert device.session_exists
    assert device.refresh_allowed(NOW + unseen) is allowed


def test_a_hint_makes_no_session() -> None:
    assert not replace(DEVICE, hinted_user_id=USER.id).session_exists


# Callers


def test_the_time_of_the_sign_in_counts_and_not_that_of_the_token() -> None:
    signed_in = replace(IDENTITY, authenticated_at=NOW - timedelta(days=1))

    assert Caller.registered(USER, None, signed_in).signed_in_at == NOW - timedelta(days=1)


def test_a_registered_caller_owns_its_own_and_what_it_took_over() -> None:
    caller = Caller.registered(replace(USER, claimed_owner_ids=("x",)), "phone-1", IDENTITY)

    assert (caller.user_id, caller.owner_id, caller.owner_ids) == (USER.id, USER.id, (USER.id, "x"))
    assert (caller.kind, caller.is_guest, caller.device_id) == ("registered", False, "phone-1")
    assert caller.signed_in_at == IDENTITY.issued_at


def test_a_guest_caller_owns_what_the_guest_of_its_device_makes_now() -> None:
    caller = Caller.guest(replace(DEVICE, bound_user_id=USER.id, hinted_user_id=USER.id))

    assert (caller.user_id, caller.owner_id) == (DEVICE.guest_user_id, DEVICE.guest_owner_id)
    assert caller.owner_ids == (DEVICE.guest_owner_id,)
    assert (caller.kind, caller.is_guest, caller.device_id) == ("guest", True, DEVICE.id)
    assert caller.signed_in_at is None


def test_a_caller_may_touch_only_what_it_owns() -> None:
    caller = Caller.registered(replace(USER, claimed_owner_ids=("x",)), None)

    caller.require_owner(USER.id)
    caller.require_owner("x")
    for foreign in ("y", DEVICE.guest_owner_id, ""):
        with pytest.raises(Forbidden):
            caller.require_owner(foreign)


def test_a_guest_does_not_own_by_its_user_id() -> None:
    with pytest.raises(Forbidden):
        Caller.guest(DEVICE).require_owner(DEVICE.guest_user_id)


# Emails


@pytest.mark.parametrize("email", ["4915112345678@phone.invalid", "ann@PHONE.Invalid", "a@b@phone.invalid"])
def test_the_domain_of_phone_only_users_is_reserved(email: str) -> None:
    assert is_reserved_email(email)


@pytest.mark.parametrize(
    "email", ["ann@example.org", "phone.invalid@example.org", "a@b.phone.invalid", "", "@"]
)
def test_other_domains_are_not_reserved(email: str) -> None:
    assert not is_reserved_email(email)


# Users who turn out to be one


def verified(user_id: str, **fields: Any) -> User:
    values = {"email": "ann@example.org", "email_verified": True, **fields}
    return replace(USER, id=user_id, **values)


NEWLY_VERIFIED = replace(IDENTITY, email="Ann@example.org", email_verified=True)


def test_who_verifies_an_email_later_yields_to_the_one_who_did_first() -> None:
    later = verified("a" * 24, email_verified=False)

    assert later.yields_to(verified("b" * 24), NEWLY_VERIFIED)
    assert not later.yields_to(verified("b" * 24, email_verified=False), NEWLY_VERIFIED)
    assert not later.yields_to(verified("b" * 24), replace(NEWLY_VERIFIED, email_verified=False))
    assert not later.yields_to(verified("b" * 24, email="ben@example.org"), NEWLY_VERIFIED)


def test_of_two_who_verified_an_email_the_older_user_stays() -> None:
    older, younger = verified("a" * 24), verified("b" * 24)

    assert younger.yields_to(older, NEWLY_VERIFIED)
    assert not older.yields_to(younger, NEWLY_VERIFIED)
    assert not older.yields_to(older, NEWLY_VERIFIED)


def test_a_user_who_takes_over_another_owns_all_records_once_and_refuses_the_tokens_of_both() -> None:
    first = verified("a" * 24, claimed_owner_ids=("x",), tokens_after=NOW)
    second = verified("b" * 24, claimed_owner_ids=("x", "y"), tokens_after=NOW + timedelta(days=1))

    taking = first.taking_over(second, NOW)

    assert taking.claimed_owner_ids == ("x", second.id, "y")
    assert taking.tokens_after == NOW + timedelta(days=1)
