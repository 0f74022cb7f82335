"""Injects the dependencies of handlers by type, once, when the application is built.

Litestar would resolve it for every request, and several dependencies of one handler in tasks of their own:
two take 45 µs, although each is the same object for the lifetime of the application.
"""

import inspect
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from functools import wraps
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

from litestar.connection import ASGIConnection
from litestar.di import Dependency
from litestar.handlers import BaseRouteHandler

from finassist.composition.adapters import Adapters
from finassist.composition.application import Finassist


class Injected(NamedTuple):
    """An object that handlers can ask for, with its name and type."""

    name: str
    type: object
    value: object


def finassist_of(connection: ASGIConnection[Any, Any, Any, Any]) -> Finassist:
    """The use cases, for what is no handler: guards, and checks of bodies."""
    finassist: Finassist = connection.app.state.finassist
    return finassist


def fields_of(structure: Adapters | Finassist) -> Iterator[Injected]:
    """Every field of the structure."""
    hints = get_type_hints(type(structure))
    return (Injected(name, kind, getattr(structure, name)) for name, kind in hints.items())


def inject(routes: Iterable[Any], objects: Sequence[Injected]) -> list[Any]:
    """These controllers and handlers, with the parameters filled that are marked as dependencies.

    Raises TypeError for one whose type is not among ``objects``, or is there more than once.
    """
    return [
        _controller(route, objects) if isinstance(route, type) else _handler(route, objects)
        for route in routes
    ]


def _controller(controller: type, objects: Sequence[Injected]) -> type:
    handlers = {
        name: _handler(handler, objects)
        for name, handler in vars(controller).items()
        if isinstance(handler, BaseRouteHandler)
    }
    return type(controller.__name__, (controller,), {"__doc__": controller.__doc__, **handlers})


def _handler(handler: BaseRouteHandler, objects: Sequence[Injected]) -> BaseRouteHandler:
    function: Any = handler.fn
    signature = inspect.signature(function)
    hints = get_type_hints(function, include_extras=True)
    given = {
        name: _find(function, name, hint, objects) for name, hint in hints.items() if _is_dependency(hint)
    }
    if not given:
        return handler

    @wraps(function)
    async def filled(*args: Any, **asked: Any) -> Any:
        return await function(*args, **asked, **given)

    # What Litestar has still to find in a request.
    rest = [each for name, each in signature.parameters.items() if name not in given]
    filled.__signature__ = signature.replace(parameters=rest)  # type: ignore[attr-defined]
    return copy(handler)(filled)


def _is_dependency(hint: object) -> bool:
    return get_origin(hint) is Annotated and any(isinstance(each, Dependency) for each in get_args(hint))


def _find(function: Any, name: str, hint: object, objects: Sequence[Injected]) -> object:
    """The object of the parameter's type; of several, the one that is called like the parameter."""
    wanted = get_args(hint)[0]
    found = [each for each in objects if each.type == wanted]
    chosen = found if len(found) == 1 else [each for each in found if each.name == name]
    if len(chosen) != 1:
        raise TypeError(f"{function.__qualname__}: {name} needs one {wanted}, but there are {len(found)}")
    return chosen[0].value
