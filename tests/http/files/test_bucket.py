"""Files in a bucket, as clients see them: links, and what a bucket that fails means for a request."""

from collections.abc import AsyncIterator

import httpx2
import pytest

from finassist.adapters.objects.s3 import S3ObjectStore
from http_service import Service, Start
from object_stores import bucket_store, line_to_bucket, use_credentials
from pictures import encoded, opened, picture
from servers.s3_server import refusal, scripted_s3
from servers.tcp_proxy import TcpProxy

PHOTOGRAPH = encoded(picture((640, 480)), "JPEG")


@pytest.fixture
async def proxy() -> AsyncIterator[TcpProxy]:
    async with line_to_bucket() as line:
        yield line


@pytest.fixture
async def service(start: Start, proxy: TcpProxy, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Service]:
    url = f"http://127.0.0.1:{proxy.port}"
    async with bucket_store(monkeypatch, endpoint_url=url, call_seconds=1) as store:
        yield await start(object_store=store)


async def upload(service: Service) -> httpx2.Response:
    return await service.client.patch(
        "/api/v1/auth/me", files={"avatar": ("me.jpg", PHOTOGRAPH)}, headers=await service.token()
    )


async def avatar_url(service: Service) -> str | None:
    response = await service.client.get("/api/v1/auth/me", headers=await service.token())
    assert response.status_code == 200
    url: str | None = response.json()["data"]["user"]["avatarUrl"]
    return url


async def test_a_link_leads_to_the_bucket(service: Service) -> None:
    url = (await upload(service)).json()["data"]["user"]["avatarUrl"]
    async with httpx2.AsyncClient() as anybody:
        answer = await anybody.get(url)
    assert answer.headers["Content-Type"] == "image/webp"
    assert opened(answer.content).size == (512, 384)


@pytest.mark.parametrize("trouble", ["down", "slow"])
async def test_a_bucket_out_of_reach_is_a_storage_error_and_changes_nothing(
    service: Service, proxy: TcpProxy, trouble: str
) -> None:
    if trouble == "down":
        await proxy.cut()
    else:
        proxy.freeze()
    response = await upload(service)
    assert response.status_code == 500
    assert response.json()["error"]["code"] == "STORAGE_ERROR"
    assert await avatar_url(service) is None
    await proxy.restore()
    assert (await upload(service)).status_code == 200
    assert await avatar_url(service) is not None


@pytest.mark.parametrize(("status", "code"), [(507, "XMinioStorageFull"), (403, "AccessDenied")])
async def test_a_bucket_that_refuses_is_a_storage_error_that_tells_nothing_of_it(
    start: Start, monkeypatch: pytest.MonkeyPatch, status: int, code: str
) -> None:
    use_credentials(monkeypatch)
    async with scripted_s3() as script:
        script.answer = lambda operation: refusal(status, code)
        store = S3ObjectStore("bucket", endpoint_url=script.url, call_seconds=5)
        service = await start(object_store=store)
        response = await upload(service)
        assert response.status_code == 500
        assert response.json()["error"]["code"] == "STORAGE_ERROR"
        assert code not in response.text
        assert script.url not in response.text
        assert await avatar_url(service) is None
