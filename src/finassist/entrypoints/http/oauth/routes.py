"""The built-in provider's own routes: hosted page, token endpoint, keys and discovery (OAuth 2.1, OpenID
Connect). Their shapes are those standards' and not the envelope."""

from collections.abc import Mapping
from typing import Any, Final

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.enums import MediaType
from litestar.params import SkipValidation

from finassist.application.auth.audit import note_call
from finassist.application.auth.oauth import (
    FORM_LIFETIME,
    AuthorizationRefused,
    AuthorizeSecondFactor,
    AuthorizeSignIn,
    AuthorizeSignUp,
    GrantTokens,
    LoginForm,
    OfferForm,
    TakeForm,
    TokenRequestRefused,
    form_cookie,
)
from finassist.application.auth.social_redirect import AUTHORIZATION_PATH, COMPLETE_PATH
from finassist.application.ports.identity import AuthorizationServer
from finassist.domain.errors import (
    ChallengeExpired,
    Conflict,
    FinassistError,
    InvalidCode,
    InvalidCredentials,
    RateLimitExceeded,
    SecondFactorRequired,
    ServiceUnavailable,
    TooManyAttempts,
    ValidationFailed,
)
from finassist.entrypoints.http.oauth.description import (
    AUTHORIZATION_QUERY,
    SIGN_IN_FORM,
    TO_THE_CLIENT,
    TOKEN_FORM,
    TOKEN_REFUSED,
)
from finassist.entrypoints.http.oauth.page import (
    COMPLETE_POLICY,
    form_policy,
    render_code_form,
    render_complete,
    render_form,
    render_refusal,
    return_addresses,
)
from finassist.entrypoints.http.oauth.shapes import GrantedTokens, OpenidConfiguration, SigningKeys
from finassist.entrypoints.http.openapi.description import raises
from finassist.entrypoints.http.requests.addresses import own_address
from finassist.entrypoints.http.requests.any_request import AnyRequest
from finassist.entrypoints.http.requests.audit import ALWAYS, REFUSALS
from finassist.entrypoints.http.requests.forms import read_url_form
from finassist.entrypoints.http.requests.injection import finassist_of
from finassist.entrypoints.http.responses.errors import STATUS_OF
from finassist.entrypoints.http.responses.redirects import cookie_of, end_cookie, redirect, single_use_cookie

TOKEN_PATH: Final = "/oauth/token"  # noqa: S105 - an address
KEYS_PATH: Final = "/.well-known/jwks.json"

_CACHED: Final = {"Cache-Control": "public, max-age=60"}
"""No longer than it takes a rotated key to sign."""

_TRY_AGAIN: Final = (
    ChallengeExpired,
    Conflict,
    InvalidCode,
    InvalidCredentials,
    SecondFactorRequired,
    ServiceUnavailable,
    TooManyAttempts,
    ValidationFailed,
)
"""What the next form tells, or asks for."""

_BEGIN_AGAIN: Final = "Please go back to the app and sign in again."

AnyRequest = AnyRequest


@get(
    COMPLETE_PATH,
    summary="Show how a redirect login ended",
    description="Where a redirect login ends when FRONTEND_CALLBACK_URL is unset.",
    tags=["OAuth"],
    media_type=MediaType.HTML,
    sync_to_thread=False,
    responses=raises(),
)
def get_login_completion() -> Response[str]:
    """A page that says how it went; it takes the tokens out of the browser's address."""
    return _html(render_complete(), COMPLETE_POLICY)


