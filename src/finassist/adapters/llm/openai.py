"""OpenAI and every server that speaks its chat completions.

The official SDK sends the request: authentication, retries before the first byte, its errors. The answer
is read raw and decoded with msgspec, because the SDK's chunk objects cost five times the time.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any, Final

import httpx2
import msgspec
import openai

from finassist.application.ports.gateways import (
    ModelCapabilities,
    ModelEvent,
    ModelFinished,
    ModelRequest,
    TextDelta,
    ToolCallRequest,
)
from finassist.domain.errors import LanguageModelError
from finassist.domain.messages import Usage

DEFAULT_MODEL: Final = "gpt-4o-mini"

_CONNECT_SECONDS: Final = 5
_RETRIES: Final = 2
_LEEWAY_SECONDS: Final = 1.0
_END_SECONDS: Final = 0.2
_DATA: Final = b"data:"
_END: Final = b"[DONE]"
_MESSAGE: Final = "The model could not answer."


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: str | None = None


class _ToolCall(msgspec.Struct):
    index: int = 0
    id: str | None = None
    function: _Function | None = None


class _Delta(msgspec.Struct):
    content: str | None = None
    tool_calls: list[_ToolCall] | None = None


class _Choice(msgspec.Struct):
    delta: _Delta | None = None
    finish_reason: str | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Chunk(msgspec.Struct):
    choices: list[_Choice] = []
    usage: _Usage | None = None
    error: Any = None


_decode = msgspec.json.Decoder(_Chunk).decode


class OpenAiModel:
    """``LanguageModel`` over chat completions. Timeouts are in seconds; ``models`` is the allow-list,
    to which the default belongs anyway."""

    provider = "openai"
    capabilities = ModelCapabilities()

    def __init__(
        self,
        *,
        api_key: str | None,
        base_url: str | None,
        default_model: str,
        models: Sequence[str],
        first_token_timeout: float,
        idle_timeout: float,
        total_timeout: float,
    ) -> None:
        self.default_model = default_model or DEFAULT_MODEL
        self.models = tuple(dict.fromkeys((self.default_model, *models)))
        self._first_token_timeout = first_token_timeout
        self._idle_timeout = idle_timeout
        self._total_timeout = total_timeout
        self._client = openai.AsyncOpenAI(
            api_key=api_key or "none",  # compatible servers on one's own machine ask for no key
            base_url=base_url,
            max_retries=_RETRIES,
            http_client=httpx2.AsyncClient(
                timeout=httpx2.Timeout(None, connect=_CONNECT_SECONDS),
                limits=httpx2.Limits(max_connections=None, max_keepalive_connections=100),
            ),
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    @asynccontextmanager
    async def stream(self, request: ModelRequest) -> AsyncGenerator[AsyncGenerator[ModelEvent, None], None]:
        """Ask the model; leaving the context closes the connection that the answer comes on."""
        try:
            async with (
                asyncio.timeout(min(self._first_token_timeout, self._total_timeout)) as deadline,
                aclosing(await self._ask(request)) as response,
                aclosing(self._events(response, deadline)) as events,
            ):
                yield events
        except TimeoutError as error:
            raise LanguageModelError(_MESSAGE, kind="timeout") from error
        except (openai.OpenAIError, httpx2.HTTPError) as error:
            raise _translate(error) from error

    async def _ask(self, request: ModelRequest) -> httpx2.Response:
        # What completions.create() does too, after a walk through the body that costs more than the rest.
        response: Any = await self._client.post(
            "/chat/completions",
            body={
                "model": request.model,
                "messages": _messages(request),
                "max_completion_tokens": request.max_tokens,
                "stream": True,
                "stream_options": {"include_usage": True},
            },
            cast_to=httpx2.Response,
            stream=True,
            stream_cls=openai.AsyncStream[Any],
        )
        assert isinstance(response, httpx2.Response)
        return response

    async def _events(
        self, response: httpx2.Response, deadline: asyncio.Timeout
    ) -> AsyncGenerator[ModelEvent, None]:
        loop = asyncio.get_running_loop()
        end = loop.time() + self._total_timeout
        # Moving the timer costs as much as reading a token: it is moved now and then, and that much later.
        leeway = min(_LEEWAY_SECONDS, self._idle_timeout / 10)
        move_at = 0.0
        answer = _Answer()
        chunks = response.aiter_bytes()
        async for chunk in chunks:
            events = answer.read(chunk)
            if answer.has_begun and (now := loop.time()) >= move_at:
                deadline.reschedule(min(now + self._idle_timeout + leeway, end))
                move_at = now + leeway
            for event in events:
                yield event
            if answer.is_over:
                deadline.reschedule(None)
                break
        for last in answer.end():
            yield last
        await _read_to_end(chunks)


async def _read_to_end(chunks: AsyncIterator[bytes]) -> None:
    """Take what follows the end mark: only then can the connection serve the next request."""
    with suppress(TimeoutError, httpx2.HTTPError):
        async with asyncio.timeout(_END_SECONDS):
            async for _ in chunks:
                pass


class _Answer:
    """Reads an event stream piece by piece. A stream that does not say why it ended is a failure."""

    def __init__(self) -> None:
        self.has_begun = False
        self.is_over = False
        self._rest = b""
        self._reason: str | None = None
        self._usage: Usage | None = None
        self._calls: dict[int, _ToolCall] = {}

    def read(self, data: bytes) -> list[TextDelta]:
        """The pieces of text in the lines that are complete with ``data``."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        texts = []
        for line in lines:
            if not line.startswith(_DATA):
                continue
            payload = line[len(_DATA) :].strip()
            if payload == _END:
                self.is_over = True
            elif text := self._take(payload):
                self.has_begun = True
                texts.append(TextDelta(text))
        return texts

    def _take(self, payload: bytes) -> str | None:
        try:
            chunk = _decode(payload)
        except msgspec.MsgspecError as error:
            raise LanguageModelError(_MESSAGE, kind="malformed") from error
        if chunk.error is not None:
            raise LanguageModelError(_MESSAGE, kind="overloaded")
        if chunk.usage is not None:
            self._usage = Usage(
                prompt_tokens=chunk.usage.prompt_tokens, completion_tokens=chunk.usage.completion_tokens
            )
        if not chunk.choices:
            return None
        choice = chunk.choices[0]
        self._reason = choice.finish_reason or self._reason
        if choice.delta is None:
            return None
        for call in choice.delta.tool_calls or ():
            self.has_begun = True
            self._collect(call)
        return choice.delta.content

    def _collect(self, piece: _ToolCall) -> None:
        call = self._calls.setdefault(piece.index, _ToolCall(function=_Function(name="", arguments="")))
        call.id = piece.id or call.id
        if piece.function is not None and call.function is not None:
            call.function.name = (call.function.name or "") + (piece.function.name or "")
            call.function.arguments = (call.function.arguments or "") + (piece.function.arguments or "")

    def end(self) -> Iterator[ModelEvent]:
        """What comes after the text: tool calls, and why the model ended."""
        if self._reason is None:
            raise LanguageModelError(_MESSAGE, kind="incomplete")
        if self._reason == "content_filter":
            raise LanguageModelError(
                "The model refused to answer this.", kind="content_filter", retryable=False
            )
        for index, call in sorted(self._calls.items()):
            yield _request(index, call)
        yield ModelFinished(self._reason, self._usage)


