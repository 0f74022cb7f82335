"""The state machine of a share: every state by every verb (spec "Share", contract section 6)."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from finassist.application.shares.owner import expiry
from finassist.domain.errors import Forbidden, InvalidState, NotFound
from finassist.domain.shares import Share, ShareChanges, ShareStatus, ShareUsage
from tables import each_row

MADE = datetime(2026, 3, 1, 12, tzinfo=UTC)
NOW = MADE + timedelta(days=10)
LATER = NOW + timedelta(days=1)

ACTIVE, EXPIRED, REVOKED = ShareStatus


def share(**fields: Any) -> Share:
    values: dict[str, Any] = {
        "id": "1" * 24,
        "share_id": "abcdefgh",
        "user_id": "2" * 24,
        "conversation_id": "3" * 24,
        "message_ids": ("4" * 24,),
        "title": "Bonds",
        "created_at": MADE,
        "updated_at": MADE,
    }
    return Share(**{**values, **fields})


IN_STATE = {
    "active, never expires": (share(), ACTIVE),
    "active, expires later": (share(expires_at=LATER), ACTIVE),
    "expired": (share(expires_at=NOW - timedelta(milliseconds=1)), EXPIRED),
    "expired at this moment": (share(expires_at=NOW), EXPIRED),
    "revoked": (share(revoked_at=MADE), REVOKED),
    "revoked, then expired": (share(revoked_at=MADE, expires_at=NOW), REVOKED),
}
every_state = each_row(("before", "state"), IN_STATE.values())


@every_state
def test_the_state_is_read_off_the_times(before: Share, state: ShareStatus) -> None:
    assert before.status(NOW) is state


@every_state
def test_a_revocation_ends_any_share_once(before: Share, state: ShareStatus) -> None:
    after = before.revoke(NOW)
    assert after.status(NOW) is REVOKED
    assert after.revoke(LATER) == after
    if state is REVOKED:
        assert after is before
    else:
        assert (after.revoked_at, after.updated_at) == (NOW, NOW)


@every_state
@pytest.mark.parametrize(
    "changes",
    [
        ShareChanges(),
        ShareChanges(allow_continuation=False),
        ShareChanges(custom_title="T", custom_description="D"),
    ],
)
def test_a_change_without_an_expiry_leaves_the_state(
    before: Share, state: ShareStatus, changes: ShareChanges
) -> None:
    if state is REVOKED:
        with pytest.raises(InvalidState):
            before.change(changes, NOW)
        return
    after = before.change(changes, NOW)
    assert after.status(NOW) is state
    if changes == ShareChanges():
        assert after is before
    else:
        assert after.updated_at == NOW


@every_state
def test_a_new_expiry_makes_all_but_a_revoked_share_active(before: Share, state: ShareStatus) -> None:
    if state is REVOKED:
        with pytest.raises(InvalidState):
            before.change(ShareChanges(expires_at=LATER), NOW)
        return
    after = before.change(ShareChanges(expires_at=LATER), NOW)
    assert after == replace(before, expires_at=LATER, updated_at=NOW)
    assert after.status(NOW) is ACTIVE
    assert after.status(LATER) is EXPIRED


@every_state
@pytest.mark.parametrize("allowed", [True, False])
def test_only_an_active_share_is_read_and_only_an_open_one_continued(
    before: Share, state: ShareStatus, allowed: bool
) -> None:
    before = replace(before, allow_continuation=allowed)
    if state is not ACTIVE:
        for verb in (before.require_readable, before.require_continuable):
            with pytest.raises(NotFound):
                verb(NOW)
        return
    before.require_readable(NOW)
    if allowed:
        before.require_continuable(NOW)
    else:
        with pytest.raises(Forbidden):
            before.require_continuable(NOW)


def test_a_change_names_what_it_changes_and_nothing_else() -> None:
    before = share(custom_title="Old", expires_at=LATER)
    after = before.change(ShareChanges(custom_description="New"), NOW)
    assert after == replace(before, custom_description="New", updated_at=NOW)


@pytest.mark.parametrize("blank", [None, "", "  ", "\u00a0\n"])
def test_a_blank_custom_title_or_description_is_none(blank: str | None) -> None:
    assert share(custom_title="Mine").shown_title == "Mine"
    assert share(custom_description="Mine").shown_description == "Mine"
    assert share(custom_title=blank).shown_title == "Bonds"
    assert share(custom_description=blank).shown_description is None


def test_days_may_have_a_fraction() -> None:
    assert expiry(None, NOW) is None
    assert expiry(1, NOW) == NOW + timedelta(days=1)
    assert expiry(1.5, NOW) == NOW + timedelta(hours=36)


def test_usage_adds_up() -> None:
    assert ShareUsage(active=1, expired=2, revoked=3).total == 6
