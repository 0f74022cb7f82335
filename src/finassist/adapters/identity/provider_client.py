"""Requests to an identity provider: bounded in size and time, every failure translated.

The provider's error messages are not repeated, because they may quote the request.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final
from urllib.parse import urlencode

import httpx2
from authlib.integrations.httpx_client import (  # type: ignore[import-untyped]
    AsyncOAuth2Client,
    OAuthError,
)

from finassist.domain.errors import FinassistError, IdentityProviderError, TooManyAttempts

RESPONSE_BYTES_MAX: Final = 1 << 20
CONNECT_SECONDS: Final = 5.0
TOTAL_SECONDS: Final = 10.0

_LOCKED_SECONDS: Final = 60
_HEADERS: Final = {"Accept": "application/json", "Accept-Encoding": "identity"}
_TOKEN_HEADERS: Final = {**_HEADERS, "Content-Type": "application/x-www-form-urlencoded"}
_REFUSALS: Final = frozenset(
    {
        "access_denied",
        "invalid_client",
        "invalid_request",
        "invalid_scope",
        "mfa_required",
        "unauthorized_client",
        "unsupported_grant_type",
    }
)


class GrantRefused(IdentityProviderError):
    """The token endpoint does not grant what it was asked for."""


class ProviderClient:
    """One OAuth client of a provider, and plain requests to the provider's other addresses.

    Every method raises IdentityProviderError.
    """

    def __init__(self, client_id: str = "", client_secret: str | None = None) -> None:
        self._has_secret = client_secret is not None
        self._http = AsyncOAuth2Client(
            client_id,
            client_secret,
            headers=_HEADERS,
            timeout=httpx2.Timeout(TOTAL_SECONDS, connect=CONNECT_SECONDS),
            event_hooks={"response": [_limit_size]},
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def get(self, url: str) -> bytes:
        """The body of a public document."""
        response = await self.send("GET", url)
        if response.status_code != 200:
            raise unexpected(response)
        return response.content

    async def send(
        self, method: str, url: str, *, json: object = None, bearer: str | None = None
    ) -> httpx2.Response:
        """The answer to a request, whatever its status."""
        headers = {} if bearer is None else {"Authorization": f"Bearer {bearer}"}
        async with _translated():
            response: httpx2.Response = await self._http.request(
                method, url, withhold_token=True, json=json, headers=headers
            )
            return response

    def authorization_url(self, url: str, *, state: str, **fields: str) -> str:
        """The address of the provider's page, for the authorization code flow."""
        address, _ = self._http.create_authorization_url(url, state=state, **fields)
        return str(address)

    async def grant(
        self,
        url: str,
        grant_type: str,
        *,
        auth_method: str,
        bad_grant: FinassistError | None = None,
        **fields: str,
    ) -> Mapping[str, Any]:
        """Call the token endpoint. Raises ``bad_grant`` for ``invalid_grant``, and
        TooManyAttempts when the provider has locked the account."""
        async with _translated():
            try:
                answer: Mapping[str, Any] = await self._http.fetch_token(
                    url,
                    grant_type=grant_type,
                    headers=_TOKEN_HEADERS,
                    auth=self._auth(auth_method),
                    **fields,
                )
            except OAuthError as error:
                raise _refused(error.error, bad_grant) from None
            finally:
                self._http.token = None
            return dict(answer)

    async def revoke(self, url: str, token: str, *, auth_method: str) -> None:
        """Revoke a refresh token (RFC 7009)."""
        async with _translated():
            response = await self._http.revoke_token(
                url,
                token=token,
                headers=dict(_TOKEN_HEADERS),
                auth=self._auth(auth_method),
            )
        if response.status_code != 200 and b"invalid_token" not in response.content:
            raise unexpected(response)

    def _auth(self, method: str) -> Any:
        return self._http.client_auth(
            method if self._has_secret and method == "client_secret_basic" else _credentials_in_body
        )


def _credentials_in_body(
    client: Any, method: str, url: str, headers: Any, body: bytes
) -> tuple[str, Any, bytes]:
    # Authlib's own ``client_secret_post`` and ``none`` fail on forms with other characters than ASCII.
    fields = {"client_id": client.client_id}
    if client.client_secret is not None:
        fields["client_secret"] = client.client_secret
    return url, headers, body + b"&" + urlencode(fields).encode()


def unexpected(response: httpx2.Response) -> IdentityProviderError:
    """The error for an answer with a status that it should not have."""
    return IdentityProviderError(f"The identity provider answered with status {response.status_code}.")


def _refused(code: str | None, bad_grant: FinassistError | None) -> FinassistError:
    if code == "invalid_grant" and bad_grant is not None:
        return bad_grant
    if code == "too_many_attempts":
        return TooManyAttempts(_LOCKED_SECONDS)
    reason = f": {code}" if code in _REFUSALS else ""
    return GrantRefused(f"The identity provider refused the request{reason}.")


@asynccontextmanager
async def _translated() -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(TOTAL_SECONDS):
            yield
    except (TimeoutError, httpx2.TimeoutException):
        raise IdentityProviderError("The identity provider did not respond in time.") from None
    except httpx2.HTTPStatusError as error:
        raise unexpected(error.response) from None
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError):
        raise IdentityProviderError("The identity provider cannot be reached.") from None
    except (TypeError, ValueError):  # an answer that is not what OAuth says it is
        raise IdentityProviderError("The identity provider's response is not valid.") from None


async def _limit_size(response: httpx2.Response) -> None:
    # What is compressed can grow without bounds, and nobody asked for it.
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise httpx2.DecodingError("the answer is compressed", request=response.request)
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    response.stream = _Limited(response.stream, response.request)


class _Limited(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, request: httpx2.Request) -> None:
        self._stream = stream
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > RESPONSE_BYTES_MAX:
                raise httpx2.ReadError("the answer is too long", request=self._request)
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
