"""The text that a query is looked for in, of messages that were stored before there was such a search."""

from typing import Any, Final

from pymongo import UpdateOne

from finassist.adapters.mongo.chat.documents import MessageDocument
from finassist.domain.conversations.message import Role

_AT_ONCE: Final = 1000


async def fold_questions() -> None:
    """Give every user's message the folded text that it lacks; again, it changes nothing.

    Not one update in the database: its lower case is of ASCII alone.
    """
    messages = MessageDocument.get_pymongo_collection()
    lacking: dict[str, Any] = {"role": Role.USER, "question_folded": {"$exists": False}}
    changes: list[UpdateOne] = []
    async for stored in messages.find(lacking, {"content": True}, batch_size=_AT_ONCE):
        change = {"$set": {"question_folded": stored["content"].casefold()}}
        changes.append(UpdateOne({"_id": stored["_id"]}, change))
        if len(changes) == _AT_ONCE:
            await messages.bulk_write(changes, ordered=False)
            changes = []
    if changes:
        await messages.bulk_write(changes, ordered=False)
