"""HTTP below the vendors' SDKs by aiohttp, which parses a stream in C: a token costs a third less than with
httpx2's own transport.

The SDKs bring such a transport, too. OpenAI's takes a server that refuses connections for one that is late,
and takes no limit on connections for a limit of 100.
"""

import ssl
from collections.abc import AsyncIterator
from functools import partial
from typing import Any, Final

import aiohttp
import httpx2
from aiohttp.client_proto import ResponseHandler

from finassist.adapters.llm.event_stream import READ

ENCODINGS: Final = "gzip, deflate"
"""What this transport decodes."""

_DECODED: Final = frozenset((b"content-encoding", b"content-length"))


class AiohttpClient(httpx2.AsyncClient):
    """An httpx2 client over ``AiohttpTransport``, with the proxies and certificates of the environment as any
    other has; both SDKs override the same two methods for theirs."""

    def _init_transport(  # type: ignore[override]  # the other arguments are at their defaults
        self, verify: Any = True, cert: Any = None, trust_env: bool = True, **_: Any
    ) -> httpx2.AsyncBaseTransport:
        return AiohttpTransport(httpx2.create_ssl_context(verify=verify, cert=cert, trust_env=trust_env))

    def _init_proxy_transport(  # type: ignore[override]
        self, proxy: httpx2.Proxy, verify: Any = True, cert: Any = None, trust_env: bool = True, **_: Any
    ) -> httpx2.AsyncBaseTransport:
        tls = httpx2.create_ssl_context(verify=verify, cert=cert, trust_env=trust_env)
        return AiohttpTransport(tls, proxy)


class AiohttpTransport(httpx2.AsyncBaseTransport):
    """Sends requests by aiohttp, over any number of connections. The stream of a response is decoded."""

    def __init__(self, tls: ssl.SSLContext, proxy: httpx2.Proxy | None = None) -> None:
        self._tls = tls
        self._proxy = None if proxy is None else str(proxy.url)
        self._proxy_headers = _headers_for(proxy)
        self._opened: aiohttp.ClientSession | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request. Raises httpx2.TransportError."""
        try:
            response = await self._send(request)
        except aiohttp.ClientError as error:
            raise _translation(error) from error
        stream = _Stream(response)
        return httpx2.Response(
            response.status,
            headers=[header for header in response.raw_headers if header[0].lower() not in _DECODED],
            stream=stream,
            request=request,
            extensions={READ: stream.read},
        )

    async def _send(self, request: httpx2.Request) -> aiohttp.ClientResponse:
        tunnelled = request.url.scheme == "https"
        return await self._session().request(
            request.method,
            str(request.url),
            headers=[*request.headers.multi_items(), *([] if tunnelled else self._proxy_headers.items())],
            data=request.content,
            allow_redirects=False,
            timeout=aiohttp.ClientTimeout(connect=request.extensions["timeout"]["connect"]),
            proxy=self._proxy,
            proxy_headers=self._proxy_headers if tunnelled else None,
        )

    async def aclose(self) -> None:
        """Close the connections."""
        if self._opened is not None:
            await self._opened.close()

    def _session(self) -> aiohttp.ClientSession:
        """Opened with the first request, because it belongs to an event loop."""
        if self._opened is None:
            self._opened = aiohttp.ClientSession(
                connector=_Connector(limit=0, ssl=self._tls), cookie_jar=aiohttp.DummyCookieJar()
            )
        return self._opened


class _Connector(aiohttp.TCPConnector):
    """Opens connections of ``_Connection``."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._factory = partial(_Connection, loop=self._loop)  # type: ignore[assignment]  # its own class alone


class _Connection(ResponseHandler):
    """aiohttp's connection, which resumes reading after every read, also where nothing has paused it: that
    costs half as much as the read."""

    def resume_reading(self, resume_parser: bool = True) -> None:
        """Resume reading when it is paused."""
        if self._reading_paused:
            super().resume_reading(resume_parser)


def _headers_for(proxy: httpx2.Proxy | None) -> dict[str, str]:
    """The headers that only the proxy is to read."""
    if proxy is None:
        return {}
    headers = dict(proxy.headers)
    if proxy.auth:
        headers["Proxy-Authorization"] = aiohttp.encode_basic_auth(*proxy.auth)
    return headers


class _Stream(httpx2.AsyncByteStream):
    """The bytes of a response as they come."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while chunk := await self.read():
            yield chunk

    async def read(self) -> bytes:
        """What has come, once there is something; nothing at the end."""
        try:
            return await self._response.content.readany()
        except aiohttp.ClientError as error:
            raise _translation(error) from error

    async def aclose(self) -> None:
        """Give the connection back, or close it when the response is not over."""
        self._response.release()


def _translation(error: aiohttp.ClientError) -> httpx2.TransportError:
    """httpx2's exception for one of aiohttp."""
    kind = httpx2.TimeoutException if isinstance(error, aiohttp.ServerTimeoutError) else httpx2.NetworkError
    return kind(str(error))
