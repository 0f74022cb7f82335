"""What the service tells about itself: figures for operators, and spans of a request's work."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from finassist.domain.conversations.message import MessageStatus, Usage


class Telemetry(Protocol):
    """Figures. Times are in seconds; nothing that a caller sent may become a label."""

    def request_answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request was answered; ``route`` is its template."""
        ...

    def turn_started(self) -> None:
        """A turn began in this process."""
        ...

    def first_token(self, seconds: float) -> None:
        """A turn said its first word, so long after it began."""
        ...

    def turn_ended(self, status: MessageStatus, usage: Usage) -> None:
        """A turn ended in this process."""
        ...

    def model_failed(self, kind: str) -> None:
        """The model failed; ``kind`` is the slug of a LanguageModelError."""
        ...

    def quota_refused(self, caller_kind: str) -> None:
        """The free allowance was used up."""
        ...

    def database_called(self, operation: str, seconds: float) -> None:
        """The database did something for us: ``read``, ``write``, or the name of its command."""
        ...


class MetricsPage(Protocol):
    """The figures as a monitoring system reads them."""

    @property
    def content_type(self) -> str:
        """The media type of the page, with its version."""
        ...

    def render(self) -> bytes:
        """All figures, of all workers."""
        ...


class Span(Protocol):
    """A piece of work under way."""

    def rename(self, name: str) -> None:
        """Name it better, once more is known."""
        ...


class Tracing(Protocol):
    """Spans, nested as the work is."""

    def span(self, name: str, attributes: Mapping[str, str | int]) -> AbstractContextManager[Span]:
        """A span around a piece of work; an exception marks it as failed."""
        ...

    def close(self) -> None:
        """Send what is left."""
        ...
