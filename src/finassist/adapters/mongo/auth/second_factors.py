"""Second factors of the built-in identity provider in MongoDB, and the sign-ins that wait for them."""

from dataclasses import dataclass
from datetime import datetime

from pymongo.errors import DuplicateKeyError

from finassist.adapters.mongo.auth.documents import SecondFactorChallengeDocument, SecondFactorDocument
from finassist.adapters.mongo.engine.batches import delete_expired
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.updates import (
    find_one_and_update,
    update_one,
)
from finassist.domain.auth.second_factor import CHALLENGE_TRIES, SecondFactor


@dataclass(frozen=True, slots=True)
class MongoSecondFactors:
    """``SecondFactorRepository`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def get(self, subject: str) -> SecondFactor | None:
        found = await SecondFactorDocument.find_one({"_id": subject})
        return None if found is None else found.to_domain()

    @database_call
    async def begin(self, factor: SecondFactor) -> bool:
        values = {"secret": factor.secret, "created_at": factor.created_at}
        off = {"_id": factor.subject, "confirmed_at": None}
        begun = {"$set": values, "$setOnInsert": {"recovery_hashes": [], "last_step": 0}}
        try:
            await SecondFactorDocument.get_pymongo_collection().update_one(off, begun, upsert=True)
        except DuplicateKeyError:  # one is on
            return False
        return True

    @database_call
    async def confirm(self, factor: SecondFactor) -> bool:
        off = {"_id": factor.subject, "secret": factor.secret, "confirmed_at": None}
        values = {
            "confirmed_at": factor.confirmed_at,
            "recovery_hashes": list(factor.recovery_hashes),
            "last_step": factor.last_step,
        }
        return await update_one(SecondFactorDocument, off, {"$set": values})

    @database_call
    async def use_step(self, subject: str, step: int) -> bool:
        earlier = {"_id": subject, "last_step": {"$lt": step}}
        return await update_one(SecondFactorDocument, earlier, {"$set": {"last_step": step}})

    @database_call
    async def use_recovery_code(self, subject: str, code_hash: str) -> bool:
        left = {"_id": subject, "recovery_hashes": code_hash}
        return await update_one(SecondFactorDocument, left, {"$pull": {"recovery_hashes": code_hash}})

    @database_call
    async def remove(self, subject: str) -> None:
        await SecondFactorDocument.get_pymongo_collection().delete_one({"_id": subject})


@dataclass(frozen=True, slots=True)
class MongoSecondFactorChallenges:
    """``SecondFactorChallenges`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def add(self, challenge_hash: str, subject: str, expires_at: datetime) -> None:
        await SecondFactorChallengeDocument(
            id=challenge_hash, subject=subject, expires_at=expires_at
        ).insert()

    @database_call
    async def count_try(self, challenge_hash: str, now: datetime) -> str | None:
        alive = {"_id": challenge_hash, "expires_at": {"$gt": now}, "tries": {"$lt": CHALLENGE_TRIES}}
        tried = await find_one_and_update(SecondFactorChallengeDocument, alive, {"$inc": {"tries": 1}})
        return None if tried is None else tried.subject

    @database_call
    async def take(self, challenge_hash: str) -> bool:
        challenges = SecondFactorChallengeDocument.get_pymongo_collection()
        return (await challenges.delete_one({"_id": challenge_hash})).deleted_count == 1

    async def delete_expired(self, now: datetime) -> int:
        return await delete_expired(self.database, SecondFactorChallengeDocument, now)
