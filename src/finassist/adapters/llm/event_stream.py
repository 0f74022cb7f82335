"""Common to the vendors' adapters: reading an event stream under time limits, and telling its failures apart.

The official SDKs send the request: authentication, retries before the first byte, their errors. The response
is read raw and decoded with msgspec, because the SDKs' chunk objects take five times as long.
"""

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final, Generic, Protocol, TypeVar

import httpx2
import msgspec

from finassist.application.ports.language_model import ModelEvent, TextDelta, ToolSpec
from finassist.domain.errors import LanguageModelError

RETRIES: Final = 2
READ: Final = "read"
"""The extension of a response that reads what has come of its body; nothing at the end. As a stream it would
be two generators more for every token."""
UNREADABLE_ARGUMENTS: Final = "The arguments must be one JSON object."
ARGUMENTS_DEPTH_MAX: Final = 32
"""Databases and clients refuse documents that are nested much deeper."""
DEEP_ARGUMENTS: Final = f"The arguments must not be nested deeper than {ARGUMENTS_DEPTH_MAX} levels."

_CONNECT_SECONDS: Final = 5
_LEEWAY_SECONDS: Final = 1.0
_END_SECONDS: Final = 0.2
_LINE_MAX: Final = 2**20
_payloads: Final = re.compile(rb"^data:(.*)", re.MULTILINE).findall
_MESSAGE: Final = "The model could not answer."

_Read = Callable[[], Awaitable[bytes]]

Failures = Sequence[tuple[type[Exception], str, bool]]
"""A vendor's exceptions, each with its kind and whether the same request may succeed later. The first that
fits counts; the last is the base of them all."""

_TRANSPORT_FAILURES: Final[Failures] = (
    (httpx2.TimeoutException, "timeout", True),
    (httpx2.HTTPError, "connection", True),
)


def sdk_failures(sdk: ModuleType, base: type[Exception]) -> Failures:
    """The exceptions of an official SDK. The SDKs of OpenAI and Anthropic have one generator, and so one set
    of names; ``base`` is what all of them derive from."""
    return (
        (sdk.APITimeoutError, "timeout", True),
        (sdk.APIConnectionError, "connection", True),
        (sdk.RateLimitError, "rate_limited", True),
        (sdk.AuthenticationError, "auth", False),
        (sdk.PermissionDeniedError, "auth", False),
        (sdk.InternalServerError, "overloaded", True),
        (sdk.APIStatusError, "bad_request", False),
        (base, "error", True),
    )


class _Closing(Protocol):
    async def close(self) -> None: ...


C = TypeVar("C", bound=_Closing)


class LateClient(Generic[C]):
    """An SDK's client, made with the first question or before: an SDK takes half as long to import as all the
    rest of a start, and so it is done in a thread, once the service is ready."""

    def __init__(self, make: Callable[[], C]) -> None:
        """``make`` imports the SDK."""
        self._make = make
        self._made: C | None = None
        self._making = asyncio.Lock()

    async def get(self) -> C:
        """The client."""
        async with self._making:
            if self._made is None:
                self._made = await asyncio.to_thread(self._make)
            return self._made

    async def close(self) -> None:
        """Close the client, if there is one."""
        async with self._making:
            if self._made is not None:
                await self._made.close()


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """In seconds: until the first token, between two pieces, and for all of an answer."""

    first_token: float
    idle: float
    total: float


class Answer(ABC):
    """Reads an event stream piece by piece. A stream that does not say why it ended is a failure."""

    def __init__(self) -> None:
        self.has_begun = False
        self.is_over = False
        self._rest = b""

    def read(self, data: bytes) -> list[TextDelta]:
        """The pieces of text in the lines that are complete with ``data``.

        Raises LanguageModelError for what no event of the vendor can be.
        """
        lines, _, self._rest = (self._rest + data).rpartition(b"\n")
        if len(self._rest) > _LINE_MAX:
            raise failure("malformed")
        texts = []
        try:
            for payload in _payloads(lines):
                if text := self._take(payload.strip()):
                    texts.append(TextDelta(text))
        except (ValueError, RecursionError) as error:  # not JSON, not UTF-8, not an event, too deep
            raise failure("malformed") from error
        if texts:
            self.has_begun = True
        return texts

    @abstractmethod
    def _take(self, payload: bytes) -> str | None:
        """Process one event; returns the text in it. Raises ValueError for a malformed one."""

    @abstractmethod
    def end(self) -> Iterator[ModelEvent]:
        """What comes after the text: tool calls, and why the model ended."""


