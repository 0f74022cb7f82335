"""The built-in provider's hosted page: an authorization endpoint with PKCE, its forms, and the token
endpoint (OAuth 2.1, OpenID Connect)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from urllib.parse import urlencode

from finassist.application.auth.audit import note_call
from finassist.application.auth.password_rules import RequireGoodAccount
from finassist.application.auth.random_tokens import new_token, token_hash
from finassist.application.auth.sessions import UnbindSessions
from finassist.application.auth.sign_in import note_reuse, require_good_email
from finassist.application.auth.sign_in_limits import LimitLogins, LimitSignIns, LimitSignUps
from finassist.application.auth.social_redirect import CALLBACK_PATH
from finassist.application.ports.auth import SecondFactors, Tickets
from finassist.application.ports.identity import Authenticated, AuthorizationRequest, AuthorizationServer
from finassist.application.ports.system import Clock
from finassist.domain.auth.local_accounts import LOCAL_ISSUER, TokenSet
from finassist.domain.auth.refresh_tokens import RefreshTokenReused
from finassist.domain.auth.sessions import AuthorizationCodeReused
from finassist.domain.errors import InvalidRefreshToken, Unauthorized, ValidationFailed

FORM_LIFETIME: Final = timedelta(minutes=30)
_VALUE_MAX: Final = 2048
_GRANT_TYPES: Final = ("authorization_code", "refresh_token")
_CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")


class AuthorizationRefused(Exception):
    """A bad request of a known client; ``location`` is the redirect that reports it."""

    def __init__(self, location: str) -> None:
        super().__init__(location)
        self.location = location


@dataclass(frozen=True, slots=True)
class LoginForm:
    """A form that can be submitted once, by the browser that has the cookie."""

    token: str
    cookie_name: str
    cookie: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferForm:
    """Check a client's authorization request, and return the form to show.

    An unknown client or return address is refused here, because no browser may be sent there; every other
    error is reported to the client at its return address.

    Each form is stored until it is submitted or expires, so an address gets only so many of them.

    Raises ValidationFailed, AuthorizationRefused and RateLimitExceeded, in this order.
    """

    authorization_server: AuthorizationServer
    limit_logins: LimitLogins
    login_forms: Tickets[AuthorizationRequest]
    clock: Clock
    public_base_url: str
    social_redirect_uris: tuple[str, ...]

    async def __call__(self, query: Mapping[str, str], own_address: str, address: str) -> LoginForm:
        if query.get("client_id") != self.authorization_server.client_id:
            raise ValidationFailed.of("client_id", "This client is not known.")
        redirect_uri = query.get("redirect_uri", "")
        own = f"{self.public_base_url or own_address}{CALLBACK_PATH}"
        if redirect_uri not in (own, *self.social_redirect_uris):
            raise ValidationFailed.of("redirect_uri", "This address is not allowed.")
        fault = _fault(query)
        if fault is not None:
            state = {"state": query["state"]} if "state" in query else {}
            raise AuthorizationRefused(_with_query(redirect_uri, {"error": fault, **state}))
        request = AuthorizationRequest(
            redirect_uri=redirect_uri,
            code_challenge=query["code_challenge"],
            state=query.get("state"),
            nonce=query.get("nonce"),
        )
        await self.limit_logins("hosted-forms", address)
        return await keep_form(self.login_forms, self.clock, request)


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeForm:
    """Take the request that a submitted form was made for. Raises ValidationFailed for a form that is
    unknown, used, expired or another browser's."""

    login_forms: Tickets[AuthorizationRequest]
    clock: Clock

    async def __call__(self, token: str, cookie: str | None) -> AuthorizationRequest:
        request = await self.login_forms.take(token_hash(token, cookie or ""), self.clock.now())
        if request is None:
            raise ValidationFailed.of("form", "This form was used already or is too old.")
        return request

    async def again(self, request: AuthorizationRequest) -> LoginForm:
        """The next form for the same request, after a failed try."""
        return await keep_form(self.login_forms, self.clock, request)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizeSignIn:
    """Sign in on the hosted page; returns the address to which the browser takes the code."""

    authorization_server: AuthorizationServer
    limit_sign_ins: LimitSignIns

    async def __call__(self, request: AuthorizationRequest, email: str, password: str, address: str) -> str:
        require_good_email(email)
        account = await self.limit_sign_ins(
            email, address, lambda: self.authorization_server.authenticate(email, password)
        )
        return await _grant(self.authorization_server, account, request)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizeSignUp:
    """Make an account on the hosted page; returns the address to which the browser takes the code."""

    authorization_server: AuthorizationServer
    require_good_account: RequireGoodAccount
    limit_sign_ups: LimitSignUps

    async def __call__(
        self, request: AuthorizationRequest, email: str, password: str, name: str, address: str
    ) -> str:
        self.require_good_account(email, password, name)
        account = await self.limit_sign_ups(
            email, address, lambda: self.authorization_server.register(email, password, name)
        )
        return await _grant(self.authorization_server, account, request)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizeSecondFactor:
    """Finish a sign-in of the hosted page with a code; returns where the browser takes the client's.

    Raises InvalidCode, ChallengeExpired and TooManyAttempts.
    """

    authorization_server: AuthorizationServer
    account_second_factors: SecondFactors

    async def __call__(self, request: AuthorizationRequest, challenge: str, code: str) -> str:
        account = await self.account_second_factors.answer(challenge, code)
        return await _grant(self.authorization_server, account, request)


