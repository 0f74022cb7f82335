"""Reading and copying shares, for anyone who has the link (spec "Chat share", contract section 6)."""

import asyncio
import re
from typing import Any, Final

import msgspec
from litestar import Controller, MediaType, Request, Response, get, post
from litestar.datastructures import State
from litestar.datastructures.headers import Accept
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec

from finassist.application.shares.public import ContinueShare, SharedTranscript, Viewer, ViewShare
from finassist.domain.errors import NotFound
from finassist.domain.shares import unless_blank
from finassist.domain.users import Caller
from finassist.entrypoints.http.conversations.views import ConversationView
from finassist.entrypoints.http.openapi.description import raises
from finassist.entrypoints.http.requests.injection import finassist_of
from finassist.entrypoints.http.requests.security import AS_ANYBODY
from finassist.entrypoints.http.responses.envelope import Envelope, Timestamp, View, ok, view
from finassist.entrypoints.http.responses.transcript import SharedConversationView, SharedMessageView
from finassist.entrypoints.http.shares.page import page_policy, render_missing, render_share
from finassist.entrypoints.http.shares.parameters import ShareId
from finassist.entrypoints.http.shares.views import PUBLIC_PATH, SHORT_PATH, link_to
from finassist.entrypoints.http.web.pages import LANGUAGE_COOKIE, words_for

AnyRequest = Request[Caller | None, None, State]

_REFUSED_TYPE: Final = re.compile(r";\s*q\s*=\s*0(\.0*)?\s*(;|$)", re.IGNORECASE)
"""A media type of ``Accept`` that the client refuses: ``text/html;q=0``."""

_RESPONSE_HEADERS: Final = (
    (b"cache-control", b"private, no-store"),
    (b"x-robots-tag", b"noindex"),
    (b"vary", b"Accept, Accept-Language, Cookie"),
)


class ContinuationView(View):
    """The copy of a share. ``deviceId`` is there when the request had no credentials: sent as ``x-device-id``
    from now on, it makes its sender the owner of the copy. It is returned only once."""

    conversation_id: str
    conversation: ConversationView
    message_count: int
    source_share_id: str
    device_id: str | msgspec.UnsetType = msgspec.UNSET


_PAGE: Final = ResponseSpec(
    data_container=Envelope[SharedConversationView],
    generate_examples=False,
    description="The shared conversation; a page for people, when `Accept` prefers `text/html`.",
)
_VIEWED: Final = raises("VALIDATION_ERROR", "NOT_FOUND", "STORAGE_ERROR") | {200: _PAGE}
_VIEWED_OPT: Final = {"response_headers": _RESPONSE_HEADERS, "pages": (200, 404)}
"""Of both addresses of a share."""


class PublicShareController(Controller):
    """``/api/v1/public/share``."""

    path = PUBLIC_PATH
    tags = ("Sharing",)

    @get(
        "/{shareId:str}",
        summary="Read a share",
        description=(
            "Read a shared conversation as it was when it was shared. Unknown, expired and revoked "
            "shares, and shares of deleted conversations, are not found. Repeated views of the same "
            "viewer within 30 minutes count as one, and of one address at most 10.\n\n"
            "A browser that asks for `text/html` gets a page."
        ),
        opt=_VIEWED_OPT,
        responses=_VIEWED,
    )
    async def view_share(
        self,
        request: AnyRequest,
        view_share: NamedDependency[ViewShare],
        share_id: ShareId,
    ) -> Response[Any]:
        return await _view(request, view_share, share_id, PUBLIC_PATH, "../../../../")

    @post(
        "/{shareId:str}/continue",
        summary="Continue a share as one's own conversation",
        description=(
            "Copy a share into a conversation of the caller's own, to continue it there. A bearer token "
            "or device headers identify the owner of the copy; without either, a `deviceId` is made and "
            "returned once. The copy costs no free message. In 24 hours a viewer can copy the same share 3 "
            "times, and an address and a caller 10 shares in all; a share can forbid copies."
        ),
        opt={**AS_ANYBODY["opt"], "response_headers": _RESPONSE_HEADERS},
        security=AS_ANYBODY["security"],
        responses=raises(
            "VALIDATION_ERROR",
            "UNAUTHORIZED",
            "IDENTITY_PROVIDER_ERROR",
            "NOT_FOUND",
            "FORBIDDEN",
            "RATE_LIMIT_EXCEEDED",
        ),
    )
    async def continue_share(
        self, request: AnyRequest, continue_share: NamedDependency[ContinueShare], share_id: ShareId
    ) -> Envelope[ContinuationView]:
        made = await continue_share(share_id, request.user, _viewer(request))
        return ok(
            ContinuationView(
                conversation_id=made.conversation.id,
                conversation=view(made.conversation, ConversationView),
                message_count=made.conversation.message_count,
                source_share_id=made.share_id,
                device_id=msgspec.UNSET if made.device_id is None else made.device_id,
            )
        )


