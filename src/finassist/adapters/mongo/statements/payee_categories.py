"""What users count payments as, in MongoDB."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.updates import insert_unless_there, update_one
from finassist.adapters.mongo.statements.documents import PayeeCategoriesDocument
from finassist.domain.statements.corrections import Corrections


@dataclass(frozen=True, slots=True)
class MongoPayeeCategories:
    """``PayeeCategoryRepository`` in MongoDB: one document an owner."""

    database: MongoDatabase

    @database_call
    async def list_of(self, owner_ids: Sequence[str]) -> Sequence[Corrections]:
        found = await PayeeCategoriesDocument.find({"_id": {"$in": list(owner_ids)}}).to_list()
        return [document.to_domain() for document in found]

    @database_call
    async def correct(self, owner_id: str, payee: str, category: str | None, now: datetime) -> bool:
        while True:  # until no other call changes the same document in between
            found = await PayeeCategoriesDocument.find_one({"_id": owner_id})
            before = Corrections(owner_id=owner_id) if found is None else found.to_domain()
            after = before.corrected(payee, category, now)
            if after is None or after is before:
                return after is not None
            if found is None:
                if await insert_unless_there(PayeeCategoriesDocument.of(after, now)):
                    return True
                continue
            changed = {"categories": dict(after.categories), "revision": after.revision, "updated_at": now}
            guard = {"_id": owner_id, "revision": before.revision}
            if await update_one(PayeeCategoriesDocument, guard, {"$set": changed}):
                return True
