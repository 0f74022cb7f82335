"""Somebody who invents device ids, or knows somebody else's (contract section 13, "Launch and sessions")."""

import asyncio
from itertools import islice
from typing import Any

import httpx2
import pytest

from addresses import everywhere, sent_from
from http_service import DEVICE, Service, Start
from raw_records import texts_of
from shares_over_http import PUBLIC, share

ATTACKER = sent_from("203.0.113.66")
CONVERSATIONS = "/api/v1/user/conversations"


def device(number: int) -> dict[str, str]:
    return {"x-device-id": f"invented-{number}", "x-platform": "ios"}


async def launch(service: Service, headers: dict[str, str]) -> httpx2.Response:
    return await service.client.get("/app/launch", headers=headers)


async def is_bound(service: Service, headers: dict[str, str]) -> bool:
    response = await launch(service, headers)
    assert response.status_code == 200, response.text
    bound: bool = response.json()["data"]["appLaunchResponseData"]["auth"]["sessionExists"]
    return bound


async def titles(service: Service, headers: dict[str, str]) -> list[str]:
    response = await service.client.get(CONVERSATIONS, headers=headers)
    assert response.status_code == 200, response.text
    return [each["title"] for each in response.json()["data"]["conversations"]]


def devices_stored(database: dict[str, Any]) -> int:
    return len([name for name, _ in texts_of(database["database_url"]) if name == "devices"])


@pytest.fixture
async def locked(service: Service) -> dict[str, str]:
    """A device whose guest has asked something, and whose client sends its secret."""
    first = await launch(service, DEVICE)
    secret = {"X-Device-Token": first.headers["X-Device-Token"]}
    await service.ask("What is a bond?", DEVICE | secret)
    return secret


async def test_signed_in_launches_of_invented_devices_count_as_new_devices_of_their_address(
    start: Start,
) -> None:
    service = await start({"new_guests_per_address_per_hour": 3})
    alice = await service.token("alice")
    assert [await is_bound(service, device(n) | alice | ATTACKER) for n in range(5)] == [True] * 3 + [
        False
    ] * 2
    asked = await service.client.post("/api/v1/ai/chat", json={"message": "Hi"}, headers=device(9) | ATTACKER)
    assert asked.status_code == 429


async def test_a_user_binds_ten_invented_devices_a_day_from_wherever_and_no_more_are_stored(
    service: Service, database: dict[str, Any]
) -> None:
    alice = await service.token("alice")
    headers = [device(n) | alice | address for n, address in enumerate(islice(everywhere(), 14))]
    bound = await asyncio.gather(*(is_bound(service, each) for each in headers))
    assert bound.count(True) == 10
    assert devices_stored(database) == 10


async def test_other_signed_in_calls_bind_no_more_devices_than_launches(
    service: Service, database: dict[str, Any]
) -> None:
    alice = await service.token("alice")
    for n in range(14):
        assert (await service.client.get("/api/v1/auth/me", headers=device(n) | alice)).status_code == 200
    assert devices_stored(database) == 10


async def test_no_more_than_ten_guests_a_day_are_claimed_with_their_ids_alone(service: Service) -> None:
    for n in range(12):
        await service.ask(f"Question {n}", device(n))
    alice = await service.token("alice")
    for n in range(12):
        assert (await launch(service, device(n) | alice)).status_code == 200
    assert len(await titles(service, alice)) == 10


async def test_a_locked_guest_is_reached_with_its_secret_alone(
    service: Service, locked: dict[str, str]
) -> None:
    tries: list[tuple[str, str, Any]] = [
        ("GET", "/app/launch", None),
        ("GET", CONVERSATIONS, None),
        ("POST", "/api/v1/ai/chat", {"message": "Hi"}),
        ("GET", "/api/v1/auth/me/export", None),
        ("DELETE", "/api/v1/auth/me", {}),
    ]
    for wrong in ({}, {"X-Device-Token": "x" * 43}, {"X-Device-Token": ""}):
        for method, path, body in tries:
            headers = DEVICE | ATTACKER | wrong
            response = await service.client.request(method, path, json=body, headers=headers)
            assert (response.status_code, response.json()["error"]["code"]) == (401, "UNAUTHORIZED"), path
            assert "X-Device-Token" not in response.headers
    assert await titles(service, DEVICE | locked) == ["What is a bond?"]


