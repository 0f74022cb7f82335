"""Making two registered users one in MongoDB.

The other user owns the records first; then a pointer in the same update as everything that the first one is
known by. A crash before the pointer leaves two users who own the same records, until the next sign-in joins
them; after it, nothing is missing.
"""

from collections.abc import Mapping
from typing import Any, Final

from pymongo.errors import DuplicateKeyError

from finassist.adapters.mongo.auth.audit_documents import AuditDocument
from finassist.adapters.mongo.engine.documents import object_id
from finassist.adapters.mongo.engine.updates import update_one
from finassist.adapters.mongo.profile_cards.documents import UserProfileDocument
from finassist.adapters.mongo.shares.documents import ShareDocument
from finassist.adapters.mongo.users.documents import DeviceDocument, UserDocument

_KNOWN_BY: Final = ("email", "email_folded", "signup_email", "phone", "avatar_url")


async def join(user_id: str, into_id: str) -> bool:
    """Join a registered user to another one. False when one of them does not exist any more."""
    user, into = object_id(user_id), object_id(into_id)
    users = UserDocument.get_pymongo_collection()
    is_there = {"is_guest": False, "joined_into": None}
    known = await users.find_one({"_id": user, **is_there})
    if known is None or not await update_one(UserDocument, {"_id": into, **is_there}, _taken(known)):
        return False
    await ShareDocument.get_pymongo_collection().update_many({"user_id": user}, {"$set": {"user_id": into}})
    audit = AuditDocument.get_pymongo_collection()
    await audit.update_many({"user_id": user_id}, {"$set": {"user_id": into_id}})
    devices = DeviceDocument.get_pymongo_collection()
    for name in ("bound_user_id", "hinted_user_id"):
        await devices.update_many({name: user}, {"$set": {name: into}})
    await _move_profile(user, into)
    await users.update_many({"joined_into": user}, {"$set": {"joined_into": into}})
    pointed = {"joined_into": into, "name": "", "email_verified": False, "phone_verified": False}
    before = await users.find_one_and_update(
        {"_id": user, **is_there}, {"$set": pointed, "$unset": dict.fromkeys(_KNOWN_BY, "")}
    )
    if before is not None:  # what the user took over meanwhile
        await update_one(UserDocument, {"_id": into}, _taken(before))
    return True


def _taken(user: Mapping[str, Any]) -> dict[str, Any]:
    """The change that makes the records of a user another one's, too."""
    owned = [str(user["_id"]), *user.get("claimed_owner_ids", ())]
    change: dict[str, Any] = {"$addToSet": {"claimed_owner_ids": {"$each": owned}}}
    if user.get("tokens_after") is not None:
        change["$max"] = {"tokens_after": user["tokens_after"]}
    return change


async def _move_profile(user: Any, into: Any) -> None:
    """Give the answers to profile cards to the other user, who has the last word."""
    profiles = UserProfileDocument.get_pymongo_collection()
    profile = await profiles.find_one({"_id": user})
    if profile is None:
        return
    try:
        await profiles.insert_one({**profile, "_id": into})
    except DuplicateKeyError:
        for key, answer in profile.get("answers", {}).items():
            missing = {"_id": into, f"answers.{key}": {"$exists": False}}
            await profiles.update_one(missing, {"$set": {f"answers.{key}": answer}, "$inc": {"revision": 1}})
    await profiles.delete_one({"_id": user})
