"""What only a bucket has: credentials, links that it serves itself, a network that fails."""

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from engines import rclone
from finassist.adapters.objects.check import check_bucket
from finassist.adapters.objects.s3 import S3ObjectStore
from finassist.domain.errors import NotFound, StorageError
from object_stores import bucket_store, line_to_bucket, use_credentials
from servers.s3_server import Answer, ScriptedS3, refusal, scripted_s3
from servers.tcp_proxy import TcpProxy
from waiting import FACT_SECONDS, until

KEY = "files/0123456789abcdef01234567.pdf"
CONTENT = b"%PDF-1.7 content"
IN_PARTS = bytes(range(251)) * 80_000
"""Three parts."""

SOON = datetime.now(UTC) + timedelta(days=1)


@pytest.fixture
async def store(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[S3ObjectStore]:
    async with bucket_store(monkeypatch) as bucket:
        yield bucket


@pytest.fixture
async def proxy() -> AsyncIterator[TcpProxy]:
    async with line_to_bucket() as line:
        yield line


@pytest.fixture
async def far_store(proxy: TcpProxy, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[S3ObjectStore]:
    """A store behind a line that can be cut."""
    url = f"http://127.0.0.1:{proxy.port}"
    async with bucket_store(monkeypatch, endpoint_url=url, call_seconds=2) as bucket:
        yield bucket


@pytest.fixture
async def script(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ScriptedS3]:
    use_credentials(monkeypatch)
    async with scripted_s3() as server:
        yield server


@pytest.fixture
async def scripted_store(script: ScriptedS3) -> AsyncIterator[S3ObjectStore]:
    store = S3ObjectStore("bucket", endpoint_url=script.url, call_seconds=5)
    yield store
    await store.close()


async def read(store: S3ObjectStore, key: str = KEY) -> bytes:
    return b"".join([piece async for piece in store.open(key)])


async def every_operation_fails(store: S3ObjectStore) -> None:
    for failing in (
        store.put(KEY, CONTENT, "application/pdf"),
        store.put(KEY, IN_PARTS, "application/pdf"),
        read(store),
        store.delete(KEY),
        anext(store.list("", modified_before=SOON)),
        store.discard_unfinished(begun_before=SOON),
    ):
        with pytest.raises(StorageError):
            await failing


# Links


async def test_the_bucket_serves_a_link_as_the_type_and_under_the_name_of_the_file(
    store: S3ObjectStore,
) -> None:
    await store.put(KEY, CONTENT, "application/pdf")
    url = await store.url(
        KEY, filename='Zin"sen\r\n 100 %.pdf', content_type="application/pdf", expires_in=60
    )
    async with httpx2.AsyncClient() as client:
        answer = await client.get(url)
    assert (answer.status_code, answer.content) == (200, CONTENT)
    assert answer.headers["Content-Type"] == "application/pdf"
    assert answer.headers["Content-Disposition"] == (
        "attachment; filename*=UTF-8''Zin%22sen%0D%0A%20100%20%25.pdf"
    )


async def test_a_browser_shows_pictures_alone(store: S3ObjectStore) -> None:
    for content_type, shown in (("image/png", "inline"), ("text/html", "attachment")):
        url = await store.url(KEY, filename="a", content_type=content_type, expires_in=60)
        assert parse_qs(urlsplit(url).query)["response-content-disposition"] == [
            f"{shown}; filename*=UTF-8''a"
        ]


@pytest.mark.parametrize(
    ("old", "new"),
    [(".pdf?", ".png?"), ("application%2Fpdf", "text%2Fhtml"), ("X-Amz-Expires=60", "X-Amz-Expires=61")],
)
async def test_a_forged_link_is_refused(store: S3ObjectStore, old: str, new: str) -> None:
    await store.put(KEY, CONTENT, "application/pdf")
    url = await store.url(KEY, filename="a.pdf", content_type="application/pdf", expires_in=60)
    assert old in url
    async with httpx2.AsyncClient() as client:
        assert (await client.get(url.replace(old, new))).status_code == 403


async def test_a_link_expires(store: S3ObjectStore) -> None:
    await store.put(KEY, CONTENT, "application/pdf")
    url = await store.url(KEY, filename="a.pdf", content_type="application/pdf", expires_in=1)
    async with httpx2.AsyncClient() as client:

        async def expired() -> int:
            status = (await client.get(url)).status_code
            return 0 if status == 200 else status

        assert await until(expired) in (400, 403)


async def test_links_lead_to_where_clients_reach_the_bucket(monkeypatch: pytest.MonkeyPatch) -> None:
    async with bucket_store(monkeypatch, public_endpoint_url="https://files.example.com") as store:
        await store.put(KEY, CONTENT, "application/pdf")
        url = await store.url(KEY, filename="a.pdf", content_type="application/pdf", expires_in=60)
    assert url.startswith(f"https://files.example.com/{rclone.BUCKET}/tests/")


async def test_without_an_endpoint_links_lead_to_aws(monkeypatch: pytest.MonkeyPatch) -> None:
    use_credentials(monkeypatch)
    for region, host in (
        ("", "bills.s3.amazonaws.com"),
        ("eu-central-1", "bills.s3.eu-central-1.amazonaws.com"),
    ):
        store = S3ObjectStore("bills", region=region)
        url = await store.url(KEY, filename="a.pdf", content_type="application/pdf", expires_in=60)
        await store.close()
        assert urlsplit(url).hostname == host


# Credentials and buckets


async def test_wrong_credentials_are_a_storage_error_and_no_log_tells_the_right_ones(
    store: S3ObjectStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await store.put(KEY, CONTENT, "application/pdf")
    use_credentials(monkeypatch, secret="another secret")
    stranger = S3ObjectStore(rclone.BUCKET, endpoint_url=rclone.s3_server())
    caplog.set_level(logging.INFO)
    await every_operation_fails(stranger)
    assert "another secret" not in caplog.text
    await stranger.close()
    assert await read(store) == CONTENT


async def test_no_credentials_are_a_storage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    use_credentials(monkeypatch)
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    store = S3ObjectStore(rclone.BUCKET, endpoint_url=rclone.s3_server())
    with pytest.raises(StorageError):
        await store.put(KEY, CONTENT, "application/pdf")
    with pytest.raises(StorageError):
        await store.url(KEY, filename="a.pdf", content_type="application/pdf", expires_in=60)
    await store.close()


async def test_a_bucket_that_can_be_used_passes_the_check_and_stays_as_it_was(store: S3ObjectStore) -> None:
    assert await check_bucket(store) == []
    assert [each async for each in store.list("", modified_before=SOON)] == []


async def test_the_check_says_what_is_wrong_with_a_bucket(monkeypatch: pytest.MonkeyPatch) -> None:
    use_credentials(monkeypatch)
    (missing,) = await check_bucket(S3ObjectStore("none", endpoint_url=rclone.s3_server()))
    assert "NoSuchBucket" in missing
    (down,) = await check_bucket(S3ObjectStore("none", endpoint_url="http://127.0.0.1:9"))
    assert "EndpointConnectionError" in down
    use_credentials(monkeypatch, secret="another secret")
    (refused,) = await check_bucket(S3ObjectStore(rclone.BUCKET, endpoint_url=rclone.s3_server()))
    assert "SignatureDoesNotMatch" in refused
    assert "secret" not in refused


# A network that fails


async def test_a_bucket_out_of_reach_is_a_storage_error_until_it_is_back(
    far_store: S3ObjectStore, proxy: TcpProxy
) -> None:
    await far_store.put(KEY, CONTENT, "application/pdf")
    await proxy.cut()
    await every_operation_fails(far_store)
    await proxy.restore()
    assert await read(far_store) == CONTENT


async def test_a_bucket_that_does_not_answer_is_a_storage_error_in_time(
    far_store: S3ObjectStore, proxy: TcpProxy
) -> None:
    await far_store.put(KEY, CONTENT, "application/pdf")
    proxy.freeze()
    await every_operation_fails(far_store)
    await proxy.cut()  # what the line still holds is lost, else the deletion would arrive at any time
    await proxy.restore()
    assert await read(far_store) == CONTENT
    await far_store.put("files/2", CONTENT, "application/pdf")
    assert await read(far_store, "files/2") == CONTENT


async def test_a_download_that_stops_halfway_is_a_storage_error(
    far_store: S3ObjectStore, proxy: TcpProxy
) -> None:
    await far_store.put(KEY, IN_PARTS, "application/pdf")
    for stop in (proxy.freeze, proxy.cut):
        await proxy.restore()
        content = far_store.open(KEY)
        assert await anext(content)
        stopping = stop()
        if stopping is not None:
            await stopping
        with pytest.raises(StorageError):
            [piece async for piece in content]


@pytest.mark.parametrize("sent", [0, 5])
async def test_content_that_comes_short_is_a_storage_error(
    scripted_store: S3ObjectStore, script: ScriptedS3, sent: int
) -> None:
    script.answer = lambda operation: Answer(body=b"x" * sent, promised=10)
    with pytest.raises(StorageError):
        await read(scripted_store)


# A bucket that refuses


FULL = [(507, "XMinioStorageFull"), (403, "QuotaExceeded"), (500, "InternalError"), (503, "SlowDown")]


@pytest.mark.parametrize(("status", "code"), FULL)
async def test_a_full_bucket_is_a_storage_error(
    scripted_store: S3ObjectStore, script: ScriptedS3, status: int, code: str
) -> None:
    script.answer = lambda operation: refusal(status, code) if operation == "PUT" else None
    with pytest.raises(StorageError):
        await scripted_store.put(KEY, CONTENT, "application/pdf")
    assert set(script.requests) == {"PUT"}


@pytest.mark.parametrize(
    "failing", ["POST uploads", "PUT part 1", "PUT part 2", "PUT part 3", "POST complete"]
)
async def test_a_bucket_that_is_full_halfway_forgets_the_parts(
    scripted_store: S3ObjectStore, script: ScriptedS3, tmp_path: Path, failing: str
) -> None:
    script.answer = lambda operation: refusal(507, "XMinioStorageFull") if operation == failing else None
    sent = tmp_path / "sent"
    sent.write_bytes(IN_PARTS)
    with pytest.raises(StorageError):
        await scripted_store.put(KEY, sent, "application/pdf")
    assert script.requests[-1] == ("DELETE upload" if failing != "POST uploads" else failing)
    assert "POST complete" not in script.requests or failing == "POST complete"


async def test_an_upload_that_fails_at_its_end_with_status_200_is_a_storage_error(
    scripted_store: S3ObjectStore, script: ScriptedS3
) -> None:
    failed = Answer(200, refusal(500, "InternalError").body)
    script.answer = lambda operation: failed if operation == "POST complete" else None
    with pytest.raises(StorageError):
        await scripted_store.put(KEY, IN_PARTS, "application/pdf")
    assert script.requests[-1] == "DELETE upload"


async def test_parts_that_could_not_be_forgotten_are_found_later(
    store: S3ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = {"Bucket": store._bucket, "Key": f"{store._prefix}{KEY}"}
    await store._client.create_multipart_upload(**upload)
    long_ago = datetime.now(UTC) - timedelta(days=1)
    assert await store.discard_unfinished(begun_before=long_ago) == 0
    assert await store.discard_unfinished(begun_before=SOON) == 1
    assert await store.discard_unfinished(begun_before=SOON) == 0


async def test_content_that_arrives_damaged_is_refused_by_the_bucket(
    store: S3ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.put(KEY, b"old", "application/pdf")

    def of_something_else(content: bytes, **options: object) -> "hashlib._Hash":
        return hashlib.new("md5", content + b"x", usedforsecurity=False)

    monkeypatch.setattr("finassist.adapters.objects.s3.hashlib.md5", of_something_else)
    for content in (CONTENT, IN_PARTS):
        with pytest.raises(StorageError):
            await store.put(KEY, content, "application/pdf")
    assert await read(store) == b"old"
    with pytest.raises(NotFound):
        await read(store, "files/none")


async def test_of_many_uploads_few_are_in_memory(script: ScriptedS3) -> None:
    open_now, most = 0, 0
    store = S3ObjectStore("bucket", endpoint_url=script.url, call_seconds=FACT_SECONDS)

    async def counted() -> AsyncIterator[bytes]:
        nonlocal open_now, most
        open_now, most = open_now + 1, max(most, open_now + 1)
        yield IN_PARTS
        await asyncio.sleep(0)
        open_now -= 1

    await asyncio.gather(*(store.put(KEY, counted(), "application/pdf") for _ in range(30)))
    await store.close()
    assert most <= 6
