"""The redirect login: signing in through the provider's hosted page (spec "Authentication service", contract
section 3)."""

from typing import Annotated, Any, Final
from urllib.parse import urlencode

import msgspec
from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import HTTPException
from litestar.params import JSONBody, QueryParameter

from finassist.application.auth.social_redirect import (
    LOGIN_LIFETIME,
    STATE_MAX,
    FinishAppLogin,
    FinishLogin,
    StartLogin,
    chat_page,
    login_cookie,
)
from finassist.application.auth.social_tokens import StartSocialLogin
from finassist.domain.errors import FieldError, ValidationFailed
from finassist.entrypoints.http.auth.views import TokenView, token_view
from finassist.entrypoints.http.openapi.description import BODY_ERRORS, raises
from finassist.entrypoints.http.requests.addresses import own_address
from finassist.entrypoints.http.requests.any_request import AnyRequest
from finassist.entrypoints.http.requests.audit import ALWAYS
from finassist.entrypoints.http.requests.bodies import Body
from finassist.entrypoints.http.requests.forms import read_url_form
from finassist.entrypoints.http.requests.injection import finassist_of
from finassist.entrypoints.http.requests.parameters import (
    OptionalDeviceId,
    OptionalPlatform,
    signing_device,
)
from finassist.entrypoints.http.responses.envelope import Envelope, View, ok
from finassist.entrypoints.http.responses.redirects import cookie_of, end_cookie, redirect, single_use_cookie

ISSUER_MAX: Final = 512
POSTED_MAX: Final = 8192
"""How long a value may be that a social provider posts."""
POSTED_FORM: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["state"],
    "properties": {
        name: {"type": "string", "maxLength": POSTED_MAX}
        for name in ("state", "id_token", "error", "error_description")
    },
}


class LoginRequest(Body):
    """The start of an app's sign-in through the hosted page."""

    state: Annotated[str, msgspec.Meta(max_length=STATE_MAX)] | None = None
    redirect_uri: str | None = None
    code_challenge: (
        Annotated[
            str,
            msgspec.Meta(
                pattern=r"^[A-Za-z0-9_-]{43}$",
                max_length=43,
                description="The S256 challenge of the app's own PKCE verifier (RFC 7636).",
            ),
        ]
        | None
    ) = None


class AppCode(Body):
    """The code of a redirect login, and the verifier of the app that began it."""

    code: Annotated[str, msgspec.Meta(min_length=1, max_length=512)]
    code_verifier: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9._~-]{43,128}$", max_length=128)]


class StartedLoginView(View):
    """The address to open in a browser, and the state to compare with the returned one."""

    authorization_url: str
    state: str


