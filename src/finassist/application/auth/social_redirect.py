"""Signing in through the provider's hosted page: a redirect to it, and one back with a code (contract
section 3).

The server's own state wraps the client's, and is valid once and for ten minutes. The state of a login that a
browser began is bound to a cookie of that browser; that of an app is not, because apps open another browser.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from urllib.parse import urlencode

from finassist.application.auth.random_tokens import new_token, pkce_challenge, token_hash
from finassist.application.auth.sessions import UnbindSessions
from finassist.application.auth.sign_in import OpenSession
from finassist.application.auth.sign_in_limits import LimitLogins
from finassist.application.ports.auth import LoginState, Tickets
from finassist.application.ports.identity import IdentityProvider
from finassist.application.ports.system import Clock
from finassist.domain.auth.sessions import AuthorizationCodeReused
from finassist.domain.errors import IdentityProviderError, Unauthorized, ValidationFailed

AUTHORIZATION_PATH: Final = "/oauth/authorize"
CALLBACK_PATH: Final = "/api/v1/auth/callback/social"
COMPLETE_PATH: Final = "/auth/complete"

LOGIN_LIFETIME: Final = timedelta(minutes=10)
STATE_MAX: Final = 512

_DESCRIPTION_MAX: Final = 300


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
    """Begin a redirect login with PKCE. The tokens go to the address that the client named, which must
    be an allowed one; by default to the configured one, else to the service's own page. An address begins
    only so many of them."""

    identity_provider: IdentityProvider
    limit_logins: LimitLogins
    login_states: Tickets[LoginState]
    clock: Clock
    public_base_url: str
    social_redirect_uris: tuple[str, ...]

    async def __call__(
        self,
        *,
        client_state: str | None,
        redirect_uri: str | None,
        own_address: str,
        address: str,
        bind_to_cookie: bool,
    ) -> StartedLogin:
        if redirect_uri is not None and redirect_uri not in self.social_redirect_uris:
            raise ValidationFailed.of("redirectUri", "This address is not allowed.")
        await self.limit_logins("logins", address)
        state, nonce, code_verifier = new_token(), new_token(), new_token()
        cookie = new_token() if bind_to_cookie else ""
        callback_uri = f"{self.public_base_url or own_address}{CALLBACK_PATH}"
        await self.login_states.add(
            token_hash(state, cookie),
            LoginState(
                client_state=client_state,
                nonce=nonce,
                code_verifier=code_verifier,
                callback_uri=callback_uri,
                redirect_uri=redirect_uri,
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


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishLogin:
    """Take the provider's response and return the address to which the browser takes the tokens.

    A missing, replayed or foreign state is a validation error; every later failure is reported to the
    client.
    """

    identity_provider: IdentityProvider
    login_states: Tickets[LoginState]
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
        else:
            answer = await self._exchange(login, code)
        if login.client_state is not None:
            answer["state"] = login.client_state
        elif not cookie:  # an app that sent no state got ours to compare
            answer["state"] = state
        frontend = f"{self.public_base_url or own_address}{COMPLETE_PATH}"
        return f"{login.redirect_uri or self.frontend_callback_url or frontend}#{urlencode(answer)}"

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


def login_cookie(state: str) -> str:
    """The name of the cookie that a state is bound to: every login has its own, so that two tabs do not
    take each other's."""
    return f"finassist_login_{token_hash(state)[:16]}"


def _failure(error: str, description: str) -> dict[str, str]:
    return {"error": error[:_DESCRIPTION_MAX], "error_description": description[:_DESCRIPTION_MAX]}
