"""Figures for Prometheus (contract section 11)."""

from litestar import Response, get
from litestar.di import NamedDependency

from finassist.adapters.telemetry.prometheus import CONTENT_TYPE, PrometheusTelemetry
from finassist.entrypoints.http.openapi.description import raises


@get(
    "/metrics",
    tags=["Operations"],
    media_type="text/plain",
    description="All figures of all workers, in the text format of Prometheus; without the envelope.",
    responses=raises(),
)
async def get_metrics(telemetry: NamedDependency[PrometheusTelemetry]) -> Response[bytes]:
    return Response(telemetry.render(), headers={"Content-Type": CONTENT_TYPE})
