"""Refresh tokens of the built-in identity provider in MongoDB, one document per family."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from finassist.adapters.mongo.auth.documents import IssuedToken, TokenFamilyDocument
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.updates import delete_expired, find_one_and_update
from finassist.application.ports.auth import Rotation, RotationOutcome

_KEPT: Final = 1000
"""Tokens of a family, so that its document stays small; older ones are unknown."""


@dataclass(frozen=True, slots=True)
class MongoRefreshTokens:
    """``RefreshTokenRepository`` in MongoDB. A revoked family is a deleted one."""

    database: MongoDatabase

    @database_call
    async def start_family(
        self, token_hash: str, *, family_id: str, subject: str, now: datetime, expires_at: datetime
    ) -> None:
        token = IssuedToken(hash=token_hash, expires_at=expires_at)
        await TokenFamilyDocument(
            id=family_id, subject=subject, tokens=(token,), expires_at=expires_at
        ).insert()

    @database_call
    async def rotate(
        self, token_hash: str, *, new_hash: str, now: datetime, expires_at: datetime, grace_seconds: int
    ) -> Rotation:
        issue: dict[str, Any] = {"tokens": _newest({"hash": new_hash, "expires_at": expires_at})}
        while True:
            unused = {
                "tokens": {"$elemMatch": {"hash": token_hash, "expires_at": {"$gt": now}}},
                "uses.hash": {"$ne": token_hash},
            }
            use = issue | {"uses": _newest({"hash": token_hash, "at": now})}
            change = {"$push": use, "$max": {"expires_at": expires_at}}
            family = await find_one_and_update(TokenFamilyDocument, unused, change)
            if family is not None:
                return Rotation(RotationOutcome.ROTATED, family.subject)
            family = await TokenFamilyDocument.find_one({"tokens.hash": token_hash})
            if family is None:
                return Rotation(RotationOutcome.UNKNOWN)
            if any(each.hash == token_hash and each.expires_at <= now for each in family.tokens):
                return Rotation(RotationOutcome.EXPIRED, family.subject)
            used_at = next((each.at for each in family.uses if each.hash == token_hash), None)
            if used_at is None:
                continue
            if used_at <= now - timedelta(seconds=grace_seconds):
                await family.delete()
                return Rotation(RotationOutcome.REUSED, family.subject)
            retried = {"$push": issue, "$max": {"expires_at": expires_at}}
            if await find_one_and_update(TokenFamilyDocument, {"_id": family.id}, retried) is not None:
                return Rotation(RotationOutcome.ROTATED, family.subject)

    @database_call
    async def revoke_family_of(self, token_hash: str) -> None:
        await TokenFamilyDocument.find_one({"tokens.hash": token_hash}).delete()

    @database_call
    async def revoke_all_of(self, subject: str) -> None:
        await TokenFamilyDocument.find({"subject": subject}).delete()

    @database_call
    async def delete_expired(self, now: datetime) -> int:
        return await delete_expired(TokenFamilyDocument, now)


def _newest(entry: dict[str, Any]) -> dict[str, Any]:
    return {"$each": [entry], "$slice": -_KEPT}