class SharedPageController(Controller):
    """``/shared``: the short address of the page of a share."""

    path = SHORT_PATH
    tags = ("Sharing",)

    @get(
        "/{shareId:str}",
        summary="Open a share",
        description=(
            "The same as `GET /api/v1/public/share/{shareId}`, under an address that is short enough to be "
            "read and passed on; the chat page gives this one."
        ),
        opt=_VIEWED_OPT,
        responses=_VIEWED,
    )
    async def open_share(
        self,
        request: AnyRequest,
        view_share: NamedDependency[ViewShare],
        share_id: ShareId,
    ) -> Response[Any]:
        return await _view(request, view_share, share_id, SHORT_PATH, "../")


async def _view(
    request: AnyRequest, view_share: ViewShare, share_id: str, path: str, up: str
) -> Response[Any]:
    """The share as its reader wants it, who opened it below ``path``; ``up`` leads from its page to the chat
    page."""
    for_people = _wants_a_page(request)
    has_chat_page = finassist_of(request).settings.web_client_enabled
    words = words_for(request.headers.get("accept-language", ""), request.cookies.get(LANGUAGE_COOKIE, ""))
    try:
        shared = await view_share(share_id, _viewer(request))
    except NotFound:
        if not for_people:
            raise
        missing = render_missing(words, up=up, has_chat_page=has_chat_page)
        return _html(missing, page_policy(()), 404)
    seen = _conversation_view(shared)
    if not for_people:
        return Response(ok(seen))
    page = await asyncio.to_thread(  # long replies take a while
        render_share,
        seen,
        link_to(share_id, path),
        words,
        unless_blank(shared.share.custom_title),
        up=up,
        has_chat_page=has_chat_page,
    )
    return _html(page, page_policy(_images(seen)))


def _viewer(request: AnyRequest) -> Viewer:
    return Viewer(address=request.scope["state"]["address"], user_agent=request.headers.get("user-agent", ""))


def _wants_a_page(request: AnyRequest) -> bool:
    sent = ",".join(request.headers.getall("accept", [])).split(",")
    accept = Accept(",".join(kind for kind in sent if not _REFUSED_TYPE.search(kind)))
    return accept.best_match([MediaType.JSON, MediaType.HTML], default=MediaType.JSON) == MediaType.HTML


def _conversation_view(shared: SharedTranscript) -> SharedConversationView:
    share = shared.share
    messages = view(shared.messages, list[SharedMessageView])
    return SharedConversationView(
        share_id=share.share_id,
        title=share.shown_title,
        description=share.shown_description,
        allow_continuation=share.allow_continuation,
        view_count=share.view_count,
        created_at=Timestamp.of(share.created_at),
        expires_at=None if share.expires_at is None else Timestamp.of(share.expires_at),
        messages=messages,
    )


def _images(seen: SharedConversationView) -> list[str]:
    return [str(embed.image_url) for message in seen.messages for embed in message.visual_embeds]


def _html(page: str, policy: str, status: int = 200) -> Response[str]:
    return Response(
        page,
        status_code=status,
        media_type=MediaType.HTML,
        headers={"Content-Security-Policy": policy},
    )
