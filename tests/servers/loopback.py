"""What the servers on loopback have in common: how they start, and how they answer with JSON."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Protocol, TypeVar


class Serving(Protocol):
    """A server: ``serve`` answers the requests of one connection, and ``url`` is where it is."""

    url: str

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None: ...


Server = TypeVar("Server", bound=Serving)


@asynccontextmanager
async def serving(server: Server, port: int = 0, *, path: str = "") -> AsyncIterator[Server]:
    """Run a server on loopback; port 0 takes a free one, and ``path`` is what its URL ends with."""
    listener = await asyncio.start_server(server.serve, "127.0.0.1", port, backlog=2048, limit=2**26)
    server.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}{path}"
    try:
        yield server
    finally:
        listener.close()


async def write_json(
    writer: asyncio.StreamWriter, status: int, body: bytes, headers: Mapping[str, str]
) -> None:
    """Write one answer whose body is JSON; ``headers`` are added to those that it needs, or replace them."""
    fields = {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    writer.write(f"HTTP/1.1 {status} Scripted\r\n{lines}\r\n".encode() + body)
    await writer.drain()
