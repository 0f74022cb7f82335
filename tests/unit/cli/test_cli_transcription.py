"""``finassist check-config`` with a server that transcribes."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from finassist.entrypoints.cli.main import main
from servers.speech_server import SpeechServer, serve_speech


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SpeechServer]:
    """The server, in an event loop of its own: the commands have theirs."""
    monkeypatch.chdir(tmp_path)
    loop, stop = asyncio.new_event_loop(), asyncio.Event()
    ready, running = threading.Event(), list[SpeechServer]()

    async def serve() -> None:
        async with serve_speech() as speech:
            running.append(speech)
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    ready.wait()
    monkeypatch.setenv("TRANSCRIPTION_MODEL", "whisper-1")
    monkeypatch.setenv("TRANSCRIPTION_BASE_URL", running[0].url)
    yield running[0]
    loop.call_soon_threadsafe(stop.set)
    thread.join()
    loop.close()


def test_check_config_has_a_recording_transcribed(
    server: SpeechServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check-config"]) == 0
    assert b"RIFF" in server.bodies[0]
    server.status = 401
    assert main(["check-config"]) == 1
    assert "TRANSCRIPTION_MODEL: The transcription failed: auth." in capsys.readouterr().err