class TokenRequestRefused(Exception):
    """The token endpoint refuses the request; ``error`` is a code of RFC 6749, section 5.2."""

    def __init__(self, error: str) -> None:
        super().__init__(error)
        self.error = error


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantTokens:
    """The token endpoint: an authorization code with its verifier, or a refresh token, for tokens.

    The devices of a session that the reuse of a code or refresh token ends are unbound. Raises
    TokenRequestRefused.
    """

    authorization_server: AuthorizationServer
    unbind_sessions: UnbindSessions

    async def __call__(self, form: Mapping[str, str]) -> TokenSet:
        if form.get("client_id") != self.authorization_server.client_id:
            raise TokenRequestRefused("invalid_client")
        match form:
            case {
                "grant_type": "authorization_code",
                "code": code,
                "code_verifier": code_verifier,
                "redirect_uri": redirect_uri,
            }:
                grant = self.authorization_server.redeem_code(
                    code=code, code_verifier=code_verifier, redirect_uri=redirect_uri
                )
            case {"grant_type": "refresh_token", "refresh_token": refresh_token}:
                grant = self.authorization_server.refresh(refresh_token)
            case {"grant_type": grant_type} if grant_type not in _GRANT_TYPES:
                raise TokenRequestRefused("unsupported_grant_type")
            case _:
                raise TokenRequestRefused("invalid_request")
        try:
            return await grant
        except (RefreshTokenReused, AuthorizationCodeReused) as error:
            note_reuse(error)
            await self.unbind_sessions([error.session])
            raise TokenRequestRefused("invalid_grant") from error
        except (Unauthorized, InvalidRefreshToken) as error:
            raise TokenRequestRefused("invalid_grant") from error


async def keep_form(
    login_forms: Tickets[AuthorizationRequest], clock: Clock, request: AuthorizationRequest
) -> LoginForm:
    """A new form for the request."""
    token, cookie = new_token(), new_token()
    await login_forms.add(token_hash(token, cookie), request, clock.now() + FORM_LIFETIME)
    return LoginForm(token, form_cookie(token), cookie)


def form_cookie(token: str) -> str:
    """The name of the cookie that a form is bound to."""
    return f"finassist_form_{token_hash(token)[:16]}"


async def _grant(server: AuthorizationServer, account: Authenticated, request: AuthorizationRequest) -> str:
    note_call(identity=(LOCAL_ISSUER, account.subject))
    answer = {"code": await server.issue_code(account, request)}
    if request.state is not None:
        answer["state"] = request.state
    return _with_query(request.redirect_uri, answer)


def _fault(query: Mapping[str, str]) -> str | None:
    """The RFC 6749 error code of a known client's request, if it is invalid."""
    if query.get("response_type") != "code":
        return "unsupported_response_type"
    if "openid" not in query.get("scope", "openid").split():
        return "invalid_scope"
    if query.get("code_challenge_method") != "S256" or not _CHALLENGE.fullmatch(
        query.get("code_challenge", "")
    ):
        return "invalid_request"
    if any(len(query.get(name, "")) > _VALUE_MAX for name in ("state", "nonce")):
        return "invalid_request"
    return None


def _with_query(address: str, values: Mapping[str, str]) -> str:
    return f"{address}{'&' if '?' in address else '?'}{urlencode(values)}"
