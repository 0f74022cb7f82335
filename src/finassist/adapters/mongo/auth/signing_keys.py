"""Signing keys of the built-in identity provider in MongoDB, numbered as they were made."""

from collections.abc import Sequence
from dataclasses import dataclass

from finassist.adapters.mongo.auth.documents import SigningKeyDocument
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.updates import insert_unless_there
from finassist.application.ports.auth import StoredKey

_FIRST = 1


@dataclass(frozen=True, slots=True)
class MongoSigningKeys:
    """``SigningKeyRepository`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def list(self) -> Sequence[StoredKey]:
        found = await SigningKeyDocument.find_all().sort("number").to_list()
        return [StoredKey(kid=key.id, pem=key.pem, created_at=key.created_at) for key in found]

    @database_call
    async def add_first(self, key: StoredKey) -> bool:
        return await insert_unless_there(_document(key, _FIRST))

    @database_call
    async def add(self, key: StoredKey) -> None:
        is_stored = False
        while not is_stored:  # another process may take the number first
            newest = await SigningKeyDocument.find_all().sort("-number").limit(1).to_list()
            number = newest[0].number + 1 if newest else _FIRST
            is_stored = await insert_unless_there(_document(key, number))

    @database_call
    async def remove(self, kid: str) -> None:
        await SigningKeyDocument.find_one({"_id": kid}).delete()


def _document(key: StoredKey, number: int) -> SigningKeyDocument:
    return SigningKeyDocument(id=key.kid, number=number, pem=key.pem, created_at=key.created_at)
