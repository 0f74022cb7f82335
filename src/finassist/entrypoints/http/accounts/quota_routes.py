"""The allowance of a user or a guest, for administrators (contract section 13, "Operations")."""

from typing import Annotated, Any

import msgspec
from litestar import Controller, delete, get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody, PathParameter

from finassist.application.auth.audit import note_call
from finassist.application.quotas import GrantQuota, ReadQuota, ResetQuota, SetPlan
from finassist.domain.errors import FieldError
from finassist.domain.ids import ID_PATTERN
from finassist.domain.quotas import Allowance
from finassist.entrypoints.http.openapi.description import BODY_ERRORS, raises
from finassist.entrypoints.http.requests.any_request import AnyRequest
from finassist.entrypoints.http.requests.bodies import Body
from finassist.entrypoints.http.requests.security import AS_BACKEND, BACKEND_ERRORS
from finassist.entrypoints.http.responses.envelope import Envelope, View, ok

GRANT_MAX = 1_000_000

UserId = Annotated[
    str,
    PathParameter(
        name="id", pattern=ID_PATTERN, max_length=24, description="The id of a user or of a device's guest."
    ),
]


class QuotaView(View):
    """The free messages of a user or a guest."""

    user_id: str
    total: int
    used: int
    remaining: int
    percent_used: int


def check_one(_: AnyRequest, body: Any) -> tuple[FieldError, ...]:
    """Whether the body names either messages or a plan."""
    if (body.get("grant") is None) is (body.get("plan") is None):
        return (FieldError("grant", "Must have either grant or plan."),)
    return ()


class QuotaGrant(Body):
    """Messages to add, or the name of a plan whose allowance takes the place of what was granted before."""

    checks = (check_one,)

    grant: Annotated[int, msgspec.Meta(ge=1, le=GRANT_MAX)] | None = None
    plan: Annotated[str, msgspec.Meta(min_length=1, max_length=64)] | None = None


class QuotaController(Controller):
    """``/api/v1/admin/users/{id}/quota``."""

    path = "/api/v1/admin/users/{id:str}/quota"
    tags = ("Administration",)

    @get(
        summary="Get a user's allowance",
        description="The free messages of a user, or of a device's guest.",
        responses=raises("VALIDATION_ERROR", *BACKEND_ERRORS, "NOT_FOUND"),
        **AS_BACKEND,
    )
    async def get_quota(self, user_id: UserId, read_quota: NamedDependency[ReadQuota]) -> Envelope[QuotaView]:
        note_call(user_id=user_id)
        return ok(_view(user_id, await read_quota(user_id)))

    @post(
        summary="Grant messages to a user",
        description=(
            "Add free messages to those of a user or a device's guest, or give it the allowance of one of "
            "the plans that the service is configured with (`PLANS`)."
        ),
        request_example={"grant": 50},
        status_code=200,
        responses=raises(*BODY_ERRORS, *BACKEND_ERRORS, "NOT_FOUND"),
        **AS_BACKEND,
    )
    async def grant_quota(
        self,
        user_id: UserId,
        data: JSONBody[QuotaGrant],
        grant_quota: NamedDependency[GrantQuota],
        set_plan: NamedDependency[SetPlan],
    ) -> Envelope[QuotaView]:
        note_call(user_id=user_id)
        if data.plan is not None:
            return ok(_view(user_id, await set_plan(user_id, data.plan)))
        return ok(_view(user_id, await grant_quota(user_id, data.grant or 0)))

    @delete(
        summary="Reset a user's allowance",
        description="Let a user or a device's guest begin with nothing used; what was granted stays.",
        status_code=200,
        responses=raises("VALIDATION_ERROR", *BACKEND_ERRORS, "NOT_FOUND"),
        **AS_BACKEND,
    )
    async def reset_quota(
        self, user_id: UserId, reset_quota: NamedDependency[ResetQuota]
    ) -> Envelope[QuotaView]:
        note_call(user_id=user_id)
        return ok(_view(user_id, await reset_quota(user_id)))


def _view(user_id: str, allowance: Allowance) -> QuotaView:
    return QuotaView(
        user_id=user_id,
        total=allowance.total,
        used=allowance.used,
        remaining=allowance.remaining,
        percent_used=allowance.percent_used,
    )
