"""Messages and the turns that write them, in MongoDB.

A turn touches two or three documents, and a crash can come between any two writes. The first write
decides who has the turn, and can be found by its lease. The conversation is written last, from the messages,
so the next write repairs it. A turn without its question or its conversation never began: the process that
takes its lease over removes it. No write of its beginning can come after that: they are done, or have timed
out, in a fraction of the lease's time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pymongo import ASCENDING, DESCENDING

from finassist.adapters.mongo.chat.documents import ConversationDocument, MessageDocument
from finassist.adapters.mongo.chat.listed import listed_messages
from finassist.adapters.mongo.chat.superseded import superseded_runs, visible_in
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.documents import object_id
from finassist.adapters.mongo.engine.pages import Stored, find_many, find_page
from finassist.adapters.mongo.engine.updates import (
    find_one_and_update,
    insert_in_order,
    insert_unless_there,
    update_one,
)
from finassist.application.ports.database import Page
from finassist.domain.conversations.conversation import Conversation, ConversationStatus, preview_of
from finassist.domain.conversations.message import (
    Feedback,
    ListedMessage,
    Message,
    MessageStatus,
    Role,
    TurnLease,
)
from finassist.domain.conversations.superseding import SupersededRun, is_superseded, marked
from finassist.domain.retrieval.questions import Topic

_OLDEST_FIRST = (("_id", ASCENDING),)
_NEWEST_FIRST = (("_id", DESCENDING),)
_TURN_FIELDS = ("message_count", "last_message_at", "updated_at", "preview")
"""What a turn writes into its conversation."""


@dataclass(frozen=True, slots=True)
class MongoMessages:
    """``MessageRepository`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def get(self, message_id: str) -> Message | None:
        return _message(await MessageDocument.find_one({"_id": object_id(message_id)}))

    @database_call
    async def list(self, conversation_id: str, *, limit: int, offset: int, descending: bool) -> Page[Message]:
        found, total = await _page(conversation_id, limit, offset, descending)
        return Page(tuple(map(MessageDocument.entity_of, found)), total, limit, offset)

    @database_call
    async def show(
        self,
        conversation_id: str,
        *,
        limit: int,
        offset: int,
        descending: bool,
        with_superseded: bool = False,
    ) -> Page[ListedMessage]:
        if not with_superseded:
            found, total = await _page(conversation_id, limit, offset, descending)
            return Page(listed_messages(found), total, limit, offset)
        where = {"conversation_id": object_id(conversation_id)}
        order = _NEWEST_FIRST if descending else _OLDEST_FIRST
        runs = await superseded_runs(conversation_id)
        found, total = await find_page(MessageDocument, where, order, limit=limit, offset=offset)
        return Page(marked(listed_messages(found), runs), total, limit, offset)

    @database_call
    async def latest(
        self, conversation_id: str, *, limit: int, before: str | None = None
    ) -> Sequence[Message]:
        where: dict[str, Any] = {"conversation_id": object_id(conversation_id)}
        older = {} if before is None else {"_id": {"$lt": object_id(before)}}
        # A message is superseded by a reply that is newer: where none is found, one query is enough.
        read = where | ({"$or": [older, {"replaces": {"$exists": True}}]} if older else {})
        found = await find_many(MessageDocument, read, _NEWEST_FIRST, limit=limit)
        if _has_replacing(found):
            read = await visible_in(conversation_id) | older
            found = await find_many(MessageDocument, read, _NEWEST_FIRST, limit=limit)
        return tuple(map(MessageDocument.entity_of, reversed(found)))

    @database_call
    async def superseded_in(self, conversation_id: str) -> Sequence[SupersededRun]:
        return await superseded_runs(conversation_id)

    @database_call
    async def running_turn(self, conversation_id: str) -> Message | None:
        where = {"lease.conversation_id": object_id(conversation_id)}
        return _message(await MessageDocument.find_one(where))

    @database_call
    async def begin_turn(
        self, question: Message, reply: Message, new_conversation: Conversation | None
    ) -> bool:
        before = {} if new_conversation else await _live_conversation(question.conversation_id)
        if before is not None:
            owner_id = new_conversation.owner_id if new_conversation else str(before["owner_id"])
            turn = [MessageDocument.of(reply, owner_id), MessageDocument.of(question, owner_id)]
            is_stored = reply.replaces is None and await insert_in_order(MessageDocument, turn)
            if not is_stored:
                if not await insert_unless_there(turn[0]) and not await _is_held(reply):
                    return False
                if await _is_late(reply):
                    await _delete_turn(question.id, _this(reply))
                    return False
                await insert_unless_there(turn[1])
            if new_conversation is not None:
                await _begin_conversation(new_conversation, question)
                return True
            if await _update_conversation(question, before):
                return True
        await _delete_turn(question.id, _this(reply))
        return False

    @database_call
    async def withdraw_turn(self, question: Message, reply: Message) -> bool:
        if not await _is_held(reply):
            return False
        # The conversation first: a reply without one is removed by the process that takes its lease over.
        of_conversation = {"conversation_id": object_id(reply.conversation_id)}
        ours = [object_id(question.id), object_id(reply.id)]
        other = await MessageDocument.find_one({**of_conversation, "_id": {"$nin": ours}})
        if other is None:
            await ConversationDocument.find_one({"_id": object_id(reply.conversation_id)}).delete()
        await _delete_turn(question.id, _this(reply))
        for newest in await self.latest(reply.conversation_id, limit=1):
            await _update_conversation(newest)
        return True

    @database_call
    async def save_progress(self, reply: Message) -> bool:
        if reply.lease is None:
            return False
        change = _written(reply) | {"lease.expires_at": reply.lease.expires_at}
        return await update_one(MessageDocument, _held(reply, reply.lease.holder), {"$set": change})

    @database_call
    async def finish_turn(self, reply: Message, holder: str) -> bool:
        final = {
            "status": reply.status,
            "finish_reason": reply.finish_reason,
            "error_code": reply.error_code,
            "allowance_used": reply.allowance_used,
            "allowance_total": reply.allowance_total,
        }
        change = {"$set": _written(reply) | final, "$unset": {"lease": ""}}
        if not await update_one(MessageDocument, _held(reply, holder), change):
            return False
        await _update_conversation(reply)
        return True

    @database_call
    async def request_stop(self, message_id: str) -> bool:
        guard = {"_id": object_id(message_id), "status": MessageStatus.STREAMING}
        return await update_one(MessageDocument, guard, {"$set": {"lease.stop_requested": True}})

    @database_call
    async def stop_requests(self, holder: str) -> Sequence[str]:
        where = {"lease.holder": holder, "lease.stop_requested": True}
        return tuple(map(str, await MessageDocument.distinct("_id", where)))

    @database_call
    async def take_over_expired(self, *, holder: str, now: datetime, lease_until: datetime) -> Message | None:
        while True:
            taken = await find_one_and_update(
                MessageDocument,
                {"lease.expires_at": {"$lt": now}},
                {"$set": {"lease.holder": holder, "lease.expires_at": lease_until}},
                sort=[("lease.expires_at", ASCENDING)],
            )
            reply = _message(taken)
            if reply is None or reply.lease is None or await _has_begun(reply, reply.lease):
                return reply
            await _delete_turn(reply.lease.user_message_id, _held(reply, holder))

    @database_call
    async def set_feedback(self, message_id: str, feedback: Feedback) -> bool:
        return await update_one(
            MessageDocument, {"_id": object_id(message_id)}, {"$set": {"feedback": feedback}}
        )

    @database_call
    async def topics(self, owner_ids: Sequence[str]) -> Sequence[Topic]:
        owned = {"owner_id": {"$in": list(owner_ids)}, "status": {"$ne": ConversationStatus.DELETED}}
        conversations = await ConversationDocument.distinct("_id", owned)
        groups: list[dict[str, Any]] = await MessageDocument.aggregate(
            [
                {"$match": {"conversation_id": {"$in": conversations}, "category": {"$exists": True}}},
                {"$group": {"_id": "$category", "n": {"$sum": 1}, "last": {"$max": "$created_at"}}},
            ]
        ).to_list()
        return [Topic(group["_id"], group["n"], group["last"]) for group in groups]


async def _begin_conversation(conversation: Conversation, question: Message) -> None:
    begun = replace(
        conversation,
        preview=preview_of(question.content),
        message_count=2,
        last_message_at=question.created_at,
        updated_at=question.created_at,
    )
    await insert_unless_there(ConversationDocument.of(begun))


async def _live_conversation(conversation_id: str) -> dict[str, Any] | None:
    """The owner of a conversation that is not deleted, and what a turn writes into it."""
    conversations = ConversationDocument.get_pymongo_collection()
    found: dict[str, Any] | None = await conversations.find_one(
        _live(conversation_id), ("owner_id", *_TURN_FIELDS)
    )
    return found


def _live(conversation_id: str) -> dict[str, Any]:
    return {"_id": object_id(conversation_id), "status": {"$ne": ConversationStatus.DELETED}}


async def _is_held(reply: Message) -> bool:
    """Whether this very reply is stored and still to be written by its holder."""
    assert reply.lease is not None
    return await MessageDocument.find_one(_held(reply, reply.lease.holder)) is not None


async def _is_late(reply: Message) -> bool:
    """Whether the message that a turn replaces has been superseded by another turn. Asked when the reply is
    stored: nobody else can begin a turn in the conversation now."""
    if reply.replaces is None:
        return False
    runs = await superseded_runs(reply.conversation_id)
    others = [run for run in runs if run.end != reply.user_message_id]
    return is_superseded(reply.replaces, others)


async def _has_begun(reply: Message, lease: TurnLease) -> bool:
    """Whether the question and the conversation of a reply are stored."""
    question = MessageDocument.find_one({**_this(reply), "_id": object_id(lease.user_message_id)})
    conversation = ConversationDocument.find_one({"_id": object_id(reply.conversation_id)})
    return await question is not None and await conversation is not None


async def _delete_turn(question_id: str, reply: Mapping[str, Any]) -> None:
    """Delete a turn that did not begin, the reply last: a crash in between leaves what can be found."""
    question = {"_id": object_id(question_id), "conversation_id": reply["conversation_id"]}
    await MessageDocument.find(question).delete()
    await MessageDocument.find(reply).delete()


async def _update_conversation(newest: Message, before: dict[str, Any] | None = None) -> bool:
    """Bring the conversation up to the newest message of a turn. False when it is deleted.

    When a turn ends, the next may begin, and write here, between what is read and what is written. So the
    write is guarded by what was read ``before`` the messages were counted, and tried again when it does not
    hold.
    """
    while before := before or await _live_conversation(newest.conversation_id):
        # Counted each time instead of incremented, so that a crash between the writes is corrected.
        count, last = await _count_visible(newest.conversation_id)
        change: dict[str, Any] = {"message_count": count}
        if newest.role is Role.USER or last <= newest.id:  # while it runs, no other turn begins
            change |= {"last_message_at": newest.updated_at, "updated_at": newest.updated_at}
            if preview := preview_of(newest.content):
                change |= {"preview": preview, "preview_folded": preview.casefold()}
        if await update_one(ConversationDocument, _live(newest.conversation_id) | before, {"$set": change}):
            return True
        before = None
    return False


async def _count_visible(conversation_id: str) -> tuple[int, str]:
    """The number of messages of a conversation that are not superseded, and the id of the last of all: what
    supersedes messages is newer than they are."""
    counted: list[dict[str, Any]] = await MessageDocument.aggregate(
        [
            {"$match": await visible_in(conversation_id)},
            {"$group": {"_id": None, "n": {"$sum": 1}, "last": {"$max": "$_id"}}},
        ]
    ).to_list()
    return (counted[0]["n"], str(counted[0]["last"])) if counted else (0, "")


async def _page(
    conversation_id: str, limit: int, offset: int, descending: bool
) -> tuple[Sequence[Stored], int]:
    where = {"conversation_id": object_id(conversation_id)}
    order = _NEWEST_FIRST if descending else _OLDEST_FIRST
    found, total = await find_page(MessageDocument, where, order, limit=limit, offset=offset)
    if len(found) == total and not _has_replacing(found):
        return found, total
    visible = await visible_in(conversation_id)
    if visible == where:
        return found, total
    return await find_page(MessageDocument, visible, order, limit=limit, offset=offset)


def _has_replacing(found: Sequence[Stored]) -> bool:
    """Whether any of these messages may supersede others: one that does is newer than they are."""
    return any("replaces" in stored for stored in found)


def _this(message: Message) -> dict[str, Any]:
    """The message, by its conversation too: the shard key, where messages are sharded (docs/scaling.md)."""
    return {"_id": object_id(message.id), "conversation_id": object_id(message.conversation_id)}


def _held(reply: Message, holder: str) -> dict[str, Any]:
    return {**_this(reply), "lease.holder": holder}


def _written(reply: Message) -> dict[str, Any]:
    names = (
        "content", "model", "tool_calls", "sources", "visual_embeds", "suggestions", "usage", "updated_at",
    )  # fmt: skip
    return {name: getattr(reply, name) for name in names}


def _message(document: MessageDocument | None) -> Message | None:
    return None if document is None else document.to_domain()
