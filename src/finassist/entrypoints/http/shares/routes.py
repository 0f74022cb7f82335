"""Sharing conversations, as their owner does (spec "Chat share", contract section 6)."""

from datetime import datetime
from typing import Annotated, Any, ClassVar, Final

import msgspec
from litestar import Controller, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.params import JSONBody, QueryParameter

from finassist.application.shares.owner import (
    AnalyseShare,
    CreateShare,
    ListShares,
    PreviewShare,
    RevokeShare,
    ShareAnalytics,
    ShareSettings,
    UpdateShare,
)
from finassist.domain.ids import ID_PATTERN
from finassist.domain.redaction import PersonalDataKind
from finassist.domain.shares import (
    CUSTOM_DESCRIPTION_MAX,
    CUSTOM_TITLE_MAX,
    EXPIRY_DAYS_MAX,
    EXPIRY_DAYS_MIN,
    ClearedField,
    Share,
    ShareChanges,
    ShareStatus,
)
from finassist.entrypoints.http.openapi.description import BODY_ERRORS, REGISTERED_ERRORS, raises
from finassist.entrypoints.http.requests.bodies import Body
from finassist.entrypoints.http.requests.security import AS_REGISTERED, CallerRequest
from finassist.entrypoints.http.responses.envelope import (
    Envelope,
    Limit,
    Link,
    Offset,
    PageView,
    Timestamp,
    View,
    ok,
    page_fields,
    view,
)
from finassist.entrypoints.http.responses.transcript import SharedMessageView
from finassist.entrypoints.http.shares.parameters import ShareId
from finassist.entrypoints.http.shares.views import link_to

ConversationId = Annotated[str, msgspec.Meta(pattern=ID_PATTERN, max_length=24)]
Days = Annotated[float, msgspec.Meta(ge=EXPIRY_DAYS_MIN, le=EXPIRY_DAYS_MAX)]
Title = Annotated[str, msgspec.Meta(max_length=CUSTOM_TITLE_MAX)]
Description = Annotated[str, msgspec.Meta(max_length=CUSTOM_DESCRIPTION_MAX)]

_ONE: Final = (*REGISTERED_ERRORS, "NOT_FOUND", "FORBIDDEN")


class ShareView(View):
    """A share. ``shareType`` is always ``full`` and ``visibility`` always ``public``."""

    id: str
    share_id: str
    user_id: str
    conversation_id: str
    share_type: str
    visibility: str
    allow_continuation: bool
    redacted: bool
    view_count: int
    continuation_count: int
    status: ShareStatus
    message_ids: list[str]
    custom_title: str | None
    custom_description: str | None
    created_at: Timestamp
    updated_at: Timestamp
    last_viewed_at: Timestamp | None
    expires_at: Timestamp | None
    revoked_at: Timestamp | None


class LinkedShareView(ShareView):
    """A share and its link."""

    share_url: Link


class ListedShareView(LinkedShareView):
    """A share, its link, and the title that its conversation has now."""

    conversation_title: str


class SharePage(PageView):
    """Some of the caller's shares."""

    shares: list[ListedShareView]


class FindingView(View):
    """Personal data that was found. ``messageId`` is null for the conversation's title."""

    message_id: str | None
    kind: PersonalDataKind
    text: str


class SharePreviewView(View):
    """What a share would show."""

    title: str
    messages: list[SharedMessageView]
    findings: list[FindingView]


class RevokedShare(View):
    """Which link no longer works."""

    revoked: bool
    share_id: str


class ViewsOfDayView(View):
    """The views of one day, UTC: ``2026-11-21``."""

    date: str
    views: int
    unique_viewers: int


class ShareAnalyticsView(View):
    """How a share was used. ``viewsByDay`` has the days that had views, oldest first."""

    share_id: str
    status: ShareStatus
    total_views: int
    unique_viewers: int
    continuation_count: int
    last_viewed_at: Timestamp | None
    created_at: Timestamp
    views_by_day: list[ViewsOfDayView]


