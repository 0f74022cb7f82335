"""The contract suite of every object store."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from finassist.application.ports.files import ObjectStore
from finassist.domain.errors import NotFound, StorageError

KEY = "avatars/0123456789abcdef01234567.webp"
LARGE = bytes(range(256)) * 4096
IN_PARTS = bytes(range(251)) * 80_000
"""19 MB: more than two parts."""

SOON = datetime.now(UTC) + timedelta(days=1)
LONG_AGO = datetime.now(UTC) - timedelta(days=1)


async def read(store: ObjectStore, key: str = KEY) -> bytes:
    return b"".join([piece async for piece in store.open(key)])


async def pieces(*contents: bytes | Exception) -> AsyncIterator[bytes]:
    for content in contents:
        if isinstance(content, Exception):
            raise content
        yield content


async def keys(store: ObjectStore, prefix: str = "", before: datetime = SOON) -> set[str]:
    return {found.key async for found in store.list(prefix, modified_before=before)}


class ObjectStoreContract:
    """The suite of ``ObjectStore``. Subclass it and override the fixture ``store``: an empty store."""

    @pytest.fixture
    def store(self) -> ObjectStore:
        """The store under test."""
        raise NotImplementedError("override this fixture")

    @pytest.mark.parametrize(
        "content", [b"", b"x", LARGE, IN_PARTS], ids=["empty", "small", "large", "in parts"]
    )
    async def test_what_is_put_can_be_read(self, store: ObjectStore, content: bytes) -> None:
        await store.put(KEY, content, "image/webp")
        assert await read(store) == content

    async def test_content_can_come_in_pieces(self, store: ObjectStore) -> None:
        await store.put(KEY, pieces(b"a", b"", b"b"), "text/plain")
        assert await read(store) == b"ab"

    @pytest.mark.parametrize("size", [0, 1, 8 * 2**20, 8 * 2**20 + 1, 16 * 2**20], ids=str)
    async def test_content_can_be_a_file_of_any_size(
        self, store: ObjectStore, tmp_path: Path, size: int
    ) -> None:
        file = tmp_path / "sent"
        file.write_bytes((IN_PARTS * 2)[:size])
        await store.put(KEY, file, "application/pdf")
        assert await read(store) == file.read_bytes()

    async def test_many_pieces_become_a_few_parts(self, store: ObjectStore) -> None:
        await store.put(KEY, pieces(*(LARGE for _ in range(18))), "application/pdf")
        assert await read(store) == LARGE * 18

    async def test_a_file_that_is_not_there_cannot_be_stored(
        self, store: ObjectStore, tmp_path: Path
    ) -> None:
        with pytest.raises(StorageError):
            await store.put(KEY, tmp_path / "none", "image/webp")
        assert await keys(store) == set()

    async def test_the_newest_content_counts(self, store: ObjectStore) -> None:
        await store.put(KEY, LARGE, "image/webp")
        await store.put(KEY, b"new", "image/webp")
        assert await read(store) == b"new"

    @pytest.mark.parametrize("key", [KEY, "avatars", "none/none/none"])
    async def test_a_missing_file_is_not_found(self, store: ObjectStore, key: str) -> None:
        await store.put("avatars/other.webp", b"x", "image/webp")
        with pytest.raises(NotFound):
            await read(store, key)

    async def test_a_deleted_file_is_gone_and_deleting_again_changes_nothing(
        self, store: ObjectStore
    ) -> None:
        await store.put(KEY, b"x", "image/webp")
        for _ in range(2):
            await store.delete(KEY)
        with pytest.raises(NotFound):
            await read(store)

    @pytest.mark.parametrize("half", [b"half", IN_PARTS], ids=["small", "in parts"])
    async def test_content_that_breaks_off_leaves_what_was_there(
        self, store: ObjectStore, half: bytes
    ) -> None:
        await store.put(KEY, b"old", "image/webp")
        with pytest.raises(ValueError, match="broken off"):
            await store.put(KEY, pieces(half, ValueError("broken off")), "image/webp")
        assert await read(store) == b"old"
        assert await store.discard_unfinished(begun_before=SOON) == 0

    async def test_an_upload_that_is_given_up_leaves_what_was_there(self, store: ObjectStore) -> None:
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

    async def test_of_parallel_puts_one_stays_whole(self, store: ObjectStore) -> None:
        contents = [bytes([n]) * 300_000 for n in range(16)]
        await asyncio.gather(*(store.put(KEY, content, "image/webp") for content in contents))
        assert await read(store) in contents

    async def test_who_stops_reading_does_not_hold_up_others(self, store: ObjectStore) -> None:
        await store.put(KEY, IN_PARTS, "application/pdf")
        for _ in range(60):  # more than there are connections
            async for piece in store.open(KEY):
                assert piece
                break
        assert await read(store) == IN_PARTS

    async def test_files_are_listed_by_the_start_of_their_key(self, store: ObjectStore) -> None:
        stored = {f"files/{n:02}/a.pdf" for n in range(12)} | {"files/1.png", "filed", "avatars/1.webp"}
        for key in stored:
            await store.put(key, key.encode(), "application/pdf")
        assert await keys(store) == stored
        assert await keys(store, "files/") == {key for key in stored if key.startswith("files/")}
        assert await keys(store, "files/1") == {"files/1.png", "files/10/a.pdf", "files/11/a.pdf"}
        assert await keys(store, "none/") == await keys(store, "..") == set()

    async def test_a_listing_says_how_large_and_how_old_a_file_is(self, store: ObjectStore) -> None:
        await store.put(KEY, LARGE, "image/webp")
        (found,) = [each async for each in store.list("", modified_before=SOON)]
        assert (found.key, found.size) == (KEY, len(LARGE))
        assert LONG_AGO < found.modified_at < SOON
        assert await keys(store, before=LONG_AGO) == set()

    async def test_a_store_that_holds_nothing_lists_nothing(self, store: ObjectStore) -> None:
        assert await keys(store) == set()
        assert await store.discard_unfinished(begun_before=SOON) == 0

    async def test_an_address_is_different_for_every_file_and_time(self, store: ObjectStore) -> None:
        addresses = {
            await store.url(key, filename="a", content_type="image/webp", expires_in=seconds)
            for key in (KEY, "avatars/b.webp")
            for seconds in (60, 900)
        }
        assert len(addresses) == 4

    @pytest.mark.parametrize(
        "key",
        [
            "",
            ".",
            "..",
            "../x",
            "a/../../x",
            "/etc/passwd",
            "a//b",
            "a/",
            ".hidden",
            "a/.x",
            "a\\..\\x",
            "a\0b",
        ],
    )
    async def test_no_key_leads_out_of_the_store(self, store: ObjectStore, key: str) -> None:
        with pytest.raises(StorageError):
            await store.put(key, b"x", "text/plain")
        with pytest.raises(NotFound):
            await read(store, key)
        await store.delete(key)
        assert await keys(store) == set()