@asynccontextmanager
async def ask(
    call: Awaitable[Any],
    answer: Answer,
    limits: TimeLimits,
    failures: Failures,
) -> AsyncGenerator[AsyncGenerator[ModelEvent, None], None]:
    """Make the call, which gives an httpx2.Response of which the body has not been read, and give the events
    of its answer; leaving the context closes the connection.

    Raises LanguageModelError for every failure.
    """
    vendors_error = failures[-1][0]
    try:
        async with (
            asyncio.timeout(min(limits.first_token, limits.total)) as deadline,
            aclosing(await call) as response,
            aclosing(_events(response, answer, deadline, limits)) as events,
        ):
            yield events
    except TimeoutError as error:
        raise failure("timeout") from error
    except (httpx2.HTTPError, vendors_error) as error:
        raise _translate(error, failures) from error


async def _events(
    response: httpx2.Response, answer: Answer, deadline: asyncio.Timeout, limits: TimeLimits
) -> AsyncGenerator[ModelEvent, None]:
    loop = asyncio.get_running_loop()
    end = loop.time() + limits.total
    # Moving the timer costs as much as reading a token: it is moved now and then, and that much later.
    leeway = min(_LEEWAY_SECONDS, limits.idle / 10)
    move_at = 0.0
    read: _Read = response.extensions[READ]
    while chunk := await read():
        events, chunk = answer.read(chunk), b""  # what was read is not kept while more is waited for
        if answer.has_begun and (now := loop.time()) >= move_at:
            deadline.reschedule(min(now + limits.idle + leeway, end))
            move_at = now + leeway
        for event in events:
            yield event
        if answer.is_over:
            deadline.reschedule(None)
            break
    for last in answer.end():
        yield last
    await _read_to_end(read)


async def _read_to_end(read: _Read) -> None:
    """Take what follows the end mark: only then can the connection serve the next request."""
    with suppress(TimeoutError, httpx2.HTTPError):
        async with asyncio.timeout(_END_SECONDS):
            while await read():
                pass


def failure(kind: str, *, retryable: bool = True) -> LanguageModelError:
    """A failure of that kind, without the vendor's text, which may repeat the prompt."""
    if kind == "content_filter":
        return LanguageModelError("The model refused to answer this.", kind=kind, retryable=False)
    return LanguageModelError(_MESSAGE, kind=kind, retryable=retryable)


def _translate(error: Exception, failures: Failures) -> LanguageModelError:
    for kind_of_error, kind, retryable in (*failures, *_TRANSPORT_FAILURES):
        if isinstance(error, kind_of_error):
            return failure(kind, retryable=retryable)
    return failure("error")


def read_arguments(text: str) -> tuple[dict[str, Any], str | None]:
    """A tool call's arguments, and what is wrong with them, which the model gets to hear."""
    try:
        arguments = msgspec.json.decode(text or "{}", type=dict[str, Any])
        msgspec.json.encode(arguments)  # what cannot be written again can be neither stored nor shown
    except (ValueError, OverflowError, RecursionError):
        return {}, UNREADABLE_ARGUMENTS
    if not _is_nested_at_most(ARGUMENTS_DEPTH_MAX, arguments):
        return {}, DEEP_ARGUMENTS
    return arguments, None


def _is_nested_at_most(levels: int, value: object) -> bool:
    """Whether a JSON value has at most so many levels of objects and lists."""
    if not isinstance(value, dict | list):
        return True
    inner = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_is_nested_at_most(levels - 1, each) for each in inner)


class SharedTools:
    """The tools as JSON, encoded once: they are the same for every request, and longer than all the rest."""

    def __init__(self, describe: Callable[[ToolSpec], Mapping[str, Any]]) -> None:
        self._describe = describe
        self._tools: Sequence[ToolSpec] = ()
        self._encoded = msgspec.Raw()

    def encoded(self, tools: Sequence[ToolSpec]) -> msgspec.Raw:
        """A list of these tools."""
        if tools is not self._tools:
            self._encoded = msgspec.Raw(msgspec.json.encode([self._describe(tool) for tool in tools]))
            self._tools = tools
        return self._encoded


async def _forget_body(response: httpx2.Response) -> None:
    """Free the request's body once the answer has begun: the response would keep it as long as it lasts."""
    request = response.request
    response.request = httpx2.Request(request.method, request.url)


def http_client(limits: TimeLimits) -> httpx2.AsyncClient:
    """The client below an SDK. A server that wants a longer wait than a user has is not asked again."""
    from finassist.adapters.llm.transport import ENCODINGS, AiohttpClient  # aiohttp takes its time to import

    async def give_up_long_waits(response: httpx2.Response) -> None:
        if _wait(response.headers) > limits.first_token / (RETRIES + 1):
            response.headers["x-should-retry"] = "false"

    return AiohttpClient(
        headers={"accept-encoding": ENCODINGS},
        timeout=httpx2.Timeout(None, connect=_CONNECT_SECONDS),
        event_hooks={"response": [give_up_long_waits, _forget_body]},
    )


def _wait(headers: Mapping[str, str]) -> float:
    """The seconds that a server asks to wait; a date counts as long."""
    try:
        if "retry-after-ms" in headers:
            return float(headers["retry-after-ms"]) / 1000
        return float(headers.get("retry-after", 0))
    except ValueError:
        return float("inf")
