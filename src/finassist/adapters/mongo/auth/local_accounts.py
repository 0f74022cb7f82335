"""Accounts of the built-in identity provider in MongoDB."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
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
        return min(await _with_email(email), key=lambda account: account.sign_in_order, default=None)

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
        known = () if account.email is None else await _with_email(account.email)
        if any(each.keeps_out(account) for each in known):
            return False
        return await insert_unless_there(AccountDocument.of(account))

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
    async def set_password(
        self, subject: str, password_hash: str, now: datetime, *, instead_of: str | None = None
    ) -> None:
        change = {"password_hash": password_hash, "updated_at": now}
        guard = {"_id": subject} | ({} if instead_of is None else {"password_hash": instead_of})
        await update_one(AccountDocument, guard, {"$set": change})

    @database_call
    async def verify_email(self, subject: str, email: str, now: datetime) -> LocalAccount | None:
        while True:
            account = await _one({"_id": subject})
            if account is None or not account.may_verify(email):
                return None
            if account.email_is_proven:
                return account
            unproven = {"_id": subject, "email": account.email, "email_verified": False, "joined_to": None}
            first = await _one({"verified_email": folded(email)})
            verified = account.verified(email, None if first is None else first.subject, now)
            change = _verification(verified)
            with suppress(DuplicateKeyError):  # another account has just verified it
                await update_one(AccountDocument, unproven, change)


def _verification(account: LocalAccount) -> dict[str, Any]:
    """The change that verifying its email has made of an account."""
    if account.joined_to is not None:
        return {"$set": {"joined_to": account.joined_to, "updated_at": account.updated_at}}
    address = folded(account.email)
    verified = {
        "email": account.email,
        "email_folded": address,
        "email_verified": True,
        "verified_email": address,
        "updated_at": account.updated_at,
    }
    return {"$set": verified, "$unset": {"unverified_email": ""}}


async def _with_email(email: str) -> Sequence[LocalAccount]:
    found = await AccountDocument.find({"email_folded": folded(email)}).to_list()
    return [account.to_domain() for account in found]


async def _one(where: Mapping[str, Any]) -> LocalAccount | None:
    found = await AccountDocument.find_one(where)
    return None if found is None else found.to_domain()
