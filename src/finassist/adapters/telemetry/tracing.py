"""Spans: none by default, OpenTelemetry's with the extra ``otel`` and ``OTEL_EXPORTER_OTLP_ENDPOINT``."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any


class NoSpan:
    """A span that nobody sees."""

    def rename(self, name: str) -> None:
        """Nothing to rename."""


class NoTracing:
    """``Tracing`` that is switched off."""

    def __init__(self) -> None:
        self._nothing = nullcontext(NoSpan())

    def span(self, name: str, attributes: Mapping[str, str | int]) -> AbstractContextManager[NoSpan]:
        """Nothing."""
        return self._nothing

    def close(self) -> None:
        """Nothing to flush."""


class _OtelSpan:
    def __init__(self, span: Any) -> None:
        self._span = span

    def rename(self, name: str) -> None:
        self._span.update_name(name)


class OtelTracing:
    """``Tracing`` that sends spans to an OpenTelemetry collector, by the SDK's own ``OTEL_*`` settings.

    ``exporter`` replaces the OTLP one.
    """

    def __init__(self, exporter: Any = None) -> None:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        if exporter is None:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

            exporter = OTLPSpanExporter()
        self._provider = TracerProvider(resource=Resource.create({"service.name": "finassist"}))
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("finassist")

    @contextmanager
    def span(self, name: str, attributes: Mapping[str, str | int]) -> Iterator[_OtelSpan]:
        """A span around a piece of work. Exceptions are recorded by their type alone."""
        from opentelemetry.trace import Status, StatusCode

        with self._tracer.start_as_current_span(
            name, attributes=dict(attributes), record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield _OtelSpan(span)
            except BaseException as error:
                span.set_status(Status(StatusCode.ERROR, type(error).__name__))
                raise

    def close(self) -> None:
        """Send what is left."""
        self._provider.shutdown()
