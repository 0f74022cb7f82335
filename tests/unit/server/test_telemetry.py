"""Figures for operators: bounded labels, and spans named by template."""

import sys

import pytest
from opentelemetry import trace

from finassist.adapters.telemetry.prometheus import PrometheusTelemetry
from finassist.adapters.telemetry.tracing import NoTracing, OtelTracing
from finassist.composition import factories
from finassist.config import SettingsError
from finassist.domain.conversations.message import MessageStatus, Usage


def figures(telemetry: PrometheusTelemetry) -> dict[str, float]:
    lines = telemetry.render().decode().splitlines()
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines if line[0] != "#"}


def test_a_turn_is_counted_with_its_tokens_and_its_end() -> None:
    telemetry = PrometheusTelemetry()
    telemetry.turn_started()
    telemetry.first_token(0.02)
    telemetry.turn_started()
    telemetry.turn_ended(MessageStatus.COMPLETED, Usage(prompt_tokens=7, completion_tokens=5))

    seen = figures(telemetry)

    assert seen["finassist_chat_active_turns"] == 1
    assert seen['finassist_chat_turns_total{status="completed"}'] == 1
    assert seen['finassist_chat_tokens_total{direction="prompt"}'] == 7
    assert seen['finassist_chat_tokens_total{direction="completion"}'] == 5
    assert seen["finassist_chat_first_token_seconds_count"] == 1


def test_invented_methods_make_no_labels() -> None:
    telemetry = PrometheusTelemetry()
    for method in ("GET", "BREW", "PROPFIND"):
        telemetry.request_answered(method, "/health/live", 200, 0.001)

    methods = {
        name.partition('method="')[2].partition('"')[0]
        for name in figures(telemetry)
        if name.startswith("finassist_http_request_duration_seconds_count")
    }

    assert methods == {"GET", "other"}


def test_failures_refusals_and_database_calls_are_counted_by_kind() -> None:
    telemetry = PrometheusTelemetry()
    telemetry.model_failed("timeout")
    telemetry.quota_refused("guest")
    telemetry.clock_corrected(-20.0)
    telemetry.background_job_failed("sweep files")
    telemetry.database_called("write", 0.001)

    seen = figures(telemetry)

    assert seen['finassist_model_failures_total{kind="timeout"}'] == 1
    assert seen['finassist_quota_refusals_total{caller="guest"}'] == 1
    assert seen['finassist_background_failures_total{job="sweep files"}'] == 1
    assert seen['finassist_database_call_seconds_count{operation="write"}'] == 1


def test_a_span_is_renamed_and_nests_and_tells_failures_by_their_type() -> None:
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    tracing = OtelTracing(exporter)
    try:
        with tracing.span("POST", {"http.request.method": "POST"}) as request:
            with tracing.span("model call", {"gen_ai.request.model": "m"}):
                pass
            request.rename("POST /api/v1/ai/chat")
            raise ValueError("a secret")
    except ValueError:
        pass
    tracing.close()

    model, chat = exporter.get_finished_spans()
    assert (model.name, chat.name) == ("model call", "POST /api/v1/ai/chat")
    assert model.parent is not None
    assert model.parent.span_id == chat.context.span_id
    assert chat.status.description == "ValueError"
    assert not chat.events


def test_without_a_collector_nothing_is_traced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    tracing = factories.tracing()
    assert isinstance(tracing, NoTracing)
    with tracing.span("anything", {}) as span:
        span.rename("something")
        assert not trace.get_current_span().is_recording()


def test_a_collector_without_the_extra_is_a_wrong_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318")
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.resources", None)
    with pytest.raises(SettingsError, match="finassist"):
        factories.tracing()
