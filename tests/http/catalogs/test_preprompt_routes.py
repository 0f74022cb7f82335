"""The two catalogs of pre-prompts over HTTP (spec "Pre-prompts", contract section 7)."""

import asyncio
from typing import Any

import httpx2
import pytest

from finassist.config import Secret
from http_service import Service, Start, offending

SECRET = "the backend's sécret that is long enough"
ADMIN: Any = {"X-Backend-Secret": SECRET.encode()}
MAIN = "/api/v1/preprompts"
SECOND = "/api/v1/second-opinion/preprompts"
PUBLIC = {MAIN: "/api/v1/public/preprompts", SECOND: "/api/v1/public/second-opinion/preprompts"}
RECORD = {"key": "budget", "publicValue": "Make a budget", "maskedValue": "Walk through income, then costs."}

CALLS = [
    ("GET", MAIN), ("POST", MAIN), ("PUT", f"{MAIN}/{'0' * 24}"), ("DELETE", f"{MAIN}/{'0' * 24}"),
    ("GET", SECOND), ("POST", SECOND), ("GET", f"{SECOND}/budget"), ("PUT", f"{SECOND}/budget"),
    ("DELETE", f"{SECOND}/budget"), ("PUT", "/app/config/system-urls"), ("PUT", "/app/config/social-urls"),
]  # fmt: skip


@pytest.fixture
async def service(start: Start) -> Service:
    return await start({"backend_secret": Secret(SECRET)})


@pytest.fixture(params=[MAIN, SECOND])
def path(request: pytest.FixtureRequest) -> str:
    path: str = request.param
    return path


def address_of(path: str, record: dict[str, Any]) -> str:
    return f"{path}/{record['id'] if path == MAIN else record['key']}"


async def create(client: httpx2.AsyncClient, path: str, **fields: Any) -> dict[str, Any]:
    response = await client.post(path, json={**RECORD, **fields}, headers=ADMIN)
    assert response.status_code == 201, response.text
    data: dict[str, Any] = response.json()["data"]
    return data


async def listed(client: httpx2.AsyncClient, path: str, query: str = "") -> list[str]:
    response = await client.get(f"{path}{query}", headers=ADMIN)
    assert response.status_code == 200, response.text
    return [record["key"] for record in response.json()["data"]["preprompts"]]


async def cards(client: httpx2.AsyncClient, path: str, query: str = "") -> list[dict[str, Any]]:
    response = await client.get(f"{PUBLIC[path]}{query}")
    assert response.status_code == 200, response.text
    data = response.json()["data"]
    found: list[dict[str, Any]] = data["preprompts"] if path == MAIN else data
    return found


@pytest.mark.parametrize(("method", "route"), CALLS)
async def test_without_the_secret_every_call_is_401_whatever_else_is_wrong(
    service: Service, method: str, route: str
) -> None:
    shown: list[Any] = [{}, {"X-Backend-Secret": "wrong"}, {"Authorization": f"Basic {SECRET}".encode()}]
    for headers in shown:
        response = await service.client.request(method, route, content=b"{", headers=headers)
        assert response.status_code == 401
        assert response.json()["error"]["code"] == "BACKEND_SECRET_REQUIRED"


async def test_either_header_suffices_and_the_other_may_carry_a_users_token(service: Service) -> None:
    token = await service.token("alice")
    shown: list[Any] = [
        {"Authorization": f"Bearer {SECRET}".encode()},
        {**token, **ADMIN},
        {"Authorization": "Bearer forged", **ADMIN},
        {"Authorization": f"Bearer {SECRET}".encode(), "X-Backend-Secret": "wrong"},
    ]
    for headers in shown:
        assert (await service.client.get(MAIN, headers=headers)).status_code == 200
    assert (await service.client.get(MAIN, headers=token)).status_code == 401


async def test_too_many_refusals_are_429_before_the_body_is_read(service: Service) -> None:
    answers = [await service.client.post(MAIN, content=b"x" * 100_000) for _ in range(22)]
    assert [answer.status_code for answer in answers] == [401] * 20 + [429] * 2
    assert answers[-1].json()["error"]["code"] == "TOO_MANY_ATTEMPTS"
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 60


async def test_without_a_configured_secret_nobody_is_an_administrator(start: Start) -> None:
    service = await start()
    for secret in ("", "None", "***"):
        assert (await service.client.get(MAIN, headers={"X-Backend-Secret": secret})).status_code == 401


