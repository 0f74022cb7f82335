"""The audit log over HTTP (contract section 13, "Operations")."""

import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any

import pytest
import structlog

from finassist.application.ports.auth import AuditRepository
from finassist.config import Secret
from finassist.domain.auth.audit import AuditRecord
from finassist.domain.errors import ServiceUnavailable
from http_service import DEVICE, Service, Start, offending

AUTH = "/api/v1/auth"
AUDIT = "/api/v1/admin/audit"
SECRET = "the backend secret of these tests"
ADMIN = {"X-Backend-Secret": SECRET}
PASSWORD = "Correct-horse-7"
ANN = {"email": "ann@example.com", "password": PASSWORD}


@pytest.fixture
async def service(start: Start) -> Service:
    return await start({"backend_secret": Secret(SECRET)})


async def page(service: Service, query: str = "") -> dict[str, Any]:
    response = await service.client.get(f"{AUDIT}{query}", headers=ADMIN)
    assert response.status_code == 200, response.text
    data: dict[str, Any] = response.json()["data"]
    return data


async def records(service: Service, query: str = "") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await page(service, query))["records"]
    return found


async def sign_up(service: Service) -> dict[str, Any]:
    response = await service.client.post(f"{AUTH}/signup", json={**ANN, "name": "Ann"})
    assert response.status_code == 201, response.text
    data: dict[str, Any] = response.json()["data"]
    return data


async def sign_in(service: Service, **changes: str) -> int:
    return (await service.client.post(f"{AUTH}/signin", json=ANN | changes)).status_code


def shown(record: Mapping[str, Any], *names: str) -> tuple[Any, ...]:
    return tuple(record[name] for name in names)


async def test_a_sign_in_is_recorded_with_who_when_whence_and_its_result(service: Service) -> None:
    user_id = (await sign_up(service))["user"]["id"]
    service.clock.advance(60)
    response = await service.client.post(f"{AUTH}/signin", json=ANN)
    record = (await records(service))[0]
    hashed, identifier = record.pop("userHash"), record.pop("id")
    assert record == {
        "at": "2026-03-01T12:01:00.000Z", "action": "signIn", "actor": "user", "userId": user_id,
        "address": "127.0.0.1", "result": "success", "code": None,
        "requestId": response.headers["X-Request-Id"],
    }  # fmt: skip
    assert (len(hashed), len(identifier)) == (32, 24)


async def test_a_failure_is_recorded_with_the_user_that_was_tried_and_without_what_was_sent(
    service: Service,
) -> None:
    user_id = (await sign_up(service))["user"]["id"]
    assert await sign_in(service, password="Guessed-horse-7") == 401
    assert await sign_in(service, email="nobody@example.com") == 401
    nobodys, anns, _ = await records(service)
    assert shown(anns, "actor", "result", "code", "userId") == (
        "anonymous", "refused", "INVALID_CREDENTIALS", user_id,
    )  # fmt: skip
    assert shown(nobodys, "result", "userId", "userHash") == ("refused", None, None)
    everything = json.dumps([nobodys, anns])
    assert "nobody@" not in everything
    assert "Guessed" not in everything


async def test_calls_with_the_secret_are_recorded_and_so_are_guesses(service: Service) -> None:
    assert (await service.client.get(AUDIT, headers={"X-Backend-Secret": "guess"})).status_code == 401
    user_id = (await sign_up(service))["user"]["id"]
    granted: dict[str, Any] = {"json": {"grant": 5}, "headers": ADMIN}
    await service.client.post(f"/api/v1/admin/users/{user_id}/quota", **granted)
    await service.client.post("/api/v1/admin/users/0123456789abcdef01234567/quota", **granted)
    unknown, known, _, guess = await records(service)
    assert shown(known, "action", "actor", "userId", "result") == (
        "grantQuota", "backend", user_id, "success",
    )  # fmt: skip
    assert shown(unknown, "actor", "userId", "result", "code") == ("backend", None, "refused", "NOT_FOUND")
    assert shown(guess, "action", "actor", "code") == ("listAudit", "anonymous", "BACKEND_SECRET_REQUIRED")
    assert shown((await records(service))[0], "action", "actor") == ("listAudit", "backend")


async def test_webhooks_exports_erasures_and_stolen_refresh_tokens_are_recorded(service: Service) -> None:
    session = await sign_up(service)
    bearer = {"Authorization": f"Bearer {session['accessToken']}"}
    refresh = {"refreshToken": session["refreshToken"]}
    await service.client.post(
        f"{AUTH}/post-login", json={"userId": "ann", "event": "user.deleted"}, headers=bearer
    )
    await service.client.get(f"{AUTH}/me/export", headers=bearer)
    for seconds in (0, 301):
        service.clock.advance(seconds)
        await service.client.post(f"{AUTH}/refresh", json=refresh)
    bearer = {"Authorization": f"Bearer {(await again(service))['accessToken']}"}
    await service.client.request("DELETE", f"{AUTH}/me", json={"password": PASSWORD}, headers=bearer)
    found = [shown(each, "action", "result", "code") for each in (await records(service))[::-1]]
    assert found == [
        ("signUp", "success", None),
        ("reportLogin", "refused", "UNAUTHORIZED"),
        ("exportData", "success", None),
        ("refreshTokens", "refused", "REFRESH_TOKEN_REUSED"),
        ("signIn", "success", None),
        ("eraseProfile", "success", None),
    ]


async def again(service: Service) -> dict[str, Any]:
    data: dict[str, Any] = (await service.client.post(f"{AUTH}/signin", json=ANN)).json()["data"]
    return data


