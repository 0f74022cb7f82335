"""What tells operators how the service runs."""

import os
from typing import Final

from finassist.adapters.telemetry.tracing import NoTracing, OtelTracing
from finassist.application.ports.telemetry import Tracing
from finassist.config import SettingsError

_OTEL_ENDPOINT: Final = "OTEL_EXPORTER_OTLP_ENDPOINT"


def tracing() -> Tracing:
    """Traces, when an exporter is set: OTEL_* are the settings of OpenTelemetry itself, which comes with the
    extra "otel". Raises SettingsError without that."""
    if not os.environ.get(_OTEL_ENDPOINT):
        return NoTracing()
    try:
        return OtelTracing()
    except ImportError:
        raise SettingsError({_OTEL_ENDPOINT: "needs OpenTelemetry: install finassist[otel]"}) from None
