"""What ``finassist move`` shows while it runs."""

import pytest

from finassist.application.operations.moving.records import LAST_STEP
from finassist.entrypoints.cli.move import Bars


def test_that_writes_are_refused_is_told_once_though_changes_are_moved_meanwhile(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Bars() as bars:
        for what, done, of in (
            ("comparing users", 5, 5),
            (LAST_STEP, 0, 2),
            (LAST_STEP, 1, 2),
            ("changes", 3, 3),
            (LAST_STEP, 2, 2),
        ):
            bars(what, done, of)
    assert capsys.readouterr().err.count("Writes are refused from now on.") == 1
