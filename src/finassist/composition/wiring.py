"""Wiring by type and name: the dependencies of a class are read from the annotations of its parameters.

A parameter whose type is a class of ``application`` or ``composition`` gets the one object of that class.
Any other is filled by its name: with the adapter or the setting of this name, whose declared type has to fit
the annotation. A type that does not fit raises TypeError when the service is built, not in a request.
"""

import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import (
    Annotated,
    Any,
    Final,
    NamedTuple,
    Protocol,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from dependency_injector import providers

T = TypeVar("T")

_WIRED_BY_TYPE: Final = ("finassist.application.", "finassist.composition.")


class Available(NamedTuple):
    """A provider, and the type of what it provides."""

    provider: providers.Provider[Any]
    type: object


@dataclass(frozen=True, eq=False)
class Instead:
    """Metadata of an ``Annotated`` field: build a second object of its class, with other parameters.

    ``names`` gives a parameter the adapter of another name, ``values`` gives it another value. Dependencies
    that have such a parameter are built a second time too; the others are shared.
    """

    names: Mapping[str, str]
    values: Mapping[str, object]

    def concerns(self, wanted: type) -> bool:
        """Whether the class, or one that it needs, has such a parameter."""
        return any(
            name in self.names
            or name in self.values
            or (is_wired_by_type(parameter.type) and self.concerns(cast(type, parameter.type)))
            for name, parameter in parameters(wanted).items()
        )


class Wiring:
    """Makes one provider for each class, from ``named``: the adapters and settings by their names."""

    def __init__(self, named: Mapping[str, Available]) -> None:
        self._named = named
        self._made: dict[tuple[type, Instead | None], providers.Provider[Any]] = {}
        self._in_progress: list[type] = []

    def provider(self, wanted: type[T], instead: Instead | None = None) -> providers.Provider[T]:
        """The provider of the one object of this class. Raises TypeError when it cannot be built."""
        if wanted in self._in_progress:
            circle = " -> ".join(each.__name__ for each in (*self._in_progress, wanted))
            raise TypeError(f"these classes need each other: {circle}")
        self._in_progress.append(wanted)
        try:
            key = wanted, instead if instead and instead.concerns(wanted) else None
            if key not in self._made:
                self._made[key] = self._make(*key)
            return self._made[key]
        finally:
            self._in_progress.pop()

    def _make(self, wanted: type, instead: Instead | None) -> providers.Provider[object]:
        values = instead.values if instead else {}
        return providers.Singleton(
            wanted,
            **{
                name: values[name] if name in values else self._fill(wanted, name, parameter, instead)
                for name, parameter in parameters(wanted).items()
                if parameter.is_required or name in self._named or name in values
            },
        )

    def _fill(
        self, owner: type, name: str, parameter: "Parameter", instead: Instead | None
    ) -> providers.Provider[object]:
        if is_wired_by_type(parameter.type):
            return self.provider(cast(type, parameter.type), parameter.instead or instead)
        found = instead.names.get(name, name) if instead else name
        if found not in self._named:
            raise TypeError(f"{owner.__name__}.{name}: there is no adapter and no setting of this name")
        available = self._named[found]
        if not type_fits(available.type, parameter.type):
            raise TypeError(
                f"{owner.__name__}.{name} is annotated {shown(parameter.type)}, "
                f"but what is called {found} is a {shown(available.type)}"
            )
        return available.provider


class Parameter(NamedTuple):
    """A parameter of a class: its annotated type, whether it is required, and the annotation's note."""

    type: object
    is_required: bool
    instead: Instead | None


@cache
def parameters(wanted: type) -> Mapping[str, Parameter]:
    """The parameters of a class by their names."""
    hints = get_type_hints(vars(wanted)["__init__"], include_extras=True)
    return {
        name: _parameter(hints[name], parameter.default is parameter.empty)
        for name, parameter in inspect.signature(wanted).parameters.items()
    }


def _parameter(annotation: object, is_required: bool) -> Parameter:
    if get_origin(annotation) is not Annotated:
        return Parameter(annotation, is_required, None)
    annotated, *notes = get_args(annotation)
    return Parameter(annotated, is_required, next((n for n in notes if isinstance(n, Instead)), None))


@cache
def is_wired_by_type(annotation: object) -> bool:
    """Whether the annotation is a class that this service makes itself, and not a port."""
    return (
        isinstance(annotation, type)
        and annotation.__module__.startswith(_WIRED_BY_TYPE)
        and not is_port(annotation)
    )


def is_port(annotation: object) -> bool:
    """Whether the annotation is a Protocol."""
    return getattr(annotation, "_is_protocol", False) is True


def type_fits(given: object, wanted: object) -> bool:
    """Whether what is declared as ``given`` can be used where ``wanted`` is annotated."""
    if given == wanted:
        return True
    if alternatives := _alternatives(given):
        return all(type_fits(each, wanted) for each in alternatives)
    if alternatives := _alternatives(wanted):
        return any(type_fits(given, each) for each in alternatives)
    if isinstance(given, type) and isinstance(wanted, type):
        return wanted in given.__mro__ or (is_port(wanted) and members(wanted) <= members(given))
    return False


def missing_members(value: object, wanted: object) -> list[str] | None:
    """The members that a value lacks to be used where ``wanted`` is annotated; None when it can be used.

    For a port only the names of its members are checked, so that a fake needs no base class; mypy checks
    their parameters. The list is empty when the value is of another class.
    """
    if alternatives := _alternatives(wanted):
        found = [missing_members(value, each) for each in alternatives]
        return None if None in found else max((each for each in found if each is not None), key=len)
    if get_origin(wanted) is Callable:
        return None if callable(value) else []
    bare = get_origin(wanted) or wanted
    if not isinstance(bare, type):
        return []
    if is_port(bare):
        # The class first: a property of the value may not be ready to be read.
        unsure = [each for each in members(bare) if not hasattr(type(value), each)]
        return sorted(each for each in unsure if not hasattr(value, each)) or None
    return None if isinstance(value, bare) else []


@cache
def members(kind: type) -> frozenset[str]:
    """The names of a class's public members, inherited ones included."""
    classes = [each for each in kind.__mro__ if each not in (object, Protocol)]
    names = {name for each in classes for name in (*vars(each), *vars(each).get("__annotations__", {}))}
    return frozenset(name for name in names if not name.startswith("_"))


def shown(annotation: object) -> str:
    """The annotation as it is written in code."""
    return annotation.__name__ if isinstance(annotation, type) else str(annotation).replace("finassist.", "")


def _alternatives(annotation: object) -> tuple[object, ...]:
    return get_args(annotation) if get_origin(annotation) in (Union, types.UnionType) else ()
