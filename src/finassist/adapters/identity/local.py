"""The built-in identity provider (contract section 3)."""

import secrets
from dataclasses import replace
from typing import Any

from joserfc import jwt

from finassist.adapters.identity.keys import KeyRing
from finassist.adapters.identity.tokens import AccessTokenVerifier, is_rfc9068
from finassist.application.ports.gateways import Clock
from finassist.domain.users import Identity

DEFAULT_ISSUER = "http://localhost:8000"
"""The issuer without ``PUBLIC_BASE_URL``. It does not follow the port, so that all processes of one
installation accept each other's tokens, before and after a restart."""

AUDIENCE = "finassist"

_ALGORITHM = "ES256"


class LocalIdentityProvider:
    """Signs access tokens (RFC 9068, ES256) and verifies its own.

    ``issuer`` is a URL. ``access_token_ttl`` is in seconds.
    """

    name = "local"

    def __init__(
        self, keys: KeyRing, issuer: str, audience: str, clock: Clock, access_token_ttl: int
    ) -> None:
        self._keys = keys
        self._issuer = issuer
        self._audience = audience
        self._clock = clock
        self._access_token_ttl = access_token_ttl
        self._verifier = AccessTokenVerifier(
            provider=self.name,
            keys=keys,
            issuer=issuer,
            audience=audience,
            algorithms=(_ALGORITHM,),
            is_access_token=is_rfc9068,
            clock=clock,
        )

    async def verify_access_token(self, token: str) -> Identity:
        """What one of our own access tokens says; the identity's issuer is ``local`` at every address.

        Raises TokenExpired for an authentic token whose time is over, Unauthorized for any other.
        """
        identity = await self._verifier.verify(token)
        # Accounts are keyed by the issuer, and must survive a change of PUBLIC_BASE_URL.
        return replace(identity, issuer=self.name)

    async def issue_access_token(
        self,
        subject: str,
        *,
        email: str | None = None,
        email_verified: bool = False,
        phone: str | None = None,
        phone_verified: bool = False,
        name: str | None = None,
    ) -> str:
        """A new access token for the account ``subject``. Raises IdentityProviderError without a key."""
        key = await self._keys.newest()
        issued_at = int(self._clock.now().timestamp())
        claims: dict[str, Any] = {
            "iss": self._issuer,
            "sub": subject,
            "aud": self._audience,
            "iat": issued_at,
            "exp": issued_at + self._access_token_ttl,
            "jti": secrets.token_urlsafe(16),
        }
        if email is not None:
            claims |= {"email": email, "email_verified": email_verified}
        if phone is not None:
            claims |= {"phone_number": phone, "phone_number_verified": phone_verified}
        if name is not None:
            claims["name"] = name
        header = {"alg": _ALGORITHM, "kid": key.kid, "typ": "at+jwt"}
        return jwt.encode(header, claims, key, algorithms=[_ALGORITHM])
