"""``finassist backup`` and ``finassist restore``: what is kept, and what is refused."""

import contextlib
import gzip
import io
import os
import random
import shutil
import sqlite3
import stat
import tarfile
import threading
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from finassist.adapters.backups import contents
from finassist.adapters.sqlite.engine import copies
from finassist.config import Settings
from finassist.entrypoints.cli.main import main

MEMBERS = ["records.db", "knowledge.db", "secret_key", "keys/000001.pem", "objects/files/0123.pdf"]


@pytest.fixture(autouse=True)
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with data of every kind; it is DATA_DIR until the test says otherwise."""
    for name in Settings.__dataclass_fields__:
        monkeypatch.delenv(name.upper(), raising=False)
    folder = tmp_path / "source"
    monkeypatch.setenv("DATA_DIR", str(folder))
    for name in ("keys", "objects/files", "spool"):
        (folder / name).mkdir(parents=True)
    for name in ("finassist.db", "knowledge.db"):
        with contextlib.closing(sqlite3.connect(folder / name, isolation_level=None)) as connection:
            connection.executescript("PRAGMA journal_mode = WAL; CREATE TABLE n (n INTEGER) STRICT;")
            connection.execute("PRAGMA user_version = 2")
    for name in (
        "secret_key",
        "keys/000001.pem",
        "keys/.draft",
        "objects/files/0123.pdf",
        "objects/files/.x",
    ):
        (folder / name).write_text(f"the content of {name}")
    (folder / "spool/upload").write_text("on its way in")
    os.utime(folder / "keys/000001.pem", (1_700_000_000, 1_700_000_000))
    return folder


@pytest.fixture
def archive(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    path = tmp_path / "backup.tar.gz"
    assert main(["backup", str(path)]) == 0
    capsys.readouterr()
    return path


@pytest.fixture
def empty(tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A DATA_DIR with nothing in it."""
    folder = tmp_path / "elsewhere" / "data"
    monkeypatch.setenv("DATA_DIR", str(folder))
    return folder


