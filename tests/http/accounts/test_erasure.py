"""Erasing a user or a guest over HTTP (contract section 3, "Export and erasure")."""

import asyncio
import re
import sqlite3
from pathlib import Path
from typing import Any

import httpx2
import pytest

from file_service import send, stored, with_broken_store
from finassist.config import Secret
from finassist.testing import FakeClock, ScriptedModel
from full_life import AUTH, ME, PASSWORD, Life, live, sign_up
from http_service import DEVICE, OTHER_DEVICE, Service, Start, offending
from raw_records import texts_of
from shares_over_http import PUBLIC, view
from waiting import FACT_SECONDS, until

RECEIPTS = "/api/v1/erasure"
NOTHING = {
    "conversations": 0, "messages": 0, "files": 0, "shares": 0, "profileAnswers": 0, "devices": 0,
    "accounts": 0,
}  # fmt: skip


async def erase(service: Service, headers: dict[str, str], **body: Any) -> httpx2.Response:
    return await service.client.request("DELETE", ME, json=body or None, headers=headers)


async def erased(service: Service, headers: dict[str, str], **body: Any) -> dict[str, Any]:
    """The receipt."""
    response = await erase(service, headers, **body)
    assert response.status_code == 200, response.text
    assert response.headers.get_list("Cache-Control") == ["no-store"]
    data: dict[str, Any] = response.json()["data"]
    return data


async def receipt(service: Service, receipt_id: str) -> dict[str, Any]:
    response = await service.client.get(f"{RECEIPTS}/{receipt_id}")
    assert response.status_code == 200, response.text
    data: dict[str, Any] = response.json()["data"]
    return data


def traces_left(life: Life, database: dict[str, Any], tmp_path: Path) -> list[tuple[str, str]]:
    """Where something of the user can be found: in records, in names of files, and in files."""
    found = [
        (name, trace)
        for name, text in texts_of(database["database_url"])
        for trace in life.traces
        if trace.lower() in text.lower()
    ]
    for file in stored(tmp_path):
        content = file.read_bytes()
        found += [
            (str(file), trace) for trace in life.traces if trace in str(file) or trace.encode() in content
        ]
    return found


async def error(response: httpx2.Response, status: int) -> str:
    assert response.status_code == status, response.text
    code: str = response.json()["error"]["code"]
    return code


async def test_nothing_of_an_erased_user_is_left_in_any_record_or_file(
    start: Start, database: dict[str, Any], tmp_path: Path
) -> None:
    service = await start(database)
    ann, bob = await live(service, "annabel"), await live(service, "robert")
    before = {name for name, _ in traces_left(ann, database, tmp_path)}
    assert before >= {"users", "devices", "conversations", "messages", "files", "shares", "accounts"}

    answer = await erased(service, ann.headers, password=PASSWORD)
    state = await service.until_erased(answer["receiptId"])

    assert traces_left(ann, database, tmp_path) == []
    assert answer["counts"] == {
        "conversations": 2, "messages": 4, "files": 2, "shares": 1, "profileAnswers": 1, "devices": 1,
        "accounts": 1,
    }  # fmt: skip
    assert state == {
        "status": "done",
        "requestedAt": answer["requestedAt"],
        "completedAt": state["completedAt"],
        "counts": answer["counts"],
    }
    assert len(stored(tmp_path)) == 3
    me = await service.client.get(ME, headers=bob.headers)
    assert me.json()["data"]["usage"]["conversations"]["active"] == 2
    assert (await view(service, bob.share_id)).status_code == 200


async def test_the_file_of_the_database_keeps_nothing_either(start: Start, tmp_path: Path) -> None:
    service = await start()
    ann = await live(service, "annabel")

    await service.until_erased((await erased(service, ann.headers))["receiptId"])

    path = service.finassist.settings.sqlite_path
    assert path is not None
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    content = path.read_bytes()
    assert [trace for trace in ann.traces if trace.encode() in content] == []


