"""Signing up, in and out, and refreshing (contract section 3), on the built-in provider."""

import asyncio
from collections import Counter
from typing import Any

import httpx2
import pytest

from finassist.testing import FakeClock
from http_service import DEVICE, Service, Start

ANN = {"email": "Ann@example.org", "password": "Secret-123", "name": "Ann"}


async def post(service: Service, path: str, body: Any = None, **headers: str) -> httpx2.Response:
    return await service.client.post(f"/api/v1/auth/{path}", json=body, headers=headers)


async def sign_up(service: Service, **changes: str) -> dict[str, Any]:
    response = await post(service, "signup", {**ANN, **changes})
    assert response.status_code == 201, response.text
    data: dict[str, Any] = response.json()["data"]
    return data


async def refresh(service: Service, token: str) -> httpx2.Response:
    return await post(service, "refresh", {"refreshToken": token})


def error_of(response: httpx2.Response) -> str:
    code: str = response.json()["error"]["code"]
    return code


def offending(response: httpx2.Response) -> list[str]:
    return [detail["field"] for detail in response.json()["error"]["details"]]


async def launch(service: Service, token: str) -> dict[str, Any]:
    headers = {**DEVICE, "Authorization": f"Bearer {token}"}
    response = await service.client.get("/app/launch", headers=headers)
    assert response.status_code == 200, response.text
    data: dict[str, Any] = response.json()["data"]["appLaunchResponseData"]
    return data


# Signing up


async def test_a_new_account_is_signed_in(service: Service) -> None:
    data = await sign_up(service)

    assert set(data) == {"accessToken", "idToken", "refreshToken", "expiresIn", "user"}
    assert data["expiresIn"] == 3600
    assert {**data["user"], "id": ""} == {
        "id": "",
        "email": "Ann@example.org",
        "name": "Ann",
        "phone": None,
        "phoneVerified": False,
        "emailVerified": False,
        "avatarUrl": None,
    }
    shown = await launch(service, data["accessToken"])
    assert shown["userData"]["userId"] == data["user"]["id"]
    assert shown["userData"]["isLoggedIn"] is True


async def test_an_email_signs_up_once_in_whatever_spelling(service: Service) -> None:
    await sign_up(service)

    response = await post(service, "signup", {**ANN, "email": "ann@EXAMPLE.org"})

    assert (response.status_code, error_of(response)) == (409, "CONFLICT")


async def test_of_20_parallel_sign_ups_with_one_email_one_succeeds(service: Service) -> None:
    responses = await asyncio.gather(*(post(service, "signup", ANN) for _ in range(20)))

    assert Counter(response.status_code for response in responses) == {201: 1, 409: 19}


async def test_every_broken_rule_of_every_field_is_named(service: Service) -> None:
    response = await post(service, "signup", {"email": "nowhere", "password": "short", "name": " "})

    assert response.status_code == 400
    assert Counter(offending(response)) == {"email": 1, "password": 3, "name": 1}


async def test_a_missing_name_does_not_hide_a_weak_password(service: Service) -> None:
    response = await post(service, "signup", {"email": 5, "password": "short1A"})

    assert sorted(offending(response)) == ["email", "name", "password"]


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "x" * 101},
        {"email": "ann@phone.invalid"},
        {"email": "ann@PHONE.invalid"},
        {"email": "a b@example.org"},
        {"email": "a\x07b@example.org"},
        {"email": "ann@exam\x9bple.org"},
        {"email": f"ann@{'x' * 250}.org"},
        {"password": "secret123"},
        {"password": "SECRET123"},
        {"password": "Secretive"},
        {"password": "Aa1" + "x" * 1022},
    ],
)
async def test_what_breaks_a_rule_is_refused(service: Service, changes: dict[str, str]) -> None:
    response = await post(service, "signup", {**ANN, **changes})

    assert (response.status_code, offending(response)) == (400, list(changes))


async def test_a_password_may_be_long_and_in_any_script(service: Service) -> None:
    password = "Пароль1" + "x" * 1017
    await sign_up(service, password=password)

    assert (await post(service, "signin", {"email": ANN["email"], "password": password})).status_code == 200


# Signing in


