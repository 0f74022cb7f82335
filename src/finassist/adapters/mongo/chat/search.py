"""The search of the list of conversations.

What is searched belongs to one caller, and an index leads to the messages of its conversations, so they are
read rather than indexed: nothing is written for a search.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from beanie import PydanticObjectId
from pymongo import DESCENDING

from finassist.adapters.mongo.chat.documents import ConversationDocument, MessageDocument
from finassist.adapters.mongo.chat.superseded import StoredRun, stored_runs
from finassist.adapters.mongo.engine.documents import object_id
from finassist.adapters.mongo.files.documents import FileDocument
from finassist.domain.conversations.conversation import ListedConversation
from finassist.domain.conversations.message import Role
from finassist.domain.conversations.searching import (
    FILES_SEARCHED,
    Found,
    FoundIn,
    Part,
    excerpt,
    excerpt_of_file,
    spelled,
)

_Newest = dict[PydanticObjectId, Mapping[str, Any]]
"""Of each conversation the newest that was found."""

_OF_ATTACHMENTS: Final = ("file_id", "filename", "transcript")
_PLACES: Final = (FoundIn.QUESTION, FoundIn.FILE, FoundIn.REPLY)


@dataclass(frozen=True, slots=True)
class Search:
    """A query, and where in the messages and files it was found, by place. ``read`` are the files that have
    it in their text."""

    query: str
    newest: Mapping[FoundIn, _Newest]
    read: Sequence[str]

    @property
    def found(self) -> list[dict[str, Any]]:
        """The alternatives of a query for the conversations in which it was found."""
        literal = _literal(self.query)
        within = {each for newest in self.newest.values() for each in newest}
        return [{"title_folded": literal}, {"preview_folded": literal}, {"_id": {"$in": list(within)}}]

    async def placed(self, items: Iterable[ListedConversation]) -> tuple[ListedConversation, ...]:
        """The conversations of a page with the place where the query was found in each."""
        items = tuple(items)
        folded = self.query.casefold()
        places = {item.id: self._in_messages(item) for item in items if folded not in item.title.casefold()}
        stored = (stored for _, stored in filter(None, places.values()))
        wanted = [each["_id"] for each in stored if "filename" not in each]
        messages = MessageDocument.get_pymongo_collection()
        fields = {"content": True, **{f"attachments.{name}": True for name in _OF_ATTACHMENTS}}
        texts = {each["_id"]: each async for each in messages.find({"_id": {"$in": wanted}}, fields)}
        await self._add_read(texts.values())
        return tuple(item._replace(found=self._told(item, places, texts)) for item in items)

    async def _add_read(self, messages: Iterable[Mapping[str, Any]]) -> None:
        """Give the attachments that have the query in their text that text."""
        attached = [each for message in messages for each in message.get("attachments", ())]
        wanted = {each["file_id"] for each in attached} & set(self.read)
        if not wanted:
            return
        files = FileDocument.get_pymongo_collection()
        found = files.find({"_id": {"$in": list(map(object_id, wanted))}}, {"text": True})
        texts = {str(each["_id"]): each.get("text") async for each in found}
        for each in attached:
            each["text"] = texts.get(each["file_id"])

    def _in_messages(self, item: ListedConversation) -> tuple[FoundIn, Mapping[str, Any]] | None:
        conversation_id = PydanticObjectId(item.id)
        found = ((place, self.newest[place].get(conversation_id)) for place in _PLACES)
        return next(((place, stored) for place, stored in found if stored is not None), None)

    def _told(
        self,
        item: ListedConversation,
        places: Mapping[str, tuple[FoundIn, Mapping[str, Any]] | None],
        texts: Mapping[PydanticObjectId, Mapping[str, Any]],
    ) -> Found:
        if item.id not in places:
            return Found(FoundIn.TITLE, excerpt(item.title, self.query))
        if (within := places[item.id]) is None:
            return Found(FoundIn.PREVIEW, excerpt(item.preview, self.query))
        place, stored = within
        if "filename" in stored:
            return Found(place, excerpt(stored["filename"], self.query))
        message = texts.get(stored["_id"], {})
        if place is FoundIn.FILE:
            return Found(place, self._in_files(message.get("attachments", ())), str(stored["_id"]))
        return Found(place, excerpt(message.get("content", ""), self.query), str(stored["_id"]))

    def _in_files(self, attachments: Sequence[Mapping[str, Any]]) -> str:
        """The name of the attachment that has the query, and where it is in its text if not in the name."""
        has = re.compile(_pattern(self.query)).search
        for field in ("filename", "transcript", "text"):
            for each in attachments:
                text = each.get(field)
                if text is None or has(text) is None:
                    continue
                if field == "filename":
                    return excerpt(text, self.query)
                return excerpt_of_file(each["filename"], text, self.query)
        return ""


async def search_in(owner_ids: Sequence[str], where: Mapping[str, Any], query: str) -> Search:
    """Look for a query in the messages and files of the conversations that ``where`` matches."""
    searched = await ConversationDocument.distinct("_id", where)
    ours = {"conversation_id": {"$in": searched}}
    spelled = {"$regex": _pattern(query)}
    asked = await _messages({**ours, "question_folded": _literal(query)})
    replied = await _messages({**ours, "role": Role.ASSISTANT, "content": spelled})
    named, heard = await _attached(ours, spelled)
    with_text = await _with_text(owner_ids, spelled)
    read = await _messages({**ours, "attachments.file_id": {"$in": with_text}}) if with_text else []
    found = [*asked, *replied, *named, *heard, *read]
    runs = await stored_runs({message["conversation_id"] for message in found})
    files = FileDocument.get_pymongo_collection()  # one that came inside a message is found with that
    uploaded = await files.find(
        {"owner_id": {"$in": list(owner_ids)}, **ours, "message_id": None, "filename": spelled},
        {"conversation_id": True, "filename": True},
    ).to_list()
    within = _newest(read, runs) | _newest(heard, runs)
    in_files = within | _newest(uploaded, ()) | _newest(named, runs)
    places = (_newest(asked, runs), in_files, _newest(replied, runs))
    return Search(query, dict(zip(_PLACES, places, strict=True)), with_text)


async def _with_text(owner_ids: Sequence[str], spelled: Mapping[str, str]) -> Sequence[str]:
    """The ids of the owners' files whose text has the query."""
    files = FileDocument.get_pymongo_collection()
    where = {"owner_id": {"$in": list(owner_ids)}, "text": {"$exists": True}}
    newest = files.find(where, {"_id": True}, sort=[("_id", DESCENDING)], limit=FILES_SEARCHED)
    ids = [each["_id"] async for each in newest]
    found = files.find({"_id": {"$in": ids}, "text": spelled}, {"_id": True}) if ids else None
    return [] if found is None else [str(each["_id"]) async for each in found]


