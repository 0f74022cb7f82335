"""An identity provider that issues tokens for any user that a test names."""

import secrets
from dataclasses import replace
from datetime import timedelta

from finassist.adapters.system.clock import SystemClock
from finassist.application.ports.identity import ProviderDescription
from finassist.application.ports.system import Clock
from finassist.domain.auth.local_accounts import SocialIdentity, TokenSet
from finassist.domain.erasure import ProviderIdentity
from finassist.domain.errors import (
    Conflict,
    IdentityProviderError,
    InvalidCredentials,
    InvalidRefreshToken,
    TokenExpired,
    Unauthorized,
)
from finassist.domain.users import Identity

TOKEN_SECONDS = 3600


class StubIdentityProvider:
    """Issues tokens without a sign-in: ``issue("ann", email="ann@example.org")`` is the access token of that
    user.

    Accounts and tokens are kept in memory. ``code_for(subject)`` is an authorization code as the hosted page
    of a provider would return it, ``erased`` holds the subjects of accounts that were erased.
    """

    name = "stub"
    issuer = "https://identity.test"

    def __init__(self, clock: Clock | None = None) -> None:
        self.erased: list[str] = []
        self._clock = clock or SystemClock()
        self._identities: dict[str, Identity] = {}
        self._passwords: dict[str, tuple[str, Identity]] = {}
        self._refresh_tokens: dict[str, Identity] = {}
        self._codes: dict[str, Identity] = {}

    def issue(
        self,
        subject: str,
        *,
        email: str | None = None,
        email_verified: bool = True,
        phone: str | None = None,
        name: str | None = None,
    ) -> str:
        """An access token of this user, who need not have signed up."""
        return self._issue(self._identity(subject, email, email_verified, phone, name))

    def code_for(self, subject: str, *, email: str | None = None) -> str:
        """An authorization code for this user, good once."""
        code = secrets.token_urlsafe(16)
        self._codes[code] = self._identity(subject, email, True, None, None)
        return code

    def describe(self) -> ProviderDescription:
        """Return its name; it is always configured."""
        return ProviderDescription(self.name, configured=True)

    async def verify_access_token(self, token: str) -> Identity:
        """The identity that the token was issued for."""
        if token not in self._identities:
            raise Unauthorized()
        identity = self._identities[token]
        if identity.expires_at <= self._clock.now():
            raise TokenExpired(identity.expires_at)
        return identity

    async def sign_up(self, email: str, password: str, name: str) -> TokenSet:
        """Keep the account."""
        if email.casefold() in self._passwords:
            raise Conflict("There is an account with this email.")
        identity = self._identity(email.casefold(), email, False, None, name)
        self._passwords[email.casefold()] = password, identity
        return self._tokens(identity)

    async def sign_in(self, email: str, password: str) -> TokenSet:
        """Compare the password."""
        known, identity = self._passwords.get(email.casefold(), ("", None))
        if identity is None or known != password:
            raise InvalidCredentials()
        return self._tokens(identity)

    async def sign_in_phone(self, phone: str) -> TokenSet:
        """Sign in the owner of the phone."""
        return self._tokens(self._identity(phone, None, False, phone, None))

    async def exchange_social(self, social: SocialIdentity, id_token: str) -> TokenSet:
        """Sign in the user of the social provider."""
        subject = f"{social.issuer}|{social.subject}"
        return self._tokens(self._identity(subject, social.email, social.email_verified, None, social.name))

    async def refresh(self, refresh_token: str) -> TokenSet:
        """New tokens, once for each refresh token."""
        identity = self._refresh_tokens.pop(refresh_token, None)
        if identity is None:
            raise InvalidRefreshToken()
        return self._tokens(identity)

    async def revoke(self, refresh_token: str) -> None:
        """Forget the refresh token."""
        self._refresh_tokens.pop(refresh_token, None)

    async def authorization_url(
        self, *, state: str, nonce: str, code_challenge: str, redirect_uri: str
    ) -> str:
        """The address of a page that does not exist."""
        return f"{self.issuer}/authorize?state={state}&redirect_uri={redirect_uri}"

    async def exchange_code(
        self, *, code: str, code_verifier: str, nonce: str, redirect_uri: str
    ) -> TokenSet:
        """The tokens of the user that ``code_for`` named."""
        identity = self._codes.pop(code, None)
        if identity is None:
            raise Unauthorized()
        return self._tokens(identity)

    def can_erase_account(self, identity: ProviderIdentity) -> bool:
        """Whether the account is of this provider."""
        return identity.issuer == self.issuer

    async def erase_account(self, identity: ProviderIdentity) -> None:
        """Forget the account."""
        if not self.can_erase_account(identity):
            raise IdentityProviderError("The account is another provider's.")
        self.erased.append(identity.subject)
        self._passwords.pop(identity.subject, None)

    async def close(self) -> None:
        """Nothing to close."""

    def _identity(
        self, subject: str, email: str | None, email_verified: bool, phone: str | None, name: str | None
    ) -> Identity:
        now = self._clock.now()
        return Identity(
            issuer=self.issuer,
            subject=subject,
            provider=self.name,
            issued_at=now,
            expires_at=now + timedelta(seconds=TOKEN_SECONDS),
            email=email,
            email_verified=email is not None and email_verified,
            phone=phone,
            phone_verified=phone is not None,
            name=name,
        )

    def _issue(self, identity: Identity) -> str:
        token = secrets.token_urlsafe(24)
        self._identities[token] = identity
        return token

    def _tokens(self, identity: Identity) -> TokenSet:
        now = self._clock.now()
        fresh = replace(identity, issued_at=now, expires_at=now + timedelta(seconds=TOKEN_SECONDS))
        refresh_token = secrets.token_urlsafe(24)
        self._refresh_tokens[refresh_token] = fresh
        access_token = self._issue(fresh)
        return TokenSet(
            access_token=access_token,
            id_token=access_token,
            refresh_token=refresh_token,
            expires_in=TOKEN_SECONDS,
            identity=fresh,
        )
