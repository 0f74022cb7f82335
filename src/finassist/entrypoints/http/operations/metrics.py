"""Metrics for Prometheus (contract section 11)."""

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import SkipValidation

from finassist.application.ports.telemetry import MetricsPage
from finassist.entrypoints.http.openapi.description import raises


@get(
    "/metrics",
    summary="Read the metrics",
    description=("The metrics of all workers, in the text format of Prometheus, without the envelope."),
    tags=["Operations"],
    media_type="text/plain",
    responses=raises(),
)
async def get_metrics(telemetry: NamedDependency[SkipValidation[MetricsPage]]) -> Response[bytes]:
    return Response(telemetry.render(), headers={"Content-Type": telemetry.content_type})
