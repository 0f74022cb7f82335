"""What is made of shipped files is made once, and in advance for processes that are forked."""

from importlib.resources.abc import Traversable
from pathlib import Path

import pytest

from finassist.adapters.data_files import sharing
from finassist.adapters.data_files.sharing import load_shipped, once_per_file


def test_what_is_made_of_a_file_is_made_once(tmp_path: Path) -> None:
    made: list[str] = []

    @once_per_file()
    def load(file: Traversable) -> int:
        made.append(file.name)
        return len(made)

    assert [load(tmp_path / "a"), load(tmp_path / "b"), load(tmp_path / "a")] == [1, 2, 1]


def test_shipped_files_are_loaded_in_advance_and_one_that_cannot_be_is_left_to_its_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "_loads", [])
    (tmp_path / "there").write_text("a text")
    read: list[str] = []

    @once_per_file(tmp_path / "missing", tmp_path / "there")
    def load(file: Traversable) -> str:
        text = file.read_text()
        read.append(text)
        return text

    load_shipped()
    assert read == ["a text"]
    assert load(tmp_path / "there") == "a text"
    assert read == ["a text"]
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "missing")
