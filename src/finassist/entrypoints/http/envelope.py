"""The envelope around every JSON answer, and how domain objects become views (contract section 1).

Wire shapes are msgspec structs that live beside their route. ``view`` makes one from a domain object,
``ok`` puts it into the envelope.
"""

from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Annotated, Any, Generic, TypeVar

import msgspec
from litestar.params import QueryParameter

T = TypeVar("T")
V = TypeVar("V")

request_id: ContextVar[str] = ContextVar("finassist_request_id", default="")
"""The id of the request that is being answered."""

own_base: ContextVar[str] = ContextVar("finassist_own_base", default="")
"""Where the client of that request reaches the service: scheme and host, without a path."""

Limit = Annotated[int, QueryParameter(ge=1, le=100, description="How many items to answer.")]
OptionalLimit = Annotated[
    int | None, QueryParameter(ge=1, le=100, description="How many items to answer; all of them without it.")
]
Offset = Annotated[int, QueryParameter(ge=0, description="How many items to skip.")]

_WITHOUT_FRACTION = len("2026-11-21T09:30:00Z")


class _Text(type):
    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, str)


class Timestamp(metaclass=_Text):
    """RFC 3339, UTC, milliseconds, ``Z``: ``2026-11-21T09:30:00.000Z``.

    At run time a plain ``str``, which msgspec encodes fastest. The type of its own makes ``view`` convert
    times, and documents the format.
    """

    @staticmethod
    def of(moment: datetime) -> "Timestamp":
        """The wire form of an aware UTC time."""
        # msgspec writes times four times as fast as datetime does, with microseconds or no fraction at all.
        text: Any = msgspec.to_builtins(moment)
        of: Timestamp = text[:23] + "Z" if len(text) > _WITHOUT_FRACTION else text[:19] + ".000Z"
        return of


class Link(str, metaclass=_Text):
    """An address. What the core knows as a path of this service is one that the client can follow.

    At run time a plain ``str``; the type of its own makes ``view`` complete it.
    """

    @staticmethod
    def of(url: str) -> "Link":
        """The address as the client of the request at hand needs it."""
        complete: Any = own_base.get() + url if url.startswith("/") else url
        link: Link = complete
        return link


class View(msgspec.Struct, rename="camel"):
    """Base of all response shapes."""


class PageView(View):
    """What every list answers besides its items."""

    total: int
    limit: int
    offset: int
    has_more: bool


class Meta(View):
    """When a request was answered, and which one; ``requestId`` is also the header ``X-Request-Id``."""

    timestamp: Timestamp
    request_id: str


class Envelope(View, Generic[T]):
    """A success."""

    success: bool
    data: T
    meta: Meta


class ErrorBody(View):
    """What went wrong: ``code`` for programs, ``message`` for people. ``details`` lists every offending
    field for a ``VALIDATION_ERROR``, and is an object for the codes whose contract says so."""

    message: str
    code: str
    details: Any = msgspec.UNSET


class ErrorEnvelope(View):
    """A failure."""

    success: bool
    error: ErrorBody
    meta: Meta


def meta() -> Meta:
    """The meta part of an answer made now, to the request at hand."""
    return Meta(timestamp=Timestamp.of(datetime.now(UTC)), request_id=request_id.get())


def ok(data: T) -> Envelope[T]:
    """Put a successful answer into the envelope."""
    return Envelope(success=True, data=data, meta=meta())


def view(entity: object, shape: type[V]) -> V:
    """Make the view ``shape`` of a domain object whose attributes have the same names."""
    return msgspec.convert(entity, shape, from_attributes=True, dec_hook=_to_wire)


def _to_wire(kind: type, value: Any) -> Any:
    """The conversions that msgspec does not know: a time into a ``Timestamp``, an address into a ``Link``."""
    return Link.of(value) if kind is Link else Timestamp.of(value)