async def test_what_tries_nothing_is_not_recorded(service: Service) -> None:
    await service.client.post(f"{AUTH}/signin", json={"email": "no address"})
    await service.ask("What is a bond?")
    await service.client.get(f"{AUTH}/me", headers=DEVICE)
    assert await records(service) == []


async def test_the_list_has_pages_and_filters(service: Service) -> None:
    user_id = (await sign_up(service))["user"]["id"]
    service.clock.advance(60)
    await sign_in(service)
    await sign_in(service, email="nobody@example.com")
    assert [each["action"] for each in await records(service, f"?userId={user_id}")] == ["signIn", "signUp"]
    assert len(await records(service, "?action=signIn")) == 2
    earlier = await page(service, "?to=2026-03-01T12:01:00Z&limit=1")
    assert [each["action"] for each in earlier["records"]] == ["signUp"]
    assert shown(earlier, "total", "limit", "offset", "hasMore") == (1, 1, 0, False)
    later = await records(service, "?from=2026-03-01T13:01:00%2B01:00&action=signUp")
    assert later == []
    assert await records(service, "?from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z") == []
    whole_calendar = "?from=0001-01-01T00:00:00%2B01:00&to=9999-12-31T23:59:59-01:00&action=signUp"
    assert len(await records(service, whole_calendar)) == 1


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("from=yesterday", "from"),
        ("action=a%20b", "action"),
        ("userId=ann", "userId"),
        ("limit=101", "limit"),
    ],
)
async def test_wrong_filters_are_named(service: Service, query: str, field: str) -> None:
    assert offending(await service.client.get(f"{AUDIT}?{query}", headers=ADMIN)) == {field}


async def test_only_administrators_read_the_log(service: Service) -> None:
    for headers in ({}, DEVICE, await service.token("ann")):
        response = await service.client.get(AUDIT, headers=headers)
        assert (response.status_code, response.json()["error"]["code"]) == (401, "BACKEND_SECRET_REQUIRED")


async def test_every_record_is_a_line_of_the_log_too(service: Service) -> None:
    user_id = (await sign_up(service))["user"]["id"]
    with structlog.testing.capture_logs() as lines:
        await sign_in(service, password="Guessed-horse-7")
    [line] = [line for line in lines if line["event"] == "audit"]
    assert shown(line, "action", "actor", "result", "code", "address", "user_id") == (
        "signIn", "anonymous", "refused", "INVALID_CREDENTIALS", "127.0.0.1", user_id,
    )  # fmt: skip
    assert ANN["email"] not in str(lines)


class FullDisk:
    """An audit log that cannot be written; everything else is the real one's."""

    def __init__(self, audit_records: AuditRepository) -> None:
        self._real = audit_records
        self.list, self.forget = audit_records.list, audit_records.forget
        self.delete_before = audit_records.delete_before

    async def add(self, record: AuditRecord) -> None:
        raise ServiceUnavailable("The disk is full.")


async def test_a_record_that_cannot_be_stored_is_logged_and_counted_and_the_caller_served(
    service: Service, start: Start
) -> None:
    full = FullDisk(service.finassist.adapters.audit_records)
    broken = await start({"backend_secret": Secret(SECRET)}, audit_records=full)
    with structlog.testing.capture_logs() as lines:
        await sign_up(broken)
    [line] = [line for line in lines if line["event"] == "audit record not stored"]
    assert shown(line, "action", "address", "log_level") == ("signUp", "127.0.0.1", "error")
    metrics = (await broken.client.get("/metrics")).text
    assert "finassist_audit_failures_total 1.0" in metrics


async def test_records_are_kept_for_400_days(service: Service) -> None:
    await sign_up(service)
    service.clock.advance(400 * 86_400)
    assert await service.finassist.workers.delete_old_audit() == 0
    service.clock.advance(1)
    assert await service.finassist.workers.delete_old_audit() == 1


async def test_users_export_the_records_about_themselves(service: Service) -> None:
    bearer = {"Authorization": f"Bearer {(await sign_up(service))['accessToken']}"}
    await sign_in(service, password="Guessed-horse-7")
    service.clock.advance(1)
    archive = (await service.client.get(f"{AUTH}/me/export", headers=bearer)).content
    exported = json.loads(zipfile.ZipFile(io.BytesIO(archive)).read("audit.json"))
    assert [shown(each, "action", "result", "address") for each in exported] == [
        ("signUp", "success", "127.0.0.1"),
        ("signIn", "refused", "127.0.0.1"),
        ("exportData", "success", "127.0.0.1"),
    ]
    assert set(exported[1]) == {"at", "action", "actor", "result", "code", "address"}


async def test_of_an_erased_user_the_log_keeps_a_hash_and_the_address_of_the_erasure(
    service: Service,
) -> None:
    session = await sign_up(service)
    bearer = {"Authorization": f"Bearer {session['accessToken']}"}
    hashed = (await records(service))[0]["userHash"]
    response = await service.client.request(
        "DELETE", f"{AUTH}/me", json={"password": PASSWORD}, headers=bearer
    )
    assert response.status_code == 200, response.text
    await service.until_erased(response.json()["data"]["receiptId"])
    found = {each["action"]: each for each in await records(service) if each["userHash"] == hashed}
    assert shown(found["signUp"], "userId", "address") == (None, None)
    assert shown(found["eraseProfile"], "userId", "address") == (None, "127.0.0.1")
    assert session["user"]["id"] not in json.dumps(await records(service))
