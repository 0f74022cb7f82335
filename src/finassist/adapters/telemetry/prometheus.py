"""Metrics for Prometheus (contract section 11, ``/metrics``).

With several workers every process writes its metrics to files in ``PROMETHEUS_MULTIPROC_DIR``, and the one
that is scraped adds them up; the variable has to be set before this module is imported.
"""

import os
from typing import Final, Literal

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from finassist.domain.conversations.message import MessageStatus, Usage

_REQUEST_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120)
_FIRST_TOKEN_SECONDS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30)
_DATABASE_SECONDS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 3)
_METHODS: Final = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))


def forget_process(pid: int) -> None:
    """Take a worker that ended out of the figures about what runs now."""
    mark_process_dead(pid)  # type: ignore[no-untyped-call]


class PrometheusTelemetry:
    """``Telemetry`` and ``MetricsPage`` for Prometheus."""

    content_type: Final = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = self._histogram(
            "http_request_duration_seconds",
            "Time to answer a request, streams to their end.",
            _REQUEST_SECONDS,
            "method",
            "route",
            "status",
        )
        self._answered: dict[tuple[str, str, int], Histogram] = {}
        self._first_token = self._histogram(
            "chat_first_token_seconds",
            "Time from the beginning of a turn to the first word of its reply.",
            _FIRST_TOKEN_SECONDS,
        )
        self._database = self._histogram(
            "database_call_seconds", "Time of a database call.", _DATABASE_SECONDS, "operation"
        )
        self._turns = self._counter("chat_turns", "Turns by how they ended.", "status")
        self._tokens = self._counter("chat_tokens", "Tokens of the model.", "direction")
        self._model_failures = self._counter("model_failures", "Failures of the model.", "kind")
        self._quota_refusals = self._counter(
            "quota_refusals", "Messages refused because the free allowance was used up.", "caller"
        )
        self._background_failures = self._counter(
            "background_failures", "Unexpected failures of background jobs.", "job"
        )
        self._audit_failures = self._counter(
            "audit_failures", "Records of the audit log that could not be stored."
        )
        self._active_turns = self._gauge("chat_active_turns", "Replies that are being written.", "livesum")
        self._clock_correction = self._gauge(
            "clock_correction_seconds",
            "What is added to the clock of this host to have that of MongoDB's server.",
            "livemostrecent",
        )

    def _gauge(
        self, name: str, help_text: str, over_processes: Literal["livesum", "livemostrecent"]
    ) -> Gauge:
        return Gauge(
            f"finassist_{name}", help_text, multiprocess_mode=over_processes, registry=self._registry
        )

    def _histogram(self, name: str, help_text: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
        return Histogram(f"finassist_{name}", help_text, labels, buckets=buckets, registry=self._registry)

    def _counter(self, name: str, help_text: str, *labels: str) -> Counter:
        return Counter(f"finassist_{name}", help_text, labels, registry=self._registry)

    def render(self) -> bytes:
        """All figures, of all workers, as Prometheus reads them."""
        if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
            return generate_latest(self._registry)
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)

    def request_answered(self, method: str, route: str, status: int, seconds: float) -> None:
        # A client that invents methods must not create labels.
        method = method if method in _METHODS else "other"
        answered = self._answered.get((method, route, status))
        if answered is None:
            answered = self._requests.labels(method, route, str(status))
            self._answered[method, route, status] = answered
        answered.observe(seconds)

    def turn_started(self) -> None:
        self._active_turns.inc()

    def first_token(self, seconds: float) -> None:
        self._first_token.observe(seconds)

    def turn_ended(self, status: MessageStatus, usage: Usage) -> None:
        self._active_turns.dec()
        self._turns.labels(status.value).inc()
        self._tokens.labels("prompt").inc(usage.prompt_tokens)
        self._tokens.labels("completion").inc(usage.completion_tokens)

    def model_failed(self, kind: str) -> None:
        self._model_failures.labels(kind).inc()

    def background_job_failed(self, name: str) -> None:
        self._background_failures.labels(name).inc()

    def clock_corrected(self, seconds: float) -> None:
        self._clock_correction.set(seconds)

    def quota_refused(self, caller_kind: str) -> None:
        self._quota_refusals.labels(caller_kind).inc()

    def audit_failed(self) -> None:
        self._audit_failures.inc()

    def database_called(self, operation: str, seconds: float) -> None:
        self._database.labels(operation).observe(seconds)
