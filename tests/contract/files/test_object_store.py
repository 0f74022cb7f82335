import asyncio
import resource
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from finassist.application.ports.files import ObjectStore
from finassist.domain.errors import NotFound, StorageError
from object_stores import bucket_store, folder_store

KEY = "avatars/0123456789abcdef01234567.webp"
LARGE = bytes(range(256)) * 4096
IN_PARTS = bytes(range(251)) * 80_000
"""19 MB: more than two parts."""

SOON = datetime.now(UTC) + timedelta(days=1)
LONG_AGO = datetime.now(UTC) - timedelta(days=1)


@pytest.fixture(params=["folder", "s3"])
async def store(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[ObjectStore]:
    if request.param == "folder":
        yield folder_store(tmp_path / "objects")
        return
    async with bucket_store(monkeypatch) as bucket:
        yield bucket


@pytest.fixture
def folder(tmp_path: Path) -> ObjectStore:
    return folder_store(tmp_path / "objects")


async def read(store: ObjectStore, key: str = KEY) -> bytes:
    return b"".join([piece async for piece in store.open(key)])


async def pieces(*contents: bytes | Exception) -> AsyncIterator[bytes]:
    for content in contents:
        if isinstance(content, Exception):
            raise content
        yield content


async def keys(store: ObjectStore, prefix: str = "", before: datetime = SOON) -> set[str]:
    return {found.key async for found in store.list(prefix, modified_before=before)}


@pytest.mark.parametrize("content", [b"", b"x", LARGE, IN_PARTS], ids=["empty", "small", "large", "in parts"])
async def test_what_is_put_can_be_read(store: ObjectStore, content: bytes) -> None:
    await store.put(KEY, content, "image/webp")
    assert await read(store) == content


async def test_content_can_come_in_pieces(store: ObjectStore) -> None:
    await store.put(KEY, pieces(b"a", b"", b"b"), "text/plain")
    assert await read(store) == b"ab"


@pytest.mark.parametrize("size", [0, 1, 8 * 2**20, 8 * 2**20 + 1, 16 * 2**20], ids=str)
async def test_content_can_be_a_file_of_any_size(store: ObjectStore, tmp_path: Path, size: int) -> None:
    file = tmp_path / "sent"
    file.write_bytes((IN_PARTS * 2)[:size])
    await store.put(KEY, file, "application/pdf")
    assert await read(store) == file.read_bytes()


async def test_many_pieces_become_a_few_parts(store: ObjectStore) -> None:
    await store.put(KEY, pieces(*(LARGE for _ in range(18))), "application/pdf")
    assert await read(store) == LARGE * 18


async def test_a_file_that_is_not_there_cannot_be_stored(store: ObjectStore, tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        await store.put(KEY, tmp_path / "none", "image/webp")
    assert await keys(store) == set()


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


@pytest.mark.parametrize("half", [b"half", IN_PARTS], ids=["small", "in parts"])
async def test_content_that_breaks_off_leaves_what_was_there(store: ObjectStore, half: bytes) -> None:
    await store.put(KEY, b"old", "image/webp")
    with pytest.raises(ValueError, match="broken off"):
        await store.put(KEY, pieces(half, ValueError("broken off")), "image/webp")
    assert await read(store) == b"old"
    assert await store.discard_unfinished(begun_before=SOON) == 0


async def test_an_upload_that_is_given_up_leaves_what_was_there(store: ObjectStore) -> None:
    await store.put(KEY, b"old", "image/webp")
    begun, never = asyncio.Event(), asyncio.Event()

    async def slowly() -> AsyncIterator[bytes]:
        yield IN_PARTS
        begun.set()
        await never.wait()

    upload = asyncio.create_task(store.put(KEY, slowly(), "image/webp"))
    await begun.wait()
    upload.cancel()
    with pytest.raises(asyncio.CancelledError):
        await upload
    assert await read(store) == b"old"
    assert await store.discard_unfinished(begun_before=SOON) == 0


async def test_of_parallel_puts_one_stays_whole(store: ObjectStore) -> None:
    contents = [bytes([n]) * 300_000 for n in range(16)]
    await asyncio.gather(*(store.put(KEY, content, "image/webp") for content in contents))
    assert await read(store) in contents


async def test_who_stops_reading_does_not_hold_up_others(store: ObjectStore) -> None:
    await store.put(KEY, IN_PARTS, "application/pdf")
    for _ in range(60):  # more than there are connections
        async for piece in store.open(KEY):
            assert piece
            break
    assert await read(store) == IN_PARTS


async def test_files_are_listed_by_the_start_of_their_key(store: ObjectStore) -> None:
    stored = {f"files/{n:02}/a.pdf" for n in range(12)} | {"files/1.png", "filed", "avatars/1.webp"}
    for key in stored:
        await store.put(key, key.encode(), "application/pdf")
    assert await keys(store) == stored
    assert await keys(store, "files/") == {key for key in stored if key.startswith("files/")}
    assert await keys(store, "files/1") == {"files/1.png", "files/10/a.pdf", "files/11/a.pdf"}
    assert await keys(store, "none/") == await keys(store, "..") == set()


async def test_a_listing_says_how_large_and_how_old_a_file_is(store: ObjectStore) -> None:
    await store.put(KEY, LARGE, "image/webp")
    (found,) = [each async for each in store.list("", modified_before=SOON)]
    assert (found.key, found.size) == (KEY, len(LARGE))
    assert LONG_AGO < found.modified_at < SOON
    assert await keys(store, before=LONG_AGO) == set()


async def test_a_store_that_holds_nothing_lists_nothing(store: ObjectStore) -> None:
    assert await keys(store) == set()
    assert await store.discard_unfinished(begun_before=SOON) == 0


async def test_an_address_is_different_for_every_file_and_time(store: ObjectStore) -> None:
    addresses = {
        await store.url(key, filename="a", content_type="image/webp", expires_in=seconds)
        for key in (KEY, "avatars/b.webp")
        for seconds in (60, 900)
    }
    assert len(addresses) == 4


@pytest.mark.parametrize(
    "key",
    ["", ".", "..", "../x", "a/../../x", "/etc/passwd", "a//b", "a/", ".hidden", "a/.x", "a\\..\\x", "a\0b"],
)
async def test_no_key_leads_out_of_the_store(store: ObjectStore, tmp_path: Path, key: str) -> None:
    with pytest.raises(StorageError):
        await store.put(key, b"x", "text/plain")
    with pytest.raises(NotFound):
        await read(store, key)
    await store.delete(key)
    assert await keys(store) == set()
    assert list(tmp_path.iterdir()) == []


# The folder


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