async def test_access_ends_before_the_answer(start: Start, database: dict[str, Any]) -> None:
    service = await start(database)
    ann = await live(service, "annabel")
    assert (await view(service, ann.share_id)).status_code == 200

    await erased(service, ann.headers)

    assert (await view(service, ann.share_id)).status_code == 404
    assert (await service.client.get(f"{PUBLIC}/{ann.share_id}")).status_code == 404
    for method, path in (("GET", ME), ("GET", f"{ME}/export"), ("DELETE", ME), ("GET", "/api/v1/files")):
        response = await service.client.request(method, path, headers=ann.headers)
        assert await error(response, 401) == "UNAUTHORIZED"
    launch = await service.client.get("/app/launch", headers={**DEVICE, **ann.headers})
    assert await error(launch, 401) == "UNAUTHORIZED"
    refresh = await service.client.post(f"{AUTH}/refresh", json={"refreshToken": ann.refresh_token})
    assert await error(refresh, 401) == "INVALID_REFRESH_TOKEN"
    signin = {"email": ann.email, "password": PASSWORD}
    assert await error(await service.client.post(f"{AUTH}/signin", json=signin), 401) == "INVALID_CREDENTIALS"


async def test_signing_up_again_with_the_same_email_makes_a_new_user(
    start: Start, database: dict[str, Any]
) -> None:
    service = await start(database)
    ann = await live(service, "annabel")
    before = dict(ann.headers), ann.user_id
    await erased(service, ann.headers)

    await sign_up(service, ann)

    assert ann.user_id != before[1]
    me = (await service.client.get(ME, headers=ann.headers)).json()["data"]
    assert me["user"]["email"] == ann.email
    assert me["usage"]["conversations"]["total"] == 0
    assert (await service.client.get(ME, headers=before[0])).status_code == 401


# Who may


async def test_a_fresh_token_is_enough(service: Service) -> None:
    alice = await service.token("alice")
    await service.ask("What is a bond?", alice)
    service.clock.advance(299)

    assert (await erased(service, alice))["counts"] == {**NOTHING, "conversations": 1, "messages": 2}


async def test_an_older_token_needs_the_password(service: Service) -> None:
    ann = Life("annabel")
    await sign_up(service, ann)
    service.clock.advance(301)

    assert await error(await erase(service, ann.headers), 401) == "UNAUTHORIZED"
    assert await error(await erase(service, ann.headers, password="Wrong-horse-7"), 401) == (
        "INVALID_CREDENTIALS"
    )
    assert (await service.client.get(ME, headers=ann.headers)).status_code == 200
    assert (await erased(service, ann.headers, password=PASSWORD))["counts"]["accounts"] == 1


async def test_a_password_that_is_sent_has_to_be_right_also_with_a_fresh_token(service: Service) -> None:
    ann = Life("annabel")
    await sign_up(service, ann)

    assert await error(await erase(service, ann.headers, password=""), 401) == "INVALID_CREDENTIALS"
    assert (await service.client.get(ME, headers=ann.headers)).status_code == 200


async def test_ten_wrong_passwords_lock_the_account_for_the_address(service: Service) -> None:
    ann = Life("annabel")
    await sign_up(service, ann)

    for _ in range(10):
        assert await error(await erase(service, ann.headers, password="Wrong-horse-7"), 401)
    response = await erase(service, ann.headers, password=PASSWORD)

    assert await error(response, 429) == "TOO_MANY_ATTEMPTS"
    assert int(response.headers["Retry-After"]) > 0


async def test_somebody_elses_password_does_not_do(service: Service) -> None:
    ann = Life("annabel")
    await sign_up(service, ann)
    # The same address, unverified on both sides: another user, but not another account to sign in to.
    other = await service.token("other", email=ann.email)
    service.clock.advance(301)

    assert await error(await erase(service, other, password=PASSWORD), 401) == "INVALID_CREDENTIALS"
    assert (await service.client.get(ME, headers=other)).status_code == 200


async def test_a_body_is_checked_after_the_caller(service: Service) -> None:
    alice = await service.token("alice")

    assert offending(await erase(service, alice, password=7)) == {"password"}
    assert await error(await service.client.request("DELETE", ME, json={"password": 7}), 401)
    assert (await service.client.get(ME, headers=alice)).status_code == 200


# Receipts