def files_of(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def rows(database: Path) -> list[int]:
    with contextlib.closing(sqlite3.connect(database)) as connection:
        return [n for (n,) in connection.execute("SELECT n FROM n ORDER BY n")]


def test_an_archive_is_for_its_owner_alone_and_holds_what_is_kept(archive: Path, tmp_path: Path) -> None:
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600
    with tarfile.open(archive) as tar:
        assert tar.getnames() == [*MEMBERS, "manifest.json"]
        assert {member.mode for member in tar} == {0o600}
    assert [path for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_it_is_said_that_an_archive_is_secret_and_what_is_not_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SECRET_KEY", "kept-by-the-operator-of-the-service")
    monkeypatch.setenv("OBJECT_STORE_URL", "s3://bucket")
    assert main(["backup", str(tmp_path / "backup")]) == 0
    printed = capsys.readouterr().out
    assert "keys that sign tokens" in printed
    assert "Not included: files, which are in the bucket of OBJECT_STORE_URL." in printed
    assert "Not included: SECRET_KEY" in printed
    assert "kept-by" not in printed
    with tarfile.open(tmp_path / "backup") as tar:
        assert not any(name.startswith("objects/") for name in tar.getnames())


def test_a_folder_gets_a_new_archive_each_time_and_nothing_is_overwritten(
    tmp_path: Path, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["backup", str(tmp_path)]) == 0
    (named,) = tmp_path.glob("finassist-*.tar.gz")
    assert str(named) in capsys.readouterr().out

    before = archive.read_bytes()
    assert main(["backup", str(archive)]) == 1
    assert "already exists" in capsys.readouterr().err
    assert archive.read_bytes() == before


def test_what_was_backed_up_is_there_again(source: Path, archive: Path, empty: Path) -> None:
    assert main(["restore", str(archive)]) == 0
    assert files_of(empty) == {"finassist.db", *MEMBERS[1:]}
    for name in MEMBERS[2:]:
        assert (empty / name).read_bytes() == (source / name).read_bytes()
        assert stat.S_IMODE((empty / name).stat().st_mode) == 0o600
    # The age of a signing key's file says how long the key before it is good.
    assert (empty / "keys/000001.pem").stat().st_mtime == 1_700_000_000


def test_what_a_killed_restore_left_is_in_nobodys_way(archive: Path, empty: Path) -> None:
    (empty / ".restore-x").mkdir(parents=True)
    (empty / ".restore-x" / "records.db").write_text("half")
    assert main(["restore", str(archive)]) == 0
    assert files_of(empty) == {"finassist.db", *MEMBERS[1:]}


def test_a_database_elsewhere_goes_to_where_the_settings_have_it(
    archive: Path, empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/records/here.db")
    assert main(["restore", str(archive)]) == 0
    assert rows(tmp_path / "records/here.db") == []
    assert "finassist.db" not in files_of(empty)


def test_each_copy_is_one_moment_while_others_write(source: Path, tmp_path: Path) -> None:
    stop = threading.Event()

    def write() -> None:
        with contextlib.closing(sqlite3.connect(source / "finassist.db", isolation_level=None)) as writer:
            number = 0
            while not stop.is_set():
                # Two rows a transaction: a copy between them would have an odd number.
                writer.executescript(f"BEGIN; INSERT INTO n VALUES ({number}), ({number + 1}); COMMIT;")
                number += 2

    thread = threading.Thread(target=write)
    thread.start()
    try:
        versions = [copies.copy_database(source / "finassist.db", tmp_path / f"copy-{n}") for n in range(20)]
    finally:
        stop.set()
        thread.join()
    counts = [len(rows(tmp_path / f"copy-{n}")) for n in range(20)]
    assert versions == [2] * 20
    assert [count % 2 for count in counts] == [0] * 20
    assert counts == sorted(counts)
    assert counts[-1] > counts[0]


def test_a_folder_with_data_is_refused_unless_told_and_nothing_is_lost_then(
    source: Path, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with contextlib.closing(sqlite3.connect(source / "finassist.db")) as connection:
        connection.execute("INSERT INTO n VALUES (7)")
        connection.commit()
    assert main(["restore", str(archive)]) == 1
    assert "--replace" in capsys.readouterr().err
    assert rows(source / "finassist.db") == [7]

    assert main(["restore", str(archive), "--replace"]) == 0
    assert rows(source / "finassist.db") == []
    (aside,) = source.glob("replaced-*")
    assert str(aside) in capsys.readouterr().out
    assert stat.S_IMODE(aside.stat().st_mode) == 0o700
    assert rows(aside / "finassist.db") == [7]
    assert (aside / "objects/files/0123.pdf").exists()


class Killed(BaseException):
    """What ends a process in the middle of something."""


STEPS = 13
"""Every removal and move of a restore with --replace."""


@pytest.mark.parametrize("step", range(STEPS))
def test_a_restore_that_is_killed_at_any_step_is_named_and_can_be_repeated(
    source: Path,
    archive: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    step: int,
) -> None:
    with contextlib.closing(sqlite3.connect(source / "finassist.db")) as connection:
        connection.execute("INSERT INTO n VALUES (7)")
        connection.commit()
    with monkeypatch.context() as patched:
        steps = iter(range(STEPS))
        for owner, name in ((shutil, "move"), (os, "replace"), (Path, "unlink")):
            patched.setattr(owner, name, killing(getattr(owner, name), steps, step))
        with pytest.raises(Killed):
            main(["restore", str(archive), "--replace"])
    before = files_of(source)
    marked = (source / "restore-unfinished").exists()
    if marked:
        for command in (["verify"], ["keys", "rotate"], ["backup", str(archive.parent)], ["serve"]):
            assert main(command) == 1
            assert "run finassist restore --replace FILE again" in capsys.readouterr().err
        assert files_of(source) == before
    else:
        assert rows(source / "finassist.db") in ([7], [])

    assert main(["restore", str(archive), "--replace"]) == 0
    assert rows(source / "finassist.db") == []
    assert not (source / "restore-unfinished").exists()
    kept = [rows(path) for path in source.glob("replaced-*/finassist.db")]
    assert [7] in kept


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'["\xff"]', b"[" * 100_000])
def test_a_damaged_marker_of_a_killed_restore_is_named_and_nothing_is_moved(
    source: Path, archive: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    (source / "restore-unfinished").write_bytes(content)
    before = files_of(source)

    assert main(["restore", str(archive), "--replace"]) == 1

    assert "restore-unfinished does not name where" in capsys.readouterr().err
    assert files_of(source) == before


def killing(real: Callable[..., Any], steps: Iterator[int], last: int) -> Callable[..., Any]:
    """The function, which ends the process in place of its work when it is the last step."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if next(steps, STEPS) == last:
            raise Killed
        return real(*args, **kwargs)

    return call


def test_data_that_a_service_has_open_are_not_replaced(
    source: Path, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = files_of(source)
    with contextlib.closing(sqlite3.connect(source / "finassist.db")) as connection:
        connection.execute("SELECT * FROM n").fetchall()
        assert main(["restore", str(archive), "--replace"]) == 1
    assert "stop the service first" in capsys.readouterr().err
    assert files_of(source) == before


def test_a_damaged_database_is_not_backed_up_and_can_be_replaced(
    source: Path, archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (source / "finassist.db").write_bytes(b"something else " * 1000)
    assert main(["backup", str(tmp_path / "another")]) == 1
    assert "cannot be copied" in capsys.readouterr().err
    assert not (tmp_path / "another").exists()

    assert main(["restore", str(archive), "--replace"]) == 0
    assert "Users who were erased after the backup could not be erased again" in capsys.readouterr().err
    assert rows(source / "finassist.db") == []


def test_a_page_that_the_disk_spoiled_is_found_by_the_backup(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with contextlib.closing(sqlite3.connect(source / "finassist.db")) as connection:
        connection.executemany("INSERT INTO n VALUES (?)", [(n,) for n in range(5000)])
        connection.commit()
    content = bytearray((source / "finassist.db").read_bytes())
    content[4096 * 4 : 4096 * 5] = bytes(4096)
    (source / "finassist.db").write_bytes(content)
    assert main(["backup", str(tmp_path / "another")]) == 1
    assert "damaged" in capsys.readouterr().err


def test_without_data_there_is_nothing_to_back_up(
    empty: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["backup", str(tmp_path / "another")]) == 1
    assert "There is no database" in capsys.readouterr().err
    assert not (tmp_path / "another").exists()


def damaged(whole: bytes, chance: random.Random) -> bytes:
    """The archive cut off, or with one bit changed that matters: in a run of zeros some do not."""
    place = chance.randrange(len(whole))
    if chance.random() < 0.25:
        return whole[:place]
    changed = bytearray(whole)
    changed[place] ^= 1 << chance.randrange(8)
    with contextlib.suppress(EOFError, OSError, zlib.error):
        if gzip.decompress(changed) == gzip.decompress(whole):
            return damaged(whole, chance)
    return bytes(changed)


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_archive_is_refused_and_changes_nothing(
    seed: int, archive: Path, empty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive.write_bytes(damaged(archive.read_bytes(), random.Random(seed)))
    assert main(["restore", str(archive)]) == 1
    assert str(archive) in capsys.readouterr().err
    assert files_of(empty) == set()


def rewritten(archive: Path, *, drop: str = "", add: str = "", **manifest: object) -> Path:
    """The archive with something about it changed, and gzip none the wiser."""
    with tarfile.open(archive) as tar:
        members = {m.name: file.read() for m in tar if (file := tar.extractfile(m)) is not None}
    said = msgspec.json.decode(members.pop("manifest.json")) | manifest
    members.pop(drop, None)
    members |= {add: b"surprise"} if add else {}
    with gzip.open(archive, "wb") as zipped, tarfile.open(fileobj=zipped, mode="w|") as tar:
        for name, content in [*members.items(), ("manifest.json", msgspec.json.encode(said))]:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return archive


@pytest.mark.parametrize(
    "change",
    [
        {"drop": "objects/files/0123.pdf"},
        {"add": "objects/files/4567.pdf"},
        {"add": "../outside"},
        {"add": "/tmp/outside"},
        {"add": "objects/../../outside"},
        {"add": "other.db"},
        {"files": {}},
        {"format": contents.FORMAT + 1},
        {"schemas": {"records": 9999, "knowledge": 2}},
        {"schemas": {"stars": 1}},
    ],
    ids=str,
)
def test_an_archive_that_was_changed_or_is_newer_is_refused_and_changes_nothing(
    change: dict[str, object], archive: Path, empty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["restore", str(rewritten(archive, **change))]) == 1  # type: ignore[arg-type]
    assert capsys.readouterr().err.startswith("finassist: ")
    assert files_of(empty) == set()
    assert files_of(empty.parent) == set()


def test_a_manifest_that_is_no_text_is_refused(
    archive: Path, empty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with gzip.open(archive, "wb") as zipped, tarfile.open(fileobj=zipped, mode="w|") as tar:
        content = b'{"program": "\xff\xfe"}'
        info = tarfile.TarInfo("manifest.json")
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
    assert main(["restore", str(archive)]) == 1
    assert f"{archive} is damaged" in capsys.readouterr().err
    assert files_of(empty) == set()


def test_a_link_in_an_archive_is_refused(archive: Path, empty: Path) -> None:
    with gzip.open(archive, "wb") as zipped, tarfile.open(fileobj=zipped, mode="w|") as tar:
        link = tarfile.TarInfo("objects/files")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc"
        tar.addfile(link)
    assert main(["restore", str(archive)]) == 1
    assert files_of(empty) == set()


def test_when_nothing_is_embedded_the_commands_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", "mongodb://127.0.0.1:9/finassist")
    monkeypatch.setenv("SECRET_KEY", "a-secret-key-for-the-tests-of-the-cli")
    monkeypatch.setenv("OBJECT_STORE_URL", "s3://bucket")
    monkeypatch.setenv("VECTOR_STORE_URL", "weaviate://127.0.0.1:9")
    assert main(["backup", str(tmp_path / "backup")]) == 2
    assert "there is no embedded data" in capsys.readouterr().err


def test_an_archive_that_has_a_file_twice_is_refused_by_its_name(
    archive: Path, empty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with gzip.open(archive, "wb") as zipped, tarfile.open(fileobj=zipped, mode="w|") as tar:
        for _ in range(2):
            tar.addfile(tarfile.TarInfo("knowledge.db"), io.BytesIO())
    assert main(["restore", str(archive)]) == 1
    assert f"{archive} is damaged" in capsys.readouterr().err
    assert files_of(empty) == set()
