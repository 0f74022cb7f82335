"""Signing up, in and out (spec "Authentication service", contract section 3)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, ClassVar, Final

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody

from finassist.application.auth.sign_in import (
    DescribeProvider,
    DescribeSignInOptions,
    RefreshSession,
    SignIn,
    SignOut,
    SignUp,
)
from finassist.domain.auth.local_accounts import NAME_MAX, email_problems, password_problems
from finassist.entrypoints.http.auth.bodies import common_password
from finassist.entrypoints.http.auth.views import TokenView, token_view
from finassist.entrypoints.http.openapi.description import BODY_ERRORS, raises
from finassist.entrypoints.http.openapi.exactness import EMAIL, PASSWORD
from finassist.entrypoints.http.requests.any_request import AnyRequest
from finassist.entrypoints.http.requests.audit import ALWAYS, REFUSALS
from finassist.entrypoints.http.requests.bodies import Body
from finassist.entrypoints.http.requests.parameters import (
    OptionalDeviceId,
    OptionalPlatform,
    signing_device,
)
from finassist.entrypoints.http.requests.security import DEVICE_TOKEN
from finassist.entrypoints.http.responses.envelope import Envelope, Meta, View, meta, ok

PREFIX: Final = "/api/v1/auth"

_SIGNED_OUT: Final = "Signed out."

Rules = Mapping[str, Callable[[str], Sequence[str]]]


class SignUpRequest(Body):
    """A new account. A password has at least 8 characters, with an uppercase letter, a lowercase letter
    and a digit, and is not one of the most common."""

    rules: ClassVar[Rules] = {"email": email_problems, "password": password_problems}
    late_checks = (common_password,)

    email: Annotated[str, EMAIL]
    password: Annotated[str, PASSWORD]
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=NAME_MAX, pattern=r"\S")]


class SignInRequest(Body):
    """Email and password."""

    rules: ClassVar[Rules] = {"email": email_problems}

    email: Annotated[str, EMAIL]
    password: str


class RefreshRequest(Body):
    """A refresh token."""

    refresh_token: str


class SignOutRequest(Body):
    """The refresh token to revoke."""

    refresh_token: str | None = None


class RefreshedView(View):
    """New tokens. ``refreshToken`` is there when the old one is used up; ``expiresIn`` is in seconds."""

    access_token: str
    id_token: str
    expires_in: int
    refresh_token: str | msgspec.UnsetType = msgspec.UNSET


class SignedOutMessage(View):
    """A sentence for people."""

    message: str


class SignedOut(View):
    """A success, with its message twice: in ``data`` as everywhere, and where clients look for it."""

    success: bool
    data: SignedOutMessage
    message: str
    meta: Meta


class ProviderView(View):
    """The identity provider, and whether all its settings are there."""

    name: str
    configured: bool


class SocialProviderView(View):
    """A provider whose identity tokens are taken; `GET /login/social` sends a browser there by its issuer."""

    issuer: str


class AuthHealthView(View):
    """The provider, and the routes of this part."""

    status: str
    provider: ProviderView
    endpoints: Sequence[str]


class AuthOptionsView(View):
    """Who sends codes to phones and who sends mails (`console`: they are in the service's log), and the
    social providers."""

    sms_provider: str
    email_provider: str
    social_providers: Sequence[SocialProviderView]


class AuthController(Controller):
    """``/api/v1/auth``."""

    path = "/api/v1/auth"
    tags = ("Authentication",)

    @post(
        "/signup",
        summary="Sign up",
        description=(
            "Make an account and sign in. An email that already has an account is a conflict. The device of "
            "`x-device-id` is bound to the user. An address can sign up SIGN_UPS_PER_ADDRESS_PER_HOUR times."
        ),
        request_example={"email": "ann@example.com", "password": "Correct-horse-7", "name": "Ann"},
        responses=raises(*BODY_ERRORS, "CONFLICT", "TOO_MANY_ATTEMPTS", "IDENTITY_PROVIDER_ERROR"),
        audited=ALWAYS,
    )
    async def sign_up(
        self,
        request: AnyRequest,
        data: JSONBody[SignUpRequest],
        sign_up: NamedDependency[SignUp],
        device_id: OptionalDeviceId = None,
        platform: OptionalPlatform = None,
    ) -> Envelope[TokenView]:
        device = signing_device(request, device_id, platform)
        return ok(token_view(await sign_up(data.email, data.password, data.name, device), request))

    @post(
        "/signin",
        summary="Sign in",
        description=(
            "Sign in with email and password. A wrong password and an unknown email get the same response. "
            "The device of `x-device-id` is bound to the user.\n\n"
            "Failures are limited per email and address (10, then a growing time), per address "
            "(SIGN_IN_FAILURES_PER_ADDRESS in 10 minutes) and per email (100 in an hour); the latter two do "
            "not concern an address that has signed in to the account before. When more passwords wait to be "
            "checked than take two seconds: 503, with `Retry-After`."
        ),
        request_example={"email": "ann@example.com", "password": "Correct-horse-7"},
        status_code=200,
        responses=raises(
            *BODY_ERRORS,
            "INVALID_CREDENTIALS",
            "SECOND_FACTOR_REQUIRED",
            "TOO_MANY_ATTEMPTS",
            "IDENTITY_PROVIDER_ERROR",
        ),
        audited=ALWAYS,
    )
    async def sign_in(
        self,
        request: AnyRequest,
        data: JSONBody[SignInRequest],
        sign_in: NamedDependency[SignIn],
        device_id: OptionalDeviceId = None,
        platform: OptionalPlatform = None,
    ) -> Envelope[TokenView]:
        device = signing_device(request, device_id, platform)
        session = await sign_in(data.email, data.password, device.address, device)
        return ok(token_view(session, request))

    @post(
        "/refresh",
        summary="Get new tokens",
        description=(
            "Exchange a refresh token for new tokens. A rotated refresh token works again only within its "
            "grace window, and gives the same new refresh token again; that of an erased account never does. "
            "A session ends SESSION_MAX_SECONDS after its sign-in, however often it was refreshed, or when a "
            "rotated token comes back after the grace window; its devices are unbound then. The device of "
            "`x-device-id` is bound to the user."
        ),
        request_example={"refreshToken": "A0IF-SyyIKCSBxY1gVQ_U5ww3gLWktOQRlY4PHwZTzY"},
        status_code=200,
        responses=raises(*BODY_ERRORS, "INVALID_REFRESH_TOKEN", "IDENTITY_PROVIDER_ERROR"),
        audited=REFUSALS,
    )
    async def refresh_tokens(
        self,
        request: AnyRequest,
        data: JSONBody[RefreshRequest],
        refresh_session: NamedDependency[RefreshSession],
        device_id: OptionalDeviceId = None,
        platform: OptionalPlatform = None,
    ) -> Envelope[RefreshedView]:
        tokens = await refresh_session(data.refresh_token, signing_device(request, device_id, platform))
        return ok(
            RefreshedView(
                access_token=tokens.access_token,
                id_token=tokens.id_token,
                expires_in=tokens.expires_in,
                refresh_token=msgspec.UNSET if tokens.refresh_token is None else tokens.refresh_token,
            )
        )

    @post(
        "/signout",
        summary="Sign out",
        description=(
            "End the session of the refresh token, its access tokens included, and unbind the device from "
            "its user. Unknown tokens and devices are not an error."
        ),
        request_example={"refreshToken": "R2i_2_WVRmFEKWmnysTNmj62vJR4F6BOvvrZacWrBe8"},
        status_code=200,
        responses=raises(*BODY_ERRORS),
    )
    async def sign_out(
        self,
        request: AnyRequest,
        sign_out: NamedDependency[SignOut],
        data: JSONBody[SignOutRequest | None] = None,
        device_id: OptionalDeviceId = None,
    ) -> SignedOut:
        token = request.headers.get(DEVICE_TOKEN)
        await sign_out(None if data is None else data.refresh_token, device_id, token)
        return SignedOut(success=True, data=SignedOutMessage(_SIGNED_OUT), message=_SIGNED_OUT, meta=meta())

    @get(
        "/health",
        summary="Describe the identity provider",
        description=("Which identity provider signs the tokens, and whether all of its settings are set."),
        responses=raises(),
    )
    async def get_auth_health(
        self, request: AnyRequest, describe_provider: NamedDependency[DescribeProvider]
    ) -> Envelope[AuthHealthView]:
        provider = await describe_provider()
        endpoints = {
            f"{method} {route.path_format}"
            for route in request.app.routes
            if route.path_format.startswith(f"{PREFIX}/")
            for method in getattr(route, "methods", ())
            if method != "OPTIONS"
        }
        return ok(
            AuthHealthView(
                status="ok",
                provider=ProviderView(name=provider.name, configured=provider.configured),
                endpoints=sorted(endpoints, key=lambda endpoint: endpoint.partition(" ")[2]),
            )
        )

    @get(
        "/options",
        summary="List the ways to sign in",
        description=(
            "What a client offers for signing in, besides passwords and the provider's own page: who sends "
            "codes to phones and who sends mails (`console`: they are in the service's log), and each of "
            "SOCIAL_ISSUERS."
        ),
        responses=raises(),
    )
    async def get_auth_options(
        self, describe_sign_in_options: NamedDependency[DescribeSignInOptions]
    ) -> Envelope[AuthOptionsView]:
        options = await describe_sign_in_options()
        return ok(
            AuthOptionsView(
                sms_provider=options.sms_provider,
                email_provider=options.email_provider,
                social_providers=[SocialProviderView(issuer) for issuer in options.social_issuers],
            )
        )
