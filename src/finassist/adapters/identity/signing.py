"""The tokens that the built-in provider signs: access tokens (RFC 9068) and ID tokens (OpenID Connect)."""

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from joserfc import jwt

from finassist.adapters.identity.keys import KeyRing
from finassist.application.ports.system import Clock
from finassist.domain.auth.local_accounts import LocalAccount
from finassist.domain.auth.sessions import AccountSession
from finassist.domain.users import Identity

ALGORITHM: Final = "ES256"


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenSigner:
    """Signs with the newest key of the ring. ``access_token_ttl`` is in seconds and holds for both kinds.

    The header's ``typ`` and the audience tell them apart: ``at+jwt`` for the service, ``JWT`` for the
    client.
    """

    keys: KeyRing
    issuer: str
    audience: str
    client_id: str
    clock: Clock
    access_token_ttl: int

    async def access_token(self, claims: dict[str, Any], issued_at: datetime) -> str:
        """A new access token. Raises IdentityProviderError without a key."""
        own = {"aud": self.audience, "client_id": self.client_id, "jti": secrets.token_urlsafe(16)}
        return await self._sign("at+jwt", claims | own, issued_at)

    async def id_token(self, claims: dict[str, Any], issued_at: datetime, nonce: str | None) -> str:
        """A new ID token. Raises IdentityProviderError without a key."""
        own = {"aud": self.client_id} | ({} if nonce is None else {"nonce": nonce})
        return await self._sign("JWT", claims | own, issued_at)

    async def _sign(self, kind: str, claims: dict[str, Any], issued_at: datetime) -> str:
        key = await self.keys.newest()
        iat = int(issued_at.timestamp())
        times = {"iss": self.issuer, "iat": iat, "exp": iat + self.access_token_ttl}
        header = {"alg": ALGORITHM, "kid": key.kid, "typ": kind}
        return jwt.encode(header, times | claims, key, algorithms=[ALGORITHM])


def claims_of(account: LocalAccount, session: AccountSession | None = None) -> dict[str, Any]:
    """What both tokens say about an account, and about the session that they belong to."""
    claims: dict[str, Any] = {"sub": account.subject}
    if session is not None:
        claims |= {"sid": session.id, "auth_time": int(session.created_at.timestamp())}
    if account.email is not None:
        claims |= {"email": account.email, "email_verified": account.email_is_proven}
    if account.phone is not None:
        claims |= {"phone_number": account.phone, "phone_number_verified": account.phone_verified}
    if account.name:
        claims["name"] = account.name
    return claims


def identity_of(
    account: LocalAccount,
    session: AccountSession,
    *,
    provider: str,
    issued_at: datetime,
    access_token_ttl: int,
) -> Identity:
    """What verifying the access token will say."""
    iat = int(issued_at.timestamp())
    return Identity(
        issuer=provider,
        subject=account.subject,
        provider=provider,
        issued_at=datetime.fromtimestamp(iat, UTC),
        expires_at=datetime.fromtimestamp(iat + access_token_ttl, UTC),
        email=account.email,
        email_verified=account.email_is_proven,
        phone=account.phone,
        phone_verified=account.phone_verified,
        name=account.name or None,
        session_id=session.id,
        authenticated_at=datetime.fromtimestamp(int(session.created_at.timestamp()), UTC),
    )
