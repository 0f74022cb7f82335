"""Somebody who wants to leave no traces, or to fill the disk with them (contract section 13)."""

from typing import Any

from addresses import sent_from
from finassist.config import Secret
from finassist.domain.auth.audit import RECORDED
from http_service import DEVICE, Service, Start
from raw_records import texts_of

AUTH = "/api/v1/auth"
ATTACKER, NEIGHBOUR = sent_from("203.0.113.66"), sent_from("203.0.113.7")
SECRET = "the secret of the administrators"
ADMIN = {"X-Backend-Secret": SECRET, **sent_from("203.0.113.1")}


async def records(service: Service, action: str) -> list[dict[str, Any]]:
    path = f"/api/v1/admin/audit?limit=100&action={action}"
    response = await service.client.get(path, headers=ADMIN)
    assert response.status_code == 200, response.text
    found: list[dict[str, Any]] = response.json()["data"]["records"]
    return found


async def guess(service: Service, address: dict[str, str], email: str) -> int:
    body = {"email": email, "password": "Guessed-horse-7"}
    return (await service.client.post(f"{AUTH}/signin", json=body, headers=address)).status_code


async def test_guesses_cannot_fill_the_log_nor_hide_those_of_others(start: Start) -> None:
    service = await start({"backend_secret": Secret(SECRET)})
    statuses = {await guess(service, ATTACKER, f"user{n}@example.com") for n in range(55)}
    assert statuses == {401, 429}
    await guess(service, NEIGHBOUR, "ann@example.com")
    found = await records(service, "signIn")
    by_reason = {
        code: sum(each["code"] == code for each in found) for code in {each["code"] for each in found}
    }
    assert by_reason == {"INVALID_CREDENTIALS": RECORDED.requests + 1}
    assert {each["address"] for each in found} == {"203.0.113.66", "203.0.113.7"}
    service.clock.advance(RECORDED.seconds)
    await guess(service, ATTACKER, "ann@example.com")
    assert len(await records(service, "signIn")) == len(found) + 1


async def test_a_guest_who_exports_without_end_is_recorded_twenty_times_an_hour(start: Start) -> None:
    service = await start({"backend_secret": Secret(SECRET)})
    for _ in range(RECORDED.requests + 5):
        response = await service.client.get(f"{AUTH}/me/export", headers={**DEVICE, **ATTACKER})
        assert response.status_code == 200
    assert len(await records(service, "exportData")) == RECORDED.requests


async def test_exports_of_the_user_do_not_hide_one_with_a_stolen_token(start: Start) -> None:
    service = await start({"backend_secret": Secret(SECRET)})
    alice = await service.token("alice")
    for address in [NEIGHBOUR] * (RECORDED.requests + 1) + [ATTACKER]:
        assert (await service.client.get(f"{AUTH}/me/export", headers=alice | address)).status_code == 200
    exports = await records(service, "exportData")
    assert [each["address"] for each in exports].count("203.0.113.66") == 1
    assert len(exports) == RECORDED.requests + 1


async def test_the_log_holds_nothing_that_was_sent(start: Start, database: dict[str, Any]) -> None:
    service = await start({"backend_secret": Secret(SECRET)})
    await guess(service, ATTACKER, "secretly@example.com")
    assert len(await records(service, "signIn")) == 1
    stored = "".join(text for _, text in texts_of(database["database_url"]))
    assert "203.0.113.66" in stored
    assert "secretly" not in stored
    assert "Guessed" not in stored


async def test_who_erases_the_account_leaves_that_it_was_done_and_from_where(start: Start) -> None:
    service = await start({"backend_secret": Secret(SECRET)})
    body = {"email": "ann@example.com", "password": "Correct-horse-7", "name": "Ann"}
    session = (await service.client.post(f"{AUTH}/signup", json=body, headers=NEIGHBOUR)).json()["data"]
    stolen = {"Authorization": f"Bearer {session['accessToken']}", **ATTACKER}
    response = await service.client.request("DELETE", f"{AUTH}/me", headers=stolen)
    assert response.status_code == 200, response.text
    [erasure] = await records(service, "eraseProfile")
    assert (erasure["address"], erasure["userId"], erasure["result"]) == ("203.0.113.66", None, "success")
    [sign_up] = await records(service, "signUp")
    assert sign_up["userHash"] == erasure["userHash"]
