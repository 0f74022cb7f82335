"""What is counted of shares in MongoDB: views and continuations."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from finassist.adapters.mongo.chat.documents import ConversationDocument
from finassist.adapters.mongo.engine.pages import aggregate
from finassist.adapters.mongo.shares.documents import ShareDocument, ShareTallyDocument
from finassist.domain.shares import Share


async def counted(found: Sequence[Mapping[str, Any]]) -> Sequence[Share]:
    """The shares, with their views and continuations."""
    share_ids = [stored["share_id"] for stored in found]
    tallies, continuations = await asyncio.gather(tallies_of(share_ids), _continuations(share_ids))
    return [
        ShareDocument.entity_of(
            stored,
            continuation_count=continuations.get(stored["share_id"], 0),
            **tallies.get(stored["share_id"], {}),
        )
        for stored in found
    ]


async def tallies_of(share_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Views of each share, by the names of the share's fields; none of a share that nobody saw."""
    groups = await aggregate(
        ShareTallyDocument,
        {"$match": {"share_id": {"$in": list(share_ids)}}},
        {"$group": {"_id": "$share_id", "n": {"$sum": "$views"}, "last": {"$max": "$last_viewed_at"}}},
    )
    return {group["_id"]: {"view_count": group["n"], "last_viewed_at": group["last"]} for group in groups}


async def _continuations(share_ids: Sequence[str]) -> dict[str, int]:
    groups = await aggregate(
        ConversationDocument,
        {"$match": {"forked_from_share_id": {"$in": list(share_ids)}}},
        {"$group": {"_id": "$forked_from_share_id", "n": {"$sum": 1}}},
    )
    return {group["_id"]: group["n"] for group in groups}
