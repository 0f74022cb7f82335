"""Taking one's data along over HTTP (contract section 3, "Export and erasure")."""

import io
import json
import tracemalloc
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from zipfile import ZipFile

import pytest
from litestar.exceptions import LitestarException

from file_service import PDF, uploaded
from finassist.adapters.llm.offline.model import OfflineModel
from finassist.domain.conversations.message import Message, Role
from finassist.domain.errors import ServiceUnavailable, StorageError
from finassist.domain.files.content import FileKind
from finassist.domain.files.record import StoredFile
from finassist.domain.users import Caller, Platform
from finassist.entrypoints.http.data_export.writing import Export
from full_life import ME, Life, live
from http_service import DEVICE, OTHER_DEVICE, Service, Start
from stores import conversation_of, new_id

EXPORT = f"{ME}/export"
MEGABYTE = 2**20


async def export(service: Service, headers: dict[str, str]) -> ZipFile:
    response = await service.client.get(EXPORT, headers=headers)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/zip"
    assert response.headers["content-disposition"] == (
        'attachment; filename="finassist-export-2026-03-01.zip"'
    )
    assert response.headers.get_list("cache-control") == ["no-store"]
    archive = ZipFile(io.BytesIO(response.content))
    assert archive.testzip() is None
    return archive


def records(archive: ZipFile, name: str) -> Any:
    return json.loads(archive.read(name))


def texts(archive: ZipFile) -> str:
    """Everything in the archive, names included."""
    parts = [name + archive.read(name).decode("utf-8", "replace") for name in archive.namelist()]
    return "\n".join(parts)


@pytest.fixture
async def ann(service: Service) -> Life:
    return await live(service, "annabel")


async def test_an_export_has_everything_that_the_user_made(service: Service, ann: Life) -> None:
    archive = await export(service, ann.headers)

    profile = records(archive, "profile.json")
    assert (profile["id"], profile["email"], profile["name"]) == (ann.user_id, ann.email, "annabel Miller")
    assert (profile["isGuest"], profile["preferences"]["theme"]) == (False, "dark")
    assert profile["freeMessages"] == {"total": 1000, "used": 1}
    [answer] = records(archive, "profile-answers.json")["answers"]
    assert answer["value"] == "The wishes of annabel"
    assert answer["question"]
    conversations = records(archive, "conversations.json")
    assert {each["id"] for each in conversations} == set(ann.conversations)
    messages = records(archive, "messages.json")
    assert [each["role"] for each in messages] == ["user", "assistant"] * 2
    assert messages[2]["content"] == "Read this, says annabel."
    assert [each["filename"] for each in messages[2]["attachments"]] == [
        "annabel-statement.pdf",
        "annabel-note.txt",
    ]
    assert messages[3]["feedback"]["feedback"] == "Not for annabel."
    [share] = records(archive, "shares.json")
    assert (share["shareId"], share["customTitle"], share["status"]) == (ann.share_id, "By annabel", "active")
    assert share["viewCount"] == 1
    [device] = records(archive, "devices.json")
    assert (device["id"], device["platform"]) == ("annabel-phone", "ios")


async def test_files_and_the_avatar_come_along(service: Service, ann: Life) -> None:
    archive = await export(service, ann.headers)

    files = {each["filename"]: each for each in records(archive, "files.json")}
    assert set(files) == {"annabel-statement.pdf", "annabel-note.txt"}
    assert archive.read(files["annabel-statement.pdf"]["path"]) == PDF
    assert archive.read(files["annabel-note.txt"]["path"]) == b"the note of annabel"
    assert files["annabel-note.txt"]["text"] == "the note of annabel"
    assert archive.read("avatar.webp")[:4] == b"RIFF"
    assert "MISSING.txt" not in archive.namelist()


async def test_every_conversation_has_a_transcript_to_read(service: Service, ann: Life) -> None:
    archive = await export(service, ann.headers)

    names = [name for name in archive.namelist() if name.startswith("transcripts/")]
    assert len(names) == 2
    [name] = [name for name in names if ann.conversations[1] in name]
    text = archive.read(name).decode()
    assert text.startswith("# Read this, says annabel.\n")
    for part in ("**You**, 2026-03-01 12:00 UTC", "Hello there.", "annabel-note.txt", "You disliked this"):
        assert part in text


async def test_a_readme_explains_what_there_is(service: Service, ann: Life) -> None:
    archive = await export(service, ann.headers)

    readme = archive.read("README.txt").decode()
    for name in archive.namelist()[1:]:
        assert name.partition("/")[0] in readme


async def test_nothing_internal_leaves_the_service(service: Service, ann: Life) -> None:
    everything = texts(await export(service, ann.headers))

    user = await service.finassist.adapters.users.get(ann.user_id)
    account = await service.finassist.adapters.local_accounts.find_by_email(ann.email)
    assert user is not None
    assert account is not None
    hidden = [*user.claimed_owner_ids, user.avatar_key, account.subject, account.password_hash]
    assert [secret for secret in hidden if str(secret) in everything] == []
    for word in ("owner", "lease", "hash", "masked", "guestUser", "instructions", "key-of-annabel"):
        assert word.lower() not in everything.lower().replace(" ownership", "")


async def test_nobody_gets_anything_of_somebody_else(service: Service, ann: Life) -> None:
    bob = await live(service, "robert")

    everything = texts(await export(service, bob.headers))

    assert "robert" in everything
    assert [trace for trace in ann.traces if trace in everything] == []