async def test_a_record_is_created_with_what_was_sent(service: Service, path: str) -> None:
    record = await create(service.client, path, description="In ten minutes", tags=["start", "money"])
    assert set(record) == {
        "id", "key", "publicValue", "maskedValue", "description", "tags", "isDeleted", "createdAt",
        "updatedAt",
    }  # fmt: skip
    assert (record["maskedValue"], record["isDeleted"]) == (RECORD["maskedValue"], False)
    [card] = await cards(service.client, path)
    assert card == {
        "key": "budget", "publicValue": "Make a budget", "description": "In ten minutes",
        "tags": ["start", "money"],
    }  # fmt: skip


async def test_both_spellings_are_accepted(service: Service, path: str) -> None:
    snake = {"key": "debt", "public_value": "Pay off debt", "masked_value": "Ask for the rates first."}
    response = await service.client.post(path, json=snake, headers=ADMIN)
    assert response.status_code == 201
    both = {**RECORD, "masked_value": "Another text."}
    assert offending(await service.client.post(path, json=both, headers=ADMIN)) == {"masked_value"}


async def test_everything_that_is_wrong_with_a_record_is_named(service: Service, path: str) -> None:
    wrong = {"key": "-x", "publicValue": "x" * 513, "description": "x" * 501, "tags": ["", "x" * 51, 3]}
    fields = {"key", "publicValue", "maskedValue", "description", "tags[0]", "tags[1]", "tags[2]"}
    assert offending(await service.client.post(path, json=wrong, headers=ADMIN)) == fields
    limits = {"maskedValue": "x" * 4001, "tags": ["t"] * 17, "key": "k" * 65}
    response = await service.client.post(path, json={**RECORD, **limits}, headers=ADMIN)
    assert offending(response) == {"maskedValue", "tags", "key"}
    assert "xxx" not in response.text
    for key in ("x", "ab\n", "a b", "ä" * 4):
        response = await service.client.post(path, json={**RECORD, "key": key}, headers=ADMIN)
        assert offending(response) == {"key"}


async def test_the_longest_record_is_accepted(service: Service, path: str) -> None:
    longest = {
        "key": "K" * 64, "publicValue": "ü" * 512, "maskedValue": "ö" * 4000, "description": "ä" * 500,
        "tags": ["ß" * 50] * 16,
    }  # fmt: skip
    assert (await service.client.post(path, json=longest, headers=ADMIN)).status_code == 201


async def test_a_key_in_use_is_a_conflict_and_a_deleted_one_comes_back(service: Service, path: str) -> None:
    client = service.client
    record = await create(client, path, description="Old", tags=["old"])
    conflict = await client.post(path, json=RECORD, headers=ADMIN)
    assert (conflict.status_code, conflict.json()["error"]["code"]) == (409, "CONFLICT")

    deleted = await client.delete(address_of(path, record), headers=ADMIN)
    assert deleted.json()["data"] == {"deleted": True, "id": record["id"], "key": "budget"}
    again = await client.delete(address_of(path, record), headers=ADMIN)
    assert again.json()["data"] == deleted.json()["data"]

    restored = await client.post(path, json={**RECORD, "publicValue": "New"}, headers=ADMIN)
    assert restored.status_code == 200
    data = restored.json()["data"]
    assert (data["id"], data["createdAt"], data["isDeleted"]) == (record["id"], record["createdAt"], False)
    assert (data["publicValue"], data["description"], data["tags"]) == ("New", None, [])


async def test_of_fifty_parallel_creates_one_is_201_and_the_rest_are_409(service: Service, path: str) -> None:
    answers = await asyncio.gather(
        *(service.client.post(path, json=RECORD, headers=ADMIN) for _ in range(50))
    )
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 49


async def test_put_changes_what_is_named_and_brings_a_deleted_record_back(
    service: Service, path: str
) -> None:
    client = service.client
    record = await create(client, path, description="Old", tags=["old"])
    await client.delete(address_of(path, record), headers=ADMIN)
    assert await listed(client, path) == []
    assert await cards(client, path) == []

    changed = await client.put(address_of(path, record), json={"publicValue": "New"}, headers=ADMIN)
    data = changed.json()["data"]
    assert (data["publicValue"], data["description"], data["isDeleted"]) == ("New", "Old", False)
    assert data["maskedValue"] == RECORD["maskedValue"]
    cleared = await client.put(
        address_of(path, record), json={"description": None, "tags": None, "key": "plan"}, headers=ADMIN
    )
    data = cleared.json()["data"]
    assert (data["description"], data["tags"], data["key"]) == (None, [], "plan")
    assert offending(
        await client.put(address_of(path, data), json={"key": None, "maskedValue": " "}, headers=ADMIN)
    ) == {"key", "maskedValue"}


