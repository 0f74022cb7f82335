"""The composition root: settings choose adapters, adapters fill ports, ports fill use cases."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import fields, replace
from functools import cache
from typing import Any, Final, Unpack, cast, get_type_hints

from dependency_injector import providers

from finassist.application.ports.database import DatabaseConnection
from finassist.application.ports.repositories import Repositories
from finassist.composition import factories
from finassist.composition.adapters import AdapterOverrides, Adapters
from finassist.composition.application import Finassist
from finassist.composition.providers import AdapterProviders
from finassist.composition.resources import open_resources
from finassist.composition.wiring import Available, Wiring, missing_members, shown
from finassist.config import Settings

_REPOSITORY_NAMES: Final = frozenset(field.name for field in fields(Repositories))


@asynccontextmanager
async def open_container(
    settings: Settings | None = None, **adapters: Unpack[AdapterOverrides]
) -> AsyncIterator[Finassist]:
    """The whole service for a script, without HTTP.

    ``settings`` default to the environment's; any adapter is replaced by an argument of its name::

        async with open_container() as finassist:
            turn = await finassist.send_message(caller, ChatMessage(message="What is an ETF?"))
    """
    finassist = build_application(settings or Settings.from_env(), **adapters)
    async with open_resources(finassist):
        yield finassist


def build_application(settings: Settings, **adapters: Unpack[AdapterOverrides]) -> Finassist:
    """Build the application, without opening anything yet.

    Raises TypeError for an adapter of an unknown name, for one that lacks members of its port, and for a use
    case whose dependencies cannot be filled; SettingsError for settings that cannot be satisfied.
    """
    container = provide_adapters(settings, **adapters)
    finassist = Wiring(_available(container)).provider(Finassist)()
    for name, port in adapter_types().items():
        _require_fit(name, getattr(finassist.adapters, name), port)
    return finassist


def provide_adapters(settings: Settings, **adapters: Unpack[AdapterOverrides]) -> AdapterProviders:
    """The providers of all adapters, each of which is made when it is asked for. Raises TypeError."""
    container = AdapterProviders(settings=providers.Object(settings))
    replaced: dict[str, Any] = {}
    for name, adapter in cast(Mapping[str, object], adapters).items():
        if name not in adapter_types():
            raise TypeError(f"there is no adapter called {name!r}; the fields of Adapters are their names")
        _require_fit(name, adapter, adapter_types()[name])
        if name in _REPOSITORY_NAMES:
            replaced[name] = adapter
        else:
            container.providers[name].override(providers.Object(adapter))
    if replaced:
        container.repositories.override(
            providers.Singleton(_repositories_with, container.database, **replaced)
        )
    return container


def _repositories_with(database: DatabaseConnection, **replaced: Any) -> Repositories:
    return replace(factories.repositories(database), **replaced)


@cache
def adapter_types() -> Mapping[str, object]:
    """The port of every adapter, by the adapter's name."""
    return get_type_hints(Adapters)


def _require_fit(name: str, adapter: object, port: object) -> None:
    missing = missing_members(adapter, port)
    if missing is not None:
        lacks = f": it lacks {', '.join(missing)}" if missing else ""
        raise TypeError(f"{name}: {type(adapter).__name__} cannot be used as {shown(port)}{lacks}")


def _available(container: AdapterProviders) -> Mapping[str, Available]:
    """What parameters are filled with by name: settings, and adapters, which win over settings."""
    from_settings, from_database = container.settings.provided, container.repositories.provided
    return {
        **{name: Available(getattr(from_settings, name), kind) for name, kind in _setting_types().items()},
        **{
            name: Available(
                getattr(from_database, name) if name in _REPOSITORY_NAMES else container.providers[name], kind
            )
            for name, kind in adapter_types().items()
        },
        "settings": Available(container.settings, Settings),
    }


@cache
def _setting_types() -> Mapping[str, object]:
    return get_type_hints(Settings)
