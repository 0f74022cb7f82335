"""The sessions of a user over HTTP (contract section 13, "Accounts")."""

import asyncio
from typing import Any

import httpx2

from finassist.application.auth.callers import DEVICES_PER_DAY
from finassist.testing import FakeClock, StubIdentityProvider
from http_service import ANN, DEVICE, OTHER_DEVICE, Service, Start

BEN = {"email": "ben@example.org", "password": "Secret-123", "name": "Ben"}
SESSIONS = "/api/v1/auth/sessions"


async def sign(service: Service, path: str, body: dict[str, str], **headers: str) -> dict[str, Any]:
    response = await service.client.post(f"/api/v1/auth/{path}", json=body, headers=headers)
    assert response.status_code in (200, 201), response.text
    data: dict[str, Any] = response.json()["data"]
    return data


def bearer(data: dict[str, Any]) -> dict[str, str]:
    return {"Authorization": f"Bearer {data['accessToken']}"}


async def listed(service: Service, data: dict[str, Any]) -> list[dict[str, Any]]:
    response = await service.client.get(SESSIONS, headers=bearer(data))
    assert response.status_code == 200, response.text
    sessions: list[dict[str, Any]] = response.json()["data"]["sessions"]
    return sessions


async def profile_status(service: Service, data: dict[str, Any]) -> int:
    return (await service.client.get("/api/v1/auth/me", headers=bearer(data))).status_code


async def refresh(service: Service, token: str) -> httpx2.Response:
    return await service.client.post("/api/v1/auth/refresh", json={"refreshToken": token})


async def test_every_sign_in_is_a_session_with_its_device(service: Service) -> None:
    first = await sign(service, "signup", ANN, **DEVICE)
    service.clock.advance(60)
    second = await sign(service, "signin", ANN, **OTHER_DEVICE)

    newest, oldest = await listed(service, second)

    assert set(newest) == {"id", "deviceId", "platform", "createdAt", "lastSeenAt", "current", "devices"}
    assert (newest["deviceId"], newest["platform"], newest["current"]) == ("device-2", "web", True)
    assert (oldest["deviceId"], oldest["platform"], oldest["current"]) == ("device-1", "ios", False)
    assert oldest["createdAt"] < newest["createdAt"]
    assert [each["current"] for each in await listed(service, first)] == [False, True]


async def test_the_first_request_that_names_a_device_tells_where_a_session_is(service: Service) -> None:
    ann = await sign(service, "signup", ANN)
    assert (await listed(service, ann))[0]["deviceId"] is None

    await service.client.get("/api/v1/auth/me", headers={**bearer(ann), **DEVICE})

    [session] = await listed(service, ann)
    assert (session["deviceId"], session["platform"]) == ("device-1", "ios")


async def test_a_session_lists_every_device_that_it_bound_and_no_other(service: Service) -> None:
    ann = await sign(service, "signup", ANN, **DEVICE)
    service.clock.advance(60)
    await sign(service, "refresh", {"refreshToken": ann["refreshToken"]}, **OTHER_DEVICE)
    for n in range(DEVICES_PER_DAY):
        await service.client.get("/api/v1/auth/me", headers={**bearer(ann), "x-device-id": f"more-{n}"})

    [session] = await listed(service, ann)
    assert (session["deviceId"], session["platform"]) == ("device-1", "ios")
    assert session["devices"][:3] == [
        {"deviceId": "device-1", "platform": "ios"},
        {"deviceId": "device-2", "platform": "web"},
        {"deviceId": "more-0", "platform": None},
    ]
    assert len(session["devices"]) == DEVICES_PER_DAY


async def test_a_session_is_seen_by_its_requests(service: Service) -> None:
    ann = await sign(service, "signup", ANN)
    service.clock.advance(600)
    await profile_status(service, ann)

    [session] = await listed(service, ann)
    assert session["lastSeenAt"] > session["createdAt"]


async def test_an_ended_session_is_refused_with_its_refresh_token(service: Service) -> None:
    phone, laptop = await sign(service, "signup", ANN), await sign(service, "signin", ANN)
    [_, ended] = await listed(service, laptop)

    response = await service.client.delete(f"{SESSIONS}/{ended['id']}", headers=bearer(laptop))

    assert response.json()["data"] == {"deleted": True, "sessionId": ended["id"]}
    assert await profile_status(service, phone) == 401
    assert (await refresh(service, phone["refreshToken"])).status_code == 401
    assert await profile_status(service, laptop) == 200
    again = await service.client.delete(f"{SESSIONS}/{ended['id']}", headers=bearer(laptop))
    assert again.status_code == 404


async def test_a_session_that_ended_in_another_process_is_refused_within_five_seconds(start: Start) -> None:
    clock = FakeClock()
    here = await start(clock=clock)
    there = await start(clock=clock)  # the same file, as another worker opens it
    ann = await sign(here, "signup", ANN)
    assert await profile_status(there, ann) == 200
    [session] = await listed(here, ann)

    await here.client.delete(f"{SESSIONS}/{session['id']}", headers=bearer(ann))

    assert await profile_status(here, ann) == 401
    clock.advance(5)
    assert await profile_status(there, ann) == 401


