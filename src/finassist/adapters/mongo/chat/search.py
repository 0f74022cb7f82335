"""The search of the list of conversations.

What is searched belongs to one caller, and an index leads to the messages of its conversations, so they are
read rather than indexed: nothing is written for a search.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from beanie import PydanticObjectId

from finassist.adapters.mongo.chat.documents import ConversationDocument, MessageDocument
from finassist.adapters.mongo.chat.superseded import StoredRun, stored_runs
from finassist.adapters.mongo.files.documents import FileDocument
from finassist.domain.conversations.conversation import ListedConversation
from finassist.domain.conversations.message import Role
from finassist.domain.conversations.searching import Found, FoundIn, Part, excerpt, spelled

_Newest = dict[PydanticObjectId, Mapping[str, Any]]
"""Of each conversation the newest that was found."""

_PLACES: Final = (FoundIn.QUESTION, FoundIn.FILE, FoundIn.REPLY)


@dataclass(frozen=True, slots=True)
class Search:
    """A query, and where in the messages and files it was found, by place."""

    query: str
    newest: Mapping[FoundIn, _Newest]

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
        fields = {"content": True, "attachments.filename": True}
        texts = {each["_id"]: each async for each in messages.find({"_id": {"$in": wanted}}, fields)}
        return tuple(item._replace(found=self._told(item, places, texts)) for item in items)

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
        text = message.get("content", "")
        if place is FoundIn.FILE:
            names = [each["filename"] for each in message.get("attachments", ())]
            text = next(filter(re.compile(_pattern(self.query)).search, names), "")
        return Found(place, excerpt(text, self.query), str(stored["_id"]))


async def search_in(owner_ids: Sequence[str], where: Mapping[str, Any], query: str) -> Search:
    """Look for a query in the messages and files of the conversations that ``where`` matches."""
    searched = await ConversationDocument.distinct("_id", where)
    ours = {"conversation_id": {"$in": searched}}
    spelled = {"$regex": _pattern(query)}
    asked = await _messages({**ours, "question_folded": _literal(query)})
    replied = await _messages({**ours, "role": Role.ASSISTANT, "content": spelled})
    attached = await _messages({**ours, "attachments.filename": spelled})
    found = [*asked, *replied, *attached]
    runs = await stored_runs({message["conversation_id"] for message in found})
    files = FileDocument.get_pymongo_collection()  # one that came inside a message is found with that
    uploaded = await files.find(
        {"owner_id": {"$in": list(owner_ids)}, **ours, "message_id": None, "filename": spelled},
        {"conversation_id": True, "filename": True},
    ).to_list()
    in_files = _newest(uploaded, ()) | _newest(attached, runs)
    places = (_newest(asked, runs), in_files, _newest(replied, runs))
    return Search(query, dict(zip(_PLACES, places, strict=True)))


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
