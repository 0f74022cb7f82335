"""Failed sign-ins in MongoDB, one document per account and address."""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from finassist.adapters.mongo.auth.documents import SignInFailuresDocument
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.updates import delete_expired, insert_unless_there, update_one
from finassist.domain.auth.local_accounts import FAILURES_FORGOTTEN_AFTER, lock_seconds


@dataclass(frozen=True, slots=True)
class MongoSignInFailures:
    """``SignInFailures`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def admit(self, key: str, now: datetime) -> int:
        while True:
            known = await SignInFailuresDocument.find_one({"_id": key})
            failures = known.failures if known is not None and known.expires_at > now else 0
            if known is not None and failures and known.locked_until > now:
                return math.ceil((known.locked_until - now).total_seconds())
            counted = SignInFailuresDocument(
                id=key,
                failures=failures + 1,
                locked_until=now + timedelta(seconds=lock_seconds(failures + 1)),
                expires_at=now + FAILURES_FORGOTTEN_AFTER,
            )
            if known is None:
                is_counted = await insert_unless_there(counted)
            else:
                # Only as it was read: of many parallel attempts each counts on top of another.
                guard = {"_id": key, "failures": known.failures, "expires_at": known.expires_at}
                change = counted.model_dump(exclude={"id"})
                is_counted = await update_one(SignInFailuresDocument, guard, {"$set": change})
            if is_counted:
                return 0

    @database_call
    async def clear(self, key: str) -> None:
        await SignInFailuresDocument.find_one({"_id": key}).delete()

    @database_call
    async def delete_expired(self, now: datetime) -> int:
        return await delete_expired(SignInFailuresDocument, now)
