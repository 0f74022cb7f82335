"""App launch (spec "App launch and configuration", contract section 2)."""

import re
from typing import Annotated, Any, Final

import msgspec
from litestar import Controller, get
from litestar.connection import ASGIConnection
from litestar.di import NamedDependency
from litestar.handlers import BaseRouteHandler
from litestar.params import HeaderParameter

from finassist.application.launch import (
    Launch,
    LaunchApp,
    LaunchedUser,
    LaunchHints,
)
from finassist.domain.auth.local_accounts import EMAIL_MAX, EMAIL_PATTERN
from finassist.domain.auth.otp import PHONE_PATTERN
from finassist.domain.users import Platform
from finassist.entrypoints.http.launch.views import FreeThresholdView
from finassist.entrypoints.http.links.views import SocialMediaUrlsView, SystemUrlsView
from finassist.entrypoints.http.openapi.description import raises
from finassist.entrypoints.http.requests.addresses import absolute_url
from finassist.entrypoints.http.requests.any_request import AnyRequest
from finassist.entrypoints.http.requests.injection import finassist_of
from finassist.entrypoints.http.requests.parameters import DeviceId, SentPlatform
from finassist.entrypoints.http.requests.security import (
    AUTHORIZATION_PATTERN,
    DEVICE_TOKEN,
    bearer_token,
    send_device_token,
)
from finassist.entrypoints.http.responses.envelope import Envelope, Timestamp, View, ok, view

_HINT: Final = "A hint at who the user may be; it proves nothing."


class UserDataView(View, kw_only=True):
    """The user of the device. ``accessTokenExpiry`` is set when a token was sent."""

    user_id: str
    email: str | None
    phone_number: str | None
    name: str
    avatar_url: str | msgspec.UnsetType = msgspec.UNSET
    device_id: str
    platform: Platform
    auth_provider: str
    is_logged_in: bool
    is_verified: bool
    created_at: Timestamp
    updated_at: Timestamp
    access_token_expiry: Timestamp | msgspec.UnsetType = msgspec.UNSET


class SessionView(View):
    """The state of the device's session; the grace window is in seconds."""

    session_exists: bool
    refresh_allowed: bool
    grace_window_seconds: int


class AppLaunchResponseData(View):
    """All that the home screen needs."""

    user_data: UserDataView
    auth: SessionView
    is_onboarding_required: bool
    free_threshold: FreeThresholdView
    social_media_urls: SocialMediaUrlsView
    system_urls: SystemUrlsView


class LaunchView(View):
    """The data of a launch."""

    app_launch_response_data: AppLaunchResponseData


async def refuse_forged_token(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """401 for a forged token comes before 400 for whatever else is wrong (contract section 1)."""
    authorization = connection.headers.get("authorization", "")
    if re.match(AUTHORIZATION_PATTERN, authorization):
        await finassist_of(connection).verify_launch_token(bearer_token(authorization))


class LaunchController(Controller):
    """The first call of every client."""

    path = "/app/launch"
    tags = ("App",)
    security = ({}, {"bearer": []})

    @get(
        summary="Launch the app on a device",
        description=(
            "Find or make the user of a device and get everything that the home screen needs.\n\n"
            "A valid bearer token binds the device to its user, who takes over the guest's conversations. "
            "Without one, a bound device gets its user's id and no onboarding. The `x-user-*` headers only "
            "decide which user id and onboarding flag are shown, and never grant access; they are looked up "
            "ten times an hour for a device.\n\n"
            "The first launch or chat of a device returns its secret in the header `X-Device-Token`. A "
            "client that sends it back locks the device's guest: from then on a launch without it is refused."
        ),
        guards=[refuse_forged_token],
        opt={"gives_device_token": True},
        responses=raises("VALIDATION_ERROR", "UNAUTHORIZED", "IDENTITY_PROVIDER_ERROR"),
    )
    async def launch_app(
        self,
        request: AnyRequest,
        launch_app: NamedDependency[LaunchApp],
        device_id: DeviceId,
        platform: SentPlatform,
        user_id: Annotated[
            str | None, HeaderParameter(name="x-user-id", max_length=128, description=_HINT)
        ] = None,
        email: Annotated[
            str | None,
            HeaderParameter(
                name="x-user-email", pattern=EMAIL_PATTERN, max_length=EMAIL_MAX, description=_HINT
            ),
        ] = None,
        phone: Annotated[
            str | None, HeaderParameter(name="x-user-phone", pattern=PHONE_PATTERN, description=_HINT)
        ] = None,
        authorization: Annotated[
            str | None,
            HeaderParameter(name="Authorization", pattern=AUTHORIZATION_PATTERN, include_in_schema=False),
        ] = None,
    ) -> Envelope[LaunchView]:
        launch = await launch_app(
            device_id=device_id,
            platform=platform,
            hints=LaunchHints(user_id=user_id, email=email, phone=phone),
            bearer=bearer_token(authorization),
            address=request.scope["state"]["address"],
            device_token=request.headers.get(DEVICE_TOKEN),
        )
        send_device_token(request.scope, launch.device_token)
        return ok(LaunchView(app_launch_response_data=_launch_view(launch, request)))


def _launch_view(launch: Launch, request: AnyRequest) -> AppLaunchResponseData:
    return AppLaunchResponseData(
        user_data=_user_view(launch.user, request),
        auth=view(launch, SessionView),
        is_onboarding_required=launch.needs_onboarding,
        free_threshold=view(launch.allowance, FreeThresholdView),
        social_media_urls=view(launch.links.social_media_urls, SocialMediaUrlsView),
        system_urls=view(launch.links.system_urls, SystemUrlsView),
    )


def _user_view(user: LaunchedUser, request: AnyRequest) -> UserDataView:
    expiry = user.access_token_expiry
    avatar_url = absolute_url(request, user.avatar_url)
    return UserDataView(
        user_id=user.user_id,
        email=user.email,
        phone_number=user.phone_number,
        name=user.name,
        avatar_url=msgspec.UNSET if avatar_url is None else avatar_url,
        device_id=user.device_id,
        platform=user.platform,
        auth_provider=user.auth_provider,
        is_logged_in=user.is_logged_in,
        is_verified=user.is_verified,
        created_at=Timestamp.of(user.created_at),
        updated_at=Timestamp.of(user.updated_at),
        access_token_expiry=msgspec.UNSET if expiry is None else Timestamp.of(expiry),
    )
