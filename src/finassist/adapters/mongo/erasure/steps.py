"""Erasing every document of a user, collection by collection, children before the documents that lead to
them."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from beanie import Document

from finassist.adapters.mongo.auth.audit_documents import FORGET, AuditDocument
from finassist.adapters.mongo.auth.documents import (
    AccountDocument,
    OtpCodeDocument,
    SecondFactorChallengeDocument,
    SecondFactorDocument,
    SignInAddressDocument,
    TicketDocument,
    TokenFamilyDocument,
)
from finassist.adapters.mongo.chat.documents import ConversationDocument, MessageDocument
from finassist.adapters.mongo.chat.limit_documents import (
    IdempotencyKeyDocument,
    QuotaDocument,
    RateWindowDocument,
)
from finassist.adapters.mongo.engine.documents import object_id
from finassist.adapters.mongo.files.documents import FileDocument, StorageDocument
from finassist.adapters.mongo.profile_cards.documents import UserProfileDocument
from finassist.adapters.mongo.shares.changes import revoke_where
from finassist.adapters.mongo.shares.documents import (
    ShareDocument,
    ShareTallyDocument,
    ShareTextDocument,
    ShareViewerDocument,
)
from finassist.adapters.mongo.statements.documents import PayeeCategoriesDocument
from finassist.adapters.mongo.users.devices import settled
from finassist.adapters.mongo.users.documents import DeviceDocument, UserDocument
from finassist.domain.auth.local_accounts import LOCAL_ISSUER
from finassist.domain.erasure import ErasureCounts, ErasureSubject
from finassist.domain.quotas import chat_rate_key

Where = Mapping[str, Any]

_AT_ONCE: Final = 100
"""Shares and conversations whose children are looked for together."""


async def erase_some(subject: ErasureSubject, limit: int) -> int:
    """Delete up to ``limit`` documents of the first collection that has any; then forget the subject
    elsewhere."""
    of_user = {"user_id": object_id(subject.user_id)}
    children: Sequence[type[Document]] = (ShareTextDocument, ShareViewerDocument, ShareTallyDocument)
    if erased := await _erase_family(ShareDocument, of_user, "share_id", children, limit):
        return erased
    owned = _owned(subject)
    if erased := await _erase_family(ConversationDocument, owned, "_id", (MessageDocument,), limit):
        return erased
    # What a crash left without a conversation.
    if erased := await _delete_some(MessageDocument, owned, limit):
        return erased
    for kind, where in (*_single_documents(subject), *_access_documents(subject)):
        if erased := await _delete_some(kind, where, limit):
            return erased
    return await _erase_unused_devices(subject) + await _forget(subject)


async def end_access(subject: ErasureSubject, now: datetime) -> None:
    """Revoke the shares, and delete what somebody signs in with."""
    await revoke_where({"user_id": object_id(subject.user_id)}, now)
    for kind, where in _access_documents(subject):
        await kind.get_pymongo_collection().delete_many(where)


async def count(subject: ErasureSubject) -> ErasureCounts:
    """How many documents there are."""
    owned, user_id = _owned(subject), object_id(subject.user_id)
    profile = await UserProfileDocument.find_one({"_id": user_id})
    devices = {"$or": [{"bound_user_id": user_id}, {"_id": subject.device_id}]}
    return ErasureCounts(
        conversations=await ConversationDocument.find(owned).count(),
        messages=await MessageDocument.find(owned).count(),
        files=await FileDocument.find(owned).count(),
        shares=await ShareDocument.find({"user_id": user_id}).count(),
        profile_answers=0 if profile is None else len(profile.answers),
        devices=await DeviceDocument.find(devices).count(),
        accounts=await AccountDocument.find({"_id": {"$in": _accounts(subject)}}).count(),
    )


async def running_turns(subject: ErasureSubject) -> list[str]:
    """The replies that are being written."""
    where = {**_owned(subject), "lease.conversation_id": {"$exists": True}}
    return list(map(str, await MessageDocument.distinct("_id", where)))


def _single_documents(subject: ErasureSubject) -> Sequence[tuple[type[Document], Where]]:
    return (
        (UserProfileDocument, {"_id": object_id(subject.user_id)}),
        (StorageDocument, {"_id": {"$in": list(subject.owner_ids)}}),
        (PayeeCategoriesDocument, {"_id": {"$in": list(subject.owner_ids)}}),
        (QuotaDocument, {"_id": subject.user_id}),
        (IdempotencyKeyDocument, {"owner": subject.user_id}),
        (RateWindowDocument, {"_id": chat_rate_key(subject.user_id)}),
    )


def _access_documents(subject: ErasureSubject) -> Sequence[tuple[type[Document], Where]]:
    """What somebody signs in with: sessions before the accounts that they belong to."""
    accounts = _accounts(subject)
    of_codes = {"$regex": "|".join(map(re.escape, accounts)) or "$^"}
    return (
        (TokenFamilyDocument, {"subject": {"$in": accounts}}),
        (
            TicketDocument,
            {"_id": {"$regex": "^(AuthorizationCode|PasswordReset|EmailVerification):"}, "content": of_codes},
        ),
        (SecondFactorDocument, {"_id": {"$in": accounts}}),
        (SecondFactorChallengeDocument, {"subject": {"$in": accounts}}),
        (SignInAddressDocument, _of_identities(subject)),
        (OtpCodeDocument, {"_id": {"$in": list(subject.phones)}}),
        (AccountDocument, {"_id": {"$in": accounts}}),
    )


async def _erase_family(
    parents: type[Document],
    where: Where,
    key: str,
    children: Sequence[type[Document]],
    limit: int,
) -> int:
    """Delete children of some of the parents, or those parents when they have none left."""
    collection = parents.get_pymongo_collection()
    some = await collection.find(where, projection={key: 1}, limit=_AT_ONCE).to_list()
    if not some:
        return 0
    reference = "conversation_id" if key == "_id" else key
    of_some = {reference: {"$in": [stored[key] for stored in some]}}
    for kind in children:
        if deleted := await _delete_some(kind, of_some, limit):
            return deleted
    return (await collection.delete_many({"_id": {"$in": [stored["_id"] for stored in some]}})).deleted_count


async def _delete_some(kind: type[Document], where: Where, limit: int) -> int:
    collection = kind.get_pymongo_collection()
    some = await collection.find(where, projection={"_id": 1}, limit=limit).to_list()
    if not some:
        return 0
    return (await collection.delete_many({"_id": {"$in": [stored["_id"] for stored in some]}})).deleted_count


async def _erase_unused_devices(subject: ErasureSubject) -> int:
    """Devices whose guest has nothing are there for the subject's sake alone: they and their guests go, the
    device last, by which they are found."""
    erased = 0
    for document in await DeviceDocument.find({"bound_user_id": object_id(subject.user_id)}).to_list():
        device = await settled(document)  # what others claimed of it is on its way
        assert device is not None
        owned = {"owner_id": device.guest_owner_id}
        if await ConversationDocument.find_one(owned) or await FileDocument.find_one(owned):
            continue
        for kind, where in _single_documents(ErasureSubject(user_id=device.guest_user_id)):
            await kind.get_pymongo_collection().delete_many(where)
        await _forget_in_audit(device.guest_user_id)
        users = UserDocument.get_pymongo_collection()
        await users.delete_one({"_id": object_id(device.guest_user_id)})
        devices = DeviceDocument.get_pymongo_collection()
        erased += (await devices.delete_one({"_id": device.id})).deleted_count
    return erased


async def _forget(subject: ErasureSubject) -> int:
    """Take the subject out of the devices and guests of others."""
    user_id = object_id(subject.user_id)
    devices, users = DeviceDocument.get_pymongo_collection(), UserDocument.get_pymongo_collection()
    emails, phones = list(subject.email_spellings), list(subject.phones)
    changes = (
        (devices, {"bound_user_id": user_id}, ("bound_user_id", "bound_at")),
        (devices, {"hinted_user_id": user_id}, ("hinted_user_id",)),
        (users, {"claimed_email": {"$in": emails}, "is_guest": True}, ("claimed_email",)),
        (users, {"claimed_phone": {"$in": phones}, "is_guest": True}, ("claimed_phone",)),
    )
    forgotten = await _forget_in_audit(subject.user_id)
    for collection, where, fields in changes:
        changed = await collection.update_many(where, {"$unset": dict.fromkeys(fields, "")})
        forgotten += changed.modified_count
    return forgotten


async def _forget_in_audit(user_id: str) -> int:
    changed = await AuditDocument.get_pymongo_collection().update_many({"user_id": user_id}, FORGET)
    return changed.modified_count


def _owned(subject: ErasureSubject) -> dict[str, Any]:
    return {"owner_id": {"$in": list(subject.owner_ids)}}


def _of_identities(subject: ErasureSubject) -> Where:
    pairs = [{"subject": each.subject, "issuer": each.issuer} for each in subject.identities]
    return {"$or": pairs} if pairs else {"_id": {"$in": []}}


def _accounts(subject: ErasureSubject) -> list[str]:
    return [each.subject for each in subject.identities if each.issuer == LOCAL_ISSUER]
