"""Models of Anthropic, by its Messages API."""

from base64 import b64encode
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import httpx2
import msgspec

from finassist.adapters.llm.event_stream import (
    RETRIES,
    Answer,
    Failures,
    LateClient,
    SharedTools,
    TimeLimits,
    ask,
    failure,
    http_client,
    read_arguments,
    sdk_failures,
)
from finassist.application.ports.language_model import (
    FilePart,
    ImagePart,
    ModelCapabilities,
    ModelEvent,
    ModelFinished,
    ModelMessage,
    ModelRequest,
    Part,
    ToolCallRequest,
    ToolRound,
    ToolSpec,
)
from finassist.domain.conversations.message import Usage

if TYPE_CHECKING:
    import anthropic

DEFAULT_MODEL: Final = "claude-haiku-5-5"

_THINKING: Final = ("thinking", "redacted_thinking")
_REASONS: Final = {
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}


class _Usage(msgspec.Struct):
    input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    output_tokens: int | None = None


class _Message(msgspec.Struct):
    usage: _Usage | None = None


class _Block(msgspec.Struct):
    """A content block: its beginning as the server sends it, and what its deltas add."""

    type: str
    text: str = ""
    id: str = ""
    name: str = ""
    data: str = ""
    thinking: str = ""
    signature: str = ""
    partial_json: str = ""


class _Delta(msgspec.Struct):
    text: str = ""
    partial_json: str = ""
    thinking: str = ""
    signature: str = ""
    stop_reason: str | None = None


class _Error(msgspec.Struct):
    type: str = ""


class _Event(msgspec.Struct):
    type: str
    index: int = 0
    delta: _Delta | None = None
    content_block: _Block | None = None
    message: _Message | None = None
    usage: _Usage | None = None
    error: _Error | None = None


_decode = msgspec.json.Decoder(_Event).decode


class AnthropicModel:
    """``LanguageModel`` over messages. Timeouts are in seconds; ``models`` is the allow-list, to which the
    default belongs anyway. Without a key every call fails as ``auth``."""

    provider = "anthropic"

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
        self._has_key = bool(api_key)
        self._tools = SharedTools(_describe)
        self._limits = TimeLimits(first_token_timeout, idle_timeout, total_timeout)
        self._client = LateClient(lambda: _client(api_key, base_url, self._limits))

    async def prepare(self) -> None:
        """Import the SDK now, so that no question waits for it."""
        await self._client.get()

    def capabilities_of(self, model: str) -> ModelCapabilities:
        """What a model can do: every Claude that the messages API serves sees, reads PDFs and calls tools."""
        return ModelCapabilities(tools=True, vision=True, pdf=True)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    @asynccontextmanager
    async def stream(self, request: ModelRequest) -> AsyncGenerator[AsyncGenerator[ModelEvent, None], None]:
        """Ask the model; leaving the context closes the connection that the answer comes on."""
        if not self._has_key:
            raise failure("auth", retryable=False)
        client = await self._client.get()
        from anthropic import AsyncStream

        call = client.post(
            "/v1/messages",
            content=self._body_of(request),
            cast_to=httpx2.Response,
            stream=True,
            stream_cls=AsyncStream[Any],
        )
        async with ask(call, _AnthropicAnswer(), self._limits, _failures()) as events:
            yield events

    def _body_of(self, request: ModelRequest) -> bytes:
        body = {
            "model": request.model,
            "system": request.system,
            "messages": [*map(_message, request.messages), *_rounds(request.rounds)],
            "max_tokens": request.max_tokens,
            "stream": True,
            **self._tools_of(request),
        }
        return msgspec.json.encode(body)

    def _tools_of(self, request: ModelRequest) -> dict[str, Any]:
        if not request.tools:
            return {}
        tools = self._tools.encoded(request.tools)
        return {"tools": tools, "tool_choice": {"type": "auto" if request.may_call_tools else "none"}}


