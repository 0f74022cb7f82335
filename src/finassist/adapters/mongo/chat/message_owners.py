"""The owners of messages that were stored before messages had one."""

from typing import Any, Final

from pymongo import UpdateMany

from finassist.adapters.mongo.chat.documents import ConversationDocument, MessageDocument

_AT_ONCE: Final = 500
_WITHOUT: Final = {"owner_id": {"$exists": False}}


async def name_owners() -> None:
    """Give every message its conversation's owner, and delete what a crash left without a conversation, which
    nobody can see; again, it changes nothing. What is still to be written, housekeeping removes."""
    conversations = ConversationDocument.get_pymongo_collection()
    messages = MessageDocument.get_pymongo_collection()
    changes: list[UpdateMany] = []
    async for stored in conversations.find({}, {"owner_id": True}, batch_size=_AT_ONCE):
        where: dict[str, Any] = {"conversation_id": stored["_id"], **_WITHOUT}
        changes.append(UpdateMany(where, {"$set": {"owner_id": stored["owner_id"]}}))
        if len(changes) == _AT_ONCE:
            await messages.bulk_write(changes, ordered=False)
            changes = []
    if changes:
        await messages.bulk_write(changes, ordered=False)
    running = await messages.distinct("lease.conversation_id")
    await messages.delete_many({**_WITHOUT, "conversation_id": {"$nin": running}})