async def test_all_other_sessions_end_at_once(service: Service) -> None:
    others = [await sign(service, "signup", ANN)]
    others += [await sign(service, "signin", ANN) for _ in range(2)]
    ben = await sign(service, "signup", BEN)
    current = await sign(service, "signin", ANN)

    response = await service.client.delete(SESSIONS, headers=bearer(current))

    assert response.json()["data"] == {"deleted": True, "count": 3}
    assert [await profile_status(service, other) for other in others] == [401] * 3
    assert [each["current"] for each in await listed(service, current)] == [True]
    assert await profile_status(service, ben) == 200


async def test_the_session_of_somebody_else_stays(service: Service) -> None:
    ann, ben = await sign(service, "signup", ANN), await sign(service, "signup", BEN)
    [session] = await listed(service, ben)

    response = await service.client.delete(f"{SESSIONS}/{session['id']}", headers=bearer(ann))

    assert (response.status_code, response.json()["error"]["code"]) == (403, "FORBIDDEN")
    assert await profile_status(service, ben) == 200


async def test_guests_have_no_sessions(service: Service) -> None:
    assert (await service.client.get(SESSIONS, headers=DEVICE)).status_code == 401


async def test_signing_out_ends_the_access_tokens_and_unbinds_the_device_without_its_header(
    service: Service,
) -> None:
    ann = await sign(service, "signup", ANN, **DEVICE)
    await service.client.get("/app/launch", headers={**DEVICE, **bearer(ann)})

    await sign(service, "signout", {"refreshToken": ann["refreshToken"]})

    assert await profile_status(service, ann) == 401
    shown = (await service.client.get("/app/launch", headers=DEVICE)).json()["data"]
    assert shown["appLaunchResponseData"]["auth"]["sessionExists"] is False


async def test_ending_a_session_unbinds_its_device_unless_somebody_else_has_it_by_now(
    service: Service,
) -> None:
    ann = await sign(service, "signup", ANN, **DEVICE)
    other = await sign(service, "signin", ANN, **OTHER_DEVICE)
    ben = await sign(service, "signup", BEN)
    await service.client.get("/app/launch", headers={**DEVICE, **bearer(ann)})
    await service.client.get("/app/launch", headers={**OTHER_DEVICE, **bearer(ben)})

    await service.client.delete(SESSIONS, headers=bearer(await sign(service, "signin", ANN)))

    assert await profile_status(service, other) == 401
    devices = service.finassist.adapters.devices
    mine, his = await devices.get("device-1"), await devices.get("device-2")
    assert mine is not None
    assert his is not None
    assert (mine.bound_user_id, his.bound_user_id) == (None, ben["user"]["id"])


async def test_a_retry_of_a_refresh_gets_the_same_successor(service: Service) -> None:
    ann = await sign(service, "signup", ANN)

    retries = await asyncio.gather(*(refresh(service, ann["refreshToken"]) for _ in range(10)))
    service.clock.advance(299)
    retries.append(await refresh(service, ann["refreshToken"]))

    assert len({each.json()["data"]["refreshToken"] for each in retries}) == 1


async def test_a_session_ends_90_days_after_its_sign_in_however_often_it_is_refreshed(
    service: Service,
) -> None:
    tokens = await sign(service, "signup", ANN)
    for _ in range(89):
        service.clock.advance(86_400)
        tokens = (await refresh(service, tokens["refreshToken"])).json()["data"]
    service.clock.advance(86_000)
    tokens = (await refresh(service, tokens["refreshToken"])).json()["data"]
    assert await profile_status(service, tokens) == 200
    service.clock.advance(400)

    assert await profile_status(service, tokens) == 401
    assert (await refresh(service, tokens["refreshToken"])).status_code == 401


async def test_a_refreshed_token_is_no_fresh_sign_in(service: Service) -> None:
    ann = await sign(service, "signup", ANN)
    service.clock.advance(301)
    fresh = (await refresh(service, ann["refreshToken"])).json()["data"]

    response = await service.client.delete("/api/v1/auth/me", headers=bearer(fresh))

    assert (response.status_code, response.json()["error"]["code"]) == (401, "UNAUTHORIZED")
    again = await sign(service, "signin", ANN)
    assert (await service.client.delete("/api/v1/auth/me", headers=bearer(again))).status_code == 200


async def test_with_another_provider_the_bound_devices_are_the_sessions(start: Start) -> None:
    provider = StubIdentityProvider(FakeClock())
    service = await start({}, identity_provider=provider)
    ann = {"accessToken": provider.issue("ann", email="ann@example.org")}
    for device in (DEVICE, OTHER_DEVICE):
        await service.client.get("/app/launch", headers={**device, **bearer(ann)})

    response = await service.client.get(SESSIONS, headers={**bearer(ann), **DEVICE})
    sessions = response.json()["data"]["sessions"]
    assert {each["deviceId"]: each["current"] for each in sessions} == {"device-1": True, "device-2": False}

    [other] = [each["id"] for each in sessions if not each["current"]]
    assert (await service.client.delete(f"{SESSIONS}/{other}", headers=bearer(ann))).status_code == 200
    assert [each["deviceId"] for each in await listed(service, ann)] == ["device-1"]
    ended = await service.client.delete(SESSIONS, headers=bearer(ann))
    assert ended.json()["data"] == {"deleted": True, "count": 1}
    missing = await service.client.delete(f"{SESSIONS}/{other}", headers=bearer(ann))
    assert missing.status_code == 404
