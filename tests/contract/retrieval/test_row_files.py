"""The matrix of vectors in a file, which processes share."""

import os
from pathlib import Path

import numpy as np

from finassist.adapters.sqlite.retrieval.cosines import Floats
from finassist.adapters.sqlite.retrieval.row_files import RowFiles

ROWS = np.arange(6, dtype=np.float32).reshape(3, 2)


def keep(files: RowFiles, name: str, rows: Floats = ROWS) -> Floats | None:
    return files.keep(name, [rows[:1], rows[1:]], (3, 2), np.float32)


def files_in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_the_matrix_is_found_under_its_name_and_cannot_be_written(tmp_path: Path) -> None:
    files = RowFiles(tmp_path / "vectors")
    assert files.find("one", (3, 2), np.float32) is None
    keep(files, "one")
    found = RowFiles(tmp_path / "vectors").find("one", (3, 2), np.float32)
    assert found is not None
    assert found.tolist() == ROWS.tolist()
    assert not found.flags.writeable
    assert (tmp_path / "vectors" / "one.rows").stat().st_mode & 0o777 == 0o600


def test_a_file_of_another_size_is_none(tmp_path: Path) -> None:
    keep(RowFiles(tmp_path), "one")
    assert RowFiles(tmp_path).find("one", (4, 2), np.float32) is None


def test_the_matrix_before_goes_and_what_maps_it_stays_readable(tmp_path: Path) -> None:
    files = RowFiles(tmp_path)
    earlier = keep(files, "one")
    keep(files, "two", ROWS * 2)
    assert files_in(tmp_path) == ["two.rows"]
    assert earlier is not None
    assert earlier.tolist() == ROWS.tolist()


def test_the_draft_of_a_killed_process_goes_but_not_one_that_is_being_written(tmp_path: Path) -> None:
    (tmp_path / "old.draft").touch()
    os.utime(tmp_path / "old.draft", (0, 0))
    (tmp_path / "new.draft").touch()
    keep(RowFiles(tmp_path), "one")
    assert files_in(tmp_path) == ["new.draft", "one.rows"]


def test_where_no_file_can_be_written_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "vectors").touch()
    assert keep(RowFiles(tmp_path / "vectors"), "one") is None
