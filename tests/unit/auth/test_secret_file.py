"""The key that the server makes for itself."""

import stat
from pathlib import Path

from finassist.adapters.system.secret_file import load_or_create_secret


def test_the_secret_is_made_once_and_kept(tmp_path: Path) -> None:
    directory = tmp_path / "deep" / "data"
    secret = load_or_create_secret(directory)
    assert len(secret) == 64
    assert load_or_create_secret(directory) == secret
    assert load_or_create_secret(tmp_path / "other") != secret
    assert [file.name for file in directory.iterdir()] == ["secret_key"]


def test_only_the_owner_can_read_the_secret(tmp_path: Path) -> None:
    load_or_create_secret(tmp_path)
    assert stat.S_IMODE((tmp_path / "secret_key").stat().st_mode) == 0o600