async def test_a_receipt_is_an_id_that_nobody_guesses_and_names_nobody(
    start: Start, database: dict[str, Any]
) -> None:
    service = await start(database)
    ids = set()
    for subject in ("alice", "bob"):
        answer = await erased(service, await service.token(subject))
        await service.until_erased(answer["receiptId"])
        ids.add(answer["receiptId"])

    assert all(re.fullmatch("[a-f0-9]{24}", receipt_id) for receipt_id in ids)
    assert len({receipt_id[:6] for receipt_id in ids}) == 2  # no time at the beginning
    for name, text in texts_of(database["database_url"]):
        if name == "erasures":
            assert "alice" not in text
            assert "local" not in text


@pytest.mark.parametrize(("receipt_id", "status"), [("a" * 24, 404), ("x", 400)])
async def test_an_unknown_receipt_is_not_found(service: Service, receipt_id: str, status: int) -> None:
    response = await service.client.get(f"{RECEIPTS}/{receipt_id}", headers={"Authorization": "Bearer bad"})

    assert response.status_code == status


async def test_receipts_and_hashes_are_kept_for_a_year(service: Service) -> None:
    answer = await erased(service, await service.token("alice"))
    await service.until_erased(answer["receiptId"])

    service.clock.advance(364 * 86_400)
    await service.finassist.workers.delete_expired_logins()
    assert (await receipt(service, answer["receiptId"]))["status"] == "done"
    service.clock.advance(2 * 86_400)
    await service.finassist.workers.delete_expired_logins()

    assert (await service.client.get(f"{RECEIPTS}/{answer['receiptId']}")).status_code == 404


# Old tokens


async def test_an_old_token_brings_nobody_back(start: Start, database: dict[str, Any]) -> None:
    service = await start(database)
    before = await service.token("alice")
    await service.ask("What is a bond?", before)
    await service.until_erased((await erased(service, before))["receiptId"])
    service.clock.advance(31)

    assert await error(await service.client.get(ME, headers=before), 401) == "UNAUTHORIZED"
    chat = await service.client.post("/api/v1/ai/chat", json={"message": "Hi"}, headers=before)
    assert await error(chat, 401) == "UNAUTHORIZED"
    assert [name for name, _ in texts_of(database["database_url"]) if name == "users"] == []


async def test_who_signs_in_again_is_somebody_new_and_the_old_token_stays_void(
    start: Start, database: dict[str, Any]
) -> None:
    """With a provider whose accounts outlive an erasure: the same subject comes back."""
    service = await start(database)
    before = await service.token("alice")
    await service.ask("What is a bond?", before)
    await erased(service, before)
    service.clock.advance(31)
    after = await service.token("alice")

    me = await service.client.get(ME, headers=after)

    assert me.json()["data"]["usage"]["conversations"]["total"] == 0
    assert (await service.client.get(ME, headers=before)).status_code == 401


async def test_an_event_of_the_provider_brings_nobody_back(start: Start) -> None:
    hook_secret = "the webhook secret of these tests"
    service = await start({"webhook_secret": Secret(hook_secret)})
    alice = await service.token("alice")
    await service.client.get(ME, headers=alice)
    await erased(service, alice)
    service.clock.advance(31)
    hook = {**await service.token("machine"), "X-Webhook-Secret": hook_secret}
    event = {"userId": "alice", "email": "alice@example.org"}

    response = await service.client.post(f"{AUTH}/post-login", json=event, headers=hook)

    assert await error(response, 404) == "NOT_FOUND"
    fresh = await service.token("alice")
    assert (await service.client.get(ME, headers=fresh)).json()["data"]["user"]["email"] is None
    assert (await service.client.post(f"{AUTH}/post-login", json=event, headers=hook)).status_code == 200


# Guests


async def test_a_guest_is_erased_by_its_device(
    start: Start, database: dict[str, Any], tmp_path: Path
) -> None:
    service = await start(database)
    guest = {"x-device-id": "annabels-tablet", "x-platform": "web"}
    asked = await service.ask("What is a bond, annabel?", guest)
    other = await service.ask("What is a bond?", OTHER_DEVICE)
    device = await service.finassist.adapters.devices.get("annabels-tablet")
    assert device is not None
    life = Life("annabel", traces={"annabel", device.guest_user_id, device.guest_owner_id})

    answer = await erased(service, guest)
    await service.until_erased(answer["receiptId"])

    assert answer["counts"] == {**NOTHING, "conversations": 1, "messages": 2, "devices": 1}
    assert traces_left(life, database, tmp_path) == []
    path = "/api/v1/user/conversations"
    assert (
        await service.client.get(f"{path}/{other['conversationId']}", headers=OTHER_DEVICE)
    ).status_code == 200
    assert (await service.client.get(f"{path}/{asked['conversationId']}", headers=guest)).status_code == 404
    assert (await service.client.get(path, headers=guest)).json()["data"]["total"] == 0


