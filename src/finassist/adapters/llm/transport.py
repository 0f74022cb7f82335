"""HTTP below the vendors' SDKs by aiohttp, which parses a stream in C: a token costs a third less than with
httpx2's own transport.

The SDKs bring such a transport, too. OpenAI's takes a server that refuses connections for one that is late,
and takes no limit on connections for a limit of 100.
"""

import ssl
from collections.abc import AsyncIterator
from typing import Any, Final

import aiohttp
import httpx2

from finassist.adapters.llm.event_stream import READ

ENCODINGS: Final = "gzip, deflate"
"""What this transport decodes."""

_PIECE_BYTES: Final = 64
"""What a piece in a buffer takes besides its bytes."""
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
        body = _Body.of(response)
        headers = [header for header in response.raw_headers if header[0].lower() not in _DECODED]
        _forget_heads(response)
        return httpx2.Response(
            response.status,
            headers=headers,
            stream=_Stream(response, body),
            request=request,
            extensions={READ: body.readany},
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
                connector=aiohttp.TCPConnector(limit=0, ssl=self._tls), cookie_jar=aiohttp.DummyCookieJar()
            )
        return self._opened


def _forget_heads(response: aiohttp.ClientResponse) -> None:
    """Free the heads of request and response, 6 KB, which aiohttp keeps as long as the body lasts."""
    del response._request_info, response._headers, response._raw_headers
    response._cache.clear()


def _headers_for(proxy: httpx2.Proxy | None) -> dict[str, str]:
    """The headers that only the proxy is to read."""
    if proxy is None:
        return {}
    headers = dict(proxy.headers)
    if proxy.auth:
        headers["Proxy-Authorization"] = aiohttp.encode_basic_auth(*proxy.auth)
    return headers


class _Body(aiohttp.StreamReader):
    """aiohttp's buffer of a body, for a single reader, who takes all that has come.

    aiohttp also keeps where the chunks of the transfer end, hands out parts of them, runs a timer for every
    wait and resumes reading after every read, also where nothing has paused it: three times the work.
    """

    __slots__ = ()

    @classmethod
    def of(cls, response: aiohttp.ClientResponse) -> aiohttp.StreamReader:
        """The body of a response, of this class unless it is empty. aiohttp's parser makes it, and cannot be
        told another class."""
        body = response.content
        if type(body) is aiohttp.StreamReader:
            body.__class__ = cls
            body._http_chunk_splits = None
        return body

    def begin_http_chunk_receiving(self) -> None:
        """A chunk of the transfer begins."""

    def end_http_chunk_receiving(self) -> None:
        """A chunk of the transfer ends."""

    def feed_data(self, data: bytes, size: int = 0) -> bool:
        """Keep what has come, and read no more when that is too much."""
        self._buffer.append(data)
        self._size += len(data) + _PIECE_BYTES
        if self._size > self._high_water:
            self._protocol.pause_reading()
        if (waiter := self._waiter) is not None:
            self._waiter = None
            if not waiter.done():  # its reader was cancelled
                waiter.set_result(None)
        return False

    async def readany(self) -> bytes:
        """What has come, once there is something; nothing at the end. Raises httpx2.TransportError."""
        try:
            while not self._buffer:
                if self._exception is not None:
                    raise self._exception
                if self._eof:
                    return b""
                if not self._protocol.connected:
                    raise httpx2.ReadError("The connection is closed.")
                self._waiter = self._loop.create_future()
                await self._waiter
        except aiohttp.ClientError as error:
            raise _translation(error) from error
        data = b"".join(self._buffer)
        self._buffer.clear()
        self._size = 0
        if self._protocol._reading_paused:
            self._protocol.resume_reading()
        return data


class _Stream(httpx2.AsyncByteStream):
    """The bytes of a response as they come."""

    def __init__(self, response: aiohttp.ClientResponse, body: aiohttp.StreamReader) -> None:
        self._response = response
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while chunk := await self._body.readany():
            yield chunk

    async def aclose(self) -> None:
        """Give the connection back, or close it when the response is not over."""
        self._response.release()


def _translation(error: aiohttp.ClientError) -> httpx2.TransportError:
    """httpx2's exception for one of aiohttp."""
    kind = httpx2.TimeoutException if isinstance(error, aiohttp.ServerTimeoutError) else httpx2.NetworkError
    return kind(str(error))
