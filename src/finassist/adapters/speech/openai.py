"""Transcriptions of OpenAI, and of every server with the same API."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import BinaryIO, Final

import httpx2
import msgspec
import openai

from finassist.domain.errors import StorageError, TranscriptionError
from finassist.domain.files.content import MEGABYTE, RECORDINGS

API: Final = "https://api.openai.com/v1"

_CONNECT_SECONDS: Final = 5.0
_SECONDS: Final = 30.0
_RETRIES: Final = 1
_ANSWER_BYTES_MAX: Final = MEGABYTE
"""Of a transcript: ten hours of speech."""

_FAILURES: Final = (
    (openai.APITimeoutError, "timeout", True),
    (openai.APIConnectionError, "connection", True),
    (openai.AuthenticationError, "auth", False),
    (openai.PermissionDeniedError, "auth", False),
    (openai.RateLimitError, "rate_limited", True),
    (openai.InternalServerError, "overloaded", True),
    (openai.APIStatusError, "bad_request", False),
    (httpx2.TimeoutException, "timeout", True),
    (httpx2.HTTPError, "connection", True),
)
"""The first that fits counts; a body that is read piece by piece raises the errors of httpx2."""
_TOO_LARGE: Final = 413


class _Answer(msgspec.Struct):
    text: str


_decode = msgspec.json.Decoder(_Answer).decode


class OpenAiSpeech:
    """``SpeechToText`` over ``POST /audio/transcriptions``.

    All attempts for one recording together have ``seconds``: a user is waiting. A recording is sent as it is
    read from the disk, under a name of our own: its sender's may tell more than the provider needs.
    """

    def __init__(
        self, *, model: str, api_key: str | None = None, base_url: str = "", seconds: float = _SECONDS
    ) -> None:
        self._model = model
        self._seconds = seconds
        self._client = openai.AsyncOpenAI(
            api_key=api_key or "none",  # compatible servers on one's own machine ask for no key
            base_url=base_url or API,
            max_retries=_RETRIES,
            timeout=httpx2.Timeout(seconds, connect=_CONNECT_SECONDS),
        )

    async def transcribe(self, recording: Path, *, mime_type: str) -> str:
        """What is said in it."""
        name = f"recording.{RECORDINGS[mime_type]}"
        try:
            async with asyncio.timeout(self._seconds), _opened(recording) as file:
                content = await self._ask(name, file, mime_type)
        except TimeoutError as error:
            raise _failure("timeout") from error
        except (openai.OpenAIError, httpx2.HTTPError) as error:
            raise _translate(error) from error
        try:
            return _decode(content).text
        except (ValueError, RecursionError) as error:
            raise _failure("malformed", retryable=False) from error

    async def _ask(self, name: str, file: BinaryIO, mime_type: str) -> bytes:
        content = b""
        async with self._client.audio.transcriptions.with_streaming_response.create(
            model=self._model, file=(name, file, mime_type), response_format="json"
        ) as response:
            async for piece in response.iter_bytes():
                content += piece
                if len(content) > _ANSWER_BYTES_MAX:
                    raise _failure("malformed", retryable=False)
        return content

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


@asynccontextmanager
async def _opened(recording: Path) -> AsyncIterator[BinaryIO]:
    try:
        file = await asyncio.to_thread(recording.open, "rb")
    except OSError as error:
        raise StorageError("A file cannot be read here.") from error
    with file:
        yield file


def _translate(error: Exception) -> TranscriptionError:
    if isinstance(error, openai.APIStatusError) and error.status_code == _TOO_LARGE:
        return _failure("too_large", retryable=False)
    for kind_of_error, kind, retryable in _FAILURES:
        if isinstance(error, kind_of_error):
            return _failure(kind, retryable=retryable)
    return _failure("error")


def _failure(kind: str, *, retryable: bool = True) -> TranscriptionError:
    """A failure of that kind, without the provider's text, which may repeat what was sent."""
    return TranscriptionError(f"The transcription failed: {kind}.", kind=kind, retryable=retryable)
