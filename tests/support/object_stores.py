"""Object stores for the tests: a folder, and a bucket of a real server."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from engines import rclone
from finassist.adapters.objects.local import LocalObjectStore
from finassist.adapters.objects.s3 import S3ObjectStore
from finassist.adapters.system.fingerprints import HmacFingerprints
from finassist.testing import FakeClock
from servers.tcp_proxy import TcpProxy


def use_credentials(monkeypatch: pytest.MonkeyPatch, *, secret: str = rclone.SECRET) -> None:
    """Set the environment that the vendor's client reads."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", rclone.ACCESS_KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", secret)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)


@asynccontextmanager
async def bucket_store(
    monkeypatch: pytest.MonkeyPatch, *, endpoint_url: str = "", **options: Any
) -> AsyncIterator[S3ObjectStore]:
    """An empty store in the bucket; ``endpoint_url`` may lead there by another way."""
    use_credentials(monkeypatch)
    url = endpoint_url or rclone.s3_server()
    store = S3ObjectStore(rclone.BUCKET, f"/tests/{secrets.token_hex(6)}", endpoint_url=url, **options)
    await store.connect()
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def line_to_bucket() -> AsyncIterator[TcpProxy]:
    """Another way to the server of the bucket, which can be cut."""
    server = urlsplit(rclone.s3_server())
    proxy = TcpProxy(server.hostname or "", server.port or 0)
    await proxy.restore()
    yield proxy
    await proxy.cut()


def folder_store(folder: Path) -> LocalObjectStore:
    """A store in the folder."""
    return LocalObjectStore(folder, base_url="", fingerprints=HmacFingerprints(b"key"), clock=FakeClock())