class SocialRedirectController(Controller):
    """The redirect login of browsers and of apps."""

    path = "/api/v1/auth"
    tags = ("Authentication",)

    @get(
        "/login/social",
        summary="Begin a redirect login in a browser",
        description=(
            "Begin a redirect login with PKCE: the browser is sent to the provider and a cookie binds the "
            "login to it. The tokens go to FRONTEND_CALLBACK_URL or, when that is unset, to the service's "
            "own page.\n\n"
            "With `issuer`, one of SOCIAL_ISSUERS, the browser is sent to that provider instead, for an "
            "identity token (`response_type=id_token`) that comes to the chat page in the fragment and that "
            "`/social` takes. `state` and `nonce` are required then, and the client compares them."
        ),
        status_code=302,
        responses=raises("VALIDATION_ERROR", "RATE_LIMIT_EXCEEDED", "IDENTITY_PROVIDER_ERROR"),
    )
    async def redirect_to_login(
        self,
        request: AnyRequest,
        start_login: NamedDependency[StartLogin],
        start_social_login: NamedDependency[StartSocialLogin],
        client_state: Annotated[
            str | None,
            QueryParameter(
                name="state",
                max_length=STATE_MAX,
                description="Comes back unchanged at the end of the login.",
            ),
        ] = None,
        issuer: Annotated[
            str | None,
            QueryParameter(max_length=ISSUER_MAX, description="A social provider: one of SOCIAL_ISSUERS."),
        ] = None,
        nonce: Annotated[
            str | None,
            QueryParameter(max_length=STATE_MAX, description="What the provider's token has to repeat."),
        ] = None,
    ) -> Response[str]:
        if issuer is not None:
            return redirect(await _social_login(request, start_social_login, issuer, client_state, nonce))
        login = await start_login(
            client_state=client_state,
            redirect_uri=None,
            own_address=own_address(request),
            address=request.scope["state"]["address"],
            bind_to_cookie=True,
        )
        seconds = LOGIN_LIFETIME.total_seconds()
        response = redirect(login.authorization_url)
        response.set_cookie(single_use_cookie(login.cookie_name, login.cookie, seconds, request))
        return response

    @post(
        "/login/social",
        summary="Begin a redirect login in an app",
        description=(
            "Begin a redirect login with PKCE and get the address to open in a browser. The tokens go to "
            "`redirectUri`, which must be one of SOCIAL_REDIRECT_URIS; without it to "
            "FRONTEND_CALLBACK_URL or, when that is unset, to the service's own page.\n\n"
            "With a `codeChallenge` (S256) the fragment has a `code` instead of tokens, which "
            "`/login/social/token` exchanges. Addresses with a scheme of an app's own need one."
        ),
        request_example={"state": "f3Zk0a"},
        status_code=200,
        responses=raises(*BODY_ERRORS, "RATE_LIMIT_EXCEEDED", "IDENTITY_PROVIDER_ERROR"),
    )
    async def start_login(
        self,
        request: AnyRequest,
        start_login: NamedDependency[StartLogin],
        data: JSONBody[LoginRequest | None] = None,
    ) -> Envelope[StartedLoginView]:
        wanted = data or LoginRequest()
        login = await start_login(
            client_state=wanted.state,
            redirect_uri=wanted.redirect_uri,
            own_address=own_address(request),
            address=request.scope["state"]["address"],
            bind_to_cookie=False,
            code_challenge=wanted.code_challenge,
        )
        return ok(StartedLoginView(authorization_url=login.authorization_url, state=login.state))

    @get(
        "/callback/social",
        summary="Finish a redirect login",
        description=(
            "Take the provider's response and redirect the browser to the client, with the tokens or the "
            "app's `code` in the fragment.\n\n"
            "A missing, replayed or foreign state is a validation error; every later failure is reported "
            "to the client as `error`, `error_description` and `state`."
        ),
        status_code=302,
        responses=raises("VALIDATION_ERROR"),
        audited=ALWAYS,
    )
    async def finish_login(
        self,
        request: AnyRequest,
        finish_login: NamedDependency[FinishLogin],
        login_state: Annotated[
            str | None,
            QueryParameter(name="state", description="The state of the login, as the provider got it."),
        ] = None,
        code: Annotated[
            str | None, QueryParameter(description="What the provider gave for the login.")
        ] = None,
        error: Annotated[str | None, QueryParameter(description="Why the provider refused.")] = None,
        error_description: Annotated[str | None, QueryParameter(description="The same for people.")] = None,
    ) -> Response[str]:
        name = login_cookie(login_state or "")
        cookie = cookie_of(name, request)
        location = await finish_login(
            state=login_state,
            cookie=cookie,
            code=code,
            error=error,
            error_description=error_description,
            own_address=own_address(request),
        )
        response = redirect(location)
        if cookie is not None:
            end_cookie(response, name, request)
        return response

    @post(
        "/callback/social",
        summary="Return from a social provider that posts",
        description=(
            "Where a social provider posts its response that does not put it into the fragment (Apple). The "
            "browser is sent on to the chat page with the same in the fragment; nothing is checked here but "
            "the size, because the page compares `state` and `nonce`, and `/social` the token."
        ),
        request_example={"state": "f3Zk0a", "error": "user_cancelled_authorize"},
        status_code=303,
        responses=raises(*BODY_ERRORS),
        opt={"url_form": POSTED_FORM},
    )
    async def take_posted_token(self, request: AnyRequest) -> Response[str]:
        if request.content_type[0] != "application/x-www-form-urlencoded":
            raise HTTPException(status_code=415)
        given = await read_url_form(request)
        told = {name: given[name] for name in POSTED_FORM["properties"] if given.get(name)}
        errors = [FieldError(name, "Is too long.") for name, value in told.items() if len(value) > POSTED_MAX]
        if "state" not in told:
            errors.append(FieldError("state", "Is required."))
        if errors:
            raise ValidationFailed(errors)
        base = finassist_of(request).settings.public_base_url or own_address(request)
        return redirect(f"{chat_page(base)}#{urlencode(told)}", 303)

    @post(
        "/login/social/token",
        summary="Get the tokens of an app's redirect login",
        description=(
            "Exchange the `code` that a redirect login gave an app, with the verifier of the "
            "`codeChallenge` that began it. A code works once, and for a minute. The device of "
            "`x-device-id` is bound to the user."
        ),
        request_example={
            "code": "n1BqGpV2cXw7b0dJ8sYt5mR3kFzLh6uQeAo9iTvKxCg",
            "codeVerifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        },
        status_code=200,
        responses=raises(*BODY_ERRORS, "UNAUTHORIZED", "IDENTITY_PROVIDER_ERROR"),
        audited=ALWAYS,
    )
    async def finish_app_login(
        self,
        request: AnyRequest,
        data: JSONBody[AppCode],
        finish_app_login: NamedDependency[FinishAppLogin],
        device_id: OptionalDeviceId = None,
        platform: OptionalPlatform = None,
    ) -> Envelope[TokenView]:
        device = signing_device(request, device_id, platform)
        session = await finish_app_login(data.code, data.code_verifier, device)
        return ok(token_view(session, request))


async def _social_login(
    request: AnyRequest, start: StartSocialLogin, issuer: str, state: str | None, nonce: str | None
) -> str:
    lacking = [name for name, value in (("state", state), ("nonce", nonce)) if not value]
    if not state or not nonce:
        raise ValidationFailed([FieldError(name, "Is required with an issuer.") for name in lacking])
    return await start(
        issuer,
        state=state,
        nonce=nonce,
        own_address=own_address(request),
        address=request.scope["state"]["address"],
    )