async def test_a_locked_guest_is_claimed_with_its_secret_alone(
    service: Service, locked: dict[str, str]
) -> None:
    mallory, alice = await service.token("mallory"), await service.token("alice")
    assert (await launch(service, DEVICE | mallory | ATTACKER)).status_code == 401
    assert (await launch(service, DEVICE | mallory | {"X-Device-Token": "guessed"})).status_code == 401
    assert await titles(service, mallory) == []
    assert (await launch(service, DEVICE | alice | locked)).status_code == 200
    assert await titles(service, alice) == ["What is a bond?"]


async def test_a_locked_device_is_neither_bound_nor_unbound_without_its_secret(
    service: Service, locked: dict[str, str]
) -> None:
    alice, mallory = await service.token("alice"), await service.token("mallory")
    await launch(service, DEVICE | alice | locked)
    assert await titles(service, DEVICE | mallory) == []
    own = (await service.client.get("/api/v1/auth/me", headers=alice)).json()["data"]["user"]["id"]

    async def bound_to() -> str:
        data = (await launch(service, DEVICE | locked)).json()["data"]["appLaunchResponseData"]
        user_id: str = data["userData"]["userId"]
        return user_id

    assert await bound_to() == own
    await service.client.post("/api/v1/auth/signout", json={}, headers=DEVICE)
    assert await bound_to() == own
    await service.client.post("/api/v1/auth/signout", json={}, headers=DEVICE | locked)
    assert await bound_to() != own


async def test_a_guest_whose_client_ignores_the_secret_is_reached_as_before(service: Service) -> None:
    assert "X-Device-Token" in (await launch(service, DEVICE)).headers
    await service.ask("What is a bond?", DEVICE)
    assert await titles(service, DEVICE) == ["What is a bond?"]
    assert await titles(service, DEVICE | {"X-Device-Token": "of another service"}) == ["What is a bond?"]
    alice = await service.token("alice")
    assert (await launch(service, DEVICE | alice)).status_code == 200
    assert await titles(service, alice) == ["What is a bond?"]


async def test_the_secret_is_given_once_however_many_ask_at_once(service: Service) -> None:
    responses = await asyncio.gather(*(launch(service, DEVICE) for _ in range(12)))
    assert {response.status_code for response in responses} == {200}
    assert sum("X-Device-Token" in response.headers for response in responses) == 1
    later = await service.client.post("/api/v1/ai/chat", json={"message": "Hi"}, headers=DEVICE)
    assert "X-Device-Token" not in later.headers


async def test_the_first_chat_gives_the_secret_when_no_launch_has(service: Service) -> None:
    assert (await service.client.get(CONVERSATIONS, headers=DEVICE)).status_code == 200
    wrong = await service.client.post("/api/v1/ai/chat", json={"message": ""}, headers=DEVICE)
    assert wrong.status_code == 400
    secret = {"X-Device-Token": wrong.headers["X-Device-Token"]}
    stream = {**DEVICE, **secret, "X-Stream-Response": "true"}
    response = await service.client.post("/api/v1/ai/chat", json={"message": "Hi"}, headers=stream)
    assert (response.status_code, "X-Device-Token" in response.headers) == (200, False)
    assert (await launch(service, DEVICE)).status_code == 401


async def test_a_first_chat_with_a_token_gives_the_secret_too(service: Service) -> None:
    signed_in = DEVICE | await service.token("alice")
    response = await service.client.post("/api/v1/ai/chat", json={"message": "Hi"}, headers=signed_in)
    assert len(response.headers["X-Device-Token"]) >= 43


async def test_only_a_hash_of_the_secret_is_stored(
    service: Service, locked: dict[str, str], database: dict[str, Any]
) -> None:
    secret = locked["X-Device-Token"]
    assert not any(secret in text for _, text in texts_of(database["database_url"]))
    alice = await service.token("alice")
    await launch(service, DEVICE | alice | locked)
    exported = await service.client.get("/api/v1/auth/me/export", headers=alice)
    assert exported.status_code == 200
    assert secret.encode() not in exported.content


async def test_an_erased_guest_begins_again_without_a_lock(service: Service, locked: dict[str, str]) -> None:
    erased = await service.client.request("DELETE", "/api/v1/auth/me", json={}, headers=DEVICE | locked)
    assert erased.status_code == 200, erased.text
    again = await launch(service, DEVICE | locked)
    assert again.status_code == 200
    assert again.headers["X-Device-Token"] != locked["X-Device-Token"]


async def test_a_copy_of_a_share_does_not_go_to_a_locked_guest(
    service: Service, locked: dict[str, str]
) -> None:
    link = f"{PUBLIC}/{(await share(service, await service.token('owner')))['shareId']}"
    assert (await service.client.post(f"{link}/continue", headers=DEVICE)).status_code == 401
    assert (await service.client.post(f"{link}/continue", headers=DEVICE | locked)).status_code == 201
