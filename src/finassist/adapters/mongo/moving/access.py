"""Records of signing in, and idempotency keys, whose documents are put together differently."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final

from bson import ObjectId
from pymongo import DeleteMany, InsertOne

from finassist.adapters.mongo.auth.documents import TicketDocument, TokenFamilyDocument
from finassist.adapters.mongo.auth.sessions import session_from
from finassist.adapters.mongo.chat.limit_documents import IdempotencyKeyDocument
from finassist.adapters.mongo.engine.pages import Stored
from finassist.adapters.mongo.moving.collections import Collection, Database, from_ms, to_ms
from finassist.application.operations.moving.kinds import BY_NAME
from finassist.application.operations.moving.stores import Fields, Key, Record, in_order

_PAIRS: Final = 500


class _Sessions(Collection):
    """A session and its refresh tokens are a token family."""

    __slots__ = ()

    def fields(self, stored: Mapping[str, Any]) -> dict[str, Any]:
        session = session_from(stored)
        uses = {each["hash"]: to_ms(each["at"]) for each in stored.get("uses", ())}
        tokens = (
            [each["hash"], to_ms(each["expires_at"]), uses.get(each["hash"])] for each in stored["tokens"]
        )
        return {
            "id": session.id,
            "subject": session.subject,
            "created_at": to_ms(session.created_at),
            "last_seen_at": to_ms(session.last_seen_at),
            "ends_at": to_ms(session.ends_at),
            "expires_at": to_ms(stored["expires_at"]),
            "devices": [[each.id, each.platform and each.platform.value] for each in session.devices],
            "tokens": in_order(tokens),
        }

    def document(self, fields: Fields) -> Stored:
        # The newest come last: a family keeps its newest thousand.
        tokens = sorted(fields["tokens"], key=lambda token: token[1])
        used = sorted((token for token in tokens if token[2] is not None), key=lambda token: token[2])
        devices = [
            {"id": device_id} | ({} if platform is None else {"platform": platform})
            for device_id, platform in fields["devices"]
        ]
        parts = {
            "devices": devices,
            "tokens": [{"hash": hashed, "expires_at": from_ms(until)} for hashed, until, _ in tokens],
            "uses": [{"hash": hashed, "at": from_ms(at)} for hashed, _, at in used],
        }
        return {**Collection.document(self, {**fields, "devices": None, "tokens": None}), **parts}


class _Tickets(Collection):
    """A ticket's ``_id`` is its kind and its hash."""

    __slots__ = ()

    def fields(self, stored: Mapping[str, Any]) -> dict[str, Any]:
        kind, hashed = self.key_of_note(stored)
        expires_at = to_ms(stored["expires_at"])
        return {"kind": kind, "hash": hashed, "content": stored["content"], "expires_at": expires_at}

    def document(self, fields: Fields) -> Stored:
        expires_at = from_ms(fields["expires_at"])
        identifier = f"{fields['kind']}:{fields['hash']}"
        return {"_id": identifier, "content": fields["content"], "expires_at": expires_at}

    def key_of_note(self, note: Mapping[str, Any]) -> Key:
        kind, _, hashed = str(note["_id"]).partition(":")
        return kind, hashed

    def where(self, keys: Sequence[Key]) -> dict[str, Any]:
        return {"_id": {"$in": [f"{kind}:{hashed}" for kind, hashed in keys]}}


class _IdempotencyKeys(Collection):
    """A key's ``_id`` has no meaning: it is found by its owner and its text."""

    __slots__ = ()

    def id_of(self, text: str) -> Any:
        return ObjectId(text)

    def key_of_note(self, note: Mapping[str, Any]) -> Key:
        return str(note["owner"]), str(note["key"])

    def where(self, keys: Sequence[Key]) -> dict[str, Any]:
        return {"$or": [{"owner": owner, "key": key} for owner, key in keys] or [{"_id": None}]}

    async def find(self, database: Database, keys: Sequence[Key]) -> Sequence[Stored]:
        found: list[Stored] = []
        left = iter(keys)
        while some := list(islice(left, _PAIRS)):
            found += await self._in(database).find(self.where(some)).to_list()
        return found

    async def write(self, database: Database, records: Sequence[Record]) -> None:
        if records:
            old = DeleteMany(self.where([record.key for record in records]))
            new = (InsertOne(self.document(record.fields)) for record in records)
            await self._in(database).bulk_write([old, *new], ordered=True)


Sessions: Final = _Sessions(
    BY_NAME["sessions"],
    TokenFamilyDocument.Settings,
    identity="id",
    dropped={"uses": "when a token was used is beside the token"},
)
Tickets: Final = _Tickets(BY_NAME["tickets"], TicketDocument.Settings)
IdempotencyKeys: Final = _IdempotencyKeys(BY_NAME["idempotency_keys"], IdempotencyKeyDocument.Settings)
