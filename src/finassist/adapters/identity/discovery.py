"""OpenID Connect Discovery: the endpoints and keys that a provider publishes."""

import asyncio
from base64 import urlsafe_b64decode
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec
from joserfc.errors import JoseError
from joserfc.jwk import JWKRegistry, Key, OctKey, RSAKey

from finassist.adapters.identity.provider_client import ProviderClient
from finassist.application.ports.system import Clock
from finassist.domain.errors import IdentityProviderError

MAX_AGE: Final = timedelta(hours=1)

_RETRY_INTERVAL: Final = timedelta(seconds=5)
_WELL_KNOWN: Final = "/.well-known/openid-configuration"
_RSA_BITS_MIN: Final = 2048
_NO_KEY: Final = (JoseError, KeyError, TypeError, ValueError)  # KeyError: a curve that joserfc does not know


class Metadata(msgspec.Struct, frozen=True):
    """The part of a discovery document that is used here."""

    issuer: str
    jwks_uri: str
    authorization_endpoint: str | None = None
    token_endpoint: str | None = None
    revocation_endpoint: str | None = None
    scopes_supported: tuple[str, ...] = ()
    response_types_supported: tuple[str, ...] = ()
    response_modes_supported: tuple[str, ...] = ()
    grant_types_supported: tuple[str, ...] = ()
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)


class _KeySet(msgspec.Struct):
    keys: list[dict[str, Any]]


class Discovery:
    """The discovery document of an issuer, in memory for an hour, longer while the provider is down."""

    def __init__(self, client: ProviderClient, issuer: str, clock: Clock) -> None:
        self.issuer = issuer
        self._client = client
        self._clock = clock
        self._metadata: Metadata | None = None
        self._loaded_at: datetime | None = None
        self._failure: IdentityProviderError | None = None
        self._loading = asyncio.Lock()

    async def metadata(self) -> Metadata:
        """The document. Raises IdentityProviderError."""
        async with self._loading:
            if self._metadata is None:
                return await self._first_load()
            if self._is_older_than(MAX_AGE):
                with suppress(IdentityProviderError):
                    self._metadata = await self._load()
            return self._metadata

    async def endpoint(self, name: str) -> str:
        """The address under that name. Raises IdentityProviderError when the provider has none."""
        address: str | None = getattr(await self.metadata(), name)
        if address is None:
            raise IdentityProviderError(f"The identity provider has no {name}.")
        return address

    async def _first_load(self) -> Metadata:
        # Callers that waited for a failed attempt get its error: else each would wait for its own attempt.
        if self._failure is not None and not self._is_older_than(_RETRY_INTERVAL):
            raise IdentityProviderError(self._failure.message)
        try:
            self._metadata = await self._load()
        except IdentityProviderError as error:
            self._failure, self._loaded_at = error, self._clock.now()
            raise
        return self._metadata

    def _is_older_than(self, interval: timedelta) -> bool:
        return self._loaded_at is None or abs(self._clock.now() - self._loaded_at) >= interval

    async def _load(self) -> Metadata:
        self._loaded_at = self._clock.now()
        body = await self._client.get(self.issuer.rstrip("/") + _WELL_KNOWN)
        try:
            metadata = msgspec.json.decode(body, type=Metadata)
        except ValueError:
            raise IdentityProviderError("The identity provider's discovery document is not valid.") from None
        if metadata.issuer != self.issuer:
            raise IdentityProviderError("The identity provider's discovery document names another issuer.")
        # An endpoint without TLS would undo that of the issuer.
        schemes = ("https://",) if self.issuer.startswith("https://") else ("https://", "http://")
        for name in ("jwks_uri", "authorization_endpoint", "token_endpoint", "revocation_endpoint"):
            address = getattr(metadata, name)
            if address is not None and not address.startswith(schemes):
                raise IdentityProviderError(f"The identity provider's {name} is not an https address.")
        return metadata


class PublishedKeys:
    """The keys of a provider (its JWKS): those that verify signatures, that we understand, and that are long
    enough (RFC 7518, section 3.3)."""

    def __init__(self, client: ProviderClient, discovery: Discovery) -> None:
        self._client = client
        self._discovery = discovery

    async def load(self) -> Sequence[Key]:
        """All usable keys. Raises IdentityProviderError."""
        body = await self._client.get((await self._discovery.metadata()).jwks_uri)
        try:
            published = msgspec.json.decode(body, type=_KeySet).keys
        except ValueError:
            raise IdentityProviderError("The identity provider's keys cannot be read.") from None
        keys: list[Key] = []
        has_weak = False
        for jwk in published:
            # One by one, so that a key of a kind that we do not know leaves the others usable.
            with suppress(*_NO_KEY):
                if jwk.get("use", "sig") != "sig" or jwk.get("kty") == OctKey.key_type:
                    continue
                if jwk.get("kty") == RSAKey.key_type and _modulus_bits(jwk) < _RSA_BITS_MIN:
                    has_weak = True
                else:
                    keys.append(JWKRegistry.import_key(jwk))
        if not keys and not has_weak:  # what a weak key has signed is refused, and no fault of the server
            raise IdentityProviderError("The identity provider publishes no usable key.")
        return keys


def _modulus_bits(jwk: dict[str, Any]) -> int:
    return int.from_bytes(urlsafe_b64decode(f"{jwk['n']}===")).bit_length()
