"""Waiting for a fact that a test cannot be told of: asked again and again until it holds."""

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias, TypeVar, overload

T = TypeVar("T")
Errors: TypeAlias = type[Exception] | tuple[type[Exception], ...]

FACT_SECONDS: Final = 60.0
"""Longer than any fact takes on the busiest machine that tests run on."""

_PAUSE_SECONDS: Final = 0.01


@overload
async def until(fact: Callable[[], Awaitable[T]], *, seconds: float = ..., ignored: Errors = ...) -> T: ...
@overload
async def until(fact: Callable[[], T], *, seconds: float = ..., ignored: Errors = ...) -> T: ...
async def until(fact: Callable[[], Any], *, seconds: float = FACT_SECONDS, ignored: Errors = ()) -> Any:
    """Wait until a fact holds, and return it. ``ignored`` are errors that say that it does not yet."""
    deadline, last = time.monotonic() + seconds, object()
    while time.monotonic() < deadline:
        try:
            found = fact()
            held = await found if inspect.isawaitable(found) else found
        except ignored as error:
            last = error
        else:
            if held:
                return held
            last = held
        await asyncio.sleep(_PAUSE_SECONDS)
    raise AssertionError(f"This did not hold within {seconds:g} s: {_told(fact)}; it was {last!r}")


def wait_until(fact: Callable[[], T], *, seconds: float = FACT_SECONDS, ignored: Errors = ()) -> T:
    """``until`` for a test without an event loop, and for what is called in a thread."""
    deadline, last = time.monotonic() + seconds, object()
    while time.monotonic() < deadline:
        try:
            if held := fact():
                return held
            last = held
        except ignored as error:
            last = error
        time.sleep(_PAUSE_SECONDS)
    raise AssertionError(f"This did not hold within {seconds:g} s: {_told(fact)}; it was {last!r}")


def _told(fact: Callable[[], object]) -> str:
    """Where a fact is asked for, as its source has it."""
    try:
        return inspect.getsource(fact).strip()
    except (OSError, TypeError):
        return repr(fact)
