"""How far a command is, for whoever watches it."""

import sys
from types import TracebackType
from typing import Final, TextIO

_WIDTH: Final = 30


class ProgressBar:
    """A line on the terminal that fills up, and goes when the work ends. Elsewhere it shows nothing."""

    def __init__(self, what: str, terminal: TextIO | None = None) -> None:
        self._what = what
        self._terminal = terminal or sys.stderr
        self._shows = self._terminal.isatty()
        self._written = 0

    def __enter__(self) -> "ProgressBar":
        return self

    def __call__(self, done: int, of: int) -> None:
        """Show that so many are done."""
        if not self._shows or not of:
            return
        filled = _WIDTH * done // of
        line = f"{self._what} [{'#' * filled}{' ' * (_WIDTH - filled)}] {done}/{of}"
        self._write(line)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._written:
            self._write("")
            self._terminal.write("\r")
            self._terminal.flush()

    def _write(self, line: str) -> None:
        self._terminal.write(f"\r{line.ljust(self._written)}")
        self._terminal.flush()
        self._written = len(line)
