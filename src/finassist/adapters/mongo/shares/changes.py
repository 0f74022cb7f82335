"""Storing the results of the verbs of shares, each only over the state that it was decided on."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from pymongo import UpdateOne

from finassist.adapters.mongo.engine.updates import change_of
from finassist.adapters.mongo.shares.documents import ShareDocument
from finassist.domain.shares import Share

_READ: Final = (
    "share_id",
    "allow_continuation",
    "custom_title",
    "custom_description",
    "expires_at",
    "revoked_at",
    "updated_at",
)


def share_change(before: Share, after: Share) -> tuple[dict[str, Any], dict[str, Any]]:
    """The guard and the change that make one share of the other."""
    return change_of(before, after, _READ)


async def find_states(where: Mapping[str, Any]) -> list[Share]:
    """The shares without what no verb reads: their messages, views and continuations."""
    found = ShareDocument.get_pymongo_collection().find(where, projection={"message_ids": False})
    return [
        ShareDocument.entity_of({**stored, "id": stored["_id"], "message_ids": ()}) async for stored in found
    ]


async def revoke_where(where: Mapping[str, Any], now: datetime) -> None:
    """Revoke the shares that are found."""
    while True:
        changes = [
            UpdateOne(*share_change(before, after))
            for before in await find_states(where)
            if (after := before.revoke(now)) != before
        ]
        if not changes:
            return
        # Each only as it was read: what somebody changed in between is looked at again.
        stored = await ShareDocument.get_pymongo_collection().bulk_write(changes, ordered=False)
        if stored.matched_count == len(changes):
            return
