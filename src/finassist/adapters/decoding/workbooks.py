"""Workbooks, with openpyxl. Runs in a process of its own."""

from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, time
from pathlib import Path
from typing import Any, Final

import openpyxl  # type: ignore[import-untyped]

from finassist.adapters.decoding.packages import opened
from finassist.adapters.decoding.texts import joined, row_line
from finassist.adapters.decoding.wire import Refused
from finassist.domain.files.content import COLUMNS_MAX, ROWS_MAX

_OUTSIDE: Final = f"Must have at most {COLUMNS_MAX} columns and {ROWS_MAX} rows, and cells like B2."
_CELLS_MAX: Final = 2_000_000
"""Of a workbook, the empty ones included: text is not looked for any further."""
_TITLE_MAX: Final = 31
"""Characters of the name of a sheet: what the format allows."""


def workbook_text(content: bytes | Path, characters_max: int) -> dict[str, Any]:
    """The text of a workbook, a page for each sheet; the fields of ``DocumentText``. Of a formula it is the
    value that was calculated last. Raises Refused."""
    pages: list[str] = []
    labels: list[str] = []
    room, cut = characters_max, False
    with (
        opened(content, "workbook") as file,
        closing(openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)) as book,
    ):
        rows = _Rows()
        for sheet in book.worksheets:
            if room <= 0:
                break
            text, cut = joined(rows.of(sheet), room)
            pages.append(text)
            labels.append(f"sheet {' '.join(sheet.title.split())[:_TITLE_MAX]}")
            room -= len(text)
        count = len(book.worksheets)
        return {
            "pages": pages,
            "page_count": count,
            "cut": cut or rows.ended_early or len(pages) < count,
            "labels": labels,
        }


class _Rows:
    """The rows of the sheets as lines, until so many cells were seen."""

    def __init__(self) -> None:
        self._left = _CELLS_MAX

    @property
    def ended_early(self) -> bool:
        """Whether there were too many cells."""
        return self._left <= 0

    def of(self, sheet: Any) -> Iterator[str]:
        sheet.reset_dimensions()  # what a file says of its size may be wrong
        try:
            for number, row in enumerate(sheet.iter_rows(), start=1):
                if number > ROWS_MAX or len(row) > COLUMNS_MAX:
                    raise Refused(_OUTSIDE)
                self._left -= len(row)
                if self.ended_early:
                    return
                yield row_line(map(_shown, row))
        except ValueError as error:
            raise Refused(_OUTSIDE) from error


def _shown(cell: Any) -> str:
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d}" if value.time() == time() else f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        is_share = "%" in (cell.number_format or "")
        return f"{value * 100:.15g}%" if is_share else f"{value:.15g}"
    return str(value)
