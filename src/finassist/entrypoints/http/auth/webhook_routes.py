"""Webhooks: the identity provider's events about its users (spec "Events", contract section 3)."""

from typing import Annotated, Any, Final, cast

import msgspec
from litestar import Controller, post
from litestar.connection import ASGIConnection
from litestar.di import NamedDependency
from litestar.handlers.base import BaseRouteHandler
from litestar.params import JSONBody

from finassist.application.accounts.events import ReportEvent
from finassist.application.accounts.overview import WebhookCaller
from finassist.domain.auth.local_accounts import EMAIL_MAX, EMAIL_PATTERN
from finassist.entrypoints.http.openapi.description import BODY_ERRORS, raises
from finassist.entrypoints.http.requests.any_request import AnyRequest
from finassist.entrypoints.http.requests.audit import ALWAYS
from finassist.entrypoints.http.requests.bodies import Body
from finassist.entrypoints.http.requests.injection import finassist_of
from finassist.entrypoints.http.requests.security import bearer_token
from finassist.entrypoints.http.responses.envelope import Envelope, View, ok

_ERRORS: Final = (
    *BODY_ERRORS,
    "UNAUTHORIZED",
    "NOT_FOUND",
    "TOO_MANY_ATTEMPTS",
    "IDENTITY_PROVIDER_ERROR",
)
_ABOUT_EVENTS: Final = (
    "Make or update the user that an event of the identity provider is about, with `user.created`, "
    "`user.updated` or no `event`. `user.deleted` erases the user; it needs a client-credentials token or "
    "the webhook secret. Other events are accepted and logged, and change nothing. The same event sent "
    "again changes nothing.\n\n"
    "The email of an event counts as unverified, unless the user's own token says that it is "
    "verified. Sent with the user's own token alone, an event names the email of a user who is new, and "
    "never changes one. An event about an erased user is not found."
)
_EVENT: Final = {
    "userId": "auth0|5f7c8ec7c33c6c004bbafe82",
    "email": "ann@example.com",
    "name": "Ann",
    "connection": "email",
}


class UserEvent(Body):
    """A user was made, changed or deleted, as ``event`` says. ``userId`` is the provider's id, the ``sub`` of
    its tokens."""

    user_id: Annotated[str, msgspec.Meta(min_length=1, max_length=255)]
    email: Annotated[str, msgspec.Meta(pattern=EMAIL_PATTERN, max_length=EMAIL_MAX)] | None = None
    name: Annotated[str, msgspec.Meta(max_length=300)] | None = None
    picture: Annotated[str, msgspec.Meta(max_length=2048)] | None = None
    connection: str | None = None
    event: str | None = None
    metadata: dict[str, Any] | None = None


class AcceptedView(View):
    """``status`` is ``accepted``."""

    status: str


async def admit_webhook(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """A guard: it runs before the body is looked at, so that 401 comes first."""
    secret = connection.headers.get("x-webhook-secret")
    connection.scope["state"]["webhook_caller"] = await finassist_of(connection).admit_webhook(
        bearer_token(connection.headers.get("authorization")),
        None if secret is None else secret.encode("latin-1"),  # the bytes as they were sent
        connection.scope["state"]["address"],
    )


class WebhookController(Controller):
    """The two hooks; they take the same and answer the same."""

    path = "/api/v1/auth"
    tags = ("Webhooks",)
    security = ({"bearer": []}, {"bearer": [], "webhookSecret": []})

    @post(
        "/webhooks/post-registration",
        summary="Report a registration",
        description=_ABOUT_EVENTS,
        request_example=_EVENT,
        status_code=200,
        guards=[admit_webhook],
        responses=raises(*_ERRORS),
        audited=ALWAYS,
    )
    async def report_registration(
        self,
        request: AnyRequest,
        data: JSONBody[UserEvent],
        report_event: NamedDependency[ReportEvent],
    ) -> Envelope[AcceptedView]:
        return await _report(request, data, report_event)

    @post(
        "/post-login",
        summary="Report a login",
        description=_ABOUT_EVENTS,
        request_example=_EVENT,
        status_code=200,
        guards=[admit_webhook],
        responses=raises(*_ERRORS),
        audited=ALWAYS,
    )
    async def report_login(
        self,
        request: AnyRequest,
        data: JSONBody[UserEvent],
        report_event: NamedDependency[ReportEvent],
    ) -> Envelope[AcceptedView]:
        return await _report(request, data, report_event)


async def _report(request: AnyRequest, data: UserEvent, report_event: ReportEvent) -> Envelope[AcceptedView]:
    caller = cast(WebhookCaller, request.scope["state"]["webhook_caller"])
    await report_event(
        caller, data.user_id, event=data.event, email=data.email, name=data.name, picture=data.picture
    )
    return ok(AcceptedView(status="accepted"))