async def test_signing_in_names_the_same_user_again(service: Service) -> None:
    first = await sign_up(service)

    response = await post(service, "signin", {"email": "ann@example.org", "password": "Secret-123"})

    assert response.status_code == 200
    assert response.json()["data"]["user"] == first["user"]


async def test_a_wrong_password_and_an_unknown_email_get_one_answer(service: Service) -> None:
    await sign_up(service)

    wrong = await post(service, "signin", {"email": "ann@example.org", "password": "Wrong1234"})
    unknown = await post(service, "signin", {"email": "ben@example.org", "password": "Wrong1234"})

    assert (wrong.status_code, error_of(wrong)) == (401, "INVALID_CREDENTIALS")
    assert wrong.json()["error"] == unknown.json()["error"]
    assert wrong.status_code == unknown.status_code


async def test_the_reserved_domain_cannot_sign_in(service: Service) -> None:
    response = await post(service, "signin", {"email": "49151@phone.invalid", "password": "x"})

    assert (response.status_code, offending(response)) == (400, ["email"])


async def test_ten_failures_lock_the_account_for_that_address(start: Start) -> None:
    clock = FakeClock()
    service = await start(clock=clock)
    await sign_up(service)
    wrong, right = ({"email": "ann@example.org", "password": password} for password in ("x", "Secret-123"))

    for _ in range(10):
        assert (await post(service, "signin", wrong)).status_code == 401
    locked = await post(service, "signin", right)

    assert (locked.status_code, error_of(locked)) == (429, "TOO_MANY_ATTEMPTS")
    assert locked.headers["Retry-After"] == "60"
    clock.advance(60)
    assert (await post(service, "signin", right)).status_code == 200
    assert (await post(service, "signin", wrong)).status_code == 401


async def test_of_50_parallel_guesses_ten_are_looked_at(service: Service) -> None:
    await sign_up(service)
    wrong = {"email": "ann@example.org", "password": "Wrong1234"}

    responses = await asyncio.gather(*(post(service, "signin", wrong) for _ in range(50)))

    assert Counter(response.status_code for response in responses) == {401: 10, 429: 40}


async def test_20_good_sign_ins_at_once_all_succeed(service: Service) -> None:
    await sign_up(service)
    right = {"email": "ann@example.org", "password": "Secret-123"}

    responses = await asyncio.gather(*(post(service, "signin", right) for _ in range(20)))

    assert Counter(response.status_code for response in responses) == {200: 20}


async def test_neither_email_nor_address_is_stored_with_failures(service: Service) -> None:
    await post(service, "signin", {"email": "ann@example.org", "password": "x"})

    rows = service.database.lookup(
        lambda connection: connection.execute("SELECT * FROM sign_in_failures").fetchall()
    )

    assert len(rows) == 1
    assert "ann" not in str(rows).lower()
    assert "127.0.0.1" not in str(rows)


# Refreshing


async def test_a_refresh_token_gives_a_new_pair(service: Service) -> None:
    first = await sign_up(service)

    response = await refresh(service, first["refreshToken"])

    data = response.json()["data"]
    assert response.status_code == 200
    assert set(data) == {"accessToken", "idToken", "refreshToken", "expiresIn"}
    assert data["refreshToken"] != first["refreshToken"]
    assert (await launch(service, data["accessToken"]))["userData"]["userId"] == first["user"]["id"]


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "é" * 20, "x" * 10_000])
async def test_what_is_no_refresh_token_is_refused(service: Service, token: str) -> None:
    response = await refresh(service, token)

    assert (response.status_code, error_of(response)) == (401, "INVALID_REFRESH_TOKEN")


async def test_an_access_or_id_token_is_no_refresh_token(service: Service) -> None:
    data = await sign_up(service)

    for name in ("accessToken", "idToken"):
        assert (await refresh(service, data[name])).status_code == 401


async def test_an_id_token_is_no_access_token(service: Service) -> None:
    data = await sign_up(service)

    response = await service.client.get(
        "/api/v1/user/conversations", headers={"Authorization": f"Bearer {data['idToken']}"}
    )

    assert response.status_code == 401


async def test_reuse_of_a_rotated_token_ends_the_whole_family(start: Start) -> None:
    clock = FakeClock()
    service = await start(clock=clock)
    stolen = (await sign_up(service))["refreshToken"]
    second = (await refresh(service, stolen)).json()["data"]["refreshToken"]
    clock.advance(300)

    assert (await refresh(service, stolen)).status_code == 401
    assert (await refresh(service, second)).status_code == 401