async def _attached(
    ours: Mapping[str, Any], spelled: Mapping[str, str]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The messages with an attachment that has the query in its name, and those that have it in what is said
    in a recording alone; looked for in one pass."""
    where = {"$or": [{"attachments.filename": spelled}, {"attachments.transcript": spelled}]}
    fields = {"conversation_id": True, "attachments.filename": True}
    messages = MessageDocument.get_pymongo_collection()
    has = re.compile(spelled["$regex"]).search
    named: list[dict[str, Any]] = []
    heard: list[dict[str, Any]] = []
    async for each in messages.find({**ours, **where}, fields):
        names = (attachment["filename"] for attachment in each["attachments"])
        (named if any(map(has, names)) else heard).append(each)
    return named, heard


async def _messages(where: Mapping[str, Any]) -> list[dict[str, Any]]:
    return await MessageDocument.get_pymongo_collection().find(where, {"conversation_id": True}).to_list()


def _newest(found: Iterable[Mapping[str, Any]], runs: Sequence[StoredRun]) -> _Newest:
    visible = (each for each in found if not any(run.holds(each) for run in runs))
    return {each["conversation_id"]: each for each in sorted(visible, key=lambda each: each["_id"])}


def _literal(query: str) -> dict[str, str]:
    return {"$regex": re.escape(query.casefold())}


def _pattern(query: str) -> str:
    """The expression for texts that have the query in them."""
    return "".join(map(_expression, spelled(query)))


def _expression(part: Part) -> str:
    letters = "".join(re.escape(alike) if len(alike) == 1 else f"[{alike}]" for alike in part.letters)
    return f"(?:[{part.joined}]|{letters})" if part.joined else letters