class _AnthropicAnswer(Answer):
    """The answer in content blocks, each begun, added to and ended by events of its index."""

    def __init__(self) -> None:
        super().__init__()
        self._blocks: dict[int, _Block] = {}
        self._reason: str | None = None
        self._prompt_tokens: int | None = None
        self._completion_tokens = 0

    def _take(self, payload: bytes) -> str | None:
        event = _decode(payload)
        match event.type:
            case "content_block_delta" if event.delta is not None:
                if event.delta.text:
                    return event.delta.text
                self._add(event.index, event.delta)
            case "content_block_start" if event.content_block is not None:
                self._blocks[event.index] = event.content_block
                self.has_begun = True
                return event.content_block.text
            case "message_start" if event.message is not None:
                self._count(event.message.usage)
            case "message_delta":
                self._count(event.usage)
                if event.delta is not None:
                    self._reason = event.delta.stop_reason or self._reason
            case "message_stop":
                self.is_over = True
            case "error":
                raise _failure_of(event.error)
        return None

    def _add(self, index: int, delta: _Delta) -> None:
        block = self._blocks.get(index)
        if block is None:
            raise ValueError("a delta without its content block")
        block.partial_json += delta.partial_json
        block.thinking += delta.thinking
        block.signature += delta.signature

    def _count(self, usage: _Usage | None) -> None:
        """The input is counted at the start, and the output again with every ``message_delta``."""
        if usage is None:
            return
        if usage.input_tokens is not None:
            cached = (usage.cache_creation_input_tokens or 0) + (usage.cache_read_input_tokens or 0)
            self._prompt_tokens = usage.input_tokens + cached
        self._completion_tokens = usage.output_tokens or self._completion_tokens

    def end(self) -> Iterator[ModelEvent]:
        """The tool calls, if the model stopped for them, and why it ended."""
        if self._reason is None or not self.is_over:
            raise failure("incomplete")
        if self._reason == "refusal":
            raise failure("content_filter")
        blocks = [block for _, block in sorted(self._blocks.items())]
        if self._reason == "tool_use":
            for block in blocks:
                if block.type == "tool_use":
                    arguments, problem = read_arguments(block.partial_json)
                    yield ToolCallRequest(block.id, block.name, arguments, problem)
        yield ModelFinished(
            _REASONS.get(self._reason, "stop"),
            self._usage(),
            state=[_thought(block) for block in blocks if block.type in _THINKING],
        )

    def _usage(self) -> Usage | None:
        if self._prompt_tokens is None:
            return None
        return Usage.reported(self._prompt_tokens, self._completion_tokens)


def _thought(block: _Block) -> dict[str, str]:
    """The model's reasoning, signed, as it has to come back with the results of the tools."""
    if block.type == "redacted_thinking":
        return {"type": block.type, "data": block.data}
    return {"type": block.type, "thinking": block.thinking, "signature": block.signature}


def _message(message: ModelMessage) -> Any:
    if not message.parts:
        return {"role": message.role.value, "content": message.content}
    parts = [*map(_part, message.parts), {"type": "text", "text": message.content}]
    return {"role": message.role.value, "content": parts}


def _part(part: Part) -> dict[str, Any]:
    if isinstance(part, FilePart):
        return {"type": "text", "text": part.text}
    data = b64encode(part.data).decode()
    if isinstance(part, ImagePart):
        source = {"type": "base64", "media_type": part.media_type, "data": data}
        return {"type": "image", "source": source}
    source = {"type": "base64", "media_type": "application/pdf", "data": data}
    return {"type": "document", "source": source, "title": part.filename}


def _rounds(rounds: Sequence[ToolRound]) -> Iterator[Any]:
    for earlier in rounds:
        said: list[Any] = list(earlier.state or ())
        if earlier.text.strip():
            said.append({"type": "text", "text": earlier.text})
        said += (
            {
                "type": "tool_use",
                "id": answer.call.id,
                "name": answer.call.name,
                "input": answer.call.arguments,
            }
            for answer in earlier.answers
        )
        yield {"role": "assistant", "content": said}
        yield {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": answer.call.id,
                    "content": msgspec.json.encode(answer.outcome.for_prompt).decode(),
                    "is_error": answer.outcome.is_error,
                }
                for answer in earlier.answers
            ],
        }


def _describe(tool: ToolSpec) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}


_STREAM_FAILURES: Final[Mapping[str, tuple[str, bool]]] = {
    "rate_limit_error": ("rate_limited", True),
    "timeout_error": ("timeout", True),
    "authentication_error": ("auth", False),
    "permission_error": ("auth", False),
    "billing_error": ("auth", False),
    "invalid_request_error": ("bad_request", False),
    "not_found_error": ("bad_request", False),
    "request_too_large": ("bad_request", False),
}


def _failure_of(error: _Error | None) -> Exception:
    kind, retryable = _STREAM_FAILURES.get(error.type if error else "", ("overloaded", True))
    return failure(kind, retryable=retryable)


def _client(api_key: str | None, base_url: str | None, limits: TimeLimits) -> "anthropic.AsyncAnthropic":
    import anthropic

    return anthropic.AsyncAnthropic(
        api_key=api_key or "none",  # without one, the SDK would look for credentials on the machine
        base_url=base_url,
        max_retries=RETRIES,
        http_client=http_client(limits),
    )


@cache
def _failures() -> Failures:
    import anthropic

    return sdk_failures(anthropic, anthropic.AnthropicError)
