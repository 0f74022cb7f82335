import resource
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from finassist.application.ports.files import ObjectStore
from finassist.domain.errors import StorageError
from finassist.testing import InMemoryObjectStore
from finassist.testing.contracts import ObjectStoreContract
from finassist.testing.contracts.object_store import KEY, LARGE, LONG_AGO, SOON, keys, pieces, read
from object_stores import bucket_store, folder_store


@pytest.fixture
def folder(tmp_path: Path) -> ObjectStore:
    return folder_store(tmp_path / "objects")


class TestEveryStore(ObjectStoreContract):
    @pytest.fixture(params=["folder", "s3", "fake"])
    async def store(
        self, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> AsyncIterator[ObjectStore]:
        if request.param == "folder":
            yield folder_store(tmp_path / "objects")
            return
        if request.param == "fake":
            yield InMemoryObjectStore()
            return
        async with bucket_store(monkeypatch) as bucket:
            yield bucket


# The folder


@pytest.mark.parametrize(
    "key",
    ["", ".", "..", "../x", "a/../../x", "/etc/passwd", "a//b", "a/", ".hidden", "a/.x", "a\\..\\x", "a\0b"],
)
async def test_no_key_leads_out_of_the_folder(folder: ObjectStore, tmp_path: Path, key: str) -> None:
    with pytest.raises(StorageError):
        await folder.put(key, b"x", "text/plain")
    await folder.delete(key)
    assert list(tmp_path.iterdir()) == []


async def test_failed_and_finished_puts_leave_no_drafts(folder: ObjectStore, tmp_path: Path) -> None:
    await folder.put(KEY, b"x", "image/webp")
    with pytest.raises(ValueError, match="broken"):
        await folder.put(KEY, pieces(b"half", ValueError("broken")), "image/webp")
    files = [file.name for file in tmp_path.rglob("*") if file.is_file()]
    assert files == [KEY.rpartition("/")[2]]


async def test_a_folder_that_cannot_be_written_is_an_error(folder: ObjectStore, tmp_path: Path) -> None:
    (tmp_path / "objects").write_bytes(b"a file in the way")
    with pytest.raises(StorageError):
        await folder.put(KEY, b"x", "image/webp")


async def test_only_the_owner_can_read_the_files(folder: ObjectStore, tmp_path: Path) -> None:
    await folder.put(KEY, b"x", "image/webp")
    assert (tmp_path / "objects" / KEY).stat().st_mode & 0o777 == 0o600


async def test_drafts_of_a_crash_are_no_files_and_are_removed(folder: ObjectStore, tmp_path: Path) -> None:
    await folder.put(KEY, b"x", "image/webp")
    draft = tmp_path / "objects" / "avatars" / ".0123456789abcdef"
    draft.write_bytes(b"half")
    assert await keys(folder) == {KEY}
    assert await folder.discard_unfinished(begun_before=LONG_AGO) == 0
    assert await folder.discard_unfinished(begun_before=SOON) == 1
    assert not draft.exists()
    assert await read(folder) == b"x"


@pytest.mark.parametrize("kind", [bytes, Path, AsyncIterator])
async def test_a_full_disk_is_a_storage_error_and_leaves_nothing(
    folder: ObjectStore, tmp_path: Path, kind: Any
) -> None:
    sent = tmp_path / "sent"
    sent.write_bytes(LARGE)
    content: Any = {bytes: LARGE, Path: sent, AsyncIterator: pieces(LARGE)}[kind]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(StorageError):
            await folder.put(KEY, content, "image/webp")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [path for path in (tmp_path / "objects").rglob("*") if path.is_file()] == []
