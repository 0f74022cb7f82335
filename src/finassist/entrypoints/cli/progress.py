"""A progress bar for commands. rich draws it, because it knows what each terminal can show."""

import sys
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress


class ProgressBar:
    """A line on the terminal that fills up, and goes when the work ends. Elsewhere it shows nothing."""

    def __init__(self, what: str, terminal: TextIO | None = None) -> None:
        self._what = what
        self._terminal = terminal or sys.stderr
        self._shown: Progress | None = None

    def __enter__(self) -> "ProgressBar":
        return self

    def __call__(self, done: int, of: int) -> None:
        """Show that so many are done."""
        if self._shown is not None:
            self._shown.update(self._shown.task_ids[0], completed=done, total=of)
        elif of and self._terminal.isatty():
            self._shown = _bar_on(self._terminal)
            self._shown.add_task(self._what, completed=done, total=of)
            self._shown.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown is not None:
            self._shown.stop()


def _bar_on(terminal: TextIO) -> "Progress":
    # Imported when a bar is shown: it takes a tenth of a second.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(file=terminal), transient=True)
