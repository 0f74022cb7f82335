"""Ports of telemetry: metrics for operators, and spans of a request's work."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from finassist.domain.conversations.message import MessageStatus, Usage


class Telemetry(Protocol):
    """Metrics. Times are in seconds; nothing that a caller sent may become a label."""

    def request_answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request was answered; ``route`` is its template."""
        ...

    def turn_started(self) -> None:
        """A turn began in this process."""
        ...

    def first_token(self, seconds: float) -> None:
        """A turn produced its first text, this long after it began."""
        ...

    def turn_ended(self, status: MessageStatus, usage: Usage) -> None:
        """A turn ended in this process."""
        ...

    def model_failed(self, kind: str) -> None:
        """The model failed; ``kind`` is the slug of a LanguageModelError."""
        ...

    def background_job_failed(self, name: str) -> None:
        """A background job of this process failed unexpectedly, or a background task died."""
        ...

    def quota_refused(self, caller_kind: str) -> None:
        """The free allowance was used up."""
        ...

    def audit_failed(self) -> None:
        """A record of the audit log could not be stored."""
        ...

    def database_called(self, operation: str, seconds: float) -> None:
        """The database was called: ``read``, ``write``, or the name of its command."""
        ...

    def clock_corrected(self, seconds: float) -> None:
        """The clock of this host is corrected by this, to be that of the database's server."""
        ...


class MetricsPage(Protocol):
    """The metrics in the format of a monitoring system."""

    @property
    def content_type(self) -> str:
        """The media type of the page, with its version."""
        ...

    def render(self) -> bytes:
        """All metrics, of all workers."""
        ...


class Span(Protocol):
    """A piece of work under way."""

    def rename(self, name: str) -> None:
        """Change the name, once more is known."""
        ...


class Tracing(Protocol):
    """Spans, nested as the work is."""

    def span(self, name: str, attributes: Mapping[str, str | int]) -> AbstractContextManager[Span]:
        """A span around a piece of work; an exception marks it as failed."""
        ...

    def close(self) -> None:
        """Send the spans that are left."""
        ...
