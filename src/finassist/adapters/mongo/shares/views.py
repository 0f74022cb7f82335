"""Views of shares, counted in MongoDB.

Each viewer has a document, and one guarded update of it decides whether a view counts: these documents are
authoritative. Lists read tallies instead: the viewers of a share are divided into slots, and after each
counted view the tally of the viewer's slot is recomputed. So no document is written by every viewer, the
views of a popular share are not summed up for every reader, and a tally that a crash left outdated is
corrected by the next view in its slot.
"""

from datetime import datetime
from typing import Any, Final

from finassist.adapters.mongo.engine.pages import aggregate
from finassist.adapters.mongo.engine.updates import insert_unless_there, update_one
from finassist.adapters.mongo.shares.documents import DayOfViewer, ShareTallyDocument, ShareViewerDocument
from finassist.domain.shares import ShareViews, ViewsOfDay, is_new_view

_SLOT_DIGITS: Final = 2
"""Of the viewer's hash: 256 slots."""

_SUMS: Final = {
    "$group": {
        "_id": None,
        "views": {"$sum": "$views"},
        "viewers": {"$sum": 1},
        "last": {"$max": "$counted_at"},
    }
}


def slot_of(viewer: str) -> int:
    """The slot whose tally counts the viewer."""
    return int(viewer[:_SLOT_DIGITS], 16)


async def count_view(share_id: str, viewer: str, now: datetime) -> bool:
    """Count the view unless the viewer was counted lately; then bring the slot's tally up to date."""
    slot = slot_of(viewer)
    if not await _note_viewer(share_id, viewer, slot, now):
        return False
    await _tally(share_id, slot)
    return True


async def views_of(share_id: str) -> ShareViews:
    """How the share was viewed, from its viewers."""
    of_share = {"$match": {"share_id": share_id}}
    totals = await aggregate(ShareViewerDocument, of_share, _SUMS)
    by_date = {"_id": "$days.date", "views": {"$sum": "$days.views"}, "viewers": {"$sum": 1}}
    days = await aggregate(
        ShareViewerDocument, of_share, {"$unwind": "$days"}, {"$group": by_date}, {"$sort": {"_id": 1}}
    )
    if not totals:
        return ShareViews()
    return ShareViews(
        total_views=totals[0]["views"],
        unique_viewers=totals[0]["viewers"],
        last_viewed_at=totals[0]["last"],
        by_day=tuple(
            ViewsOfDay(date=day["_id"], views=day["views"], unique_viewers=day["viewers"]) for day in days
        ),
    )


async def _note_viewer(share_id: str, viewer: str, slot: int, now: datetime) -> bool:
    identifier, today = f"{share_id}:{viewer}", now.date().isoformat()
    while True:
        found = await ShareViewerDocument.find_one({"_id": identifier})
        if found is None:
            first = ShareViewerDocument(
                id=identifier,
                share_id=share_id,
                slot=slot,
                views=1,
                counted_at=now,
                days=(DayOfViewer(date=today, views=1),),
            )
            if await insert_unless_there(first):
                return True
            continue
        if not is_new_view(found.counted_at, now):
            return False
        again = {"_id": identifier, "counted_at": found.counted_at}
        counted: dict[str, Any] = {"$set": {"counted_at": now}, "$inc": {"views": 1}}
        one_more = {**counted, "$inc": {"views": 1, "days.$.views": 1}}
        a_new_day = {**counted, "$push": {"days": {"date": today, "views": 1}}}
        if await update_one(ShareViewerDocument, {**again, "days.date": today}, one_more):
            return True
        if await update_one(ShareViewerDocument, {**again, "days.date": {"$ne": today}}, a_new_day):
            return True


async def _tally(share_id: str, slot: int) -> None:
    of_slot = {"$match": {"share_id": share_id, "slot": slot}}
    found = await aggregate(ShareViewerDocument, of_slot, _SUMS)
    if not found:  # the share was erased meanwhile, with its viewers
        return
    [counted] = found
    identifier = f"{share_id}:{slot}"
    # Views only ever grow, so of two that count at once the larger number is right.
    grown = {"$max": {"views": counted["views"], "last_viewed_at": counted["last"]}}
    while not await update_one(ShareTallyDocument, {"_id": identifier}, grown):
        tally = ShareTallyDocument(
            id=identifier, share_id=share_id, views=counted["views"], last_viewed_at=counted["last"]
        )
        if await insert_unless_there(tally):
            return
