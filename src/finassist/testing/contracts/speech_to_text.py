"""The contract suite of everything that transcribes recordings."""

import asyncio
from pathlib import Path

import pytest

from finassist.application.ports.files import SpeechToText
from finassist.domain.errors import TranscriptionError
from finassist.domain.files.content import RECORDINGS

CONTENT = b"RIFF\0\0\0\0WAVE of Ann"


class SpeechToTextContract:
    """The suite of ``SpeechToText``. Subclass it and override the fixtures ``speech`` and ``refused``.

    Without ``refused`` the tests of failures are skipped. Override ``recording`` when only a real one is
    understood.
    """

    @pytest.fixture
    def speech(self) -> SpeechToText:
        """An adapter whose provider hears words in every recording."""
        raise NotImplementedError("override this fixture")

    @pytest.fixture
    def refused(self) -> SpeechToText:
        """An adapter whose provider refuses every recording, or is out of reach."""
        pytest.skip("there is no provider that fails: override the fixture 'refused'")

    @pytest.fixture
    def recording(self, tmp_path: Path) -> Path:
        """A recording on the disk."""
        path = tmp_path / "recording"
        path.write_bytes(CONTENT)
        return path

    @pytest.mark.parametrize("mime_type", RECORDINGS)
    async def test_a_recording_of_every_type_becomes_a_text(
        self, speech: SpeechToText, recording: Path, mime_type: str
    ) -> None:
        assert (await speech.transcribe(recording, mime_type=mime_type)).strip()

    async def test_recordings_can_be_transcribed_at_the_same_time(
        self, speech: SpeechToText, recording: Path
    ) -> None:
        texts = await asyncio.gather(*(speech.transcribe(recording, mime_type="audio/wav") for _ in range(5)))
        assert all(texts)

    async def test_a_closed_adapter_leaves_nothing_running(self, speech: SpeechToText) -> None:
        running = asyncio.all_tasks()
        await speech.close()
        assert asyncio.all_tasks() <= running

    async def test_a_refused_recording_is_an_error(self, refused: SpeechToText, recording: Path) -> None:
        with pytest.raises(TranscriptionError) as failed:
            await refused.transcribe(recording, mime_type="audio/wav")
        assert str(recording) not in failed.value.message