class OAuthController(Controller):
    """What the redirect login needs of the built-in provider."""

    path = "/"
    tags = ("OAuth",)

    @get(
        AUTHORIZATION_PATH,
        summary="Show a login form",
        description=(
            "Check a client's authorization request and show the form to sign in or up.\n\n"
            "A request with an unknown client or return address is refused here, because the browser must "
            "not be sent there; every other error is reported to the client at its return address."
        ),
        media_type=MediaType.HTML,
        responses={302: TO_THE_CLIENT, **raises("VALIDATION_ERROR", "RATE_LIMIT_EXCEEDED")},
        opt={"pages": (400, 429), "query": AUTHORIZATION_QUERY},
    )
    async def show_login_form(
        self, request: AnyRequest, offer_form: NamedDependency[OfferForm]
    ) -> Response[str]:
        try:
            form = await offer_form(
                dict(request.query_params.items()),
                own_address(request),
                request.scope["state"]["address"],
            )
        except AuthorizationRefused as refusal:
            return redirect(refusal.location)
        except ValidationFailed as error:
            return _refused(f"{error.errors[0].message} {_BEGIN_AGAIN}", error)
        except RateLimitExceeded as error:
            return _refused(f"{error.message} Please wait a few minutes.", error)
        return _form(request, form)

    @post(
        AUTHORIZATION_PATH,
        summary="Submit a login form",
        description="Submit the form. On success the browser goes back to the client with a code.",
        request_example={
            "form": "Zm9ybS10b2tlbg",
            "intent": "signin",
            "email": "ann@example.com",
            "password": "Correct-horse-7",
        },
        status_code=303,
        media_type=MediaType.HTML,
        responses=raises(*(each.code for each in _TRY_AGAIN), "PAYLOAD_TOO_LARGE"),
        opt={"pages": (400, 401, 409, 429, 503), "url_form": SIGN_IN_FORM},
        audited=ALWAYS,
    )
    async def submit_login_form(
        self,
        request: AnyRequest,
        take_form: NamedDependency[TakeForm],
        authorize_sign_in: NamedDependency[AuthorizeSignIn],
        authorize_sign_up: NamedDependency[AuthorizeSignUp],
        authorize_second_factor: NamedDependency[AuthorizeSecondFactor],
    ) -> Response[str]:
        given = await read_url_form(request)
        token = given.get("form", "")
        try:
            wanted = await take_form(token, cookie_of(form_cookie(token), request))
        except ValidationFailed as error:
            return _refused(f"{error.errors[0].message} {_BEGIN_AGAIN}", error)
        email, password, name = (given.get(field, "") for field in ("email", "password", "name"))
        address = request.scope["state"]["address"]
        challenge, code = given.get("challenge", ""), given.get("code", "")
        try:
            match given.get("intent"):
                case "signup":
                    location = await authorize_sign_up(wanted, email, password, name, address)
                case "code":
                    location = await authorize_second_factor(wanted, challenge, code)
                case _:
                    location = await authorize_sign_in(wanted, email, password, address)
        except _TRY_AGAIN as error:
            note_call(code=error.code)
            response = _form(request, await take_form.again(wanted), error, given)
        else:
            response = redirect(location, 303)
        end_cookie(response, form_cookie(token), request)
        return response

    @post(
        TOKEN_PATH,
        summary="Exchange a code or refresh token",
        description=(
            "The token endpoint: exchange an authorization code with its verifier, or a refresh token, "
            "for tokens."
        ),
        request_example={
            "client_id": "finassist",
            "grant_type": "refresh_token",
            "refresh_token": "A0IF-SyyIKCSBxY1gVQ_U5ww3gLWktOQRlY4PHwZTzY",
        },
        status_code=200,
        responses={**raises("PAYLOAD_TOO_LARGE"), 400: TOKEN_REFUSED},
        opt={"url_form": TOKEN_FORM},
        audited=REFUSALS,
    )
    async def grant_tokens(
        self, request: AnyRequest, grant_tokens: NamedDependency[GrantTokens]
    ) -> Response[GrantedTokens]:
        try:
            tokens = await grant_tokens(await read_url_form(request))
        except TokenRequestRefused as refusal:
            return _token_refusal(refusal)
        return Response(
            GrantedTokens(
                access_token=tokens.access_token,
                token_type="Bearer",  # noqa: S106 - how the token is sent
                expires_in=tokens.expires_in,
                refresh_token=tokens.refresh_token,
                id_token=tokens.id_token,
            )
        )

    @get(
        KEYS_PATH,
        summary="Get signing keys",
        description="The public keys that verify the tokens of the built-in provider (RFC 7517).",
        responses=raises(),
    )
    async def get_signing_keys(
        self, authorization_server: NamedDependency[SkipValidation[AuthorizationServer]]
    ) -> Response[SigningKeys]:
        return Response(SigningKeys(keys=await authorization_server.public_keys()), headers=_CACHED)

    @get(
        "/.well-known/openid-configuration",
        summary="Discover the built-in provider",
        description="What clients of the built-in provider need to know (OpenID Connect Discovery).",
        responses=raises(),
    )
    async def get_openid_configuration(
        self, request: AnyRequest, authorization_server: NamedDependency[SkipValidation[AuthorizationServer]]
    ) -> Response[OpenidConfiguration]:
        base = finassist_of(request).settings.public_base_url or own_address(request)
        return Response(
            OpenidConfiguration(
                issuer=authorization_server.issuer,
                authorization_endpoint=f"{base}{AUTHORIZATION_PATH}",
                token_endpoint=f"{base}{TOKEN_PATH}",
                jwks_uri=f"{base}{KEYS_PATH}",
                scopes_supported=["openid", "email", "profile"],
                response_types_supported=["code"],
                grant_types_supported=["authorization_code", "refresh_token"],
                subject_types_supported=["public"],
                id_token_signing_alg_values_supported=["ES256"],
                token_endpoint_auth_methods_supported=["none"],
                code_challenge_methods_supported=["S256"],
            ),
            headers=_CACHED,
        )


