"""Refresh tokens of the built-in identity provider in MongoDB, one document per family."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from finassist.adapters.mongo.auth.documents import IssuedToken, TokenFamilyDocument
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.updates import delete_expired, update_one
from finassist.application.ports.auth import Rotation
from finassist.domain.auth.refresh_tokens import RefreshToken, RotationOutcome

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
        use = {"uses": _newest({"hash": token_hash, "at": now})}
        while (family := await _family_of(token_hash)) is not None:
            family_id, subject, token = family
            outcome = token.present(now, grace_seconds)
            if outcome is RotationOutcome.REUSED:
                await TokenFamilyDocument.find_one({"_id": family_id}).delete()
            if outcome is not RotationOutcome.ROTATED:
                return Rotation(outcome, subject)
            guard: dict[str, Any] = {"_id": family_id, "tokens.hash": token_hash}
            pushed = issue
            if token.used_at is None:  # the first use is noted by one of many
                guard["uses.hash"] = {"$ne": token_hash}
                pushed = issue | use
            change = {"$push": pushed, "$max": {"expires_at": expires_at}}
            if await update_one(TokenFamilyDocument, guard, change):
                return Rotation(outcome, subject)
        return Rotation(RotationOutcome.UNKNOWN)

    @database_call
    async def revoke_family_of(self, token_hash: str) -> None:
        await TokenFamilyDocument.find_one({"tokens.hash": token_hash}).delete()

    @database_call
    async def revoke_all_of(self, subject: str) -> None:
        await TokenFamilyDocument.find({"subject": subject}).delete()

    @database_call
    async def delete_expired(self, now: datetime) -> int:
        return await delete_expired(TokenFamilyDocument, now)


async def _family_of(token_hash: str) -> tuple[str, str, RefreshToken] | None:
    """The id and the subject of the token's family, and the token itself."""
    of_token = {"$elemMatch": {"hash": token_hash}}
    found = await TokenFamilyDocument.get_pymongo_collection().find_one(
        {"tokens.hash": token_hash}, projection={"subject": True, "tokens": of_token, "uses": of_token}
    )
    if found is None:
        return None
    [issued] = found["tokens"]
    used_at = next((use["at"] for use in found.get("uses", ())), None)
    return found["_id"], found["subject"], RefreshToken(expires_at=issued["expires_at"], used_at=used_at)


def _newest(entry: dict[str, Any]) -> dict[str, Any]:
    return {"$each": [entry], "$slice": -_KEPT}
