"""Refresh tokens of the built-in identity provider in MongoDB, one document per family."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from finassist.adapters.mongo.auth.documents import IssuedToken, TokenFamilyDocument
from finassist.adapters.mongo.auth.sessions import SESSION_FIELDS, session_from
from finassist.adapters.mongo.engine.batches import delete_expired
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.updates import update_one
from finassist.application.ports.auth import Rotation
from finassist.domain.auth.refresh_tokens import RefreshToken, RotationOutcome
from finassist.domain.auth.sessions import AccountSession

_KEPT: Final = 1000
"""Tokens of a family, so that its document stays small; older ones are unknown."""


@dataclass(frozen=True, slots=True)
class MongoRefreshTokens:
    """``RefreshTokenRepository`` in MongoDB. A revoked family is a deleted one."""

    database: MongoDatabase

    @database_call
    async def start_family(
        self,
        token_hash: str,
        *,
        family_id: str,
        subject: str,
        now: datetime,
        expires_at: datetime,
        ends_at: datetime,
    ) -> AccountSession:
        until = min(expires_at, ends_at)
        token = IssuedToken(hash=token_hash, expires_at=until)
        times = {"created_at": now, "last_seen_at": now, "ends_at": ends_at, "expires_at": until}
        await TokenFamilyDocument(id=family_id, subject=subject, tokens=(token,), **times).insert()
        return AccountSession(
            id=family_id, subject=subject, created_at=now, last_seen_at=now, ends_at=ends_at
        )

    @database_call
    async def rotate(
        self, token_hash: str, *, new_hash: str, now: datetime, expires_at: datetime, grace_seconds: int
    ) -> Rotation:
        while (family := await _family_of(token_hash, new_hash)) is not None:
            session, outcome = family.session, family.presented.present(now, grace_seconds)
            if outcome is RotationOutcome.REUSED:
                await TokenFamilyDocument.find_one({"_id": session.id}).delete()
                return Rotation(outcome, session.subject, session)
            if outcome is not RotationOutcome.ROTATED:
                return Rotation(outcome, session.subject)
            until = min(expires_at, session.ends_at)
            guard: dict[str, Any] = {"_id": session.id, "tokens.hash": token_hash}
            pushed: dict[str, Any] = {}
            if not family.knows_successor:
                pushed["tokens"] = _newest({"hash": new_hash, "expires_at": until})
            if family.presented.used_at is None:  # the first use is noted by one of many
                guard["uses.hash"] = {"$ne": token_hash}
                pushed["uses"] = _newest({"hash": token_hash, "at": now})
            change: dict[str, Any] = {"$max": {"expires_at": until, "last_seen_at": now}}
            if await update_one(TokenFamilyDocument, guard, change | ({"$push": pushed} if pushed else {})):
                return Rotation(outcome, session.subject, session)
        return Rotation(RotationOutcome.UNKNOWN)

    @database_call
    async def revoke_all_of(self, subject: str) -> None:
        await TokenFamilyDocument.find({"subject": subject}).delete()

    async def delete_expired(self, now: datetime) -> int:
        return await delete_expired(self.database, TokenFamilyDocument, now)


class _Family(NamedTuple):
    """A session, a token of it that is presented, and whether its successor is stored already."""

    session: AccountSession
    presented: RefreshToken
    knows_successor: bool


async def _family_of(token_hash: str, new_hash: str) -> _Family | None:
    families, of_token = TokenFamilyDocument.get_pymongo_collection(), {"$elemMatch": {"hash": token_hash}}
    found = await families.find_one(
        {"tokens.hash": token_hash}, projection=SESSION_FIELDS | {"tokens": of_token, "uses": of_token}
    )
    if found is None:
        return None
    [issued] = found["tokens"]
    used_at = next((use["at"] for use in found.get("uses", ())), None)
    known = None
    if used_at is not None:
        known = await families.find_one({"_id": found["_id"], "tokens.hash": new_hash}, projection=[])
    presented = RefreshToken(expires_at=issued["expires_at"], used_at=used_at)
    return _Family(session_from(found), presented, known is not None)


def _newest(entry: dict[str, Any]) -> dict[str, Any]:
    return {"$each": [entry], "$slice": -_KEPT}
