"""The audit log, for administrators (contract section 13, "Operations")."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import QueryParameter

from finassist.application.auth.audit import ListAudit
from finassist.domain.auth.audit import Actor, AuditFilter, AuditResult
from finassist.domain.ids import ID_PATTERN
from finassist.entrypoints.http.openapi.description import raises
from finassist.entrypoints.http.requests.security import AS_BACKEND, BACKEND_ERRORS
from finassist.entrypoints.http.responses.envelope import (
    Envelope,
    Limit,
    Offset,
    PageView,
    Timestamp,
    View,
    ok,
    page_fields,
    view,
)

_ACTION_MAX = 64

Action = Annotated[
    str | None,
    QueryParameter(
        pattern="^[A-Za-z]+$",
        max_length=_ACTION_MAX,
        description="The id of an operation of this interface, such as `signIn` or `eraseProfile`.",
    ),
]
UserId = Annotated[
    str | None,
    QueryParameter(
        name="userId",
        pattern=ID_PATTERN,
        max_length=24,
        description="The id of a user or of a device's guest: calls by it, and calls about it.",
    ),
]
From = Annotated[datetime | None, QueryParameter(name="from", description="Records from this time on.")]
To = Annotated[datetime | None, QueryParameter(name="to", description="Records from before this time.")]


class AuditRecordView(View):
    """A call. ``userId`` is the user or guest that called or that the call was about; after its erasure only
    ``userHash`` tells its calls from those of others, and ``address`` is null. ``code`` is the error's."""

    id: str
    at: Timestamp
    action: str
    actor: Actor
    user_id: str | None
    user_hash: str | None
    address: str | None
    result: AuditResult
    code: str | None
    request_id: str


class AuditPage(PageView):
    """Records of the audit log, newest first."""

    records: Sequence[AuditRecordView]


class AuditController(Controller):
    """``/api/v1/admin/audit``."""

    path = "/api/v1/admin/audit"
    tags = ("Administration",)

    @get(
        summary="List the audit log",
        description=(
            "Sign-ins, changes of passwords, emails and second factors, failures of these, calls with the "
            "backend secret and of webhooks, exports and erasures: who, what, when, from which address, with "
            "which result; newest first. Records are kept for AUDIT_KEPT_DAYS.\n\n"
            "Of refusals for one reason, 20 an hour are recorded for an operation and address; of successes, "
            "20 an hour for an operation and user. Calls with a secret are all recorded, this one too."
        ),
        responses=raises("VALIDATION_ERROR", *BACKEND_ERRORS),
        **AS_BACKEND,
    )
    async def list_audit(
        self,
        list_audit: NamedDependency[ListAudit],
        action: Action = None,
        user_id: UserId = None,
        since: From = None,
        until: To = None,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> Envelope[AuditPage]:
        wanted = AuditFilter(action=action, user_id=user_id, since=_utc(since), until=_utc(until))
        page = await list_audit(wanted, limit=limit, offset=offset)
        return ok(
            AuditPage(records=[view(each, AuditRecordView) for each in page.items], **page_fields(page))
        )


def _utc(moment: datetime | None) -> datetime | None:
    """The time in UTC, as which one without an offset counts; beyond the calendar the end of it."""
    if moment is None or moment.tzinfo is None:
        return None if moment is None else moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return moment.replace(tzinfo=UTC)
