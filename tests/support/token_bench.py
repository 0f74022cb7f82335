"""A token verifier on a bench: what a test needs to sign true and false tokens for it."""

import base64
import json
from collections.abc import Sequence
from typing import Any

import pytest
from joserfc.jwk import ECKey, Key
from joserfc.jws import JWSRegistry

from finassist.adapters.identity.tokens import AccessTokenVerifier, TokenMark, is_rfc9068
from finassist.domain.errors import Unauthorized
from finassist.domain.users import Identity
from finassist.testing import FakeClock

ISSUER = "https://id.example.org"
AUDIENCE = "finassist"

KEY = ECKey.generate_key("P-256", auto_kid=True)
FOREIGN_KEY = ECKey.generate_key("P-256", auto_kid=True)


class Bench:
    """A verifier that knows some keys, and the tools to sign true and false tokens for it."""

    def __init__(
        self,
        *keys: Key,
        algorithms: Sequence[str] = ("ES256",),
        is_access_token: TokenMark = is_rfc9068,
    ) -> None:
        self.clock = FakeClock()
        self.keys = {key.kid: key for key in keys or (KEY,)}
        self.look_ups = 0
        self._verifier = AccessTokenVerifier(
            provider="local",
            keys=self,
            issuer=ISSUER,
            audience=AUDIENCE,
            algorithms=algorithms,
            is_access_token=is_access_token,
            clock=self.clock,
        )

    async def find(self, kid: str) -> Key | None:
        self.look_ups += 1
        return self.keys.get(kid)

    @property
    def now(self) -> int:
        return int(self.clock.now().timestamp())

    def header(self, **changes: Any) -> dict[str, Any]:
        return {"alg": "ES256", "kid": KEY.kid, "typ": "at+jwt"} | changes

    def claims(self, *without: str, **changes: Any) -> dict[str, Any]:
        claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ann", "iat": self.now, "exp": self.now + 3600}
        return {name: value for name, value in (claims | changes).items() if name not in without}

    def token(self, header: Any = None, claims: Any = None, key: Key = KEY, algorithm: str = "ES256") -> str:
        """A true signature over whatever a test puts in; the good header and claims when it does not."""
        head = encode(json.dumps(self.header() if header is None else header).encode())
        body = claims if isinstance(claims, bytes) else json.dumps(claims or self.claims()).encode()
        signature = JWSRegistry.algorithms[algorithm].sign(f"{head}.{encode(body)}".encode(), key)
        return f"{head}.{encode(body)}.{encode(signature)}"

    async def verify(self, token: str) -> Identity:
        return await self._verifier.verify(token)

    async def refuses(self, token: str) -> None:
        with pytest.raises(Unauthorized) as refusal:
            await self.verify(token)
        assert type(refusal.value) is Unauthorized
        assert refusal.value.message == "The access token is not valid."


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
