"""Files that come with a message, when something fails around them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from finassist import Finassist
from finassist.application.chat import ChatMessage, InlineFile
from finassist.domain.conversations.conversation import ConversationFilter
from finassist.domain.conversations.message import Message, MessageStatus
from finassist.domain.errors import StorageError
from finassist.domain.users import Caller

NOTE = InlineFile(filename="note.txt", mime_type="text/plain", pieces=lambda: iter([b"Rent: 900"]))


async def messages_of(service: Finassist, caller: Caller) -> list[Message]:
    found = await service.list_conversations(caller, ConversationFilter(), limit=10, offset=0)
    conversation = found.items[0]
    page = await service.adapters.messages.list(conversation.id, limit=10, offset=0, descending=False)
    return list(page.items)


@pytest.mark.engine
async def test_a_turn_that_has_begun_runs_even_when_its_spooled_files_cannot_be_removed(
    service: Finassist, guest: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool: Any = type(service.adapters.spool)
    draft = spool.draft

    @asynccontextmanager
    async def stuck(*arguments: Any) -> AsyncIterator[Any]:
        async with draft(*arguments) as opened:
            yield opened
        raise StorageError("the draft cannot be removed")

    monkeypatch.setattr(spool, "draft", stuck)
    with pytest.raises(StorageError):
        await service.send_message(guest, ChatMessage(message="What do I pay?", attachments=[NOTE]))
    await service.workers.turn_runner.drain(5)

    question, reply = await messages_of(service, guest)
    assert [attachment.filename for attachment in question.attachments] == ["note.txt"]
    assert (reply.status, bool(reply.content)) == (MessageStatus.COMPLETED, True)
