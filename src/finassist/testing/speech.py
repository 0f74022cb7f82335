"""A transcriber that hears what the test says."""

import asyncio
from pathlib import Path
from typing import NamedTuple

from finassist.domain.errors import TranscriptionError


class Recording(NamedTuple):
    """A recording that was to be transcribed."""

    content: bytes
    mime_type: str


class ScriptedSpeech:
    """Hears ``says`` in every recording, and keeps the recordings in ``heard``, oldest first. With
    ``refuse()`` it understands none."""

    def __init__(self, says: str = "What is an ETF?") -> None:
        self.says = says
        self.heard: list[Recording] = []
        self._refuses = False

    async def transcribe(self, recording: Path, *, mime_type: str) -> str:
        """Keep the recording, and return what it says."""
        if self._refuses:
            raise TranscriptionError("The transcription failed.")
        content = await asyncio.to_thread(recording.read_bytes)
        self.heard.append(Recording(content, mime_type))
        return self.says

    def refuse(self, refuses: bool = True) -> None:
        """Raise TranscriptionError from now on; ``refuse(False)`` transcribes again."""
        self._refuses = refuses

    async def close(self) -> None:
        """Nothing to close."""