def _token_refusal(refusal: TokenRequestRefused) -> Response[Any]:
    note_call(code=refusal.error.upper())
    return Response({"error": refusal.error}, status_code=400)


def _form(
    request: AnyRequest,
    form: LoginForm,
    error: FinassistError | None = None,
    values: Mapping[str, str] | None = None,
) -> Response[str]:
    response = _html(
        _page(form.token, error, values or {}),
        form_policy(return_addresses(finassist_of(request).settings)),
        200 if error is None else STATUS_OF[error.code],
    )
    if error is not None and error.retry_after is not None:
        response.headers["Retry-After"] = str(error.retry_after)
    response.set_cookie(
        single_use_cookie(form.cookie_name, form.cookie, FORM_LIFETIME.total_seconds(), request)
    )
    return response


def _page(token: str, error: FinassistError | None, values: Mapping[str, str]) -> str:
    """The form that comes next: for a code while a sign-in waits for one, else for email and password."""
    if isinstance(error, SecondFactorRequired):
        return render_code_form(token, error.challenge)
    if values.get("intent") == "code" and not isinstance(error, ChallengeExpired):
        return render_code_form(token, values.get("challenge", ""), errors=_messages(error))
    signing_up = values.get("intent") == "signup"
    return render_form(token, errors=_messages(error), values=values, signing_up=signing_up)


def _messages(error: FinassistError | None) -> list[str]:
    if error is None:
        return []
    if isinstance(error, ValidationFailed):
        return [f"{each.field.capitalize()}: {each.message}" for each in error.errors]
    return [error.message]


def _refused(message: str, error: FinassistError) -> Response[str]:
    note_call(code=error.code)
    response = _html(render_refusal(message), form_policy(()), STATUS_OF[error.code])
    if error.retry_after is not None:
        response.headers["Retry-After"] = str(error.retry_after)
    return response


def _html(page: str, policy: str, status: int = 200) -> Response[str]:
    return Response(
        page,
        status_code=status,
        media_type=MediaType.HTML,
        headers={"Content-Security-Policy": policy, "Cache-Control": "no-store"},
    )