class ShareBody(Body):
    """What to share, and how. Without ``expiresInDays`` the share does not expire."""

    aliases: ClassVar = {"conversation_id": "conversationId", "expires_in_days": "expiresInDays"}

    conversation_id: ConversationId
    allow_continuation: bool = True
    expires_in_days: Days | None = None
    custom_title: Title | None = None
    custom_description: Description | None = None
    redact: bool = False


class SharePatch(Body):
    """What to change; fields that are left out stay as they are. Null removes the expiry, the custom title or
    the custom description."""

    aliases: ClassVar = {"expires_in_days": "expiresInDays"}

    allow_continuation: bool | msgspec.UnsetType = msgspec.UNSET
    expires_in_days: Days | msgspec.UnsetType | None = msgspec.UNSET
    custom_title: Title | msgspec.UnsetType | None = msgspec.UNSET
    custom_description: Description | msgspec.UnsetType | None = msgspec.UNSET


class ShareController(Controller):
    """The caller's shares."""

    path = "/api/v1/share"
    tags = ("Sharing",)
    opt = AS_REGISTERED["opt"]
    security = AS_REGISTERED["security"]

    @post(
        summary="Share a conversation",
        description=(
            "Publish one of the caller's conversations as it is now; later messages and a later title "
            "stay hidden.\n\n"
            "With `redact`, personal data is replaced in what viewers see, never in the conversation; one "
            "of more than 500,000 characters is refused (`INVALID_STATE`), as an empty one is. "
            "Without `expiresInDays` the share does not expire."
        ),
        request_example={"conversationId": "01a1fdab9f8c000078003712", "redact": True, "expiresInDays": 30},
        responses=raises(*_ONE, *BODY_ERRORS, "INVALID_STATE"),
    )
    async def create_share(
        self,
        request: CallerRequest,
        create_share: NamedDependency[CreateShare],
        data: JSONBody[ShareBody],
    ) -> Envelope[LinkedShareView]:
        created = await create_share(request.user, data.conversation_id, _settings(data))
        return ok(_linked(created.share, created.status))

    @post(
        "/preview",
        summary="Preview a share",
        description=(
            "Show what a share would publish, and which personal data was found in it. Nothing is "
            "published. A conversation that is empty or has more than 500,000 characters is refused "
            "(`INVALID_STATE`)."
        ),
        request_example={"conversationId": "01a1fdab9f8c000078003712", "redact": True, "expiresInDays": 30},
        status_code=200,
        responses=raises(*_ONE, *BODY_ERRORS, "INVALID_STATE"),
    )
    async def preview_share(
        self,
        request: CallerRequest,
        preview_share: NamedDependency[PreviewShare],
        data: JSONBody[ShareBody],
    ) -> Envelope[SharePreviewView]:
        return ok(
            view(await preview_share(request.user, data.conversation_id, _settings(data)), SharePreviewView)
        )

    @get(
        "/list",
        summary="List shares",
        description="The caller's shares, newest first.",
        responses=raises(*REGISTERED_ERRORS),
    )
    async def list_shares(
        self,
        request: CallerRequest,
        list_shares: NamedDependency[ListShares],
        status: Annotated[ShareStatus | None, QueryParameter(description="Only those in this state.")] = None,
        limit: Limit = 20,
        offset: Offset = 0,
    ) -> Envelope[SharePage]:
        page = await list_shares(request.user, status, limit=limit, offset=offset)
        shares = [
            ListedShareView(
                **_fields(owned.share, owned.status),
                share_url=link_to(owned.share.share_id),
                conversation_title=owned.conversation_title,
            )
            for owned in page.items
        ]
        return ok(SharePage(shares=shares, **page_fields(page)))

    @patch(
        "/{shareId:str}",
        summary="Change a share",
        description=(
            "Change the settings of one of the caller's shares; fields that are left out stay as they "
            "are. `expiresInDays` counts from now and makes an expired share active again; null removes the "
            "expiry. A revoked share cannot be changed."
        ),
        request_example={"allowContinuation": False, "customTitle": "My emergency fund"},
        responses=raises(*_ONE, *BODY_ERRORS, "INVALID_STATE"),
    )
    async def update_share(
        self,
        request: CallerRequest,
        update_share: NamedDependency[UpdateShare],
        share_id: ShareId,
        data: JSONBody[SharePatch],
    ) -> Envelope[LinkedShareView]:
        days = None if isinstance(data.expires_in_days, msgspec.UnsetType) else data.expires_in_days
        return ok(_linked(*await update_share(request.user, share_id, _changes(data), days)))

    @delete(
        "/{shareId:str}",
        summary="Revoke a share",
        description=(
            "End one of the caller's shares for good: its link stops working at once. Revoking it again "
            "changes nothing."
        ),
        status_code=200,
        responses=raises(*_ONE),
    )
    async def revoke_share(
        self, request: CallerRequest, revoke_share: NamedDependency[RevokeShare], share_id: ShareId
    ) -> Envelope[RevokedShare]:
        await revoke_share(request.user, share_id)
        return ok(RevokedShare(revoked=True, share_id=share_id))

    @get(
        "/{shareId:str}/analytics",
        summary="Count the views of a share",
        description=(
            "How often one of the caller's shares was viewed, by how many viewers, on which days, and how "
            "often it was continued. Repeated views of the same viewer within 30 minutes count as one; "
            "viewers cannot be identified."
        ),
        responses=raises(*_ONE),
    )
    async def get_share_analytics(
        self,
        request: CallerRequest,
        analyse_share: NamedDependency[AnalyseShare],
        share_id: ShareId,
    ) -> Envelope[ShareAnalyticsView]:
        return ok(_analytics_view(await analyse_share(request.user, share_id)))


