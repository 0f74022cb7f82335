"""The HTTP application: built from routes, use cases and settings."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any, Final

from litestar import Litestar
from litestar.config.cors import CORSConfig
from litestar.datastructures import State
from litestar.middleware import DefineMiddleware

from finassist.application.concurrency.background import BackgroundTasks
from finassist.application.ports.telemetry import MetricsPage
from finassist.composition.application import Finassist
from finassist.composition.container import build_application
from finassist.composition.resources import filled_catalogs, open_resources
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
from finassist.entrypoints.http.requests.injection import Injected, fields_of, inject
from finassist.entrypoints.http.requests.large_bodies import LargeBodies
from finassist.entrypoints.http.requests.security import DEVICE_TOKEN, CallerMiddleware
from finassist.entrypoints.http.requests.validation import CheckedRequest, RequestCheck
from finassist.entrypoints.http.responses.errors import EXCEPTION_HANDLERS
from finassist.entrypoints.http.shares.public_routes import PublicShareController
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
    QuoteImageController,
)
_OAUTH: Final = (OAuthController,)
"""The built-in identity provider's own routes."""

_EXPOSED_HEADERS: Final = (
    "X-Request-Id",
    "X-Conversation-Id",
    "X-Message-Id",
    DEVICE_TOKEN,
    "Retry-After",
    "RateLimit",
    "RateLimit-Policy",
)


def create_app(settings: Settings, finassist: Finassist | None = None) -> Application:
    """The ASGI application. ``finassist`` replaces the one that the settings describe."""
    finassist = finassist or build_application(settings)
    adapters = finassist.adapters
    drain_switch = DrainSwitch()
    return Application(
        _router(finassist, drain_switch),
        ids=adapters.ids,
        trusted_proxies=settings.trusted_proxies,
        drain_switch=drain_switch,
        drain_turns=finassist.workers.turn_runner.drain,
        telemetry=adapters.telemetry,
        tracing=adapters.tracing,
        audit_trail=AuditTrail(finassist.record_audit, adapters.telemetry),
        public_base_url=settings.public_base_url,
    )


def _router(finassist: Finassist, drain_switch: DrainSwitch) -> Litestar:
    settings, adapters = finassist.settings, finassist.adapters
    check = RequestCheck(LargeBodies(adapters.spool, settings.inline_attachments_at_once))

    @asynccontextmanager
    async def lifespan(_: Litestar) -> AsyncIterator[None]:
        async with open_resources(finassist), filled_catalogs(finassist):
            yield

    return Litestar(
        route_handlers=inject(
            [*_CONTROLLERS, *_optional_routes(finassist)],
            [
                *fields_of(adapters),
                *fields_of(finassist),
                Injected("telemetry", MetricsPage, adapters.telemetry),
                Injected("drain_switch", DrainSwitch, drain_switch),
                Injected("background_tasks", BackgroundTasks, finassist.workers.background_tasks),
            ],
        ),
        state=_state(finassist),
        middleware=[
            DefineMiddleware(
                CallerMiddleware,
                resolve_caller=finassist.resolve_caller,
                give_device_token=finassist.give_device_token,
                check=check,
            )
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


def _optional_routes(finassist: Finassist) -> Iterator[Any]:
    settings = finassist.settings
    if missing_members(finassist.adapters.telemetry, MetricsPage) is None:
        yield get_metrics
    if settings.identity_provider == "local":
        yield from _OAUTH
    if settings.web_client_enabled:
        yield from chat_page(settings.s3_public_endpoint_url or settings.s3_endpoint_url)


def _state(finassist: Finassist) -> State:
    """The settings that routes need. ``return_addresses`` are those to which a sign-in may send browsers."""
    settings = finassist.settings
    addresses = (settings.public_base_url, settings.frontend_callback_url, *settings.social_redirect_uris)
    return State(
        {
            "finassist": finassist,
            "public_base_url": settings.public_base_url,
            "security_contact": settings.security_contact,
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
