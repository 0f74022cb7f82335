"""Users and devices. What is on its way from a device's guest to a user counts as arrived, and a user who
became another one has given its identities to that one."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from finassist.adapters.mongo.engine.documents import folded
from finassist.adapters.mongo.engine.pages import Stored
from finassist.adapters.mongo.moving.collections import Collection, Database
from finassist.adapters.mongo.users.documents import DeviceDocument, UserDocument
from finassist.application.operations.moving.kinds import BY_NAME
from finassist.application.operations.moving.stores import Fields, Key, Record, in_order

_PREFERENCES: Final[Mapping[str, Any]] = {"language": "en", "theme": "system", "notifications": True}


def _one_of(ids: Sequence[Any]) -> Mapping[str, Any]:
    """What finds any of these. The bounds exclude none of them: a server that has to compare every document
    compares most of them with two values instead of with hundreds."""
    return {"$gte": min(ids), "$lte": max(ids), "$in": ids} if ids else {"$in": ids}


class _Users(Collection):
    __slots__ = ()

    async def records(self, database: Database, found: Sequence[Stored]) -> Sequence[Record]:
        ids = [stored["_id"] for stored in found]
        joined: dict[Any, list[Any]] = defaultdict(list)
        async for other in database["users"].find(
            {"joined_into": _one_of(ids)}, {"joined_into": 1, "identities": 1}
        ):
            joined[other["joined_into"]] += other.get("identities") or ()
        claimed: dict[Any, list[str]] = defaultdict(list)
        async for device in database["devices"].find({"claims.user_id": _one_of(ids)}, {"claims": 1}):
            for claim in device["claims"]:
                claimed[claim["user_id"]].append(claim["owner_id"])
        return [self._record(self._whole(each, joined[each["_id"]], claimed[each["_id"]])) for each in found]

    def fields(self, stored: Mapping[str, Any]) -> dict[str, Any]:
        preferences = {**_PREFERENCES, **stored.get("preferences", {})}
        fields = Collection.fields(self, {**stored, "identities": None})
        return {**fields, **{name: preferences[name] for name in _PREFERENCES}}

    def document(self, fields: Fields) -> Stored:
        identities = [{"issuer": issuer, "subject": subject} for issuer, subject in fields["identities"]]
        document = Collection.document(self, {**fields, "identities": identities or None})
        document["preferences"] = {name: document.pop(name) for name in _PREFERENCES}
        if fields["email"] is not None:
            document["email_folded"] = folded(fields["email"])
        return document

    def touches(self, stored: Stored) -> Iterable[tuple[str, Key]]:
        yield "users", (str(stored["_id"]),)
        if stored.get("joined_into") is not None:
            yield "users", (str(stored["joined_into"]),)

    def _whole(self, stored: Stored, joined: Sequence[Any], claimed: Sequence[str]) -> dict[str, Any]:
        fields = self.fields(stored)
        is_joined = fields["joined_into"] is not None
        own = () if is_joined else [*(stored.get("identities") or ()), *joined]
        fields["identities"] = in_order([each["issuer"], each["subject"]] for each in own)
        if claimed and not is_joined and not fields["is_guest"]:
            fields["claimed_owner_ids"] = list(dict.fromkeys([*fields["claimed_owner_ids"], *claimed]))
        return fields


class _Devices(Collection):
    __slots__ = ()

    async def records(self, database: Database, found: Sequence[Stored]) -> Sequence[Record]:
        claims = [claim for stored in found for claim in stored.get("claims", ())]
        there: set[Any] = set()
        if claims:
            where = {
                "_id": {"$in": [claim["user_id"] for claim in claims]},
                "is_guest": False,
                "joined_into": None,
            }
            there = {each["_id"] async for each in database["users"].find(where, {"_id": 1})}
        records = []
        for stored in found:
            fields = self.fields(stored)
            for claim in stored.get("claims", ()):
                if claim["user_id"] not in there:  # the records stay the guest's
                    fields["guest_owner_id"] = claim["owner_id"]
            records.append(self._record(fields))
        return records

    def touches(self, stored: Stored) -> Iterable[tuple[str, Key]]:
        yield "devices", (str(stored["_id"]),)
        for claim in stored.get("claims", ()):
            yield "users", (str(claim["user_id"]),)


USERS: Final = _Users(
    BY_NAME["users"],
    UserDocument.Settings,
    identity="id",
    dropped={
        "preferences": "their fields are the user's",
        "email_folded": "folded from email",
        "signup_email": "guards parallel sign-ups that make a new user; others are found by email_folded",
    },
)
DEVICES: Final = _Devices(
    BY_NAME["devices"],
    DeviceDocument.Settings,
    identity="id",
    dropped={"claims": "count as arrived at their user"},
)
