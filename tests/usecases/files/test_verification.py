"""``Verify`` and ``finassist verify``: records, files in the object store, vectors of articles."""

import sqlite3
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from papers import pdf

from finassist.application.files.records import ReceivedFile
from finassist.application.operations.verification import MISSING, NO_VECTORS, UNNAMED, WRONG_SIZE
from finassist.composition.application import Finassist
from finassist.config import Settings
from finassist.domain.users import Caller, ProfileChanges
from finassist.entrypoints.cli.main import main
from finassist.testing import FakeClock, ScriptedModel
from usecases.conftest import opened

PDF = pdf([["A statement"]])
TWO_HOURS = 7200
LOST = "files/" + "a" * 24
OPERATIONS = Path(__file__).parents[3] / "docs" / "operations.md"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(datetime.now(UTC).replace(microsecond=0))


@pytest.fixture
async def service(settings: Settings, clock: FakeClock, model: ScriptedModel) -> AsyncIterator[Finassist]:
    async with opened(settings, language_model=model, clock=clock) as container:
        yield container


async def found(service: Finassist, *, repair: bool = False) -> dict[str, tuple[str, bool]]:
    """Of each check the record, and whether it was mended."""
    return {
        finding.fault.check: (finding.fault.record, finding.mended)
        async for finding in service.verify(repair=repair)
    }


async def upload(service: Finassist, owner: Caller, tmp_path: Path) -> str:
    path = tmp_path / "sent.pdf"
    path.write_bytes(PDF)
    received = ReceivedFile(path=path, filename="a.pdf", declared_type="application/pdf")
    return (await service.upload_file(owner, received, None)).file.key


async def test_files_and_records_that_fit_together_have_no_fault(
    service: Finassist, guest: Caller, tmp_path: Path, clock: FakeClock
) -> None:
    await upload(service, guest, tmp_path)
    clock.advance(TWO_HOURS)
    assert await found(service) == {}


async def test_a_file_without_its_record_is_deleted_once_it_is_old(
    service: Finassist, clock: FakeClock
) -> None:
    store = service.adapters.object_store
    await store.put(LOST, b"content", "application/pdf")
    assert await found(service, repair=True) == {}
    clock.advance(TWO_HOURS)
    assert await found(service) == {UNNAMED: (LOST, False)}
    assert await found(service, repair=True) == {UNNAMED: (LOST, True)}
    assert await found(service) == {}


async def test_a_record_without_its_file_is_named_and_stays(
    service: Finassist, guest: Caller, tmp_path: Path
) -> None:
    key = await upload(service, guest, tmp_path)
    await service.adapters.object_store.delete(key)
    record, mended = (await found(service, repair=True))[MISSING]
    assert key in record
    assert not mended
    assert await service.adapters.files.get(key.removeprefix("files/")) is not None


async def test_a_file_of_another_size_than_its_record_says_is_named(
    service: Finassist, guest: Caller, tmp_path: Path
) -> None:
    key = await upload(service, guest, tmp_path)
    await service.adapters.object_store.put(key, b"half", "application/pdf")
    assert key in (await found(service, repair=True))[WRONG_SIZE][0]


async def test_a_user_whose_avatar_is_lost_has_none(service: Finassist, clock: FakeClock) -> None:
    tokens = await service.sign_up("ann@example.org", "Correct-horse-7", "Ann")
    user = await service.adapters.users.find_registered(email="ann@example.org", phone=None)
    assert tokens is not None
    assert user is not None
    changes = ProfileChanges(avatar_key="avatars/lost.webp")
    await service.adapters.users.update_account(user.id, changes, clock.now())
    assert (await found(service, repair=True))[MISSING][1]
    after = await service.adapters.users.get(user.id)
    assert after is not None
    assert after.avatar_key is None
    assert await found(service) == {}


@pytest.mark.usefixtures("own_articles")
async def test_articles_that_lost_their_vectors_are_embedded_again(
    service: Finassist, settings: Settings
) -> None:
    await service.embed_articles()
    with sqlite3.connect(settings.knowledge_path) as connection:
        connection.execute("DELETE FROM vectors WHERE number = (SELECT min(number) FROM vectors)")
    lost = await found(service, repair=True)
    assert lost["an article whose vectors are lost"][1]
    assert lost[NO_VECTORS][1]
    assert await found(service) == {}


@pytest.mark.usefixtures("own_articles")
@pytest.mark.parametrize(
    ("damage", "check"),
    [
        (
            "DELETE FROM sections WHERE article = (SELECT min(number) FROM articles)",
            "an article that is not indexed",
        ),
        ("UPDATE sections SET article = 999999 WHERE number = 1", "a part of an article that does not exist"),
        (
            "INSERT INTO embedded_articles VALUES (999999, NULL, 0)",
            "a part of an article that does not exist",
        ),
        (
            "UPDATE sections SET body = 'other' WHERE number = 2",
            "a search index that does not match its articles",
        ),
    ],
)
async def test_what_is_wrong_in_the_knowledge_base_is_mended(
    service: Finassist, settings: Settings, damage: str, check: str
) -> None:
    await service.embed_articles()
    with sqlite3.connect(settings.knowledge_path) as connection:
        connection.execute(damage)
    assert (await found(service, repair=True))[check][1]
    assert check not in await found(service)


async def test_every_check_is_in_the_table_of_the_operators(service: Finassist) -> None:
    rows = [
        line.split("|")[1].strip() for line in OPERATIONS.read_text().splitlines() if line.startswith("|")
    ]
    assert set(service.verify.names) <= set(rows)


def test_the_command_names_faults_by_its_status_and_mends_them(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATA_DIR", str(settings.data_dir))
    assert settings.sqlite_path is not None
    settings.sqlite_path.unlink()
    assert main(["verify"]) == 1
    assert "There is no database" in capsys.readouterr().err
    assert not settings.sqlite_path.exists()
    assert main(["quota", "grant", "a" * 24, "1"]) in (0, 1)  # makes the database
    capsys.readouterr()
    with sqlite3.connect(settings.sqlite_path) as connection:
        connection.execute("UPDATE catalog_counts SET records = 3 WHERE is_deleted = 1")
    assert main(["verify"]) == 1
    assert "a catalog with a wrong number of records: catalog_counts" in capsys.readouterr().out
    assert main(["verify", "--repair"]) == 0
    assert "mended: they are counted again" in capsys.readouterr().out
    assert main(["verify"]) == 0
