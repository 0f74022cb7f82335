"""A client of a provider's management API, authorized with client credentials."""

import asyncio
import hashlib
import hmac
from base64 import urlsafe_b64encode
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any, Final

import httpx2
import msgspec

from finassist.adapters.identity.provider_client import ProviderClient, unexpected
from finassist.application.ports.system import Clock
from finassist.domain.errors import IdentityProviderError

_EARLY: Final = timedelta(seconds=30)


class ManagementApi:
    """Requests with a token of the management client, which is asked for when it is first needed and
    again shortly before it expires.

    Without a management client, and for every failure, methods raise IdentityProviderError.
    """

    def __init__(
        self,
        *,
        client_id: str,
        client_secret: str | None,
        token_endpoint: Callable[[], Awaitable[str]],
        auth_method: str,
        clock: Clock,
        **token_fields: Any,
    ) -> None:
        self.is_configured = bool(client_id and client_secret)
        self._client = ProviderClient(client_id, client_secret)
        self._token_endpoint = token_endpoint
        self._auth_method = auth_method
        self._clock = clock
        self._token_fields = token_fields
        self._token = ""
        self._expires_at: datetime | None = None
        self._renewing = asyncio.Lock()

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    def require(self) -> None:
        """Raise IdentityProviderError unless there is a management client."""
        if not self.is_configured:
            raise IdentityProviderError(
                "This needs OIDC_MANAGEMENT_CLIENT_ID and OIDC_MANAGEMENT_CLIENT_SECRET."
            )

    async def send(self, method: str, url: str, json: object = None) -> httpx2.Response:
        """The answer to a request, whatever its status but 401 and 403."""
        self.require()
        response = await self._client.send(method, url, json=json, bearer=await self._bearer())
        if response.status_code == 401:  # revoked before its time
            self._expires_at = None
            response = await self._client.send(method, url, json=json, bearer=await self._bearer())
        if response.status_code in (401, 403):
            raise IdentityProviderError(
                "The management client may not do this: it lacks a permission at the identity provider."
            )
        return response

    async def _bearer(self) -> str:
        async with self._renewing:
            if self._expires_at is None or self._clock.now() >= self._expires_at:
                asked_at = self._clock.now()
                answer = await self._client.grant(
                    await self._token_endpoint(),
                    "client_credentials",
                    auth_method=self._auth_method,
                    **self._token_fields,
                )
                try:
                    granted = msgspec.convert(answer, _Granted)
                except msgspec.ValidationError:
                    raise IdentityProviderError("The identity provider's response is not valid.") from None
                self._token = granted.access_token
                self._expires_at = asked_at + timedelta(seconds=granted.expires_in) - _EARLY
            return self._token


class _Granted(msgspec.Struct):
    access_token: str
    expires_in: float = 60


def json_of(response: httpx2.Response, shape: type[Any]) -> Any:
    """The body of a successful answer in this shape. Raises IdentityProviderError for any other."""
    if not response.is_success:
        raise unexpected(response)
    try:
        return msgspec.json.decode(response.content, type=shape)
    except ValueError:
        raise IdentityProviderError("The identity provider's response is not valid.") from None


def phone_password(secret_key: bytes, issuer: str, phone: str) -> str:
    """The password of the account behind a phone number.

    Somebody who proved the phone to us cannot show the provider anything that it trusts, so the service
    keeps the account's password: derived, and thus the same for parallel sign-ins and in all processes,
    known to nobody else and stored nowhere here. The ending pleases password rules.
    """
    message = "\0".join(("phone-password", issuer, phone)).encode()
    return urlsafe_b64encode(hmac.digest(secret_key, message, hashlib.sha256)).decode() + "aA1!"
