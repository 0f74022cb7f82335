"""DATA_DIR is for the service's user alone."""

import logging
import os
from pathlib import Path

import pytest

from finassist.adapters.sqlite import Database
from finassist.adapters.system.private_files import keep_private
from finassist.adapters.system.secret_file import load_or_create_secret
from finassist.composition.container import open_container
from finassist.config import Settings


def mode_of(folder: Path) -> int:
    return folder.stat().st_mode & 0o777


async def test_a_new_data_folder_is_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    async with open_container(Settings(data_dir=folder, rag_enabled=False)):
        assert mode_of(folder) == 0o700


async def test_an_existing_data_folder_is_closed_to_others_at_the_start(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    folder.chmod(0o755)
    async with open_container(Settings(data_dir=folder, rag_enabled=False)):
        assert mode_of(folder) == 0o700


async def test_whatever_comes_first_makes_a_private_folder(tmp_path: Path) -> None:
    load_or_create_secret(tmp_path / "of the secret")
    database = Database(tmp_path / "of the records" / "records.db")
    await database.open()
    await database.close()
    assert [mode_of(folder) for folder in tmp_path.iterdir()] == [0o700, 0o700]


@pytest.mark.parametrize("kind", ["all may write", "started in", "home", "of another user"])
def test_a_folder_that_is_shared_stays_as_it_is_with_a_warning(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777 if kind == "all may write" else 0o755)
    if kind == "started in":
        monkeypatch.chdir(folder)
    if kind == "home":
        monkeypatch.setenv("HOME", str(folder))
    if kind == "of another user":
        monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    before = mode_of(folder)
    with caplog.at_level(logging.WARNING, logger="finassist"):
        keep_private(folder)
    assert mode_of(folder) == before
    assert "open to others" in caplog.text


def test_a_folder_that_does_not_exist_is_not_made(tmp_path: Path) -> None:
    keep_private(tmp_path / "data")
    assert not (tmp_path / "data").exists()
