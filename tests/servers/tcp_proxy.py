"""A TCP proxy between the service and a server, so that tests can cut, freeze and restore the line."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

_CHUNK = 65536


class TcpProxy:
    """Forwards connections to ``host:port`` from a port of its own on loopback."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self.port = 0

    async def restore(self) -> None:
        """Listen on the same port as before, and let everything through."""
        self._flowing.set()
        if self._server is None:
            self._server = await asyncio.start_server(self._forward, "127.0.0.1", self.port)
            self.port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        """Refuse new connections and drop the open ones."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def freeze(self) -> None:
        """Accept everything, and forward nothing until ``restore``."""
        self._flowing.clear()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            with suppress(OSError):
                far_reader, far_writer = await asyncio.open_connection(*self._target)
                try:
                    await asyncio.gather(self._copy(reader, far_writer), self._copy(far_reader, writer))
                finally:
                    far_writer.close()
        except asyncio.CancelledError:
            writer.transport.abort()
        finally:
            writer.close()
            self._connections.discard(task)

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(_CHUNK):
            await self._flowing.wait()
            writer.write(data)
            await writer.drain()
        writer.close()


@asynccontextmanager
async def proxied(url: str) -> AsyncIterator[tuple[TcpProxy, str]]:
    """A proxy in front of the first server that a MongoDB URL names, and the URL that leads through it."""
    parts = urlsplit(url)
    credentials, at, hosts = parts.netloc.rpartition("@")
    host, _, port = hosts.split(",")[0].partition(":")
    proxy = TcpProxy(host, int(port or 27017))
    await proxy.restore()
    # The driver would find the way around the proxy through the replica set's own list of members.
    through = parts._replace(
        netloc=f"{credentials}{at}127.0.0.1:{proxy.port}",
        query=f"{parts.query}&directConnection=true".lstrip("&"),
    )
    try:
        yield proxy, through.geturl()
    finally:
        await proxy.cut()
