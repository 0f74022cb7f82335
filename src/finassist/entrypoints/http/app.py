"""The service over HTTP: routes, use cases and settings put together."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from litestar import Litestar
from litestar.config.cors import CORSConfig
from litestar.datastructures import State
from litestar.middleware import DefineMiddleware

from finassist.config import Settings
from finassist.container import Adapters, build_container
from finassist.entrypoints.http.edge import Application, DrainSwitch
from finassist.entrypoints.http.errors import EXCEPTION_HANDLERS
from finassist.entrypoints.http.injection import inject
from finassist.entrypoints.http.large_bodies import LargeBodies
from finassist.entrypoints.http.openapi import TimestampSchema, openapi_config
from finassist.entrypoints.http.routes.auth import AuthController
from finassist.entrypoints.http.routes.chat import ChatController
from finassist.entrypoints.http.routes.chat_page import chat_page
from finassist.entrypoints.http.routes.config import ConfigController
from finassist.entrypoints.http.routes.conversations import ConversationController
from finassist.entrypoints.http.routes.embeds import EmbedController
from finassist.entrypoints.http.routes.erasure import ErasureController
from finassist.entrypoints.http.routes.export import ExportController
from finassist.entrypoints.http.routes.files import FileController
from finassist.entrypoints.http.routes.health import HealthController
from finassist.entrypoints.http.routes.hosted import HostedController, get_login_completion
from finassist.entrypoints.http.routes.launch import LaunchController
from finassist.entrypoints.http.routes.metrics import get_metrics
from finassist.entrypoints.http.routes.objects import ObjectController
from finassist.entrypoints.http.routes.otp import OtpController
from finassist.entrypoints.http.routes.preprompts import PrepromptController
from finassist.entrypoints.http.routes.profile import ProfileController
from finassist.entrypoints.http.routes.public_shares import PublicShareController
from finassist.entrypoints.http.routes.second_opinion import SecondOpinionController
from finassist.entrypoints.http.routes.shares import ShareController
from finassist.entrypoints.http.routes.social import SocialController
from finassist.entrypoints.http.routes.user_profile import UserProfileController
from finassist.entrypoints.http.routes.webhooks import WebhookController
from finassist.entrypoints.http.security import CallerMiddleware
from finassist.entrypoints.http.validation import CheckedRequest, RequestCheck
from finassist.resources import open_resources

JSON_BODY_MAX: Final = 64 * 1024

_CONTROLLERS: Final = (
    HealthController,
    get_metrics,
    LaunchController,
    ConfigController,
    AuthController,
    SocialController,
    OtpController,
    ProfileController,
    ExportController,
    ErasureController,
    WebhookController,
    ObjectController,
    FileController,
    get_login_completion,
    ChatController,
    ConversationController,
    UserProfileController,
    PrepromptController,
    SecondOpinionController,
    ShareController,
    PublicShareController,
    EmbedController,
)
_HOSTED: Final = (HostedController,)
"""The built-in identity provider's own routes."""

_ADAPTERS: Final = frozenset(Adapters.providers)
_INJECTED_ADAPTERS: Final = (
    "authorization_server",
    "database_probe",
    "embed_categories",
    "spool",
    "telemetry",
)
_EXPOSED_HEADERS: Final = (
    "X-Request-Id",
    "X-Conversation-Id",
    "X-Message-Id",
    "Retry-After",
    "RateLimit",
    "RateLimit-Policy",
)


def create_app(settings: Settings, container: Any = None) -> Application:
    """The ASGI application. ``container`` replaces the one that the settings describe."""
    container = container or build_container(settings)
    drain_switch = DrainSwitch()
    return Application(
        _router(settings, container, drain_switch),
        ids=container.ids(),
        trusted_proxies=settings.trusted_proxies,
        drain_switch=drain_switch,
        drain_turns=container.turn_runner().drain,
        telemetry=container.telemetry(),
        tracing=container.tracing(),
        public_base_url=settings.public_base_url,
    )


def _router(settings: Settings, container: Any, drain_switch: DrainSwitch) -> Litestar:
    use_cases = {name: container.providers[name]() for name in container.providers if name not in _ADAPTERS}
    others = {name: container.providers[name]() for name in _INJECTED_ADAPTERS}
    check = RequestCheck(LargeBodies(container.spool(), settings.inline_attachments_at_once))

    @asynccontextmanager
    async def lifespan(_: Litestar) -> AsyncIterator[None]:
        async with open_resources(container):
            yield

    return Litestar(
        route_handlers=inject(
            [*_CONTROLLERS, *_optional_routes(settings)],
            {**use_cases, **others, "drain_switch": drain_switch},
        ),
        state=_state(settings, use_cases),
        middleware=[
            DefineMiddleware(CallerMiddleware, resolve_caller=use_cases["resolve_caller"], check=check)
        ],
        before_request=check,
        request_class=CheckedRequest,
        request_max_body_size=JSON_BODY_MAX,
        exception_handlers=EXCEPTION_HANDLERS,
        lifespan=[lifespan],
        cors_config=_cors(settings),
        openapi_config=openapi_config(),
        plugins=[TimestampSchema()],
        logging_config=None,
    )


def _optional_routes(settings: Settings) -> Iterator[Any]:
    if settings.identity_provider == "local":
        yield from _HOSTED
    if settings.web_client_enabled:
        yield from chat_page(settings.s3_public_endpoint_url or settings.s3_endpoint_url)


def _state(settings: Settings, use_cases: Mapping[str, object]) -> State:
    """What routes need beside their use cases. ``return_addresses`` is where a sign-in may send browsers."""
    addresses = (settings.public_base_url, settings.frontend_callback_url, *settings.social_redirect_uris)
    return State(
        {
            "use_cases": use_cases,
            "public_base_url": settings.public_base_url,
            "return_addresses": [address for address in addresses if address],
        }
    )


def _cors(settings: Settings) -> CORSConfig | None:
    if not settings.cors_allowed_origins:
        return None
    return CORSConfig(
        allow_origins=list(settings.cors_allowed_origins),
        allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
        expose_headers=list(_EXPOSED_HEADERS),
    )