async def test_a_retry_within_the_grace_window_is_answered(start: Start) -> None:
    clock = FakeClock()
    service = await start(clock=clock)
    first = (await sign_up(service))["refreshToken"]
    second = (await refresh(service, first)).json()["data"]["refreshToken"]
    clock.advance(299)

    retried = await refresh(service, first)

    assert retried.status_code == 200
    assert (await refresh(service, second)).status_code == 200
    assert (await refresh(service, retried.json()["data"]["refreshToken"])).status_code == 200


async def test_50_parallel_refreshes_stay_within_one_family(service: Service) -> None:
    first = (await sign_up(service))["refreshToken"]

    responses = await asyncio.gather(*(refresh(service, first) for _ in range(50)))

    [successor] = {response.json()["data"]["refreshToken"] for response in responses}
    await post(service, "signout", {"refreshToken": successor})
    assert {(await refresh(service, token)).status_code for token in (first, successor)} == {401}


async def test_a_refresh_token_expires(start: Start) -> None:
    clock = FakeClock()
    service = await start({"refresh_token_ttl_seconds": 60}, clock=clock)
    token = (await sign_up(service))["refreshToken"]
    clock.advance(60)

    assert (await refresh(service, token)).status_code == 401


async def test_refresh_tokens_are_stored_as_hashes(service: Service) -> None:
    token = (await sign_up(service))["refreshToken"]

    rows = service.database.lookup(
        lambda connection: connection.execute("SELECT * FROM refresh_tokens").fetchall()
    )

    assert len(rows) == 1
    assert token not in str(rows)


# Signing out


@pytest.mark.parametrize("body", [None, {}, {"refreshToken": None}, {"refreshToken": "unknown"}])
async def test_signing_out_always_succeeds(service: Service, body: Any) -> None:
    response = await post(service, "signout", body, Authorization="Bearer nonsense")

    answer = response.json()
    assert response.status_code == 200
    assert set(answer) == {"success", "data", "message", "meta"}
    assert answer["success"] is True
    assert answer["data"] == {"message": answer["message"]}


async def test_signing_out_revokes_the_session_and_unbinds_the_device(service: Service) -> None:
    data = await sign_up(service)
    assert (await launch(service, data["accessToken"]))["auth"]["sessionExists"] is True

    await post(service, "signout", {"refreshToken": data["refreshToken"]}, **{"x-device-id": "device-1"})

    assert (await refresh(service, data["refreshToken"])).status_code == 401
    launched = (await service.client.get("/app/launch", headers=DEVICE)).json()["data"]
    assert launched["appLaunchResponseData"]["auth"]["sessionExists"] is False


# The provider


async def test_health_names_the_provider_and_the_routes(service: Service) -> None:
    data = (await service.client.get("/api/v1/auth/health")).json()["data"]

    assert set(data) == {"status", "provider", "endpoints"}
    assert data["status"] == "ok"
    assert data["provider"] == {"name": "local", "configured": True}
    assert {"POST /api/v1/auth/signup", "GET /api/v1/auth/login/social"} <= set(data["endpoints"])


async def test_a_phone_only_user_is_shown_with_a_reserved_email(service: Service) -> None:
    finassist = service.finassist
    tokens = await finassist.adapters.identity_provider.sign_in_phone("+4915112345678")
    session = await finassist.open_session(tokens)

    assert session.user.shown_email == "4915112345678@phone.invalid"
    assert session.user.email is None
    again = await finassist.adapters.identity_provider.sign_in_phone("+4915112345678")
    assert again.identity.subject == tokens.identity.subject


async def test_the_guests_conversations_follow_a_sign_up_once(service: Service) -> None:
    reply = await service.ask("What is an ETF?")
    data = await sign_up(service)
    for _ in range(2):
        await launch(service, data["accessToken"])

    response = await service.client.get(
        "/api/v1/user/conversations", headers={"Authorization": f"Bearer {data['accessToken']}"}
    )

    listed = response.json()["data"]
    assert [each["id"] for each in listed["conversations"]] == [reply["conversationId"]]
