"""Health checks: whether the process is alive, and whether it can take requests (contract section 11)."""

import asyncio
from typing import Final

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import SkipValidation

from finassist.application.concurrency.background import BackgroundTasks
from finassist.application.concurrency.readiness import CheckReadiness
from finassist.domain.errors import ServiceUnavailable
from finassist.entrypoints.http.openapi.description import raises
from finassist.entrypoints.http.requests.edge import DrainSwitch
from finassist.entrypoints.http.responses.envelope import Envelope, View, ok

_DATABASE_SECONDS: Final = 2


class HealthView(View):
    """``status`` is ``live`` or ``ready``."""

    status: str


class HealthController(Controller):
    """For supervisors and load balancers; both go on answering while the service drains."""

    path = "/health"
    tags = ("Operations",)

    @get(
        "/live",
        summary="Check that the process answers",
        description=(
            "The process is running, and so are its background tasks. When one of them has died, the answer "
            "is an error until it runs again: a process that stays so should be replaced."
        ),
        responses=raises(),
    )
    async def get_liveness(
        self, background_tasks: NamedDependency[SkipValidation[BackgroundTasks]]
    ) -> Envelope[HealthView]:
        if background_tasks.dead:
            raise ServiceUnavailable("A background task has died.")
        return ok(HealthView(status="live"))

    @get(
        "/ready",
        summary="Check that requests are taken",
        description="The service takes requests: its database takes writes, and it is not shutting down.",
        responses=raises(),
    )
    async def get_readiness(
        self,
        check_readiness: NamedDependency[SkipValidation[CheckReadiness]],
        drain_switch: NamedDependency[DrainSwitch],
    ) -> Envelope[HealthView]:
        if drain_switch.is_on:
            raise ServiceUnavailable("The service is shutting down.")
        try:
            async with asyncio.timeout(_DATABASE_SECONDS):
                await check_readiness()
        except TimeoutError as error:
            raise ServiceUnavailable("The database does not respond.") from error
        return ok(HealthView(status="ready"))
