"""Waiting for a fact that a test cannot be told of: asked again and again until it holds, less often the
longer that takes, because asking takes processor time, too."""

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
_PAUSE_SHARE: Final = 0.05
"""Of the time waited so far: what a wait is longer than it need be, at most."""


@overload
async def until(fact: Callable[[], Awaitable[T]], *, seconds: float = ..., ignored: Errors = ...) -> T: ...
@overload
async def until(fact: Callable[[], T], *, seconds: float = ..., ignored: Errors = ...) -> T: ...
async def until(fact: Callable[[], Any], *, seconds: float = FACT_SECONDS, ignored: Errors = ()) -> Any:
    """Wait until a fact holds, and return it. ``ignored`` are errors that say that it does not yet."""
    began, last = time.monotonic(), object()
    while (waited := time.monotonic() - began) < seconds:
        try:
            found = fact()
            held = await found if inspect.isawaitable(found) else found
        except ignored as error:
            last = error
        else:
            if held:
                return held
            last = held
        await asyncio.sleep(_pause_after(waited))
    raise AssertionError(f"This did not hold within {seconds:g} s: {_told(fact)}; it was {last!r}")


def wait_until(fact: Callable[[], T], *, seconds: float = FACT_SECONDS, ignored: Errors = ()) -> T:
    """``until`` for a test without an event loop, and for what is called in a thread."""
    began, last = time.monotonic(), object()
    while (waited := time.monotonic() - began) < seconds:
        try:
            if held := fact():
                return held
            last = held
        except ignored as error:
            last = error
        time.sleep(_pause_after(waited))
    raise AssertionError(f"This did not hold within {seconds:g} s: {_told(fact)}; it was {last!r}")


def _pause_after(waited: float) -> float:
    return max(_PAUSE_SECONDS, waited * _PAUSE_SHARE)


def _told(fact: Callable[[], object]) -> str:
    """Where a fact is asked for, as its source has it."""
    try:
        return inspect.getsource(fact).strip()
    except (OSError, TypeError):
        return repr(fact)
