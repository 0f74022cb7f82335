"""Which messages are superseded: the replies that say so, and what leaves such messages out of a query."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from beanie import PydanticObjectId

from finassist.adapters.mongo.chat.documents import MessageDocument
from finassist.adapters.mongo.engine.documents import object_id
from finassist.domain.conversations.superseding import SupersededRun


class StoredRun(NamedTuple):
    """A ``SupersededRun`` as it is stored, with its conversation."""

    conversation_id: PydanticObjectId
    first: PydanticObjectId
    end: PydanticObjectId

    def holds(self, stored: Mapping[str, Any]) -> bool:
        """Whether this message is in the run."""
        is_ours: bool = stored["conversation_id"] == self.conversation_id
        return is_ours and self.first <= stored["_id"] < self.end


async def stored_runs(conversation_ids: Iterable[Any]) -> Sequence[StoredRun]:
    """The superseded messages of conversations; the index holds all that is read."""
    where = {"conversation_id": {"$in": list(conversation_ids)}, "replaces": {"$exists": True}}
    fields = {"_id": False, "conversation_id": True, "replaces": True, "user_message_id": True}
    found = await MessageDocument.get_pymongo_collection().find(where, fields).to_list()
    return [StoredRun(each["conversation_id"], each["replaces"], each["user_message_id"]) for each in found]


async def visible_in(conversation_id: str) -> dict[str, Any]:
    """The query for the messages of a conversation that are not superseded."""
    of_conversation = object_id(conversation_id)
    return {"conversation_id": of_conversation, **without(await stored_runs([of_conversation]))}


def without(runs: Iterable[StoredRun]) -> dict[str, Any]:
    """The part of a query that leaves these messages out, where it is about one conversation."""
    excluded = [{"_id": {"$gte": run.first, "$lt": run.end}} for run in runs]
    return {"$nor": excluded} if excluded else {}


async def superseded_runs(conversation_id: str) -> Sequence[SupersededRun]:
    """The superseded messages of a conversation."""
    runs = await stored_runs([object_id(conversation_id)])
    return [SupersededRun(str(run.first), str(run.end)) for run in runs]
