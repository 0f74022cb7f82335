"""Somebody who lets the model work without paying for it, or fills the disk (contract section 13: stopped
turns, files of turns that are not charged, the storage quota)."""

import asyncio
import base64
from collections import Counter
from typing import Any

import httpx2
import pytest

from file_service import FILES, PDF, send
from finassist.testing import ScriptedModel, model_failure
from http_service import DEVICE, Service, Start
from raw_records import texts_of

DAY = 24 * 3600
CHAT = "/api/v1/ai/chat"
MEGABYTE = 2**20


def thinking() -> ScriptedModel:
    """A model that is still thinking when it is stopped."""
    return ScriptedModel((asyncio.Event(),))


def inline(size: int = 6) -> dict[str, str]:
    content = base64.b64encode(b"a" * size).decode()
    return {"data": content, "mimeType": "text/plain", "filename": "note.txt"}


async def chat(service: Service, headers: dict[str, str] = DEVICE, **body: Any) -> httpx2.Response:
    return await service.client.post(CHAT, json={"message": "What is a bond?", **body}, headers=headers)


async def stopped(
    service: Service, key: str, headers: dict[str, str] = DEVICE, **body: Any
) -> dict[str, Any]:
    """A turn that is stopped before its first token."""
    asking = asyncio.create_task(chat(service, {**headers, "Idempotency-Key": key}, **body))
    stop = {**headers, "Idempotency-Key": key}
    while not asking.done():
        await asyncio.sleep(0.01)
        await service.client.post(f"{CHAT}/stop", headers=stop)
    response = await asking
    assert response.status_code == 200, response.text
    data: dict[str, Any] = response.json()["data"]
    assert data["finishReason"] == "stopped"
    return data


async def used(service: Service, headers: dict[str, str] = DEVICE) -> int:
    launched = (await service.client.get("/app/launch", headers=headers)).json()["data"]
    count: int = launched["appLaunchResponseData"]["freeThreshold"]["used"]
    return count


async def attached(service: Service, data: dict[str, Any], headers: dict[str, str] = DEVICE) -> list[Any]:
    path = f"/api/v1/user/conversations/{data['conversationId']}/messages"
    listed = (await service.client.get(path, headers=headers)).json()["data"]["messages"]
    return [(file["filename"], file["url"] is None) for file in listed[0]["attachments"]]


async def storage(service: Service, headers: dict[str, str]) -> dict[str, int]:
    me = (await service.client.get("/api/v1/auth/me", headers=headers)).json()["data"]
    use: dict[str, int] = me["usage"]["storage"]
    return use


async def upload(service: Service, headers: dict[str, str], size: int) -> httpx2.Response:
    return await send(service, headers, PDF + b"\n%" + b"x" * (size - len(PDF) - 2))


def files_stored(database: dict[str, Any]) -> int:
    return len([name for name, _ in texts_of(database["database_url"]) if name == "files"])


async def test_the_fourth_turn_of_a_day_that_is_stopped_before_its_first_token_counts(start: Start) -> None:
    service = await start(language_model=thinking())
    told = [(await stopped(service, f"key-{n}"))["freeThreshold"]["used"] for n in range(5)]
    assert told == [0, 0, 0, 1, 2]
    assert await used(service) == 2
    service.clock.advance(DAY)
    await stopped(service, "next-day")
    assert await used(service) == 2


async def test_parallel_turns_that_are_stopped_are_given_back_three_times_exactly(start: Start) -> None:
    service = await start(language_model=thinking())
    await asyncio.gather(*(stopped(service, f"key-{n}") for n in range(9)))
    assert await used(service) == 6


async def test_stopping_a_turn_again_and_again_is_one_of_the_three(start: Start) -> None:
    service = await start(language_model=thinking())
    data = await stopped(service, "once")
    for _ in range(5):
        await service.client.post(f"{CHAT}/{data['messageId']}/stop", headers=DEVICE)
    await stopped(service, "twice")
    await stopped(service, "third")
    assert await used(service) == 0


async def test_each_user_has_three_of_them(start: Start) -> None:
    service = await start(language_model=thinking())
    for n in range(4):
        await stopped(service, f"key-{n}")
    bob = await service.token("bob")
    assert (await stopped(service, "of-bob", bob))["freeThreshold"]["used"] == 0


async def test_files_of_a_turn_that_is_given_back_are_not_kept(
    start: Start, database: dict[str, Any]
) -> None:
    service = await start(language_model=thinking())
    for n in range(3):
        data = await stopped(service, f"key-{n}", attachments=[inline(), inline()])
        assert files_stored(database) == 0
        assert await attached(service, data) == [("note.txt", True)] * 2
    await stopped(service, "charged", attachments=[inline(), inline()])
    assert files_stored(database) == 2