async def test_a_copy_of_a_share_stays_with_the_user_who_made_it(
    start: Start, database: dict[str, Any]
) -> None:
    service = await start(database)
    ann = await live(service, "annabel")
    copied = await service.client.post(f"{PUBLIC}/{ann.share_id}/continue", headers=OTHER_DEVICE)
    assert copied.status_code == 201, copied.text

    await service.until_erased((await erased(service, ann.headers))["receiptId"])

    path = f"/api/v1/user/conversations/{copied.json()['data']['conversationId']}/messages"
    assert (await service.client.get(path, headers=OTHER_DEVICE)).json()["data"]["total"] == 2


# Several at once


async def test_parallel_requests_make_one_erasure(start: Start, database: dict[str, Any]) -> None:
    service = await start(database)
    ann = await live(service, "annabel")

    responses = await asyncio.gather(*(erase(service, ann.headers) for _ in range(8)))

    assert {response.status_code for response in responses} <= {200, 401}
    receipts = {r.json()["data"]["receiptId"] for r in responses if r.status_code == 200}
    assert len(receipts) == 1
    await service.until_erased(receipts.pop())
    jobs = [text for name, text in texts_of(database["database_url"]) if name == "erasures"]
    assert len(jobs) == 1


async def test_a_running_reply_is_stopped_and_leaves_nothing(
    start: Start, database: dict[str, Any], tmp_path: Path
) -> None:
    gate = asyncio.Event()
    service = await start(database, language_model=ScriptedModel(("annabel, ", gate, "never said")))
    alice = await service.token("annabel")
    asking = asyncio.create_task(
        service.client.post("/api/v1/ai/chat", json={"message": "annabel asks"}, headers=alice)
    )
    await until(lambda: service.finassist.workers.turn_runner.running)

    await service.until_erased((await erased(service, alice))["receiptId"])

    await asyncio.wait_for(asking, FACT_SECONDS)
    assert service.finassist.workers.turn_runner.running == 0
    assert traces_left(Life("annabel", traces={"annabel"}), database, tmp_path) == []


class Slow:
    """An object store whose ``put`` waits, so that an upload is under way for as long as a test wants."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.begun, self.go = asyncio.Event(), asyncio.Event()

    async def put(self, *args: Any) -> None:
        self.begun.set()
        await self.go.wait()
        await self._inner.put(*args)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


async def test_an_upload_under_way_leaves_nothing(
    start: Start, database: dict[str, Any], tmp_path: Path
) -> None:
    healthy = await start(database)
    store = Slow(healthy.finassist.adapters.object_store)
    service = await start(database, object_store=store)
    alice = await service.token("annabel")
    uploading = asyncio.create_task(send(service, alice, filename="annabel.pdf"))
    await store.begun.wait()
    await service.until_erased((await erased(service, alice))["receiptId"])

    store.go.set()

    assert await error(await uploading, 401) == "UNAUTHORIZED"
    await service.finassist.workers.erasure_runner()
    assert stored(tmp_path) == []
    assert traces_left(Life("annabel", traces={"annabel"}), database, tmp_path) == []


# What fails


async def test_a_store_that_does_not_answer_is_tried_again(start: Start, tmp_path: Path) -> None:
    clock = FakeClock()
    service, store = await with_broken_store(start, clock=clock)
    ann = await live(service, "annabel")
    store.broken.add("delete")

    answer = await erased(service, ann.headers)
    await until(lambda: not service.finassist.workers.erasure_runner._running)  # it gives the lease back

    assert (await receipt(service, answer["receiptId"]))["status"] == "pending"
    assert stored(tmp_path) != []
    store.broken.clear()
    clock.advance(61)
    assert await service.finassist.workers.erasure_runner() == 1
    assert (await receipt(service, answer["receiptId"]))["status"] == "done"
    assert stored(tmp_path) == []
