"""Models of OpenAI, and of every server with its chat completions API."""

import logging
import re
from base64 import b64encode
from collections.abc import AsyncGenerator, Awaitable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
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
from finassist.domain.errors import LanguageModelError

if TYPE_CHECKING:
    import openai

DEFAULT_MODEL: Final = "gpt-4o-mini"

_log = logging.getLogger(__name__)

_END: Final = b"[DONE]"
_SEES: Final = re.compile(
    r"gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-[5-9]|\bo[1345]\b|vision|[-.]vl|llava|pixtral|gemma-?3|llama-?4"
)
_READS_PDF: Final = re.compile(r"gpt-4o|gpt-4\.1|gpt-[5-9]|\bo[1345]\b")
_LACKS_TOOLS: Final = re.compile(
    r"(?=.*\btools?\b)(?=.*(?:support|requires?\b|--enable))", re.IGNORECASE | re.DOTALL
)


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
    to which the default belongs anyway.

    A server that refuses tools is asked again without them, and offered none from then on.
    """

    provider = "openai"

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
        self._is_openai = base_url is None
        self._without_tools: set[str] = set()
        self._tools = SharedTools(_describe)
        self._limits = TimeLimits(first_token_timeout, idle_timeout, total_timeout)
        self._client = LateClient(lambda: _client(api_key, base_url, self._limits))

    async def prepare(self) -> None:
        """Import the SDK now, so that no question waits for it."""
        await self._client.get()

    def capabilities_of(self, model: str) -> ModelCapabilities:
        """What a model can do, by its name; PDFs are read by OpenAI's own servers only."""
        return ModelCapabilities(
            tools=model not in self._without_tools,
            vision=_SEES.search(model) is not None,
            pdf=self._is_openai and _READS_PDF.search(model) is not None,
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    @asynccontextmanager
    async def stream(self, request: ModelRequest) -> AsyncGenerator[AsyncGenerator[ModelEvent, None], None]:
        """Ask the model; leaving the context closes the connection that the answer comes on."""
        if request.model in self._without_tools:
            request = replace(request, tools=())
        async with AsyncExitStack() as stack:
            try:
                events = await stack.enter_async_context(self._ask(request))
            except LanguageModelError as error:
                if not request.tools or not _lacks_tools(error):
                    raise
                _log.warning("the model takes no tools, it is asked without them from now on")
                self._without_tools.add(request.model)
                events = await stack.enter_async_context(self._ask(replace(request, tools=())))
            yield events

    @asynccontextmanager
    async def _ask(self, request: ModelRequest) -> AsyncGenerator[AsyncGenerator[ModelEvent, None], None]:
        client = await self._client.get()
        # What is sent may be large, and is let go of once it is sent: no variable keeps it.
        async with ask(self._call(client, request), _OpenAiAnswer(), self._limits, _failures()) as events:
            yield events

    def _call(self, client: "openai.AsyncOpenAI", request: ModelRequest) -> Awaitable[Any]:
        from openai import AsyncStream

        body = {
            "model": request.model,
            "messages": _messages(request),
            "max_completion_tokens": request.max_tokens,
            "stream": True,
            "stream_options": {"include_usage": True},
            **self._tools_of(request),
        }
        # What completions.create() does too, after a walk through the body that costs more than the rest.
        return client.post(
            "/chat/completions",
            content=msgspec.json.encode(body),
            cast_to=httpx2.Response,
            stream=True,
            stream_cls=AsyncStream[Any],
        )

    def _tools_of(self, request: ModelRequest) -> dict[str, Any]:
        if not request.tools:
            return {}
        tools = self._tools.encoded(request.tools)
        return {"tools": tools, "tool_choice": "auto" if request.may_call_tools else "none"}


class _OpenAiAnswer(Answer):
    """The answer in chunks; tool calls come in pieces, told apart by their index."""

    def __init__(self) -> None:
        super().__init__()
        self._reason: str | None = None
        self._usage: Usage | None = None
        self._calls: dict[int, _ToolCall] = {}

    def _take(self, payload: bytes) -> str | None:
        if payload == _END:
            self.is_over = True
            return None
        chunk = _decode(payload)
        if chunk.error is not None:
            raise failure("overloaded")
        if chunk.usage is not None:
            self._usage = Usage.reported(chunk.usage.prompt_tokens, chunk.usage.completion_tokens)
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
        """The tool calls, unless the length cut them off, and why the model ended."""
        if self._reason is None:
            raise failure("incomplete")
        if self._reason == "content_filter":
            raise failure("content_filter")
        if self._reason != "length":
            for index, call in sorted(self._calls.items()):
                yield _request(index, call)
        yield ModelFinished(self._reason, self._usage)


def _request(index: int, call: _ToolCall) -> ToolCallRequest:
    assert call.function is not None
    arguments, problem = read_arguments(call.function.arguments or "")
    return ToolCallRequest(call.id or f"call_{index}", call.function.name or "", arguments, problem)


def _messages(request: ModelRequest) -> list[Any]:
    messages: list[Any] = [{"role": "system", "content": request.system}]
    messages += ({"role": message.role.value, "content": _content(message)} for message in request.messages)
    for earlier in request.rounds:
        messages += _round(earlier)
    return messages


def _content(message: ModelMessage) -> Any:
    if not message.parts:
        return message.content
    return [*map(_part, message.parts), {"type": "text", "text": message.content}]


def _part(part: Part) -> dict[str, Any]:
    if isinstance(part, FilePart):
        return {"type": "text", "text": part.text}
    data = b64encode(part.data).decode()
    if isinstance(part, ImagePart):
        return {"type": "image_url", "image_url": {"url": f"data:{part.media_type};base64,{data}"}}
    file = {"filename": part.filename, "file_data": f"data:application/pdf;base64,{data}"}
    return {"type": "file", "file": file}


def _round(earlier: ToolRound) -> Iterator[dict[str, Any]]:
    yield {
        "role": "assistant",
        "content": earlier.text or None,
        "tool_calls": [
            {
                "id": answer.call.id,
                "type": "function",
                "function": {"name": answer.call.name, "arguments": _json(answer.call.arguments)},
            }
            for answer in earlier.answers
        ],
    }
    for answer in earlier.answers:
        yield {"role": "tool", "tool_call_id": answer.call.id, "content": _json(answer.outcome.for_prompt)}


def _describe(tool: ToolSpec) -> dict[str, Any]:
    described = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": described}


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _lacks_tools(error: LanguageModelError) -> bool:
    """Whether a server refused because it cannot call tools; they all say it in words of their own."""
    from openai import APIStatusError

    refusal = error.__cause__
    return isinstance(refusal, APIStatusError) and _LACKS_TOOLS.search(refusal.message) is not None


def _client(api_key: str | None, base_url: str | None, limits: TimeLimits) -> "openai.AsyncOpenAI":
    import openai

    return openai.AsyncOpenAI(
        api_key=api_key or "none",  # compatible servers on one's own machine ask for no key
        base_url=base_url,
        max_retries=RETRIES,
        http_client=http_client(limits),
    )


@cache
def _failures() -> Failures:
    import openai

    return sdk_failures(openai, openai.OpenAIError)
