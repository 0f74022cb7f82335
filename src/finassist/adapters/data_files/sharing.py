"""What is made of a file that ships, made once in a process: it does not change."""

from collections.abc import Callable
from contextlib import suppress
from importlib.resources.abc import Traversable
from typing import Final, TypeVar

T = TypeVar("T")

_loads: Final[list[Callable[[], object]]] = []


def once_per_file(
    *shipped: Traversable,
) -> Callable[[Callable[[Traversable], T]], Callable[[Traversable], T]]:
    """Keep what is made of each file. A file that cannot be loaded is tried again.

    ``shipped`` are the files that ``load_shipped`` loads in advance.
    """

    def keeping(load: Callable[[Traversable], T]) -> Callable[[Traversable], T]:
        loaded: dict[str, T] = {}

        def loaded_once(file: Traversable) -> T:
            name = str(file)
            if name not in loaded:
                loaded[name] = load(file)
            return loaded[name]

        _loads.extend(lambda file=file: loaded_once(file) for file in shipped)  # type: ignore[misc]
        return loaded_once

    return keeping


def load_shipped() -> None:
    """Load what the imported modules make of shipped files: processes that are forked afterwards share it.

    A file that cannot be loaded is left to the code that needs it, which knows what to do without.
    """
    for load in _loads:
        with suppress(Exception):
            load()
