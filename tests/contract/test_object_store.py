import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from fakes import FakeClock
from finassist.adapters.fingerprints import HmacFingerprints
from finassist.adapters.objects.local import LocalObjectStore
from finassist.application.ports.objects import ObjectStore
from finassist.domain.errors import NotFound, StorageError

KEY = "avatars/0123456789abcdef01234567.webp"
LARGE = bytes(range(256)) * 4096


@pytest.fixture
def store(tmp_path: Path) -> ObjectStore:
    return LocalObjectStore(
        tmp_path / "objects", base_url="", fingerprints=HmacFingerprints(b"key"), clock=FakeClock()
    )


async def read(store: ObjectStore, key: str = KEY) -> bytes:
    return b"".join([piece async for piece in store.open(key)])


async def pieces(*contents: bytes | Exception) -> AsyncIterator[bytes]:
    for content in contents:
        if isinstance(content, Exception):
            raise content
        yield content


@pytest.mark.parametrize("content", [b"", b"x", LARGE], ids=["empty", "small", "large"])
async def test_what_is_put_can_be_read(store: ObjectStore, content: bytes) -> None:
    await store.put(KEY, content, "image/webp")
    assert await read(store) == content


async def test_content_can_come_in_pieces(store: ObjectStore) -> None:
    await store.put(KEY, pieces(b"a", b"", b"b"), "text/plain")
    assert await read(store) == b"ab"


async def test_the_newest_content_counts(store: ObjectStore) -> None:
    await store.put(KEY, LARGE, "image/webp")
    await store.put(KEY, b"new", "image/webp")
    assert await read(store) == b"new"


@pytest.mark.parametrize("key", [KEY, "avatars", "none/none/none"])
async def test_a_missing_file_is_not_found(store: ObjectStore, key: str) -> None:
    await store.put("avatars/other.webp", b"x", "image/webp")
    with pytest.raises(NotFound):
        await read(store, key)


async def test_a_deleted_file_is_gone_and_deleting_again_changes_nothing(store: ObjectStore) -> None:
    await store.put(KEY, b"x", "image/webp")
    for _ in range(2):
        await store.delete(KEY)
    with pytest.raises(NotFound):
        await read(store)


async def test_content_that_breaks_off_leaves_what_was_there(store: ObjectStore, tmp_path: Path) -> None:
    await store.put(KEY, b"old", "image/webp")
    with pytest.raises(ConnectionResetError):
        await store.put(KEY, pieces(b"half", ConnectionResetError()), "image/webp")
    assert await read(store) == b"old"


async def test_of_parallel_puts_one_stays_whole(store: ObjectStore) -> None:
    contents = [bytes([n]) * 300_000 for n in range(16)]
    await asyncio.gather(*(store.put(KEY, content, "image/webp") for content in contents))
    assert await read(store) in contents


async def test_an_address_is_different_for_every_file_and_time(store: ObjectStore) -> None:
    addresses = {
        await store.url(key, filename="a", content_type="image/webp", expires_in=seconds)
        for key in (KEY, "avatars/b.webp")
        for seconds in (60, 900)
    }
    assert len(addresses) == 4


# The folder


@pytest.mark.parametrize(
    "key",
    ["", ".", "..", "../x", "a/../../x", "/etc/passwd", "a//b", "a/", ".hidden", "a/.x", "a\\..\\x", "a\0b"],
)
async def test_no_key_leads_out_of_the_folder(store: ObjectStore, tmp_path: Path, key: str) -> None:
    with pytest.raises(StorageError):
        await store.put(key, b"x", "text/plain")
    with pytest.raises(NotFound):
        await read(store, key)
    await store.delete(key)
    assert list(tmp_path.iterdir()) == []


async def test_failed_and_finished_puts_leave_no_drafts(store: ObjectStore, tmp_path: Path) -> None:
    await store.put(KEY, b"x", "image/webp")
    with pytest.raises(ValueError, match="broken"):
        await store.put(KEY, pieces(b"half", ValueError("broken")), "image/webp")
    files = [file.name for file in tmp_path.rglob("*") if file.is_file()]
    assert files == [KEY.rpartition("/")[2]]


async def test_a_folder_that_cannot_be_written_is_a_storage_error(store: ObjectStore, tmp_path: Path) -> None:
    (tmp_path / "objects").write_bytes(b"a file in the way")
    with pytest.raises(StorageError):
        await store.put(KEY, b"x", "image/webp")


async def test_only_the_owner_can_read_the_files(store: ObjectStore, tmp_path: Path) -> None:
    await store.put(KEY, b"x", "image/webp")
    assert (tmp_path / "objects" / KEY).stat().st_mode & 0o777 == 0o600
