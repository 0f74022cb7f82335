"""The allowance of a user or guest, for administrators (contract section 13, "Operations")."""

from typing import Any

import httpx2
import pytest

from finassist.config import Secret
from http_service import DEVICE, Service, Start, offending

ADMIN = {"X-Backend-Secret": "the-backend-secret-of-these-tests"}


@pytest.fixture
async def service(start: Start) -> Service:
    return await start(
        {
            "backend_secret": Secret(ADMIN["X-Backend-Secret"]),
            "free_message_threshold": 3,
            "plans": (("plus", 50), ("mini", 1)),
        }
    )


async def guest_of(service: Service) -> str:
    data = (await service.client.get("/app/launch", headers=DEVICE)).json()["data"]["appLaunchResponseData"]
    user_id: str = data["userData"]["userId"]
    return user_id


async def call(service: Service, method: str, user_id: str, body: Any = None) -> httpx2.Response:
    kwargs = {} if body is None else {"json": body}
    path = f"/api/v1/admin/users/{user_id}/quota"
    return await service.client.request(method, path, headers=ADMIN, **kwargs)


async def figures(response: httpx2.Response) -> tuple[int, int, int]:
    assert response.status_code == 200, response.text
    data = response.json()["data"]
    assert set(data) == {"userId", "total", "used", "remaining", "percentUsed"}
    return data["total"], data["used"], data["remaining"]


async def test_an_allowance_is_shown_granted_and_reset(service: Service) -> None:
    guest = await guest_of(service)
    await service.ask("What is a bond?")
    assert await figures(await call(service, "GET", guest)) == (3, 1, 2)
    assert await figures(await call(service, "POST", guest, {"grant": 2})) == (5, 1, 4)
    assert await figures(await call(service, "DELETE", guest)) == (5, 0, 5)
    reply = await service.ask("What is an ETF?")
    assert (reply["freeThreshold"]["total"], reply["freeThreshold"]["used"]) == (5, 1)


async def test_a_registered_user_is_named_by_its_id(service: Service) -> None:
    alice = await service.token("alice")
    user_id = (await service.client.get("/api/v1/auth/me", headers=alice)).json()["data"]["user"]["id"]
    assert await figures(await call(service, "POST", user_id, {"grant": 1})) == (4, 0, 4)


async def test_a_plan_takes_the_place_of_what_was_granted(service: Service) -> None:
    guest = await guest_of(service)
    await call(service, "POST", guest, {"grant": 7})
    assert await figures(await call(service, "POST", guest, {"plan": "plus"})) == (50, 0, 50)
    assert await figures(await call(service, "POST", guest, {"plan": "mini"})) == (1, 0, 1)
    assert offending(await call(service, "POST", guest, {"plan": "other"})) == {"plan"}


@pytest.mark.parametrize(
    "body", [{}, {"grant": 1, "plan": "plus"}, {"grant": 0}, {"grant": -1}, {"grant": "5"}]
)
async def test_a_grant_has_a_number_or_a_plan(service: Service, body: dict[str, Any]) -> None:
    assert offending(await call(service, "POST", await guest_of(service), body)) == {"grant"}


async def test_only_administrators_reach_it_and_unknown_users_are_not_found(service: Service) -> None:
    for method, body in (("GET", None), ("POST", {"grant": 1}), ("DELETE", None)):
        assert (await call(service, method, "f" * 24, body)).status_code == 404
        assert offending(await call(service, method, "nonsense", body)) == {"id"}
        refused = await service.client.request(
            method, f"/api/v1/admin/users/{'f' * 24}/quota", headers=DEVICE
        )
        assert (refused.status_code, refused.json()["error"]["code"]) == (401, "BACKEND_SECRET_REQUIRED")
