"""Handlers get what they ask for by name once, when the application is built.

Litestar would resolve it for every request, and several dependencies of one handler in tasks of their own:
two cost 45 µs, though each of them is the same object for as long as the application lives.
"""

import inspect
from collections.abc import Iterable, Mapping
from copy import copy
from functools import wraps
from typing import Any

from litestar.handlers import BaseRouteHandler


def inject(routes: Iterable[Any], values: Mapping[str, object]) -> list[Any]:
    """These controllers and handlers, with the parameters filled whose names are in ``values``."""
    return [
        _controller(route, values) if isinstance(route, type) else _handler(route, values) for route in routes
    ]


def _controller(controller: type, values: Mapping[str, object]) -> type:
    handlers = {
        name: _handler(handler, values)
        for name, handler in vars(controller).items()
        if isinstance(handler, BaseRouteHandler)
    }
    return type(controller.__name__, (controller,), {"__doc__": controller.__doc__, **handlers})


def _handler(handler: BaseRouteHandler, values: Mapping[str, object]) -> BaseRouteHandler:
    function: Any = handler.fn
    signature = inspect.signature(function)
    given = {name: values[name] for name in signature.parameters if name in values}
    if not given:
        return handler

    @wraps(function)
    async def filled(*args: Any, **asked: Any) -> Any:
        return await function(*args, **asked, **given)

    # What Litestar has still to find in a request.
    rest = [each for name, each in signature.parameters.items() if name not in given]
    filled.__signature__ = signature.replace(parameters=rest)  # type: ignore[attr-defined]
    return copy(handler)(filled)
