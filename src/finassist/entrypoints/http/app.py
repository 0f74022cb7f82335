"""The HTTP application: built from routes, use cases and settings."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Final

from litestar import Litestar
from litestar.config.cors import CORSConfig
from litestar.middleware import DefineMiddleware
from litestar.plugins import PluginProtocol
from litestar.plugins.core import MsgspecDIPlugin

from finassist.application.concurrency.background import BackgroundTasks
from finassist.application.ports.telemetry import MetricsPage
from finassist.composition.adapters import Adapters
from finassist.composition.application import Finassist
from finassist.composition.container import build_application
from finassist.composition.resources import filled_catalogs, open_resources, prepared_replies
from finassist.composition.wiring import missing_members
from finassist.config import Settings
from finassist.entrypoints.http.accounts.erasure_routes import ErasureController
from finassist.entrypoints.http.accounts.quota_routes import QuotaController
from finassist.entrypoints.http.accounts.routes import ProfileController
from finassist.entrypoints.http.auth.audit_routes import AuditController
from finassist.entrypoints.http.auth.otp_routes import OtpController
from finassist.entrypoints.http.auth.password_routes import PasswordController
from finassist.entrypoints.http.auth.routes import AuthController
from finassist.entrypoints.http.auth.second_factor_routes import SecondFactorController
from finassist.entrypoints.http.auth.session_routes import SessionController
from finassist.entrypoints.http.auth.social_redirect_routes import SocialRedirectController
from finassist.entrypoints.http.auth.social_routes import SocialController
from finassist.entrypoints.http.auth.webhook_routes import WebhookController
from finassist.entrypoints.http.chat.routes import ChatController
from finassist.entrypoints.http.conversations.routes import ConversationController
from finassist.entrypoints.http.data_export.routes import ExportController
from finassist.entrypoints.http.files.object_routes import ObjectController
from finassist.entrypoints.http.files.routes import FileController
from finassist.entrypoints.http.launch.routes import LaunchController
from finassist.entrypoints.http.links.routes import ConfigController
from finassist.entrypoints.http.oauth.routes import OAuthController, get_login_completion
from finassist.entrypoints.http.openapi.description import TimestampSchema, openapi_config
from finassist.entrypoints.http.operations.health import HealthController
from finassist.entrypoints.http.operations.metrics import get_metrics
from finassist.entrypoints.http.operations.security_txt import get_security_txt
from finassist.entrypoints.http.preprompts.routes import PrepromptController
from finassist.entrypoints.http.preprompts.second_opinion_routes import SecondOpinionController
from finassist.entrypoints.http.profile_cards.routes import UserProfileController
from finassist.entrypoints.http.quote_images.routes import QuoteImageController
from finassist.entrypoints.http.requests.audit import AuditTrail
from finassist.entrypoints.http.requests.edge import Application, DrainSwitch
from finassist.entrypoints.http.requests.injection import Dependencies, Injected, fields_of, inject
from finassist.entrypoints.http.requests.large_bodies import LargeBodies
from finassist.entrypoints.http.requests.security import DEVICE_TOKEN, CallerMiddleware
from finassist.entrypoints.http.requests.validation import CheckedRequest, RequestCheck
from finassist.entrypoints.http.responses.errors import EXCEPTION_HANDLERS
from finassist.entrypoints.http.shares.public_routes import PublicShareController, SharedPageController
from finassist.entrypoints.http.shares.routes import ShareController
from finassist.entrypoints.http.web.routes import chat_page

JSON_BODY_MAX: Final = 64 * 1024

_CONTROLLERS: Final = (
    HealthController,
    get_security_txt,
    LaunchController,
    ConfigController,
    AuthController,
    PasswordController,
    SecondFactorController,
    SessionController,
    SocialRedirectController,
    SocialController,
    OtpController,
    ProfileController,
    ExportController,
    ErasureController,
    WebhookController,
    QuotaController,
    AuditController,
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
    SharedPageController,
    QuoteImageController,
)
_OAUTH: Final = (OAuthController,)
"""The built-in identity provider's own routes."""

_INJECTED: Final = (
    *fields_of(Adapters),
    *fields_of(Finassist),
    Injected("telemetry", MetricsPage),
    Injected("drain_switch", DrainSwitch),
    Injected("background_tasks", BackgroundTasks),
)
"""What handlers can ask for."""

