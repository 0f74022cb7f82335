"""Regular expressions that are compiled when they are used first.

Python compiles at a speed of some kilobytes a millisecond, and the service has hundreds of patterns of many
words: a start, and every command, would wait for what the first question needs.
"""

import re
from typing import Any, Final, cast
from weakref import WeakSet


class _LatePattern:
    """Stands for a pattern: the first use of it compiles, and later ones find what was compiled."""

    def __init__(self, source: str, flags: int) -> None:
        self.pattern = source
        self._flags = flags
        _waiting.add(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.compile(), name)

    def compile(self) -> re.Pattern[str]:
        """Compile, and keep the methods, so that nothing stands between them and who calls them."""
        compiled = re.compile(self.pattern, self._flags)
        _waiting.discard(self)
        for name in _METHODS:
            self.__dict__[name] = getattr(compiled, name)
        return compiled


_waiting: Final[WeakSet[_LatePattern]] = WeakSet()
_METHODS: Final = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")


def late_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern for a module to keep. It has a pattern's methods; the functions of ``re`` do not take it."""
    return cast(re.Pattern[str], _LatePattern(source, flags))


def compile_late() -> None:
    """Compile what nobody has used yet: processes that are forked afterwards share it."""
    for pattern in list(_waiting):
        pattern.compile()