async def test_put_to_a_key_of_any_record_is_a_conflict(service: Service, path: str) -> None:
    client = service.client
    await create(client, path)
    gone = await create(client, path, key="gone")
    mine = await create(client, path, key="mine")
    await client.delete(address_of(path, gone), headers=ADMIN)
    for key in ("budget", "gone"):
        response = await client.put(address_of(path, mine), json={"key": key}, headers=ADMIN)
        assert (response.status_code, response.json()["error"]["code"]) == (409, "CONFLICT")
    same = await client.put(address_of(path, mine), json={"key": "mine"}, headers=ADMIN)
    assert same.status_code == 200
    assert same.json()["data"]["updatedAt"] == mine["updatedAt"]


async def test_what_is_not_there_is_404_and_what_is_no_id_is_400(service: Service) -> None:
    client = service.client
    for method in ("PUT", "DELETE"):
        missing = await client.request(method, f"{MAIN}/{'a' * 24}", json={}, headers=ADMIN)
        assert missing.status_code == 404
        assert offending(await client.request(method, f"{MAIN}/budget", json={}, headers=ADMIN)) == {"id"}
    for method in ("GET", "PUT", "DELETE"):
        assert (await client.request(method, f"{SECOND}/none", json={}, headers=ADMIN)).status_code == 404
        assert offending(await client.request(method, f"{SECOND}/-", json={}, headers=ADMIN)) == {"key"}


async def test_a_card_is_read_by_its_key_a_deleted_one_when_it_is_asked_for(service: Service) -> None:
    client = service.client
    record = await create(client, SECOND)
    assert (await client.get(f"{SECOND}/budget", headers=ADMIN)).json()["data"] == record
    await client.delete(f"{SECOND}/budget", headers=ADMIN)
    assert (await client.get(f"{SECOND}/budget", headers=ADMIN)).status_code == 404
    kept = await client.get(f"{SECOND}/budget?include_deleted=true", headers=ADMIN)
    assert kept.json()["data"]["isDeleted"] is True


async def test_lists_give_everything_unless_a_limit_is_sent(service: Service, path: str) -> None:
    client = service.client
    records = [await create(client, path, key=f"key-{number:03}") for number in range(105)]
    await client.delete(address_of(path, records[3]), headers=ADMIN)
    keys = [record["key"] for record in records]
    assert await listed(client, path, "?include_deleted=true") == keys
    assert await listed(client, path, "?includeDeleted=true&limit=5") == keys[:5]
    del keys[3]
    assert await listed(client, path) == keys
    assert await listed(client, path, "?limit=3&offset=2") == keys[2:5]
    assert [card["key"] for card in await cards(client, path)] == keys
    assert [card["key"] for card in await cards(client, path, "?limit=2&offset=1")] == keys[1:3]
    page = (await client.get(f"{path}?limit=3&offset=2", headers=ADMIN)).json()["data"]
    assert {name: page[name] for name in ("total", "limit", "offset", "hasMore")} == {
        "total": 104, "limit": 3, "offset": 2, "hasMore": True,
    }  # fmt: skip
    for query in ("?limit=0", "?limit=101", "?offset=-1", "?include_deleted=1"):
        assert offending(await client.get(f"{path}{query}", headers=ADMIN))
    both = "?include_deleted=true&includeDeleted=false"
    assert offending(await client.get(f"{path}{both}", headers=ADMIN)) == {"includeDeleted"}


async def test_the_public_list_is_not_sent_again_until_it_changes(service: Service, path: str) -> None:
    client = service.client
    record = await create(client, path)
    first = await client.get(PUBLIC[path])
    etag = first.headers["ETag"]
    assert first.headers.get_list("Cache-Control") == ["public, no-cache"]
    for sent in (etag, etag.removeprefix("W/"), f'"other", {etag}', "*"):
        same = await client.get(PUBLIC[path], headers={"If-None-Match": sent})
        assert (same.status_code, same.content, same.headers["ETag"]) == (304, b"", etag)
        assert "X-Request-Id" in same.headers
    hidden = {"maskedValue": "Nobody sees this change."}
    await client.put(address_of(path, record), json=hidden, headers=ADMIN)
    assert (await client.get(PUBLIC[path], headers={"If-None-Match": etag})).status_code == 304
    await client.put(address_of(path, record), json={"publicValue": "New"}, headers=ADMIN)
    changed = await client.get(PUBLIC[path], headers={"If-None-Match": etag})
    assert changed.status_code == 200
    assert changed.headers["ETag"] != etag
    assert (await client.get(PUBLIC[path], headers={"If-None-Match": '"other"'})).status_code == 200


async def test_the_catalogs_have_nothing_to_do_with_each_other(service: Service) -> None:
    await create(service.client, MAIN)
    await create(service.client, SECOND, publicValue="Another")
    assert [card["publicValue"] for card in await cards(service.client, MAIN)] == ["Make a budget"]
    assert [card["publicValue"] for card in await cards(service.client, SECOND)] == ["Another"]
