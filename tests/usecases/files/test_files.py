"""What crashes leave of users' files, and who finds it (contract section 10)."""

import os
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from papers import pdf

from finassist.application.chat import ChatMessage, InlineFile
from finassist.application.files.records import ReceivedFile
from finassist.composition.application import Finassist
from finassist.config import Settings
from finassist.domain.errors import ServiceUnavailable
from finassist.domain.users import Caller, ProfileChanges
from finassist.testing import FakeClock, ScriptedModel
from usecases.conftest import opened

PDF = pdf([["A statement"]])
HOUR = 3600


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(datetime.now(UTC).replace(microsecond=0))


@pytest.fixture
async def service(settings: Settings, clock: FakeClock, model: ScriptedModel) -> AsyncIterator[Finassist]:
    async with opened(settings, language_model=model, clock=clock) as container:
        yield container


class Killed(BaseException):
    """What ends a process in the middle of something."""


class Power:
    """A repository of files that is cut off before it records anything."""

    def __init__(self, files: Any) -> None:
        self._files = files

    def __getattr__(self, verb: str) -> Any:
        return getattr(self._files, verb)

    async def add_within(self, file: object, owner_ids: object, total_bytes: int) -> bool:
        raise Killed


class Away(Power):
    """A repository whose database is away when something is to be recorded."""

    async def add_within(self, file: object, owner_ids: object, total_bytes: int) -> bool:
        raise ServiceUnavailable()


async def upload(service: Finassist, owner: Caller, tmp_path: Path) -> Any:
    path = tmp_path / "sent.pdf"
    path.write_bytes(PDF)
    received = ReceivedFile(path=path, filename="a.pdf", declared_type="application/pdf")
    return (await service.upload_file(owner, received, None)).file


def objects(tmp_path: Path) -> set[str]:
    folder = tmp_path / "objects"
    return {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}


def age(folder: Path, seconds: float) -> None:
    """Let all files below look as old as that."""
    for file in folder.rglob("*"):
        if file.is_file():
            then = file.stat().st_mtime - seconds
            os.utime(file, (then, then))


async def test_a_content_without_a_record_is_swept_once_it_is_old(
    service: Finassist, guest: Caller, tmp_path: Path, clock: FakeClock
) -> None:
    kept = await upload(service, guest, tmp_path)
    for key in ("files/" + "a" * 24, "avatars/" + "b" * 24 + ".webp", "Insurance/" + "c" * 24 + ".png"):
        await service.adapters.object_store.put(key, b"content", "application/octet-stream")
    before = objects(tmp_path)
    assert len(before) == 4

    clock.advance(HOUR - 60)
    assert await service.workers.sweep_files() == 0
    assert objects(tmp_path) == before

    clock.advance(120)
    assert await service.workers.sweep_files() == 2
    assert objects(tmp_path) == before - {"files/" + "a" * 24, "avatars/" + "b" * 24 + ".webp"}
    assert await service.adapters.files.get(kept.id) == kept


async def test_a_file_of_a_message_that_was_never_stored_is_swept_and_others_stay(
    service: Finassist, guest: Caller, tmp_path: Path, clock: FakeClock
) -> None:
    note = InlineFile(filename="note.txt", mime_type="text/plain", pieces=lambda: iter([b"Rent: 900"]))
    await (await service.send_message(guest, ChatMessage(message="Read.", attachments=[note]))).ending()
    kept = await upload(service, guest, tmp_path)
    page = await service.adapters.files.list(guest.owner_ids, conversation_id=None, limit=9, offset=0)
    [sent] = [file for file in page.items if file.id != kept.id]
    assert sent.message_id is not None
    assert (await service.adapters.messages.get(sent.message_id)) is not None

    lost = replace(sent, id="a" * 24, message_id="b" * 24)  # its process died before it stored the message
    await service.adapters.files.add(lost)
    await service.adapters.object_store.put(lost.key, b"Rent: 900", lost.mime_type)
    assert await service.workers.sweep_files() == 0

    clock.advance(2 * HOUR)
    assert await service.workers.sweep_files() == 1
    assert await service.adapters.files.get(lost.id) is None
    assert objects(tmp_path) == {sent.key, kept.key}
    page = await service.adapters.files.list(guest.owner_ids, conversation_id=None, limit=9, offset=0)
    assert {file.id for file in page.items} == {sent.id, kept.id}


async def test_pictures_that_nobody_has_are_swept_and_those_in_use_stay(
    service: Finassist, tmp_path: Path, clock: FakeClock
) -> None:
    user = (await service.sign_up("ann@example.org", "Correct-horse-7", "Ann")).user
    assert user.id
    used, lost = "avatars/used.webp", "avatars/lost.webp"
    for key in (used, lost, "visual-embeds/bonds/lost.png"):
        await service.adapters.object_store.put(key, b"picture", "image/webp")
    await service.adapters.users.update_account(user.id, ProfileChanges(avatar_key=used), clock.now())
    clock.advance(2 * HOUR)
    assert await service.workers.sweep_files() == 2
    assert objects(tmp_path) == {used}


async def test_an_upload_that_died_between_content_and_record_leaves_nothing_for_ever(
    settings: Settings, service: Finassist, guest: Caller, tmp_path: Path, clock: FakeClock
) -> None:
    async with opened(settings, clock=clock, files=Power(service.adapters.files)) as doomed:
        with pytest.raises(Killed):
            await upload(doomed, guest, tmp_path)
    assert len(objects(tmp_path)) == 1

    clock.advance(2 * HOUR)
    assert await service.workers.sweep_files() == 1
    assert objects(tmp_path) == set()


async def test_a_record_that_cannot_be_written_takes_its_content_along(
    settings: Settings, service: Finassist, guest: Caller, tmp_path: Path
) -> None:
    async with opened(settings, files=Away(service.adapters.files)) as doomed:
        with pytest.raises(ServiceUnavailable):
            await upload(doomed, guest, tmp_path)
    assert objects(tmp_path) == set()


async def test_files_that_never_arrived_in_full_are_swept(
    service: Finassist, tmp_path: Path, clock: FakeClock
) -> None:
    (tmp_path / "spool").mkdir(exist_ok=True)
    (tmp_path / "spool" / "left").write_bytes(b"half a file")
    async with service.adapters.spool.draft() as draft:
        await draft.write(b"fresh")
        age(tmp_path / "spool", 2 * HOUR)
        (tmp_path / "spool" / draft.path.name).touch()

        assert await service.workers.sweep_files() == 1

        assert list((tmp_path / "spool").iterdir()) == [draft.path]
    assert list((tmp_path / "spool").iterdir()) == []


async def test_more_contents_are_swept_than_one_query_asks_for(
    service: Finassist, tmp_path: Path, clock: FakeClock
) -> None:
    for number in range(1100):
        path = tmp_path / "objects" / "files" / f"{number:024x}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    clock.advance(2 * HOUR)
    assert await service.workers.sweep_files() == 1100
    assert objects(tmp_path) == set()
