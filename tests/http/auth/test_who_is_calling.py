"""Who a request acts as (contract section 2)."""

from typing import Any

import httpx2
import pytest

from http_service import DEVICE, OTHER_DEVICE, Service, Start, offending

LIST = "/api/v1/user/conversations"


async def ids_of(client: httpx2.AsyncClient, headers: dict[str, str]) -> list[str]:
    response = await client.get(LIST, headers=headers)
    return [conversation["id"] for conversation in response.json()["data"]["conversations"]]


async def test_without_credentials_it_is_401(client: httpx2.AsyncClient) -> None:
    response = await client.get(LIST)
    assert response.status_code == 401
    assert response.json()["error"]["code"] == "UNAUTHORIZED"


async def test_a_device_is_a_guest_with_conversations_of_its_own(service: Service) -> None:
    mine = (await service.ask("What is an ETF?"))["conversationId"]
    assert await ids_of(service.client, DEVICE) == [mine]
    assert await ids_of(service.client, OTHER_DEVICE) == []


async def test_a_bearer_token_is_a_registered_user_whatever_the_device(service: Service) -> None:
    alice = await service.token("alice")
    mine = (await service.ask("What is an ETF?", headers=alice))["conversationId"]
    assert await ids_of(service.client, {**alice, **DEVICE}) == [mine]
    assert await ids_of(service.client, DEVICE) == []


@pytest.mark.parametrize("authorization", ["Bearer x", "Bearer", "Bearer ", "Basic YTpi", "bearer", "x", ""])
async def test_a_bad_token_is_401_also_with_device_headers(
    client: httpx2.AsyncClient, authorization: str
) -> None:
    response = await client.get(LIST, headers={**DEVICE, "Authorization": authorization})
    assert response.status_code == 401
    assert response.json()["error"]["code"] == "UNAUTHORIZED"


async def test_an_expired_token_is_401(service: Service) -> None:
    alice = await service.token("alice")
    service.clock.advance(3600 + 60)
    assert (await service.client.get(LIST, headers={**alice, **DEVICE})).status_code == 401


@pytest.mark.parametrize("device_id", ["", "x" * 129, "tab\there", b"caf\xc3\xa9", b"\x7f"])
async def test_a_malformed_device_id_is_400(client: httpx2.AsyncClient, device_id: Any) -> None:
    assert offending(await client.get(LIST, headers={"x-device-id": device_id})) == {"x-device-id"}


@pytest.mark.parametrize("device_id", ["x", "x" * 128, "~!@# {}"])
async def test_a_device_id_is_1_to_128_printable_characters(
    client: httpx2.AsyncClient, device_id: str
) -> None:
    assert (await client.get(LIST, headers={"x-device-id": device_id})).status_code == 200


@pytest.mark.parametrize("platform", ["", "IOS", "toaster"])
async def test_an_unknown_platform_is_400_and_makes_no_guest(service: Service, platform: str) -> None:
    response = await service.client.get(LIST, headers={"x-device-id": "new", "x-platform": platform})
    assert offending(response) == {"x-platform"}
    assert await service.finassist.adapters.devices.get("new") is None


async def test_wrong_device_headers_are_listed_with_the_rest_for_users_and_guests(service: Service) -> None:
    for credentials in ({}, await service.token()):
        headers = {**credentials, "x-device-id": "x" * 129, "x-platform": "toaster"}
        response = await service.client.get(f"{LIST}?limit=0", headers=headers)
        assert offending(response) == {"x-device-id", "x-platform", "limit"}


async def test_authentication_is_checked_before_the_body(client: httpx2.AsyncClient) -> None:
    for headers in ({}, {**DEVICE, "Authorization": "Bearer forged"}):
        response = await client.post("/api/v1/user/messages/x/feedback", content=b"{", headers=headers)
        assert response.status_code == 401


async def test_unauthenticated_hints_never_change_who_a_call_acts_as(service: Service) -> None:
    alice = await service.token("alice", email="alice@example.com", email_verified=True)
    await service.ask("What is an ETF?", headers=alice)
    launch = await service.client.get("/app/launch", headers={**alice, **OTHER_DEVICE})
    user_id = launch.json()["data"]["appLaunchResponseData"]["userData"]["userId"]
    hints = {**DEVICE, "x-user-id": user_id, "x-user-email": "alice@example.com"}
    assert await ids_of(service.client, hints) == []


async def test_routes_without_authentication_ignore_bad_tokens(client: httpx2.AsyncClient) -> None:
    for path in ("/app/config", "/health/live", "/openapi.json", "/api/v1/ai/health"):
        assert (await client.get(path, headers={"Authorization": "Bearer forged"})).status_code == 200


async def test_new_guests_are_limited_per_address(start: Start) -> None:
    service = await start({"new_guests_per_address_per_hour": 3})
    statuses = [
        (await service.client.get(LIST, headers={"x-device-id": f"device-{number}"})).status_code
        for number in range(5)
    ]
    assert statuses == [200, 200, 200, 429, 429]
    known = await service.client.get(LIST, headers={"x-device-id": "device-0"})
    assert known.status_code == 200
    refused = await service.client.get(LIST, headers={"x-device-id": "device-9"})
    assert refused.json()["error"]["code"] == "RATE_LIMIT_EXCEEDED"
    assert int(refused.headers["Retry-After"]) > 0
