"""OpenAI's transcriptions: what is sent, and every way in which a server can fail."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from finassist.adapters.speech.openai import OpenAiSpeech
from finassist.application.ports.files import SpeechToText
from finassist.domain.errors import StorageError, TranscriptionError
from finassist.testing import ScriptedSpeech
from finassist.testing.contracts import SpeechToTextContract
from servers.speech_server import SpeechServer, serve_speech

Make = Callable[..., OpenAiSpeech]


@pytest.fixture
async def server() -> AsyncIterator[SpeechServer]:
    async with serve_speech() as running:
        yield running


@pytest.fixture
async def make(server: SpeechServer) -> AsyncIterator[Make]:
    made: list[OpenAiSpeech] = []

    def make_one(**changes: Any) -> OpenAiSpeech:
        made.append(
            OpenAiSpeech(**{"model": "whisper-1", "api_key": "sk-test", "base_url": server.url, **changes})
        )
        return made[-1]

    yield make_one
    for speech in made:
        await speech.close()


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    path = tmp_path / "memo of Ann"
    path.write_bytes(b"the recording of a secret")
    return path


async def test_a_recording_is_sent_with_the_model_and_a_name_that_tells_its_type_alone(
    server: SpeechServer, make: Make, recording: Path
) -> None:
    assert await make().transcribe(recording, mime_type="audio/x-m4a") == "What is an ETF?"
    assert server.heads[0].startswith(b"POST /v1/audio/transcriptions ")
    assert b"Bearer sk-test" in server.heads[0]
    [body] = server.bodies
    assert b'filename="recording.m4a"' in body
    assert b"Content-Type: audio/x-m4a" in body
    assert b"the recording of a secret" in body
    assert b"whisper-1" in body
    assert b"Ann" not in body


FAILURES: dict[str, tuple[dict[str, Any], str, bool]] = {
    "no key": ({"status": 401}, "auth", False),
    "not allowed": ({"status": 403}, "auth", False),
    "not a recording": ({"status": 400}, "bad_request", False),
    "no such model": ({"status": 404}, "bad_request", False),
    "too large": ({"status": 413}, "too_large", False),
    "too many": ({"status": 429}, "rate_limited", True),
    "broken": ({"status": 500}, "overloaded", True),
    "overloaded": ({"status": 503}, "overloaded", True),
    "broken off": ({"cut": True}, "connection", True),
    "silent": ({"delay": 5}, "timeout", True),
    "not JSON": ({"body": b"{not json"}, "malformed", False),
    "nothing": ({"body": b""}, "malformed", False),
    "without a text": ({"body": b'{"texts": []}'}, "malformed", False),
    "a number in place of the text": ({"body": b'{"text": 5}'}, "malformed", False),
    "too deep": ({"body": b'{"text": ' + b"[" * 100_000}, "malformed", False),
    "endless": ({"body": b'{"text": "' + b"a" * 2**21 + b'"}'}, "malformed", False),
}


@pytest.mark.parametrize("name", FAILURES)
async def test_every_failure_is_an_error_of_its_kind_that_tells_nothing_of_what_was_sent(
    server: SpeechServer, make: Make, recording: Path, name: str
) -> None:
    how, kind, retryable = FAILURES[name]
    server.body = b'{"error": {"message": "the recording of a secret"}}'
    for attribute, value in how.items():
        setattr(server, attribute, value)
    speech = make(seconds=0.2 if kind == "timeout" else 30)
    with pytest.raises(TranscriptionError) as failed:
        await speech.transcribe(recording, mime_type="audio/wav")
    assert (failed.value.kind, failed.value.retryable) == (kind, retryable)
    assert "secret" not in failed.value.message
    assert "Ann" not in failed.value.message


@pytest.mark.parametrize(("status", "requests"), [(503, 2), (400, 1)])
async def test_a_failure_that_may_pass_is_tried_once_more_with_the_whole_recording(
    server: SpeechServer, make: Make, recording: Path, status: int, requests: int
) -> None:
    server.status = status
    with pytest.raises(TranscriptionError):
        await make().transcribe(recording, mime_type="audio/wav")
    assert len(server.bodies) == requests
    assert all(b"the recording of a secret" in body for body in server.bodies)


async def test_a_server_that_is_not_there_is_a_connection_failure(make: Make, recording: Path) -> None:
    with pytest.raises(TranscriptionError) as failed:
        await make(base_url="http://127.0.0.1:9/v1").transcribe(recording, mime_type="audio/wav")
    assert failed.value.kind == "connection"


async def test_a_recording_that_is_gone_is_a_storage_error(make: Make, tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        await make().transcribe(tmp_path / "none", mime_type="audio/wav")


class TestEverySpeech(SpeechToTextContract):
    @pytest.fixture(params=["openai", "fake"])
    def speech(self, request: pytest.FixtureRequest, make: Make) -> SpeechToText:
        return make() if request.param == "openai" else ScriptedSpeech()

    @pytest.fixture(params=["openai", "fake"])
    def refused(self, request: pytest.FixtureRequest, make: Make, server: SpeechServer) -> SpeechToText:
        if request.param == "openai":
            server.status = 400
            return make()
        fake = ScriptedSpeech()
        fake.refuse()
        return fake
