"""Tests of many rows in one: hundreds of tests that do nearly nothing take longer than what they do."""

import functools
import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import pytest

Test = TypeVar("Test", bound=Callable[..., Any])

DATA: Final = Path(__file__).parents[1] / "data"
_SHOWN_MAX: Final = 20
_FAILURES: Final = (Exception, pytest.fail.Exception)


def json_lines(name: str) -> list[dict[str, Any]]:
    """The rows of a file of ``tests/data``, an object each."""
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


class Table:
    """Rows, and those for which a test failed."""

    def __init__(self, names: Sequence[str], rows: Iterable[Any]) -> None:
        one = len(names) == 1
        self.rows = [dict(zip(names, (row,) if one else row, strict=True)) for row in rows]
        assert self.rows, "a table without rows tests nothing"

    def judge(self, failures: Sequence[tuple[Mapping[str, Any], BaseException]]) -> None:
        """Fail with the rows that failed, from the first failure."""
        if failures:
            told = "\n".join(f"- {row!r}: {error!r}" for row, error in failures[:_SHOWN_MAX])
            raise AssertionError(f"{len(failures)} of {len(self.rows)} rows:\n{told}") from failures[0][1]


def each_row(names: str | Sequence[str], rows: Iterable[Any]) -> Callable[[Test], Test]:
    """Run a test with every row of a table, in one test that names the rows for which it fails.

    Written like ``pytest.mark.parametrize``, for tests that only calculate: fixtures are made once for all
    rows. Several tables above each other are multiplied.
    """
    columns = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    table = Table(columns, rows)

    def over_all_rows(test: Test) -> Test:
        async def check_later(**fixtures: Any) -> None:
            failures = []
            for row in table.rows:
                try:
                    await test(**row, **fixtures)
                except _FAILURES as error:
                    failures.append((row, error))
            table.judge(failures)

        def check(**fixtures: Any) -> None:
            failures = []
            for row in table.rows:
                try:
                    test(**row, **fixtures)
                except _FAILURES as error:
                    failures.append((row, error))
            table.judge(failures)

        signature = inspect.signature(test)
        assert set(columns) <= signature.parameters.keys()
        left = [given for name, given in signature.parameters.items() if name not in columns]
        checked: Any = functools.wraps(test)(check_later if inspect.iscoroutinefunction(test) else check)
        checked.__signature__ = signature.replace(parameters=left)
        return checked  # type: ignore[no-any-return]

    return over_all_rows
