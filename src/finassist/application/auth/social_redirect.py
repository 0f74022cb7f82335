"""Signing in through the provider's hosted page: a redirect to it, and one back with a code (contract
section 3).

The server's own state wraps the client's, and is valid once and for ten minutes. The state of a login that a
browser began is bound to a cookie of that browser; that of an app is not, because apps open another browser.
The tokens of an app that sent a PKCE challenge do not pass through the browser: the app gets a code, and for
it, with the verifier, the tokens.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from urllib.parse import urlencode, urlsplit

from finassist.application.auth.audit import note_call
from finassist.application.auth.random_tokens import new_token, pkce_challenge, token_hash
from finassist.application.auth.sessions import UnbindSessions
from finassist.application.auth.sign_in import OpenSession, Session, SigningDevice
from finassist.application.auth.sign_in_limits import LimitLogins
from finassist.application.ports.auth import AppLogin, LoginState, Tickets
from finassist.application.ports.identity import IdentityProvider
from finassist.application.ports.system import Clock
from finassist.domain.auth.sessions import AuthorizationCodeReused
from finassist.domain.errors import IdentityProviderError, Unauthorized, ValidationFailed

AUTHORIZATION_PATH: Final = "/oauth/authorize"
CALLBACK_PATH: Final = "/api/v1/auth/callback/social"
COMPLETE_PATH: Final = "/auth/complete"

LOGIN_LIFETIME: Final = timedelta(minutes=10)
APP_CODE_LIFETIME: Final = timedelta(minutes=1)
"""As long as providers keep theirs, which is exchanged with it."""

STATE_MAX: Final = 512

_DESCRIPTION_MAX: Final = 300
_OF_THE_WEB: Final = ("http", "https")


def chat_page(own_address: str) -> str:
    """The address of the service's own chat page."""
    return f"{own_address.rstrip('/')}/"


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedLogin:
    """Where to send the browser, and the state that the client gets back.

    ``cookie`` is what the browser has to bring along, under the name that ``login_cookie`` gives.
    """

    authorization_url: str
    state: str
    cookie_name: str
    cookie: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StartLogin:
    """Begin a redirect login with PKCE. The tokens go to the address that the client named, which must be an
    allowed one or the chat page's; by default to the configured one, else to the service's own page. With a
    ``code_challenge`` a code goes there instead: any app can register an address that is not of the web, so
    that tokens never go to one. An address begins only so many of them."""

    identity_provider: IdentityProvider
    limit_logins: LimitLogins
    login_states: Tickets[LoginState]
    clock: Clock
    public_base_url: str
    frontend_callback_url: str
    social_redirect_uris: tuple[str, ...]
    web_client_enabled: bool

    async def __call__(
        self,
        *,
        client_state: str | None,
        redirect_uri: str | None,
        own_address: str,
        address: str,
        bind_to_cookie: bool,
        code_challenge: str | None = None,
    ) -> StartedLogin:
        own = self.public_base_url or own_address
        self._require_allowed(redirect_uri, own, code_challenge)
        await self.limit_logins("logins", address)
        state, nonce, code_verifier = new_token(), new_token(), new_token()
        cookie = new_token() if bind_to_cookie else ""
        callback_uri = f"{own}{CALLBACK_PATH}"
        await self.login_states.add(
            token_hash(state, cookie),
            LoginState(
                client_state=client_state,
                nonce=nonce,
                code_verifier=code_verifier,
                callback_uri=callback_uri,
                redirect_uri=redirect_uri,
                code_challenge=code_challenge,
            ),
            self.clock.now() + LOGIN_LIFETIME,
        )
        url = await self.identity_provider.authorization_url(
            state=state, nonce=nonce, code_challenge=pkce_challenge(code_verifier), redirect_uri=callback_uri
        )
        return StartedLogin(
            authorization_url=url,
            state=client_state or state,
            cookie_name=login_cookie(state),
            cookie=cookie,
        )

    def _require_allowed(
        self, redirect_uri: str | None, own_address: str, code_challenge: str | None
    ) -> None:
        is_own_page = self.web_client_enabled and redirect_uri == chat_page(own_address)
        if redirect_uri is not None and not is_own_page and redirect_uri not in self.social_redirect_uris:
            raise ValidationFailed.of("redirectUri", "This address is not allowed.")
        scheme = urlsplit(redirect_uri or self.frontend_callback_url).scheme
        if code_challenge is None and scheme and scheme not in _OF_THE_WEB:
            raise ValidationFailed.of("codeChallenge", "The address of an app needs one.")


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishLogin:
    """Take the provider's response and return the address to which the browser takes the tokens, or the code
    for them.

    A missing, replayed or foreign state is a validation error; every later failure is reported to the
    client.
    """

    identity_provider: IdentityProvider
    login_states: Tickets[LoginState]
    app_logins: Tickets[AppLogin]
    open_session: OpenSession
    unbind_sessions: UnbindSessions
    clock: Clock
    public_base_url: str
    frontend_callback_url: str

    async def __call__(
        self,
        *,
        state: str | None,
        cookie: str | None,
        code: str | None,
        error: str | None,
        error_description: str | None,
        own_address: str,
    ) -> str:
        login = None
        if state is not None:
            login = await self.login_states.take(token_hash(state, cookie or ""), self.clock.now())
        if state is None or login is None:
            raise ValidationFailed.of("state", "This sign-in is unknown, was used or has expired.")
        if error is not None:
            answer = _failure(error, error_description or "")
        elif code is None:
            answer = _failure("invalid_request", "The provider sent no code.")
        elif login.code_challenge is not None:
            answer = {"code": await self._keep(login, code, login.code_challenge)}
        else:
            answer = await self._exchange(login, code)
        if login.client_state is not None:
            answer["state"] = login.client_state
        elif not cookie:  # an app that sent no state got ours to compare
            answer["state"] = state
        frontend = f"{self.public_base_url or own_address}{COMPLETE_PATH}"
        return f"{login.redirect_uri or self.frontend_callback_url or frontend}#{urlencode(answer)}"

    async def _keep(self, login: LoginState, code: str, challenge: str) -> str:
        own_code = new_token()
        await self.app_logins.add(
            token_hash(own_code, challenge),
            AppLogin(
                code=code,
                nonce=login.nonce,
                code_verifier=login.code_verifier,
                callback_uri=login.callback_uri,
            ),
            self.clock.now() + APP_CODE_LIFETIME,
        )
        return own_code

    async def _exchange(self, login: LoginState, code: str) -> dict[str, str]:
        try:
            tokens = await self.identity_provider.exchange_code(
                code=code,
                code_verifier=login.code_verifier,
                nonce=login.nonce,
                redirect_uri=login.callback_uri,
            )
        except AuthorizationCodeReused as error:
            await self.unbind_sessions([error.session])
            return _failure("access_denied", error.message)
        except Unauthorized as error:
            return _failure("access_denied", error.message)
        except IdentityProviderError as error:
            return _failure("server_error", error.message)
        await self.open_session(tokens)
        return {
            "access_token": tokens.access_token,
            "id_token": tokens.id_token,
            **({} if tokens.refresh_token is None else {"refresh_token": tokens.refresh_token}),
            "expires_in": str(tokens.expires_in),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishAppLogin:
    """The session for the code that a redirect login gave an app. The code works once, within a minute, and
    with the verifier of the app that began the login; a wrong verifier does not use it up.

    Raises ValidationFailed for a code that is worth nothing, and Unauthorized when the provider refuses.
    """

    identity_provider: IdentityProvider
    app_logins: Tickets[AppLogin]
    open_session: OpenSession
    clock: Clock

    async def __call__(self, code: str, code_verifier: str, device: SigningDevice | None = None) -> Session:
        key = token_hash(code, pkce_challenge(code_verifier))
        login = await self.app_logins.take(key, self.clock.now())
        if login is None:
            raise ValidationFailed.of(
                "code", "This code is unknown, was used, has expired, or is of another codeVerifier."
            )
        tokens = await self.identity_provider.exchange_code(
            code=login.code,
            code_verifier=login.code_verifier,
            nonce=login.nonce,
            redirect_uri=login.callback_uri,
        )
        return await self.open_session(tokens, device)


def login_cookie(state: str) -> str:
    """The name of the cookie that a state is bound to: every login has its own, so that two tabs do not
    take each other's."""
    return f"finassist_login_{token_hash(state)[:16]}"


def _failure(error: str, description: str) -> dict[str, str]:
    note_call(code="LOGIN_FAILED")  # what the provider says is not kept
    return {"error": error[:_DESCRIPTION_MAX], "error_description": description[:_DESCRIPTION_MAX]}
