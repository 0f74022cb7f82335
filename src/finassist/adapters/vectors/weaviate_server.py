"""The connection to Weaviate, and the translation of its failures to domain errors."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import weaviate
from weaviate.classes.init import AdditionalConfig, Timeout
from weaviate.connect import ConnectionParams
from weaviate.exceptions import WeaviateBaseError

from finassist.domain.errors import KnowledgeError

_GRPC_PORT: Final = 50051
_CONNECT_SECONDS: Final = 2
_CALL_SECONDS: Final = 3
_WRITE_SECONDS: Final = 30
_REST_SECONDS: Final = 5.0

_FAILED: Final = "The knowledge base's server could not be used"
# What its client raises, and what it stumbles over in an answer that no Weaviate gives.
_STUMBLES: Final = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
_FAILURES: Final = (WeaviateBaseError, OSError, TimeoutError, *_STUMBLES)


class WeaviateServer:
    """One server, connected to when it is first needed, and again after it was lost.

    ``url`` is ``weaviate://HOST:PORT``, plain HTTP without credentials; ``?grpc=PORT`` names the other port
    when it is not 50051. ``call_seconds`` bounds a search. A server that could not be had in time is left
    alone for ``rest_seconds``: no reply waits for it meanwhile.
    """

    def __init__(
        self, url: str, *, call_seconds: float = _CALL_SECONDS, rest_seconds: float = _REST_SECONDS
    ) -> None:
        parts = urlsplit(url)
        host = parts.hostname or ""
        ports = parse_qs(parts.query).get("grpc", [str(_GRPC_PORT)])
        self._call_seconds = call_seconds
        self._rest_seconds = rest_seconds
        self._parameters = ConnectionParams.from_params(
            http_host=host,
            http_port=parts.port or 0,
            http_secure=False,
            grpc_host=host,
            grpc_port=int(ports[0]),
            grpc_secure=False,
        )
        self._client: Any = None
        self._connecting = asyncio.Lock()
        self._rest_until = 0.0

    @asynccontextmanager
    async def calling(self, seconds: float | None = None) -> AsyncIterator[Any]:
        """The client, for calls that take no longer than that. Raises KnowledgeError for every failure."""
        if time.monotonic() < self._rest_until:
            raise KnowledgeError(f"{_FAILED}: it was out of reach a moment ago.")
        try:
            async with asyncio.timeout(seconds or self._call_seconds):
                yield await self._connected()
        except _FAILURES as error:
            if isinstance(error, TimeoutError) or self._client is None:
                self._rest_until = time.monotonic() + self._rest_seconds
            # The client's own text may hold what was asked.
            raise KnowledgeError(f"{_FAILED}: {type(error).__name__}.") from error

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[Any]:
        """The client, for calls that may take long."""
        async with self.calling(_WRITE_SECONDS) as client:
            yield client

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            with suppress(*_FAILURES):
                await client.close()

    async def _connected(self) -> Any:
        async with self._connecting:
            if self._client is None:
                self._client = await self._connect()
            return self._client

    async def _connect(self) -> Any:
        client = weaviate.WeaviateAsyncClient(
            connection_params=self._parameters,
            additional_config=AdditionalConfig(
                timeout=Timeout(init=_CONNECT_SECONDS, query=_WRITE_SECONDS, insert=_WRITE_SECONDS)
            ),
            skip_init_checks=True,  # they ask a package registry for the client's newest version
        )
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                await client.connect()
        except BaseException:
            with suppress(*_FAILURES):
                await client.close()
            raise
        return client
