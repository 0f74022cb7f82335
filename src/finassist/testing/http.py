"""The HTTP interface in the process of the test: no port, no server."""

import asyncio
from collections.abc import AsyncIterator, MutableMapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx2

from finassist.composition.application import Finassist

if TYPE_CHECKING:
    from finassist.entrypoints.http.requests.edge import Application

BASE_URL = "http://testserver"


@asynccontextmanager
async def open_client(finassist: Finassist) -> AsyncIterator[httpx2.AsyncClient]:
    """Run the application around these use cases (``build_application``) and yield a client of it."""
    app = application_of(finassist)
    async with running(app), client_of(app) as client:
        yield client


def application_of(finassist: Finassist) -> "Application":
    """The ASGI application around these use cases."""
    from finassist.entrypoints.http.app import create_app

    return create_app(finassist.settings, finassist)


def client_of(app: "Application") -> httpx2.AsyncClient:
    """A client without credentials, whose requests the application answers in this process."""
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=BASE_URL)


@asynccontextmanager
async def running(app: "Application") -> AsyncIterator[None]:
    """Start the application and end it again, as a server does: in a task of its own."""
    stop = asyncio.Event()
    sent: asyncio.Queue[MutableMapping[str, Any]] = asyncio.Queue()
    steps = iter(("lifespan.startup", "lifespan.shutdown"))

    async def receive() -> dict[str, Any]:
        step = next(steps)
        if step == "lifespan.shutdown":
            await stop.wait()
        return {"type": step}

    task = asyncio.create_task(app({"type": "lifespan"}, receive, sent.put))
    started = await sent.get()
    if started["type"] != "lifespan.startup.complete":
        await task
        raise RuntimeError(started.get("message") or "the application did not start")
    try:
        yield
    finally:
        stop.set()
        await task