def _request(index: int, call: _ToolCall) -> ToolCallRequest:
    assert call.function is not None
    try:
        arguments = msgspec.json.decode(call.function.arguments or "{}", type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise LanguageModelError(_MESSAGE, kind="malformed") from error
    return ToolCallRequest(call.id or f"call_{index}", call.function.name or "", arguments)


def _messages(request: ModelRequest) -> list[Any]:
    return [
        {"role": "system", "content": request.system},
        *({"role": message.role.value, "content": message.content} for message in request.messages),
    ]


_KINDS: Final[tuple[tuple[type[Exception], str, bool], ...]] = (
    # the exception, its kind, and whether the same request may succeed later
    (openai.APITimeoutError, "timeout", True),
    (openai.APIConnectionError, "connection", True),
    (openai.RateLimitError, "rate_limited", True),
    (openai.AuthenticationError, "auth", False),
    (openai.PermissionDeniedError, "auth", False),
    (openai.InternalServerError, "overloaded", True),
    (openai.APIStatusError, "bad_request", False),
    (httpx2.TimeoutException, "timeout", True),
    (httpx2.HTTPError, "connection", True),
)


def _translate(error: Exception) -> LanguageModelError:
    """The vendor's failure without its text, which may repeat the prompt."""
    for kind_of_error, kind, retryable in _KINDS:
        if isinstance(error, kind_of_error):
            return LanguageModelError(_MESSAGE, kind=kind, retryable=retryable)
    return LanguageModelError(_MESSAGE)