async def test_a_guest_takes_its_own_data_along(service: Service) -> None:
    asked = await service.ask("What is a bond?", DEVICE)
    await service.ask("Somebody else's question?", OTHER_DEVICE)

    archive = await export(service, DEVICE)

    assert [each["id"] for each in records(archive, "conversations.json")] == [asked["conversationId"]]
    assert records(archive, "profile.json")["isGuest"] is True
    assert [each["id"] for each in records(archive, "devices.json")] == [DEVICE["x-device-id"]]
    assert records(archive, "shares.json") == records(archive, "files.json") == []
    assert "Somebody else" not in texts(archive)


async def test_a_deleted_conversation_is_not_in_an_export(service: Service, ann: Life) -> None:
    path = f"/api/v1/user/conversations/{ann.conversations[0]}"
    assert (await service.client.delete(path, headers=ann.headers)).status_code == 200

    archive = await export(service, ann.headers)

    assert [each["id"] for each in records(archive, "conversations.json")] == ann.conversations[1:]


async def test_somebody_unknown_gets_nothing(service: Service) -> None:
    assert (await service.client.get(EXPORT)).status_code == 401
    bad = {"Authorization": "Bearer bad", **DEVICE}
    assert (await service.client.get(EXPORT, headers=bad)).status_code == 401


async def test_a_title_names_no_other_folder(service: Service) -> None:
    asked = await service.ask("../../etc/passwd\\..\\x: what is a bond?", DEVICE)

    archive = await export(service, DEVICE)

    [name] = [name for name in archive.namelist() if name.startswith("transcripts/")]
    assert asked["conversationId"] in name
    assert name.count("/") == 1
    assert "\\" not in name
    assert ".." not in name.split("/")


class FailingStore:
    """An object store that gives one piece of some files, and nothing of others."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.broken: set[str] = set()
        self.cut: set[str] = set()

    async def open(self, key: str) -> AsyncIterator[bytes]:
        if key in self.broken:
            raise StorageError("The file store does not answer.")
        async for piece in self._inner.open(key):
            if key in self.cut:
                yield piece[:100]
                raise StorageError("The file store does not answer.")
            yield piece

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


async def test_a_file_that_cannot_be_read_is_named_and_the_rest_is_there(start: Start) -> None:
    healthy = await start()
    store = FailingStore(healthy.finassist.adapters.object_store)
    service = await start(object_store=store)
    alice = await service.token("alice")
    missing, cut, whole = [await uploaded(service, alice, filename=f"{n}.pdf") for n in ("a", "b", "c")]
    store.broken.add(f"files/{missing['id']}")
    store.cut.add(f"files/{cut['id']}")

    archive = await export(service, alice)

    assert archive.read("MISSING.txt").decode().splitlines() == [
        f"files/{missing['id']}-a.pdf: 0 of {len(PDF)} bytes could be read",
        f"files/{cut['id']}-b.pdf: 100 of {len(PDF)} bytes could be read",
    ]
    assert f"files/{missing['id']}-a.pdf" not in archive.namelist()
    assert archive.read(f"files/{cut['id']}-b.pdf") == PDF[:100]
    assert archive.read(f"files/{whole['id']}-c.pdf") == PDF
    assert len(records(archive, "files.json")) == 3


class FailingEstates:
    """Repositories that fail once the archive has begun."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def files(self, *args: Any, **kwargs: Any) -> Any:
        raise ServiceUnavailable()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


async def test_an_export_that_the_database_cuts_short_does_not_look_whole(start: Start) -> None:
    healthy = await start()
    service = await start(owned_records=FailingEstates(healthy.finassist.adapters.owned_records))
    await service.ask("What is a bond?", DEVICE)

    with pytest.raises(LitestarException, match="after response started"):
        await service.client.get(EXPORT, headers=DEVICE)


async def test_memory_does_not_grow_with_what_there_is(service: Service) -> None:
    await service.ask("What is a bond?", DEVICE)
    caller = await service.finassist.resolve_caller(
        bearer=None, device_id=DEVICE["x-device-id"], platform=Platform.IOS, address=""
    )
    await fill(service, caller, files=13, messages=3000)

    tracemalloc.start()
    size = 0
    async for piece in Export(await service.finassist.read_owned_records(caller)).pieces():
        size += len(piece)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert size > 50 * MEGABYTE
    assert peak < 6 * MEGABYTE


async def fill(service: Service, caller: Caller, *, files: int, messages: int) -> None:
    now = service.clock.now()
    content = bytes(range(256)) * (4 * MEGABYTE // 256)
    for number in range(files):
        file = StoredFile(
            id=new_id(), owner_id=caller.owner_id, conversation_id=None, filename=f"{number}.bin",
            mime_type="application/octet-stream", size=len(content), kind=FileKind.OTHER,
            created_at=now, updated_at=now,
        )  # fmt: skip
        await service.finassist.adapters.object_store.put(file.key, content, file.mime_type)
        await service.finassist.adapters.files.add(file)
    conversation = conversation_of(caller.owner_id, message_count=messages)
    many = [
        Message(
            id=new_id(), conversation_id=conversation.id, role=Role.USER, content=f"{number} " * 500,
            created_at=now + timedelta(seconds=number), updated_at=now,
        )
        for number in range(messages)
    ]  # fmt: skip
    await service.finassist.adapters.shares.store_continuation(conversation, many)


async def test_a_transcript_has_the_table_of_what_is_drawn(start: Start) -> None:
    service = await start(language_model=OfflineModel())
    await service.ask("What is my monthly payment on a loan of 250000 at 4% over 25 years?")
    archive = await export(service, DEVICE)
    [transcript] = [name for name in archive.namelist() if name.startswith("transcripts/")]
    rows = [row for row in archive.read(transcript).decode().splitlines() if row.startswith("|")]
    assert rows[:3] == [
        "| year | interest | principal | balance |",
        "| --- | --- | --- | --- |",
        "| 1 | 9891.83 | 5943.28 | 244056.72 |",
    ]
    assert len(rows) == 27
