"""Large request bodies: on disk while they are received, and few at a time in memory.

This applies to routes whose ``opt`` has ``large_bodies``. A route frees its slot with ``release_body`` as
soon as it no longer needs the body; the edge does so at the end of every request.
"""

import asyncio
from functools import partial
from typing import Any, Final

from finassist.application.concurrency.places import FairPlaces
from finassist.application.ports.files import Spool
from finassist.domain.errors import StorageError
from finassist.domain.files.content import MEGABYTE
from finassist.entrypoints.http.requests.any_request import AnyRequest

_LARGE: Final = MEGABYTE
_RELEASE: Final = "release_body"


class LargeBodies:
    """At most ``at_once`` bodies of more than 1 MB are in memory at a time, one of each caller; the others
    wait on disk."""

    def __init__(self, spool: Spool, at_once: int) -> None:
        self._spool = spool
        self._places = FairPlaces(at_once)

    async def read(self, request: AnyRequest) -> bytes:
        """The whole body. Raises StorageError when the disk takes no more, and ServiceUnavailable when too
        many bodies wait on it."""
        stream = request.stream()
        body = bytearray()
        async for piece in stream:
            body += piece
            if len(body) > _LARGE:
                break
        else:
            return bytes(body)
        async with self._spool.draft() as draft:
            await draft.write(bytes(body))
            del body
            async for piece in stream:
                await draft.write(piece)
            await draft.finish()
            caller = request.scope.get("user")
            await self._places.take(caller)
            request.scope["state"][_RELEASE] = partial(self._places.give_back, caller)
            try:
                return await asyncio.to_thread(draft.path.read_bytes)
            except OSError as error:
                raise StorageError("The request cannot be read again.") from error


def release_body(scope: Any) -> None:
    """Give back the place of a request's large body; once, however often it is called."""
    release = scope.get("state", {}).pop(_RELEASE, None)
    if release is not None:
        release()
