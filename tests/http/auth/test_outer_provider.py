"""Signing in and out over HTTP, with an identity provider that is not the built-in one."""

import secrets
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from engines.keycloak import running_keycloak
from finassist.adapters.system.clock import SystemClock
from finassist.config import Settings
from http_service import DEVICE, Service, Start
from identity_realms import auth0_settings, keycloak_settings
from servers.auth0_server import serve_auth0

PASSWORD = "Correct-horse-7"
ME = "/api/v1/auth/me"
SESSIONS = "/api/v1/auth/sessions"

BUILT_IN_ONLY: list[tuple[str, str, dict[str, str] | None]] = [
    ("POST", "password/forgot", {"email": "ann@example.org"}),
    ("POST", "password/reset", {"token": "a-token", "password": "Correct-horse-8"}),
    ("POST", "password/change", {"currentPassword": PASSWORD, "password": "Correct-horse-8"}),
    ("POST", "email/verify/send", None),
    ("POST", "email/verify", {"token": "a-token"}),
    ("GET", "second-factor", None),
    ("POST", "second-factor", None),
    ("POST", "second-factor/confirm", {"code": "123456"}),
    ("DELETE", "second-factor", {"code": "123456"}),
    ("POST", "signin/second-factor", {"challenge": "a-challenge", "code": "123456"}),
]


@pytest.fixture(params=["keycloak", "auth0"])
async def settings(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Settings]:
    if request.param == "keycloak":
        yield keycloak_settings(tmp_path, running_keycloak())
    else:
        async with serve_auth0() as server:
            yield auth0_settings(tmp_path, server)


@pytest.fixture
async def service(start: Start, settings: Settings) -> Service:
    names = [name for name in Settings.__dataclass_fields__ if name.startswith(("identity_", "oidc_"))]
    return await start({name: getattr(settings, name) for name in names}, clock=SystemClock())


async def signed_up(service: Service) -> dict[str, str]:
    """The header of a new user."""
    account = {"email": f"ann.{secrets.token_hex(4)}@example.org", "password": PASSWORD, "name": "Ann Lee"}
    made = await post(service, "signup", account, 201)
    return {"Authorization": f"Bearer {made['accessToken']}"}


async def post(service: Service, path: str, body: dict[str, Any], status: int = 200) -> Any:
    answer = await service.client.post(f"/api/v1/auth/{path}", json=body, headers=DEVICE)
    assert answer.status_code == status, answer.text
    return answer.json()["data"] if status < 300 else answer.json()["error"]["code"]


async def test_a_user_signs_up_in_and_out(service: Service) -> None:
    email = f"ann.{secrets.token_hex(4)}@example.org"
    account = {"email": email, "password": PASSWORD, "name": "Ann Lee"}

    made = await post(service, "signup", account, 201)
    assert (made["user"]["email"], made["user"]["name"]) == (email, "Ann Lee")
    assert await post(service, "signup", account, 409) == "CONFLICT"
    wrong = {"email": email, "password": "Wrong-horse-7"}
    assert await post(service, "signin", wrong, 401) == "INVALID_CREDENTIALS"

    session = await post(service, "signin", {"email": email, "password": PASSWORD})
    assert session["user"]["id"] == made["user"]["id"]
    refreshed = await post(service, "refresh", {"refreshToken": session["refreshToken"]})
    launched = await service.client.get(
        "/app/launch", headers={**DEVICE, "Authorization": f"Bearer {refreshed['accessToken']}"}
    )
    user = launched.json()["data"]["appLaunchResponseData"]["userData"]
    assert (user["userId"], user["email"], user["isLoggedIn"]) == (made["user"]["id"], email, True)
    assert user["authProvider"] == service.finassist.adapters.identity_provider.name

    await post(service, "signout", {"refreshToken": refreshed["refreshToken"]})
    gone = {"refreshToken": refreshed["refreshToken"]}
    assert await post(service, "refresh", gone, 401) == "INVALID_REFRESH_TOKEN"