async def test_files_of_a_turn_that_failed_are_not_kept(start: Start, database: dict[str, Any]) -> None:
    service = await start(language_model=ScriptedModel([model_failure()]))
    failed = await chat(service, attachments=[inline()])
    assert (failed.status_code, files_stored(database)) == (500, 0)
    service.model.script = ("",)
    unanswered = (await chat(service, attachments=[inline()])).json()["data"]
    assert (unanswered["finishReason"], files_stored(database)) == ("fallback", 0)
    service.model.script = ("Here.",)
    await chat(service, attachments=[inline()])
    assert files_stored(database) == 1


async def test_files_that_were_uploaded_before_stay_when_a_turn_is_given_back(
    start: Start, database: dict[str, Any]
) -> None:
    service = await start(language_model=thinking())
    alice = await service.token("alice")
    file = (await send(service, alice)).json()["data"]
    data = await stopped(service, "key", alice, attachments=[{"fileId": file["id"]}, inline()])
    assert await attached(service, data, alice) == [("statement.pdf", False), ("note.txt", True)]
    assert files_stored(database) == 1


@pytest.fixture
async def small(start: Start) -> Service:
    """A service that keeps one megabyte of files of an owner."""
    return await start({"storage_quota_mb": 1})


async def test_an_owner_stores_no_more_than_the_quota(small: Service, database: dict[str, Any]) -> None:
    alice = await small.token("alice")
    statuses = [(await upload(small, alice, 300_000)).status_code for _ in range(4)]
    assert statuses == [201] * 3 + [413]
    refused = await upload(small, alice, 300_000)
    assert refused.json()["error"]["code"] == "PAYLOAD_TOO_LARGE"
    assert refused.json()["error"]["details"] == {"usedBytes": 900_000, "totalBytes": MEGABYTE}
    assert "1 MB" in refused.json()["error"]["message"]
    assert await storage(small, alice) == {"usedBytes": 900_000, "totalBytes": MEGABYTE}
    assert (await upload(small, alice, 100_000)).status_code == 201, "a smaller one fits in"
    assert (await upload(small, await small.token("bob"), 300_000)).status_code == 201
    assert files_stored(database) == 5


async def test_parallel_uploads_do_not_get_past_the_quota(small: Service, database: dict[str, Any]) -> None:
    alice = await small.token("alice")
    responses = await asyncio.gather(*(upload(small, alice, 200_000) for _ in range(12)))
    assert Counter(response.status_code for response in responses) == {201: 5, 413: 7}
    assert await storage(small, alice) == {"usedBytes": 1_000_000, "totalBytes": MEGABYTE}
    assert files_stored(database) == 5


async def test_files_of_messages_count_and_a_full_store_refuses_the_turn(
    small: Service, database: dict[str, Any]
) -> None:
    assert [(await chat(small, attachments=[inline(500_000)])).status_code for _ in range(2)] == [200] * 2
    refused = await chat(small, attachments=[inline(500_000)])
    assert (refused.status_code, refused.json()["error"]["code"]) == (413, "PAYLOAD_TOO_LARGE")
    assert refused.json()["error"]["details"] == {"usedBytes": 1_000_000, "totalBytes": MEGABYTE}
    two = await chat(small, attachments=[inline(30_000), inline(30_000)])
    assert (two.status_code, files_stored(database)) == (413, 2), "all files of a message, or none"
    assert await used(small) == 2
    assert (await chat(small)).status_code == 200


async def test_no_file_is_opened_for_an_owner_whose_store_is_full(small: Service) -> None:
    alice = await small.token("alice")
    assert (await upload(small, alice, MEGABYTE)).status_code == 201
    broken = await send(small, alice, b"%PDF-1.7 nothing of this can be read")
    assert (broken.status_code, broken.json()["error"]["code"]) == (413, "PAYLOAD_TOO_LARGE")
    picture = {**inline(), "mimeType": "image/png", "filename": "a.png"}
    assert (await chat(small, alice, attachments=[picture])).status_code == 413


async def test_deleted_files_make_room(small: Service) -> None:
    alice = await small.token("alice")
    file = (await upload(small, alice, MEGABYTE)).json()["data"]
    assert (await upload(small, alice, 1000)).status_code == 413
    assert (await small.client.delete(f"{FILES}/{file['id']}", headers=alice)).status_code == 200
    assert (await upload(small, alice, MEGABYTE)).status_code == 201


async def test_files_of_claimed_guests_count_for_the_user(small: Service) -> None:
    for n in range(3):
        device = {"x-device-id": f"device-{n}", "x-platform": "web"}
        assert (await chat(small, device, attachments=[inline(400_000)])).status_code == 200
        await small.client.get("/app/launch", headers=device | await small.token("alice"))
    alice = await small.token("alice")
    assert await storage(small, alice) == {"usedBytes": 1_200_000, "totalBytes": MEGABYTE}
    assert (await upload(small, alice, 1000)).status_code == 413


async def test_a_store_without_quota_takes_what_comes(start: Start) -> None:
    service = await start({"storage_quota_mb": 0})
    alice = await service.token("alice")
    assert {(await upload(service, alice, MEGABYTE)).status_code for _ in range(2)} == {201}
    assert await storage(service, alice) == {"usedBytes": 2 * MEGABYTE, "totalBytes": None}
