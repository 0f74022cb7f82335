"""Accounts of the built-in identity provider in MongoDB."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pymongo.errors import DuplicateKeyError

from finassist.adapters.mongo.auth.documents import AccountDocument
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.documents import folded
from finassist.adapters.mongo.engine.updates import insert_unless_there, update_one
from finassist.domain.auth.local_accounts import LocalAccount


@dataclass(frozen=True, slots=True)
class MongoLocalAccounts:
    """``LocalAccountRepository`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def get(self, subject: str) -> LocalAccount | None:
        return await _one({"_id": subject})

    @database_call
    async def find_by_email(self, email: str) -> LocalAccount | None:
        found = await AccountDocument.find({"email_folded": folded(email)}).to_list()
        found.sort(key=lambda account: (account.password_hash is None, account.email_verified))
        return found[0].to_domain() if found else None

    @database_call
    async def find_by_verified_email(self, email: str) -> LocalAccount | None:
        return await _one({"verified_email": folded(email)})

    @database_call
    async def find_by_phone(self, phone: str) -> LocalAccount | None:
        return await _one({"phone": phone})

    @database_call
    async def find_by_social(self, issuer: str, subject: str) -> LocalAccount | None:
        return await _one({"social": {"issuer": issuer, "subject": subject}})

    @database_call
    async def create(self, account: LocalAccount) -> bool:
        document = AccountDocument.of(account)
        if document.unverified_email is not None and await _one({"email_folded": document.email_folded}):
            return False
        return await insert_unless_there(document)

    @database_call
    async def link_social(self, subject: str, social_issuer: str, social_subject: str) -> str:
        key = {"issuer": social_issuer, "subject": social_subject}
        try:
            await update_one(AccountDocument, {"_id": subject}, {"$addToSet": {"social": key}})
        except DuplicateKeyError:
            linked = await _one({"social": key})
            if linked is not None:
                return linked.subject
        return subject

    @database_call
    async def set_password(self, subject: str, password_hash: str, now: datetime) -> None:
        change = {"password_hash": password_hash, "updated_at": now}
        await update_one(AccountDocument, {"_id": subject}, {"$set": change})


async def _one(where: Mapping[str, Any]) -> LocalAccount | None:
    found = await AccountDocument.find_one(where)
    return None if found is None else found.to_domain()
