"""Transcribing the recordings of a message (docs/files.md)."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from finassist.application.chat.attachments.received import CheckedFile, MessageFiles, type_of
from finassist.application.ports.files import ObjectStore, SpeechToText, Spool
from finassist.application.ports.quotas import QuotaRepository
from finassist.domain.errors import FinassistError
from finassist.domain.files.record import StoredFile
from finassist.domain.users import Caller

TRANSCRIPT_MAX: Final = 50_000
"""Limit for what is kept of a transcript, in code points: an hour of speech, more than a model is shown."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscribeRecordings:
    """Transcribe the recordings of a message, all at once. When one cannot be transcribed, the reply goes on
    without its words. For a caller whose allowance is used up nothing is transcribed: the message is refused.
    """

    speech_to_text: SpeechToText | None
    object_store: ObjectStore
    spool: Spool
    quotas: QuotaRepository
    free_message_threshold: int

    async def __call__(self, caller: Caller, files: MessageFiles) -> MessageFiles:
        recordings = files.recordings
        if self.speech_to_text is None or not recordings or not await self._has_allowance(caller):
            return files
        texts = await asyncio.gather(
            *(self._transcribe(self.speech_to_text, file) for file in recordings.values())
        )
        heard = {at: text for at, text in zip(recordings, texts, strict=True) if text is not None}
        return replace(files, transcripts=heard)

    async def _has_allowance(self, caller: Caller) -> bool:
        use = await self.quotas.get(caller.user_id)
        return use.used < self.free_message_threshold + use.granted

    async def _transcribe(self, speech_to_text: SpeechToText, file: StoredFile | CheckedFile) -> str | None:
        try:
            async with self._on_disk(file) as recording:
                said = await speech_to_text.transcribe(recording, mime_type=type_of(file))
                return said.strip()[:TRANSCRIPT_MAX]
        except FinassistError as error:
            _log.warning("a recording could not be transcribed: %s", error.message)
            return None

    @asynccontextmanager
    async def _on_disk(self, file: StoredFile | CheckedFile) -> AsyncIterator[Path]:
        if isinstance(file, CheckedFile):
            yield file.inspected.content
            return
        async with self.spool.draft() as draft:
            async for piece in self.object_store.open(file.key):
                await draft.write(piece)
            await draft.finish()
            yield draft.path
