"""Ports of the identity provider, of its hosted page and of social providers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from finassist.application.ports.erasure import AccountEraser
from finassist.domain.auth.local_accounts import SocialIdentity, TokenSet
from finassist.domain.users import Identity


@dataclass(frozen=True, slots=True)
class ProviderDescription:
    """The provider's name, and whether all that it needs is set."""

    name: str
    configured: bool


class IdentityProvider(AccountEraser, Protocol):
    """Issues and verifies the users' tokens: the built-in provider, or one that a setting names.

    Raises IdentityProviderError when the provider fails, or is not configured for the call (the message says
    what is missing).
    """

    @property
    def name(self) -> str:
        """The provider's name, as users see it."""
        ...

    def describe(self) -> ProviderDescription:
        """The provider's name and whether it is configured, for ``auth/health``."""
        ...

    async def verify_access_token(self, token: str) -> Identity:
        """The claims of a valid access token (contract section 3 says what makes one valid).

        Raises TokenExpired for an authentic token whose time is over, Unauthorized for any other.
        """
        ...

    async def sign_up(self, email: str, password: str, name: str) -> TokenSet:
        """Make an account. Raises Conflict for an email that has one."""
        ...

    async def sign_in(self, email: str, password: str) -> TokenSet:
        """Raises InvalidCredentials, in the same time for a wrong password and an unknown email. The built-in
        provider raises SecondFactorRequired, here and in the two ways below."""
        ...

    async def sign_in_phone(self, phone: str) -> TokenSet:
        """Sign in the owner of this phone, making the account when there is none. The caller has
        verified the phone."""
        ...

    async def exchange_social(self, social: SocialIdentity, id_token: str) -> TokenSet:
        """Sign in the user whom a social provider identified, making the account when there is none."""
        ...

    async def refresh(self, refresh_token: str) -> TokenSet:
        """New tokens. Raises InvalidRefreshToken."""
        ...

    async def revoke(self, refresh_token: str) -> None:
        """End the session of a refresh token; an unknown one changes nothing."""
        ...

    async def authorization_url(
        self, *, state: str, nonce: str, code_challenge: str, redirect_uri: str
    ) -> str:
        """The address of the hosted login for the browser (PKCE S256)."""
        ...

    async def exchange_code(
        self, *, code: str, code_verifier: str, nonce: str, redirect_uri: str
    ) -> TokenSet:
        """The tokens for an authorization code. Raises Unauthorized for a bad one."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationRequest:
    """A client's authorization request to the built-in provider's hosted page (OAuth 2.1 with PKCE S256).

    ``state`` and ``nonce`` are None when the client sent none.
    """

    redirect_uri: str
    code_challenge: str
    state: str | None = None
    nonce: str | None = None


@dataclass(frozen=True, slots=True)
class Authenticated:
    """The account that somebody has signed in to, and the mark of its password at that time: what comes of it
    is void once the password is another."""

    subject: str
    password_mark: str


class AuthorizationServer(Protocol):
    """The built-in provider, for the browser and the clients of its hosted page."""

    @property
    def client_id(self) -> str:
        """The one public client."""
        ...

    @property
    def issuer(self) -> str:
        """The ``iss`` of the tokens."""
        ...

    async def authenticate(self, email: str, password: str) -> Authenticated:
        """The account. Raises InvalidCredentials and SecondFactorRequired."""
        ...

    async def answer_challenge(self, challenge: str, code: str) -> TokenSet:
        """Finish a sign-in that needed a second factor. Raises InvalidCode, ChallengeExpired and
        TooManyAttempts."""
        ...

    async def register(self, email: str, password: str, name: str) -> Authenticated:
        """A new account. Raises Conflict for an email that has one."""
        ...

    async def issue_code(self, authenticated: Authenticated, request: AuthorizationRequest) -> str:
        """An authorization code for the account, good once, for a minute, and as long as its password stays
        the same."""
        ...

    async def redeem_code(self, *, code: str, code_verifier: str, redirect_uri: str) -> TokenSet:
        """The tokens for an authorization code. Raises Unauthorized for a bad one."""
        ...

    async def refresh(self, refresh_token: str) -> TokenSet:
        """New tokens. Raises InvalidRefreshToken."""
        ...

    async def check_password(self, subject: str, password: str) -> None:
        """Raises InvalidCredentials when it is not the account's password."""
        ...

    async def replace_password(self, subject: str, password: str) -> None:
        """Replace an account's password; its sessions go on."""
        ...

    async def public_keys(self) -> Sequence[Mapping[str, Any]]:
        """The keys that verify the tokens, as JWKs."""
        ...

    async def rotate_keys(self) -> str:
        """Sign with a new key from now on; returns its id. Old tokens stay good until they expire."""
        ...


class SocialTokens(Protocol):
    """Identity tokens of the configured social providers."""

    @property
    def issuers(self) -> Sequence[str]:
        """The configured issuers, each once, in the order of the configuration."""
        ...

    async def verify(self, id_token: str) -> SocialIdentity:
        """The claims of a valid identity token, which was issued a short time ago and expires within
        ``SOCIAL_TOKEN_LIFETIME``. Raises Unauthorized for any other, IdentityProviderError when
        the keys of its issuer are out of reach."""
        ...

    async def sign_in_url(
        self, issuer: str, *, redirect_uri: str, posted_to: str, state: str, nonce: str
    ) -> str:
        """Where a browser gets an identity token of this issuer: it comes to ``redirect_uri`` in the
        fragment or, where the provider does not do that, to ``posted_to`` as a form, with ``state``, and
        names ``nonce``. Raises ValidationFailed for an issuer that is not
        configured, IdentityProviderError when its endpoints are out of reach."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...
