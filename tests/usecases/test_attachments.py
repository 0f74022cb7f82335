"""Files that come with a message, when something fails around them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from finassist import Finassist, Settings
from finassist.application.chat import ChatMessage, InlineFile
from finassist.domain.conversations.conversation import ConversationFilter
from finassist.domain.conversations.message import Message, MessageStatus
from finassist.domain.errors import StorageError
from finassist.domain.users import Caller
from finassist.testing import InMemoryObjectStore, ScriptedModel, ScriptedSpeech
from usecases.conftest import guest_of, opened

ARCHIVE = InlineFile(filename="a.zip", mime_type="application/zip", pieces=lambda: iter([b"PK"]))
NOTE = InlineFile(filename="note.txt", mime_type="text/plain", pieces=lambda: iter([b"Rent: 900"]))


def memo(content: bytes) -> InlineFile:
    return InlineFile(filename="memo.ogg", mime_type="audio/ogg", pieces=lambda: iter([content]))


async def messages_of(service: Finassist, caller: Caller) -> list[Message]:
    found = await service.list_conversations(caller, ConversationFilter(), limit=10, offset=0)
    conversation = found.items[0]
    page = await service.adapters.messages.list(conversation.id, limit=10, offset=0, descending=False)
    return list(page.items)


class PatientSpeech(ScriptedSpeech):
    """Transcribes only when as many recordings as ``wanted`` wait for it."""

    def __init__(self, wanted: int) -> None:
        super().__init__()
        self._all_there = asyncio.Barrier(wanted)

    async def transcribe(self, recording: Path, *, mime_type: str) -> str:
        await self._all_there.wait()
        return await super().transcribe(recording, mime_type=mime_type)


@pytest.mark.engine
async def test_the_recordings_of_a_message_are_transcribed_at_the_same_time(
    settings: Settings, model: ScriptedModel
) -> None:
    speech = PatientSpeech(3)
    async with opened(settings, language_model=model, speech_to_text=speech) as service:
        guest = await guest_of(service, "device-1")
        message = ChatMessage(message="Listen.", attachments=[memo(b"1"), NOTE, memo(b"2"), memo(b"3")])
        turn = await service.send_message(guest, message)
        await turn.ending()
        question, _ = await messages_of(service, guest)
    assert sorted(recording.content for recording in speech.heard) == [b"1", b"2", b"3"]
    transcripts = [attachment.transcript for attachment in question.attachments]
    assert transcripts == ["What is an ETF?", None, "What is an ETF?", "What is an ETF?"]
    assert question.asked.count("What is an ETF?") == 3


async def test_a_stored_recording_that_cannot_be_read_is_no_reason_to_refuse_the_message(
    settings: Settings, model: ScriptedModel
) -> None:
    speech, store = ScriptedSpeech(), UnreadableStore()
    async with opened(settings, language_model=model, speech_to_text=speech, object_store=store) as service:
        guest = await guest_of(service, "device-1")
        turn = await service.send_message(guest, ChatMessage(message="Listen.", attachments=[memo(b"1")]))
        await turn.ending()
        first, _ = await messages_of(service, guest)
        store.is_broken = True
        stored = first.attachments[0].file_id
        turn = await service.send_message(guest, ChatMessage(message="Again.", attachments=[stored]))
        reply = (await turn.ending()).message
    assert reply.content.endswith("(I could not listen to memo.ogg.)")
    assert len(speech.heard) == 1


class UnreadableStore(InMemoryObjectStore):
    """A store that fails to read while ``is_broken``."""

    is_broken = False

    async def open(self, key: str) -> AsyncIterator[bytes]:
        if self.is_broken:
            raise StorageError("The store does not answer.")
        async for piece in super().open(key):
            yield piece


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
        await service.send_message(guest, ChatMessage(message="What do I pay?", attachments=[ARCHIVE]))
    await service.workers.turn_runner.drain(5)

    question, reply = await messages_of(service, guest)
    assert [attachment.filename for attachment in question.attachments] == ["a.zip"]
    assert (reply.status, bool(reply.content)) == (MessageStatus.COMPLETED, True)
