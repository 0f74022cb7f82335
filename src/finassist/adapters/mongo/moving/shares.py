"""Shares, with their viewers. SQLite sums views up by day, where MongoDB keeps the days of each viewer: a
record has what both can tell, the sums and when each viewer was last counted."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Final

from finassist.adapters.mongo.engine.pages import Stored
from finassist.adapters.mongo.moving.collections import Collection, Database, from_ms, replace_all, to_ms
from finassist.adapters.mongo.shares.documents import (
    ShareDocument,
    ShareTallyDocument,
    ShareTextDocument,
    ShareViewerDocument,
)
from finassist.adapters.mongo.shares.views import slot_of
from finassist.application.operations.moving.kinds import BY_NAME
from finassist.application.operations.moving.stores import Fields, Key, Record, in_order

_FIRST_DAY: Final = date(1970, 1, 1)
_DAY_MS: Final = 86_400_000
_COUNTED: Final = ("view_count", "unique_viewers", "last_viewed_at", "days", "viewers")


class _Shares(Collection):
    __slots__ = ()

    async def records(self, database: Database, found: Sequence[Stored]) -> Sequence[Record]:
        of_share: dict[str, list[Stored]] = defaultdict(list)
        where = {"share_id": {"$in": [stored["share_id"] for stored in found]}}
        async for viewer in database[ShareViewerDocument.Settings.name].find(where):
            of_share[viewer["share_id"]].append(viewer)
        return [self._record({**self.fields(each), **_counted(of_share[each["share_id"]])}) for each in found]

    def document(self, fields: Fields) -> Stored:
        return Collection.document(self, {**fields, **dict.fromkeys(_COUNTED)})

    def where(self, keys: Sequence[Key]) -> dict[str, Any]:
        return {"share_id": {"$in": [share_id for (share_id,) in keys]}}

    def key_of_note(self, note: Mapping[str, Any]) -> Key:
        return (str(note["share_id"]),)

    async def write(self, database: Database, records: Sequence[Record]) -> None:
        await Collection.write(self, database, records)
        viewers = [viewer for record in records for viewer in _viewers(record.fields)]
        await self._forget_views(database, [record.key for record in records])
        await replace_all(database, ShareViewerDocument.Settings, viewers)
        await replace_all(database, ShareTallyDocument.Settings, _tallies(viewers))

    async def remove(self, database: Database, keys: Sequence[Key]) -> None:
        await Collection.remove(self, database, keys)
        await self._forget_views(database, keys)

    async def _forget_views(self, database: Database, keys: Sequence[Key]) -> None:
        for settings in (ShareViewerDocument.Settings, ShareTallyDocument.Settings):
            await database[settings.name].delete_many(self.where(keys))


class _ShareTexts(Collection):
    """A text's ``_id`` is the share's and the message's."""

    __slots__ = ()

    def document(self, fields: Fields) -> Stored:
        identifier = f"{fields['share_id']}:{fields['message_id']}"
        return {"_id": identifier, **Collection.document(self, fields)}

    def key_of_note(self, note: Mapping[str, Any]) -> Key:
        share_id, _, message_id = str(note["_id"]).rpartition(":")
        return share_id, message_id

    def where(self, keys: Sequence[Key]) -> dict[str, Any]:
        return {"_id": {"$in": [":".join(key) for key in keys]}}


def _counted(viewers: Sequence[Stored]) -> dict[str, Any]:
    views: Counter[int] = Counter()
    unique: Counter[int] = Counter()
    for viewer in viewers:
        for day in viewer["days"]:
            number = (date.fromisoformat(day["date"]) - _FIRST_DAY).days
            views[number] += day["views"]
            unique[number] += 1
    return {
        "view_count": sum(viewer["views"] for viewer in viewers),
        "unique_viewers": len(viewers),
        "last_viewed_at": max((to_ms(viewer["counted_at"]) for viewer in viewers), default=None),
        "days": in_order([day, views[day], unique[day]] for day in views),
        "viewers": in_order(
            [viewer["_id"].rpartition(":")[2], to_ms(viewer["counted_at"])] for viewer in viewers
        ),
    }


def _viewers(fields: Fields) -> Iterable[Stored]:
    """Documents of viewers that add up to the sums.

    Which viewers came on a day is known of those who came for the last time then. The others are chosen from
    those who came later, and the first of a day has its further views: the sums are the same for any choice.
    """
    last: dict[str, int] = dict(fields["viewers"])
    days: dict[str, list[dict[str, Any]]] = {viewer: [] for viewer in last}
    for day, views, unique in sorted(fields["days"]):
        possible = sorted(
            (viewer for viewer, at in last.items() if at // _DAY_MS >= day),
            key=lambda viewer: (last[viewer], viewer),
        )
        text = (_FIRST_DAY + timedelta(days=day)).isoformat()
        for place, viewer in enumerate(possible[:unique]):
            days[viewer].append({"date": text, "views": views - unique + 1 if place == 0 else 1})
    for viewer, counted_at in last.items():
        yield {
            "_id": f"{fields['share_id']}:{viewer}",
            "share_id": fields["share_id"],
            "slot": slot_of(viewer),
            "views": sum(day["views"] for day in days[viewer]),
            "counted_at": from_ms(counted_at),
            "days": days[viewer],
        }


def _tallies(viewers: Sequence[Stored]) -> Sequence[Stored]:
    tallies: dict[str, Stored] = {}
    for viewer in viewers:
        identifier = f"{viewer['share_id']}:{viewer['slot']}"
        new = {
            "_id": identifier,
            "share_id": viewer["share_id"],
            "views": 0,
            "last_viewed_at": viewer["counted_at"],
        }
        tally = tallies.setdefault(identifier, new)
        tally["views"] += viewer["views"]
        tally["last_viewed_at"] = max(tally["last_viewed_at"], viewer["counted_at"])
    return list(tallies.values())


SHARES: Final = _Shares(
    BY_NAME["shares"], ShareDocument.Settings, identity="id", names={"ends_at": "expires_at"}
)
SHARE_TEXTS: Final = _ShareTexts(BY_NAME["share_texts"], ShareTextDocument.Settings)
