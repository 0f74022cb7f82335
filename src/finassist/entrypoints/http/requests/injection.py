"""Fills the parameters of handlers that are marked as dependencies, by type.

Which object a parameter means is decided once, when the routes are built; the applications of a process share
them, and each request brings the objects of its application along. Litestar would resolve every parameter
again for every request, and several dependencies of one handler in tasks of their own: two take 45 µs.
"""

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import wraps
from typing import Annotated, Any, Final, NamedTuple, get_args, get_origin, get_type_hints

from litestar.connection import ASGIConnection
from litestar.di import Dependency
from litestar.handlers import BaseRouteHandler
from litestar.types import Scope

from finassist.composition.application import Finassist
from finassist.entrypoints.http.requests.large_bodies import LargeBodies

_DEPENDENCIES: Final = "dependencies"
_SCOPE: Final = "scope"
"""The parameter in which Litestar gives a handler the ASGI scope."""


class Injected(NamedTuple):
    """An object that handlers can ask for: its name, and the type that they ask for it by."""

    name: str
    type: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """What the routes use of the application that a request came to. ``objects`` are those that handlers can
    ask for, by name."""

    finassist: Finassist
    large_bodies: LargeBodies
    objects: Mapping[str, object]


def provide(scope: Any, dependencies: Dependencies) -> None:
    """Give the handler of a request the objects of its application."""
    scope["state"][_DEPENDENCIES] = dependencies


def dependencies_of(scope: Any) -> Dependencies:
    """The objects of the application that a request came to."""
    dependencies: Dependencies = scope["state"][_DEPENDENCIES]
    return dependencies


def finassist_of(connection: ASGIConnection[Any, Any, Any, Any]) -> Finassist:
    """The use cases, for what is no handler: guards, and checks of bodies."""
    return dependencies_of(connection.scope).finassist


def fields_of(structure: type) -> Iterator[Injected]:
    """Every field of the structure."""
    return (Injected(name, kind) for name, kind in get_type_hints(structure).items())


def inject(routes: Iterable[Any], injected: Sequence[Injected]) -> list[Any]:
    """These controllers and handlers, whose parameters that are marked as dependencies are filled.

    Raises TypeError for one whose type is not among those of ``injected``, or is there more than once.
    """
    return [
        _controller(route, injected) if isinstance(route, type) else _handler(route, injected)
        for route in routes
    ]


def _controller(controller: type, injected: Sequence[Injected]) -> type:
    handlers = {
        name: _handler(handler, injected)
        for name, handler in vars(controller).items()
        if isinstance(handler, BaseRouteHandler)
    }
    return type(controller.__name__, (controller,), {"__doc__": controller.__doc__, **handlers})


def _handler(handler: BaseRouteHandler, injected: Sequence[Injected]) -> BaseRouteHandler:
    function: Any = handler.fn
    signature = inspect.signature(function)
    hints = get_type_hints(function, include_extras=True)
    names = {
        parameter: _find(function, parameter, hint, injected)
        for parameter, hint in hints.items()
        if _is_dependency(hint)
    }
    if not names:
        return handler

    @wraps(function)
    async def filled(*args: Any, scope: Scope, **asked: Any) -> Any:
        objects = dependencies_of(scope).objects
        given = {parameter: objects[name] for parameter, name in names.items()}
        return await function(*args, **asked, **given)

    # What Litestar has still to find in a request.
    rest = [each for name, each in signature.parameters.items() if name not in names]
    asked_scope = inspect.Parameter(_SCOPE, inspect.Parameter.KEYWORD_ONLY, annotation=Scope)
    filled.__signature__ = signature.replace(parameters=[*rest, asked_scope])  # type: ignore[attr-defined]
    filled.__annotations__ = {**function.__annotations__, _SCOPE: Scope}
    return copy(handler)(filled)


def _is_dependency(hint: object) -> bool:
    return get_origin(hint) is Annotated and any(isinstance(each, Dependency) for each in get_args(hint))


def _find(function: Any, parameter: str, hint: object, injected: Sequence[Injected]) -> str:
    """The name of the object of the parameter's type; of several, the one that is called like it."""
    wanted = get_args(hint)[0]
    found = [each for each in injected if each.type == wanted]
    chosen = found if len(found) == 1 else [each for each in found if each.name == parameter]
    if len(chosen) != 1:
        raise TypeError(
            f"{function.__qualname__}: {parameter} needs one {wanted}, but there are {len(found)}"
        )
    return chosen[0].name
