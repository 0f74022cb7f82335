"""Addresses that the right passwords came from, in MongoDB."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from finassist.adapters.mongo.auth.documents import AccountDocument, SignInAddressDocument
from finassist.adapters.mongo.engine.batches import delete_expired
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.domain.auth.local_accounts import LOCAL_ISSUER
from finassist.domain.auth.sign_in_limits import SignInAddress
from finassist.domain.erasure import ProviderIdentity


@dataclass(frozen=True, slots=True)
class MongoSignInAddresses:
    """``SignInAddressRepository`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def get(self, address_hash: str) -> SignInAddress | None:
        found = await SignInAddressDocument.find_one({"_id": address_hash})
        return None if found is None else found.to_domain()

    @database_call
    async def note(self, address: SignInAddress) -> None:
        identity, collection = address.identity, SignInAddressDocument.get_pymongo_collection()
        seen = {
            "issuer": identity.issuer,
            "subject": identity.subject,
            "last_seen_at": address.last_seen_at,
            "expires_at": address.expires_at,
        }
        change = {"$set": seen, "$setOnInsert": {"first_seen_at": address.first_seen_at}}
        await collection.update_one({"_id": address.hash}, change, upsert=True)
        # After it was stored: an erasure that ends later finds it, one that ended before is found here.
        if identity.issuer == LOCAL_ISSUER and await AccountDocument.get(identity.subject) is None:
            await collection.delete_one({"_id": address.hash})

    @database_call
    async def list_of(self, identities: Sequence[ProviderIdentity]) -> Sequence[SignInAddress]:
        if not identities:
            return []
        where = {"$or": [{"subject": each.subject, "issuer": each.issuer} for each in identities]}
        found = SignInAddressDocument.find(where).sort("first_seen_at")
        return [document.to_domain() for document in await found.to_list()]

    async def delete_expired(self, now: datetime) -> int:
        return await delete_expired(self.database, SignInAddressDocument, now)
