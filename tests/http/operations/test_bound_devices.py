"""Devices bound to a user, remembered and limited hints (contract sections 2 and 13)."""

import httpx2

from finassist.application.auth.callers import DEVICES_PER_DAY
from finassist.application.launch import HINTS_PER_ADDRESS, HINTS_PER_DEVICE
from http_service import ALICE, DEVICE, OTHER_DEVICE, Service, Start, launch

DAY = 24 * 3600


async def user_id_of(service: Service, headers: dict[str, str]) -> str:
    user_id: str = (await service.client.get("/api/v1/auth/me", headers=headers)).json()["data"]["user"]["id"]
    return user_id


async def session_exists(service: Service, headers: dict[str, str]) -> bool:
    exists: bool = (await launch(service, headers))["auth"]["sessionExists"]
    return exists


async def test_a_bound_device_without_a_token_has_its_users_id_and_the_guests_data(service: Service) -> None:
    guest = await launch(service, DEVICE)
    alice = await service.token("alice", **ALICE)
    await launch(service, DEVICE | alice)

    bound = await launch(service, {**DEVICE, "x-user-email": "somebody@example.com"})

    assert bound["userData"] == {**guest["userData"], "userId": await user_id_of(service, alice)}
    assert bound["isOnboardingRequired"] is False
    assert bound["auth"] == {"sessionExists": True, "refreshAllowed": True, "graceWindowSeconds": 300}
    assert bound["freeThreshold"] == guest["freeThreshold"]

    service.clock.advance(3601 + 30)
    expired = await launch(service, DEVICE | alice)
    assert (expired["userData"]["userId"], expired["isOnboardingRequired"]) == (
        bound["userData"]["userId"], False,
    )  # fmt: skip
    assert (expired["userData"]["isLoggedIn"], expired["userData"]["name"]) == (False, "Guest")
    assert expired["userData"]["accessTokenExpiry"] == "2026-03-01T13:00:00.000Z"

    await service.client.post("/api/v1/auth/signout", json={}, headers=DEVICE)
    gone = await launch(service, DEVICE)
    assert (gone["userData"]["userId"], gone["isOnboardingRequired"]) == (guest["userData"]["userId"], True)


async def test_every_call_with_a_token_binds_the_device_that_it_names(service: Service) -> None:
    alice, bob = await service.token("alice"), await service.token("bob")
    await launch(service, DEVICE)
    assert not await session_exists(service, DEVICE)
    await service.ask("What is a bond?", DEVICE | alice)
    assert await session_exists(service, DEVICE)
    await service.client.get("/api/v1/auth/me", headers=OTHER_DEVICE | alice)
    assert await session_exists(service, OTHER_DEVICE), "a device that the service had not seen yet"
    await service.client.get("/api/v1/user/conversations", headers=DEVICE | bob)
    assert (await launch(service, DEVICE))["userData"]["userId"] == await user_id_of(service, bob)
    forged = {**DEVICE, "x-device-id": "device-3", "Authorization": "Bearer nonsense"}
    assert (await service.client.get("/api/v1/auth/me", headers=forged)).status_code == 401
    assert not await session_exists(service, {**DEVICE, "x-device-id": "device-3"})


async def test_a_user_binds_ten_new_devices_a_day(service: Service) -> None:
    alice = await service.token("alice")
    devices = [{**DEVICE, "x-device-id": f"device-{n}"} for n in range(DEVICES_PER_DAY + 1)]
    for device in devices:
        assert (await launch(service, device | alice))["userData"]["isLoggedIn"] is True
    assert [await session_exists(service, device) for device in devices] == [True] * DEVICES_PER_DAY + [False]
    await service.client.post("/api/v1/auth/signout", json={}, headers=devices[0])
    assert (await launch(service, devices[0] | alice))["auth"]["sessionExists"], "not a new device"
    refused = (await launch(service, devices[-1] | alice))["auth"]
    assert (refused["sessionExists"], refused["refreshAllowed"]) == (False, False)

    service.clock.advance(DAY)
    alice = await service.token("alice")
    assert (await launch(service, devices[-1] | alice))["auth"]["sessionExists"]


async def test_a_hint_that_matched_is_remembered(service: Service) -> None:
    user_id = await user_id_of(service, await service.token("alice", **ALICE))
    hinted = await launch(service, {**DEVICE, "x-user-email": "alice@example.com"})
    later = await launch(service, DEVICE)
    for data in (hinted, later):
        assert (data["userData"]["userId"], data["isOnboardingRequired"]) == (user_id, False)
    assert later["userData"]["email"] is None
    assert later["auth"]["sessionExists"] is False


async def test_hints_of_a_device_are_looked_up_ten_times_an_hour(service: Service) -> None:
    user_id = await user_id_of(service, await service.token("alice", **ALICE))
    for _ in range(HINTS_PER_DEVICE):
        await launch(service, {**DEVICE, "x-user-email": "nobody@example.com"})
    hints = {"x-user-email": "alice@example.com"}
    refused = await launch(service, DEVICE | hints)
    assert refused["userData"]["userId"] != user_id
    assert (refused["userData"]["email"], refused["isOnboardingRequired"]) == ("alice@example.com", False)
    service.clock.advance(3600)
    assert (await launch(service, DEVICE | hints))["userData"]["userId"] == user_id


async def test_hints_of_an_address_are_looked_up_sixty_times_an_hour(service: Service) -> None:
    user_id = await user_id_of(service, await service.token("alice", **ALICE))
    hints = {"x-platform": "web", "x-user-email": "alice@example.com"}
    shown = [
        (await launch(service, {**hints, "x-device-id": f"device-{n}"}))["userData"]["userId"] == user_id
        for n in range(HINTS_PER_ADDRESS + 1)
    ]
    assert shown == [True] * HINTS_PER_ADDRESS + [False]


async def test_a_launch_beyond_the_limit_on_new_guests_is_answered_and_the_chat_refused(start: Start) -> None:
    service = await start({"new_guests_per_address_per_hour": 1})
    await launch(service, DEVICE)
    beyond = await launch(service, {**OTHER_DEVICE, "x-user-email": "new@example.com"})
    assert (beyond["userData"]["email"], beyond["userData"]["isLoggedIn"]) == ("new@example.com", False)
    assert beyond["freeThreshold"]["used"] == 0
    with_token = await launch(service, OTHER_DEVICE | await service.token("alice"))
    assert (with_token["userData"]["isLoggedIn"], with_token["auth"]["sessionExists"]) == (True, False)

    async def ask() -> httpx2.Response:
        return await service.client.post("/api/v1/ai/chat", json={"message": "Hi"}, headers=OTHER_DEVICE)

    refused = await ask()
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "RATE_LIMIT_EXCEEDED")
    service.clock.advance(3600)
    assert (await ask()).status_code == 200
    known = await launch(service, OTHER_DEVICE)
    assert known["freeThreshold"]["used"] == 1
