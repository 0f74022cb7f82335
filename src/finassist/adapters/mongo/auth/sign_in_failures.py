"""Failed sign-ins in MongoDB, one document per account and address."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from finassist.adapters.mongo.auth.documents import SignInFailuresDocument
from finassist.adapters.mongo.engine.batches import delete_expired
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.updates import insert_unless_there, update_one
from finassist.domain.auth.local_accounts import FAILURES_MAX, FailedSignIns


@dataclass(frozen=True, slots=True)
class MongoSignInFailures:
    """``SignInFailures`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def admit(self, key: str, now: datetime, *, failures_max: int = FAILURES_MAX) -> int:
        while True:
            document = await SignInFailuresDocument.find_one({"_id": key})
            known = None if document is None else _failed(document)
            if known is not None and (seconds := known.seconds_locked(now)):
                return seconds
            counted = asdict(FailedSignIns.one_more(known, now, failures_max))
            if known is None:
                is_counted = await insert_unless_there(SignInFailuresDocument(id=key, **counted))
            else:
                is_counted = await _replace(key, known, counted)
            if is_counted:
                return 0

    @database_call
    async def take_back(self, key: str, now: datetime) -> None:
        while True:
            document = await SignInFailuresDocument.find_one({"_id": key})
            if document is None:
                return
            known = _failed(document)
            if await _replace(key, known, asdict(known.one_less(now))):
                return

    @database_call
    async def clear(self, key: str) -> None:
        await SignInFailuresDocument.find_one({"_id": key}).delete()

    async def delete_expired(self, now: datetime) -> int:
        return await delete_expired(self.database, SignInFailuresDocument, now)


async def _replace(key: str, known: FailedSignIns, changed: Mapping[str, Any]) -> bool:
    """Only as it was read: of many parallel attempts each counts on top of another."""
    guard = {"_id": key, "failures": known.failures, "expires_at": known.expires_at}
    return await update_one(SignInFailuresDocument, guard, {"$set": changed})


def _failed(document: SignInFailuresDocument) -> FailedSignIns:
    return FailedSignIns(
        failures=document.failures, locked_until=document.locked_until, expires_at=document.expires_at
    )