async def test_the_health_names_the_provider(service: Service) -> None:
    data = (await service.client.get("/api/v1/auth/health")).json()["data"]

    assert data["provider"] == {"name": service.finassist.adapters.identity_provider.name, "configured": True}


async def test_the_redirect_login_goes_to_the_providers_own_page(
    service: Service, settings: Settings
) -> None:
    answer = await service.client.get("/api/v1/auth/login/social")

    assert answer.status_code == 302
    assert answer.headers["location"].startswith(settings.oidc_issuer.rstrip("/"))


@pytest.mark.parametrize(
    "path", ["/oauth/authorize", "/.well-known/jwks.json", "/.well-known/openid-configuration"]
)
async def test_the_built_in_providers_pages_are_not_there(service: Service, path: str) -> None:
    assert (await service.client.get(path)).status_code == 404


async def test_what_only_the_built_in_provider_does_is_a_400_that_names_the_provider(
    service: Service,
) -> None:
    name = service.finassist.adapters.identity_provider.name
    bearer = await signed_up(service)

    for method, path, body in BUILT_IN_ONLY:
        answer = await service.client.request(method, f"/api/v1/auth/{path}", json=body, headers=bearer)
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (400, "VALIDATION_ERROR"), path
        [detail] = error["details"]
        assert (detail["field"], name in detail["message"]) == ("provider", True), path
    assert (await service.client.get(ME, headers=bearer)).status_code == 200, "and nothing was changed"


async def test_the_sessions_are_the_bound_devices(service: Service) -> None:
    bearer = await signed_up(service)
    for device in ("laptop", "phone"):
        headers = {**bearer, "x-device-id": device, "x-platform": "web"}
        assert (await service.client.get("/app/launch", headers=headers)).status_code == 200

    sessions = (await service.client.get(SESSIONS, headers=bearer)).json()["data"]["sessions"]
    ids = {each["deviceId"]: each["id"] for each in sessions}
    assert {"laptop", "phone"} <= set(ids)

    ended = await service.client.delete(f"{SESSIONS}/{ids['laptop']}", headers=bearer)
    assert ended.status_code == 200, ended.text
    launched = await service.client.get("/app/launch", headers={"x-device-id": "laptop", "x-platform": "web"})
    assert launched.json()["data"]["appLaunchResponseData"]["auth"]["sessionExists"] is False
    others = await service.client.delete(SESSIONS, headers={**bearer, "x-device-id": "phone"})
    assert others.status_code == 200, others.text
    left = (await service.client.get(SESSIONS, headers={**bearer, "x-device-id": "phone"})).json()["data"]
    assert [each["deviceId"] for each in left["sessions"]] == ["phone"]
    assert (await service.client.get(ME, headers=bearer)).status_code == 200, "tokens are the provider's"


async def test_an_erased_user_has_no_account_at_the_provider_either(service: Service) -> None:
    email = f"ann.{secrets.token_hex(4)}@example.org"
    account = {"email": email, "password": PASSWORD, "name": "Ann Lee"}
    before = await post(service, "signup", account, 201)
    headers = {"Authorization": f"Bearer {before['accessToken']}"}

    wrong = await service.client.request("DELETE", ME, json={"password": "Wrong-horse-7"}, headers=headers)
    assert wrong.status_code == 401
    answer = await service.client.request("DELETE", ME, json={"password": PASSWORD}, headers=headers)
    assert answer.status_code == 200, answer.text
    data = answer.json()["data"]
    assert data["counts"]["accounts"] == 1
    await service.until_erased(data["receiptId"])

    signin = {"email": email, "password": PASSWORD}
    assert await post(service, "signin", signin, 401) == "INVALID_CREDENTIALS"
    refresh = {"refreshToken": before["refreshToken"]}
    assert await post(service, "refresh", refresh, 401) == "INVALID_REFRESH_TOKEN"
    assert (await service.client.get(ME, headers=headers)).status_code == 401
    assert (await post(service, "signup", account, 201))["user"]["id"] != before["user"]["id"]
