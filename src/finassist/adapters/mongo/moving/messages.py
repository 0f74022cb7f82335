"""Messages: they are read and written as the repository does it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec

from finassist.adapters.mongo.chat.documents import ConversationDocument, MessageDocument, question_folded
from finassist.adapters.mongo.engine.documents import field_names, object_id
from finassist.adapters.mongo.engine.pages import Stored
from finassist.adapters.mongo.moving.collections import Collection, Database, replace_all
from finassist.application.operations.moving.kinds import BY_NAME
from finassist.application.operations.moving.stores import Key, Record, message_fields, message_of
from finassist.domain.conversations.message import Message

_json: Final = msgspec.json.Encoder()


class _Messages(Collection):
    """A message is whole once its conversation is there: until then its turn has not begun."""

    __slots__ = ()

    async def whole(self, database: Database, found: Sequence[Stored]) -> Sequence[Stored]:
        known = await _owners(database, found)
        return [each for each in found if each["conversation_id"] in known]

    async def records(self, database: Database, found: Sequence[Stored]) -> Sequence[Record]:
        owners = await _owners(database, found)
        return [
            Record((message.id,), message_fields(message), {"owner_id": owners.get(each["conversation_id"])})
            for each in found
            for message in (MessageDocument.entity_of({**each, "id": each["_id"]}),)
        ]

    def key_of(self, stored: Stored) -> Key:
        return (str(stored["_id"]),)

    def moved_names(self) -> set[str]:
        return set(field_names(Message))

    async def write(self, database: Database, records: Sequence[Record]) -> None:
        documents = [_document(message_of(each.fields), each.beside["owner_id"]) for each in records]
        await replace_all(database, self.settings, documents)


async def _owners(database: Database, messages: Sequence[Stored]) -> Mapping[Any, str]:
    """The owners of the messages' conversations, as far as those are there."""
    conversations = database[ConversationDocument.Settings.name]
    where = {"_id": {"$in": list({stored["conversation_id"] for stored in messages})}}
    found = await conversations.find(where, {"owner_id": True}).to_list()
    return {stored["_id"]: stored["owner_id"] for stored in found}


def _document(message: Message, owner_id: str | None) -> Stored:
    values: Stored = msgspec.to_builtins(message, builtin_types=(datetime,))
    values["_id"] = object_id(values.pop("id"))
    for name in ("conversation_id", "user_message_id", "replaces"):
        if values[name] is not None:
            values[name] = object_id(values[name])
    # What a model wrote can hold keys and numbers that BSON refuses: it is kept as JSON.
    for call in values["tool_calls"]:
        call |= {name: _json.encode(call[name]).decode() for name in ("arguments", "result")}
    if values["lease"] is not None:
        lease = {name: value for name, value in values["lease"].items() if value is not None}
        lease["user_message_id"] = object_id(lease["user_message_id"])
        values["lease"] = {"conversation_id": values["conversation_id"], **lease}
    values |= {"owner_id": owner_id, "question_folded": question_folded(message)}
    return {name: value for name, value in values.items() if value is not None}


MESSAGES: Final = _Messages(
    BY_NAME["messages"],
    MessageDocument.Settings,
    identity="id",
    dropped={"owner_id": "its conversation's", "question_folded": "folded from content"},
)