def _settings(body: ShareBody) -> ShareSettings:
    return ShareSettings(
        allow_continuation=body.allow_continuation,
        expires_in_days=body.expires_in_days,
        custom_title=body.custom_title,
        custom_description=body.custom_description,
        redact=body.redact,
    )


def _changes(patch: SharePatch) -> ShareChanges:
    names = ("allow_continuation", "custom_title", "custom_description")
    given = {name: getattr(patch, name) for name in names}
    cleared: list[ClearedField] = []
    if patch.expires_in_days is None:
        cleared.append("expires_at")
    if patch.custom_title is None:
        cleared.append("custom_title")
    if patch.custom_description is None:
        cleared.append("custom_description")
    sent = {name: value for name, value in given.items() if not isinstance(value, msgspec.UnsetType)}
    return ShareChanges(**sent, cleared=tuple(cleared))


def _fields(share: Share, status: ShareStatus) -> dict[str, Any]:
    return {
        "id": share.id,
        "share_id": share.share_id,
        "user_id": share.user_id,
        "conversation_id": share.conversation_id,
        "share_type": "full",
        "visibility": "public",
        "allow_continuation": share.allow_continuation,
        "redacted": share.redacted,
        "view_count": share.view_count,
        "continuation_count": share.continuation_count,
        "status": status,
        "message_ids": list(share.message_ids),
        "custom_title": share.custom_title,
        "custom_description": share.custom_description,
        "created_at": Timestamp.of(share.created_at),
        "updated_at": Timestamp.of(share.updated_at),
        "last_viewed_at": _timestamp(share.last_viewed_at),
        "expires_at": _timestamp(share.expires_at),
        "revoked_at": _timestamp(share.revoked_at),
    }


def _linked(share: Share, status: ShareStatus) -> LinkedShareView:
    return LinkedShareView(**_fields(share, status), share_url=link_to(share.share_id))


def _timestamp(moment: datetime | None) -> Timestamp | None:
    return None if moment is None else Timestamp.of(moment)


def _analytics_view(analytics: ShareAnalytics) -> ShareAnalyticsView:
    share, views = analytics.share, analytics.views
    return ShareAnalyticsView(
        share_id=share.share_id,
        status=analytics.status,
        total_views=views.total_views,
        unique_viewers=views.unique_viewers,
        continuation_count=share.continuation_count,
        last_viewed_at=_timestamp(views.last_viewed_at),
        created_at=Timestamp.of(share.created_at),
        views_by_day=view(views.by_day, list[ViewsOfDayView]),
    )
