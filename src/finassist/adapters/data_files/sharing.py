"""What is made of a file that ships, made once in a process: it does not change."""

from collections.abc import Callable
from importlib.resources.abc import Traversable
from typing import TypeVar

T = TypeVar("T")


def once_per_file(load: Callable[[Traversable], T]) -> Callable[[Traversable], T]:
    """Keep what is made of each file. A file that cannot be loaded is tried again."""
    loaded: dict[str, T] = {}

    def loaded_once(file: Traversable) -> T:
        name = str(file)
        if name not in loaded:
            loaded[name] = load(file)
        return loaded[name]

    return loaded_once
