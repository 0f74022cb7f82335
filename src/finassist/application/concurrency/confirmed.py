"""Calls of a database whose answer may be lost although they were carried out."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from finassist.domain.errors import ServiceUnavailable

T = TypeVar("T")

_REPEAT_AFTER_SECONDS: Final = 0.1


class Unconfirmed(ServiceUnavailable):
    """The database is out of reach, and a write may have been stored or not: nothing may be undone."""


async def confirmed(call: Callable[[], Awaitable[T]]) -> T:
    """Make a call, and once more when its answer is lost: one that changes nothing when it is repeated.

    Raises Unconfirmed when the second answer is lost too.
    """
    try:
        return await call()
    except ServiceUnavailable:
        await asyncio.sleep(_REPEAT_AFTER_SECONDS)
    try:
        return await call()
    except ServiceUnavailable as error:
        raise Unconfirmed() from error
