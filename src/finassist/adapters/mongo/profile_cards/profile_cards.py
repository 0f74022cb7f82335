"""The answers to profile cards in MongoDB."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from pymongo.errors import DuplicateKeyError

from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.documents import object_id
from finassist.adapters.mongo.engine.updates import find_one_and_update, update_one
from finassist.adapters.mongo.profile_cards.documents import UserProfileDocument
from finassist.domain.profile_cards import ProfileAnswer, UserProfile


@dataclass(frozen=True, slots=True)
class MongoProfileCards:
    """``ProfileCardRepository`` in MongoDB: one document a user, and each answer a field of its own."""

    database: MongoDatabase

    @database_call
    async def get(self, user_id: str) -> UserProfile:
        found = await UserProfileDocument.find_one({"_id": object_id(user_id)})
        return UserProfile(user_id=user_id) if found is None else found.to_domain()

    @database_call
    async def save_answers(
        self, user_id: str, answers: Mapping[str, ProfileAnswer | None], now: datetime
    ) -> UserProfile:
        change: dict[str, Any] = _touched(now)
        for key, answer in answers.items():
            if answer is None:
                change.setdefault("$unset", {})[f"answers.{key}"] = ""
            else:
                change["$set"][f"answers.{key}"] = asdict(answer)
        while (changed := await _upsert({"_id": object_id(user_id)}, change)) is None:
            pass  # another call made the document first
        return changed

    @database_call
    async def begin_session(
        self, user_id: str, *, after_revision: int, shown: Sequence[str], now: datetime
    ) -> bool:
        change = _touched(now)
        change["$set"]["shown"] = list(shown)
        change["$inc"]["session_count"] = 1
        guard: dict[str, Any] = {"_id": object_id(user_id), "revision": after_revision}
        if after_revision == 0:  # nothing is kept yet: the document is made, by one of many
            return await _upsert(guard, change) is not None
        return await update_one(UserProfileDocument, guard, change)


def _touched(now: datetime) -> dict[str, Any]:
    return {"$set": {"updated_at": now}, "$inc": {"revision": 1}}


async def _upsert(guard: Mapping[str, Any], change: Mapping[str, Any]) -> UserProfile | None:
    """Change the document, or make it. None when another call makes it at the same time."""
    try:
        found = await find_one_and_update(UserProfileDocument, guard, change, upsert=True)
    except DuplicateKeyError:
        return None
    return None if found is None else found.to_domain()