_EXPOSED_HEADERS: Final = (
    "X-Request-Id",
    "X-Conversation-Id",
    "X-Message-Id",
    DEVICE_TOKEN,
    "Retry-After",
    "RateLimit",
    "RateLimit-Policy",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Interface:
    """What the settings say about the HTTP interface: its routes, and who may read their responses."""

    has_metrics: bool
    has_provider: bool
    has_chat_page: bool
    image_address: str
    allowed_origins: tuple[str, ...]


def create_app(settings: Settings, finassist: Finassist | None = None) -> Application:
    """The ASGI application. ``finassist`` replaces the one that the settings describe."""
    finassist = finassist or build_application(settings)
    adapters = finassist.adapters
    drain_switch = DrainSwitch()
    return Application(
        _router(_interface(finassist)),
        _dependencies(finassist, drain_switch),
        resources=partial(_opened, finassist),
        ids=adapters.ids,
        trusted_proxies=settings.trusted_proxies,
        drain_switch=drain_switch,
        drain_turns=finassist.workers.turn_runner.drain,
        telemetry=adapters.telemetry,
        tracing=adapters.tracing,
        audit_trail=AuditTrail(finassist.record_audit, adapters.telemetry),
        public_base_url=settings.public_base_url,
    )


@asynccontextmanager
async def _opened(finassist: Finassist) -> AsyncIterator[None]:
    async with open_resources(finassist), filled_catalogs(finassist), prepared_replies(finassist):
        yield


def _dependencies(finassist: Finassist, drain_switch: DrainSwitch) -> Dependencies:
    settings, adapters = finassist.settings, finassist.adapters
    return Dependencies(
        finassist=finassist,
        large_bodies=LargeBodies(adapters.spool, settings.inline_attachments_at_once),
        objects={
            **{name: getattr(adapters, name) for name, _ in fields_of(Adapters)},
            **{name: getattr(finassist, name) for name, _ in fields_of(Finassist)},
            "drain_switch": drain_switch,
            "background_tasks": finassist.workers.background_tasks,
        },
    )


def _interface(finassist: Finassist) -> _Interface:
    settings = finassist.settings
    return _Interface(
        has_metrics=missing_members(finassist.adapters.telemetry, MetricsPage) is None,
        has_provider=settings.identity_provider == "local",
        has_chat_page=settings.web_client_enabled,
        image_address=settings.s3_public_endpoint_url or settings.s3_endpoint_url,
        allowed_origins=tuple(settings.cors_allowed_origins),
    )


class _Routes(Litestar):
    """Litestar without its plugins for models of pydantic and attrs: no route has any, and a start would wait
    for all of pydantic."""

    @staticmethod
    def _get_default_plugins(plugins: list[PluginProtocol]) -> list[PluginProtocol]:
        return [*plugins, MsgspecDIPlugin()]


@lru_cache(maxsize=4)
def _router(interface: _Interface) -> Litestar:
    """The routes, which hold nothing of an application: it takes a fifth of a second to build them, and tests
    build many applications in a process."""
    check = RequestCheck()
    return _Routes(
        route_handlers=inject([*_CONTROLLERS, *_optional_routes(interface)], _INJECTED),
        middleware=[DefineMiddleware(CallerMiddleware, check=check)],
        before_request=check,
        request_class=CheckedRequest,
        request_max_body_size=JSON_BODY_MAX,
        exception_handlers=EXCEPTION_HANDLERS,
        cors_config=_cors(interface.allowed_origins),
        openapi_config=openapi_config(),
        plugins=[TimestampSchema()],
        logging_config=None,
    )


def _optional_routes(interface: _Interface) -> Iterator[Any]:
    if interface.has_metrics:
        yield get_metrics
    if interface.has_provider:
        yield from _OAUTH
    if interface.has_chat_page:
        yield from chat_page(interface.image_address)


def _cors(allowed_origins: tuple[str, ...]) -> CORSConfig | None:
    if not allowed_origins:
        return None
    return CORSConfig(
        allow_origins=list(allowed_origins),
        allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
        expose_headers=list(_EXPOSED_HEADERS),
    )
