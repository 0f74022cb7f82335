"""What clients see while the records move to another database."""

from pathlib import Path

from finassist.adapters.sqlite.moving.stores import SqliteMoveSource
from http_service import DEVICE, Service


async def test_writes_are_503_with_retry_after_and_reads_go_on(service: Service, tmp_path: Path) -> None:
    asked = await service.ask("What is a bond?")
    settings = service.finassist.settings
    assert settings.sqlite_path is not None
    source = SqliteMoveSource(settings.sqlite_path, settings.data_dir / "keys")
    await source.open()
    await source.begin("move-1")
    await source.refuse_writes()

    refused = await service.client.post("/api/v1/ai/chat", json={"message": "And a fund?"}, headers=DEVICE)
    assert refused.status_code == 503
    assert refused.json()["error"]["code"] == "SERVICE_UNAVAILABLE"
    assert int(refused.headers["retry-after"]) > 0
    path = f"/api/v1/user/conversations/{asked['conversationId']}/messages"
    read = await service.client.get(path, headers=DEVICE)
    assert read.status_code == 200
    assert len(read.json()["data"]) > 0
    assert (await service.client.get("/health/ready")).status_code == 200

    await source.accept_writes()
    await source.close()
    await service.ask("And a fund?")
