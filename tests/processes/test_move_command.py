"""``finassist move`` takes an installation from one host's disk to servers, and back."""

import asyncio
import secrets
from pathlib import Path

import pytest

from engines import rclone
from engines.mongodb import empty_mongodb
from finassist.adapters.system.secret_file import load_or_create_secret
from finassist.composition.application import Finassist
from finassist.composition.container import open_container
from finassist.domain.files.content import FileKind
from finassist.domain.files.record import StoredFile
from finassist.domain.users import Platform
from finassist.entrypoints.cli.main import main
from object_stores import use_credentials
from stores import NOW, new_id

CONTENT = b"%PDF-1.7 a statement"
SIGNED_IN: list[str] = []


async def use_everything(finassist: Finassist) -> str:
    """A user with a file; returns the file's id."""
    tokens = await finassist.adapters.key_store.load()
    SIGNED_IN[:] = [key.kid or "" for key in tokens]
    await finassist.adapters.devices.get_or_create(
        "phone-1", Platform.IOS, guest_user_id=new_id(), guest_owner_id=new_id(), now=NOW
    )
    file = StoredFile(
        id=new_id(), owner_id="owner-1", conversation_id=None, filename="statement.pdf",
        mime_type="application/pdf", size=len(CONTENT), kind=FileKind.PDF, created_at=NOW, updated_at=NOW,
    )  # fmt: skip
    await finassist.adapters.object_store.put(file.key, CONTENT, file.mime_type)
    await finassist.adapters.files.add(file)
    return file.id


async def is_there(finassist: Finassist, file_id: str) -> bool:
    """Whether the file, its content, the device and the signing keys are."""
    adapters = finassist.adapters
    file = await adapters.files.get(file_id)
    assert file is not None
    content = b"".join([piece async for piece in adapters.object_store.open(file.key)])
    keys = [key.kid for key in await adapters.key_store.load()]
    return content == CONTENT and keys == SIGNED_IN and await adapters.devices.get("phone-1") is not None


def test_an_installation_moves_to_servers_and_back(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    data_dir: Path,
    tmp_path: Path,
) -> None:
    use_credentials(monkeypatch)
    monkeypatch.setenv("S3_ENDPOINT_URL", rclone.s3_server())
    monkeypatch.setenv("EMBEDDINGS_MODEL", "none")
    monkeypatch.setenv("SECRET_KEY", load_or_create_secret(data_dir).decode())
    bucket = f"s3://{rclone.BUCKET}/{secrets.token_hex(6)}"

    async def before() -> str:
        async with open_container() as finassist:
            return await use_everything(finassist)

    async def after(file_id: str) -> bool:
        async with open_container() as finassist:
            return await is_there(finassist, file_id)

    file_id = asyncio.run(before())
    with empty_mongodb() as url:
        there = ["move", "--to", url, "--objects", bucket]
        assert main(there) == 0
        assert main(there) == 0
        assert main([*there, "--finish"]) == 0
        printed = capsys.readouterr()
        assert "Writes are refused from now on." in printed.err
        assert "records are the same in both databases" in printed.out
        monkeypatch.setenv("DATABASE_URL", url)
        monkeypatch.setenv("OBJECT_STORE_URL", bucket)
        assert asyncio.run(after(file_id))

        new = tmp_path / "new"
        back = ["move", "--to", f"sqlite:///{new / 'finassist.db'}", "--objects", str(new / "objects")]
        assert main([*back, "--finish"]) == 0
    monkeypatch.delenv("DATABASE_URL")
    monkeypatch.delenv("OBJECT_STORE_URL")
    monkeypatch.setenv("DATA_DIR", str(new))
    assert asyncio.run(after(file_id))


def test_what_cannot_be_moved_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], data_dir: Path
) -> None:
    monkeypatch.setenv("SECRET_KEY", "a-secret-key-for-the-tests-of-the-cli")
    assert main(["move", "--to", f"sqlite:///{data_dir / 'finassist.db'}"]) == 2
    assert "nothing to move" in capsys.readouterr().err
    assert main(["move", "--to", f"sqlite:///{data_dir / 'other.db'}"]) == 1
    assert "There is no database" in capsys.readouterr().err
    monkeypatch.delenv("SECRET_KEY")
    assert main(["move", "--to", "mongodb://127.0.0.1:1/finassist"]) == 2
    assert "SECRET_KEY" in capsys.readouterr().err
