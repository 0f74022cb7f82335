"""The lifespan protocol of ASGI: the resources of an application are open as long as its server runs."""

from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import AbstractAsyncContextManager
from traceback import format_exc
from typing import Any, TypeAlias

Resources: TypeAlias = Callable[[], AbstractAsyncContextManager[None]]
"""Opens what an application needs and closes it again."""

_Message = MutableMapping[str, Any]


async def run_lifespan(
    resources: Resources,
    receive: Callable[[], Awaitable[_Message]],
    send: Callable[[_Message], Awaitable[None]],
) -> None:
    """Open the resources when the server starts, and close them when it ends."""
    step = "startup"
    await receive()
    try:
        async with resources():
            await send({"type": "lifespan.startup.complete"})
            step = "shutdown"
            await receive()
    except BaseException:  # the server reports it, and ends
        await send({"type": f"lifespan.{step}.failed", "message": format_exc()})
        raise
    await send({"type": "lifespan.shutdown.complete"})
