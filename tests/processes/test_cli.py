"""The command line with a real database, a real bucket, a real Weaviate and a real pipe."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from engines import rclone
from engines.mongodb import empty_mongodb
from engines.weaviate import weaviate_url
from finassist.entrypoints.cli.main import main
from object_stores import use_credentials
from stores import open_store

pytestmark = pytest.mark.usefixtures("data_dir")

ARTICLE = {"id": "zebra-fund", "title": "Zebra funds", "body": "A zebra fund keeps striped savings apart."}


def test_check_config_says_what_the_database_lacks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SECRET_KEY", "a-secret-key-for-the-tests-of-the-cli")
    with empty_mongodb() as url:
        monkeypatch.setenv("DATABASE_URL", url)
        open_and_close(url)
        client: MongoClient[dict[str, Any]]
        with MongoClient(url) as client:
            client.get_default_database()["messages"].drop_index("messages_running")
        assert main(["check-config"]) == 1
        assert "the index messages_running is missing" in capsys.readouterr().err
        open_and_close(url)
        assert main(["check-config"]) == 0
        printed = capsys.readouterr()
    assert "each host has its own knowledge base" in printed.out
    assert printed.err == ""


def open_and_close(url: str) -> None:
    async def once() -> None:
        async with open_store(url):
            pass

    asyncio.run(once())


def test_check_config_uses_the_bucket_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], data_dir: Path
) -> None:
    use_credentials(monkeypatch)
    monkeypatch.setenv("S3_ENDPOINT_URL", rclone.s3_server())
    monkeypatch.setenv("OBJECT_STORE_URL", f"s3://{rclone.BUCKET}/check")
    assert main(["check-config"]) == 0
    monkeypatch.setenv("OBJECT_STORE_URL", "s3://none")
    assert main(["check-config"]) == 1
    assert "the bucket cannot be used: PutObject was answered with NoSuchBucket" in capsys.readouterr().err
    assert not data_dir.exists()


def test_a_reader_that_has_seen_enough_is_no_error(data_dir: Path) -> None:
    command = f"{sys.executable} -m finassist knowledge list | head -1"
    shown = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert len(shown.stdout.splitlines()) == 1
    assert shown.stderr == ""


def test_commands_work_on_weaviate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    articles = tmp_path / "a.jsonl"
    articles.write_text(json.dumps(ARTICLE))
    monkeypatch.setenv("VECTOR_STORE_URL", weaviate_url())
    assert main(["check-config"]) == 0
    assert main(["knowledge", "add", str(articles)]) == 0
    assert main(["knowledge", "search", "zebra", "--json"]) == 0
    *_, found = capsys.readouterr().out.splitlines()
    assert json.loads(found)[0]["id"] == "zebra-fund"
    assert main(["knowledge", "list"]) == 0
    assert "zebra-fund\tZebra funds\n" in capsys.readouterr().out
