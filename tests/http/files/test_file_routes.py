"""The caller's files over HTTP (spec "Files", contract section 10)."""

import asyncio
from collections.abc import Iterator, MutableMapping
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from file_service import FILES, PDF, received, send, stored, uploaded, with_broken_store
from finassist.testing import FakeClock
from http_service import DEVICE, Service, Start, offending

MEGABYTE = 2**20
UNKNOWN = "a" * 24


def picture(kind: str = "PNG", size: tuple[int, int] = (40, 30)) -> bytes:
    content = BytesIO()
    Image.linear_gradient("L").resize(size).convert("RGB").save(content, kind)
    return content.getvalue()


async def conversation_of(service: Service, headers: dict[str, str]) -> str:
    conversation: str = (await service.ask("What is a bond?", headers))["conversationId"]
    return conversation


async def test_an_uploaded_pdf_is_recorded_and_its_link_serves_it(service: Service, tmp_path: Path) -> None:
    alice = await service.token("alice")
    me = (await service.client.get("/api/v1/auth/me", headers=alice)).json()["data"]["user"]["id"]

    file = await uploaded(service, alice)

    assert file == {
        "id": file["id"],
        "userId": me,
        "conversationId": None,
        "filename": "statement.pdf",
        "mimeType": "application/pdf",
        "size": len(PDF),
        "kind": "pdf",
        "url": file["url"],
        "width": None,
        "height": None,
        "createdAt": file["createdAt"],
        "updatedAt": file["createdAt"],
    }
    link = await service.client.get(file["url"])
    assert (link.status_code, link.content) == (200, PDF)
    assert link.headers["content-type"] == "application/pdf"
    assert link.headers["content-disposition"] == "attachment; filename*=UTF-8''statement.pdf"
    assert received(tmp_path) == []


async def test_an_uploaded_picture_has_a_size(service: Service) -> None:
    alice = await service.token("alice")
    content = picture(size=(400, 300))
    file = await uploaded(service, alice, content=content, filename="bill.png", mime_type="image/png")
    assert (file["kind"], file["width"], file["height"]) == ("image", 400, 300)


async def test_a_file_whose_type_is_not_said_is_taken_for_what_it_is(service: Service) -> None:
    alice = await service.token("alice")
    body = b'--x\r\nContent-Disposition: form-data; name="file"\r\n\r\n' + PDF + b"\r\n--x--\r\n"
    headers = {**alice, "Content-Type": "multipart/form-data; boundary=x"}
    response = await service.client.post(f"{FILES}/upload", content=body, headers=headers)
    assert response.status_code == 201
    file = response.json()["data"]
    assert (file["mimeType"], file["filename"]) == ("application/pdf", "file.pdf")


async def test_a_link_is_good_for_15_minutes(start: Start) -> None:
    clock = FakeClock(datetime.now(UTC))
    service = await start(clock=clock)
    alice = await service.token("alice")
    url = (await uploaded(service, alice))["url"]
    clock.advance(899)
    assert (await service.client.get(url)).status_code == 200
    clock.advance(1)
    assert (await service.client.get(url)).status_code == 404


async def test_a_file_can_belong_to_a_conversation_and_be_listed_by_it(service: Service) -> None:
    alice = await service.token("alice")
    conversation = await conversation_of(service, alice)
    inside = await uploaded(service, alice, conversationId=conversation)
    outside = await uploaded(service, alice)

    async def listed(**query: Any) -> tuple[list[str], dict[str, Any]]:
        page = (await service.client.get(FILES, params=query, headers=alice)).json()["data"]
        return [file["id"] for file in page.pop("files")], page

    assert inside["conversationId"] == conversation
    assert await listed() == (
        [outside["id"], inside["id"]],
        {"total": 2, "limit": 20, "offset": 0, "hasMore": False},
    )
    assert await listed(conversationId=conversation) == (
        [inside["id"]],
        {"total": 1, "limit": 20, "offset": 0, "hasMore": False},
    )
    assert (await listed(limit=1))[0] == [outside["id"]]
    assert (await listed(limit=1, offset=1))[0] == [inside["id"]]


async def test_the_conversation_of_a_file_has_two_spellings(service: Service) -> None:
    alice = await service.token("alice")
    conversation = await conversation_of(service, alice)
    file = await uploaded(service, alice, conversation_id=conversation)
    assert file["conversationId"] == conversation
    for params in (
        {"conversation_id": conversation},
        {"conversation_id": conversation, "conversationId": conversation},
    ):
        found = await service.client.get(FILES, params=params, headers=alice)
        assert [each["id"] for each in found.json()["data"]["files"]] == [file["id"]]
    different = {"conversation_id": conversation, "conversationId": UNKNOWN}
    assert offending(await service.client.get(FILES, params=different, headers=alice)) == {"conversation_id"}
    both = await send(service, alice, conversation_id=conversation, conversationId=UNKNOWN)
    assert offending(both) == {"conversation_id"}
    assert offending(await send(service, alice, conversation_id="nonsense")) == {"conversation_id"}


async def test_one_file_can_be_read(service: Service) -> None:
    alice = await service.token("alice")
    file = await uploaded(service, alice)
    response = await service.client.get(f"{FILES}/{file['id']}", headers=alice)
    assert response.status_code == 200
    assert {**response.json()["data"], "url": ""} == {**file, "url": ""}


async def test_a_deleted_file_is_gone_with_its_content(service: Service, tmp_path: Path) -> None:
    alice = await service.token("alice")
    file = await uploaded(service, alice)
    assert len(stored(tmp_path)) == 1

    response = await service.client.delete(f"{FILES}/{file['id']}", headers=alice)

    assert response.json()["data"] == {"deleted": True, "fileId": file["id"]}
    assert stored(tmp_path) == []
    assert (await service.client.get(file["url"])).status_code == 404
    for method in ("GET", "DELETE"):
        again = await service.client.request(method, f"{FILES}/{file['id']}", headers=alice)
        assert again.status_code == 404
    assert (await service.client.get(FILES, headers=alice)).json()["data"]["total"] == 0


async def test_a_file_is_its_owners_alone(service: Service) -> None:
    alice, bob = await service.token("alice"), await service.token("bob")
    file = await uploaded(service, alice)
    for method in ("GET", "DELETE"):
        assert (await service.client.request(method, f"{FILES}/{file['id']}", headers=bob)).status_code == 403
        assert (await service.client.request(method, f"{FILES}/{UNKNOWN}", headers=bob)).status_code == 404
        wrong = await service.client.request(method, f"{FILES}/nonsense", headers=bob)
        assert offending(wrong) == {"fileId"}
    assert (await service.client.get(FILES, headers=bob)).json()["data"]["files"] == []


async def test_files_need_a_bearer_token(service: Service) -> None:
    for method, path in (
        ("POST", f"{FILES}/upload"),
        ("GET", FILES),
        ("GET", f"{FILES}/{UNKNOWN}"),
        ("DELETE", f"{FILES}/{UNKNOWN}"),
    ):
        for headers in ({}, DEVICE):
            response = await service.client.request(method, path, headers=headers)
            assert (response.status_code, response.json()["error"]["code"]) == (401, "UNAUTHORIZED")


async def test_somebody_elses_conversation_takes_no_file(service: Service, tmp_path: Path) -> None:
    alice, bob = await service.token("alice"), await service.token("bob")
    conversation = await conversation_of(service, alice)
    assert (await send(service, bob, conversationId=conversation)).status_code == 403
    assert (await send(service, bob, conversationId=UNKNOWN)).status_code == 404
    assert stored(tmp_path) == []
    for known, status in ((conversation, 403), (UNKNOWN, 404)):
        response = await service.client.get(FILES, params={"conversationId": known}, headers=bob)
        assert response.status_code == status


async def test_a_deleted_conversation_takes_no_file_and_leaves_the_files_it_had(service: Service) -> None:
    alice = await service.token("alice")
    conversation = await conversation_of(service, alice)
    file = await uploaded(service, alice, conversationId=conversation)
    await service.client.delete(f"/api/v1/user/conversations/{conversation}", headers=alice)

    assert (await send(service, alice, conversationId=conversation)).status_code == 404
    by_conversation = await service.client.get(FILES, params={"conversationId": conversation}, headers=alice)
    assert by_conversation.status_code == 404
    assert (await service.client.get(f"{FILES}/{file['id']}", headers=alice)).status_code == 200


async def test_everything_that_is_wrong_with_a_form_is_named(service: Service) -> None:
    alice = await service.token("alice")
    client = service.client
    wrong = await send(service, alice, b"neither", "x.pdf", conversationId="nonsense")
    assert offending(wrong) == {"file", "conversationId"}
    no_file = await client.post(
        f"{FILES}/upload", files={"conversationId": (None, "nonsense")}, headers=alice
    )
    assert offending(no_file) == {"file", "conversationId"}
    long = await client.post(f"{FILES}/upload", files={"conversationId": (None, "a" * 5000)}, headers=alice)
    assert offending(long) == {"file", "conversationId"}
    twice = await client.post(
        f"{FILES}/upload", files=[("file", ("a.pdf", PDF)), ("file", ("b.pdf", PDF))], headers=alice
    )
    assert offending(twice) == {"file"}


async def test_a_broken_form_is_refused(service: Service, tmp_path: Path) -> None:
    alice = await service.token("alice")
    for kind, body in (
        ("multipart/form-data", b"--x\r\n"),
        ("multipart/form-data; boundary=x", b"nothing of the kind"),
        ("multipart/form-data; boundary=x", b"--x\r\nContent-Disposition: form-data; name=file\r\n\r\ncut"),
        ("multipart/form-data; boundary=x", b""),
    ):
        headers = {**alice, "Content-Type": kind}
        response = await service.client.post(f"{FILES}/upload", content=body, headers=headers)
        assert offending(response) == {"body"}, body
    assert received(tmp_path) == []


async def test_another_body_than_a_form_is_415(service: Service) -> None:
    alice = await service.token("alice")
    for body in ({"content": PDF}, {"json": {"file": "x"}}):
        response = await service.client.post(f"{FILES}/upload", headers=alice, **body)
        assert (response.status_code, response.json()["error"]["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")


async def test_a_body_over_21_mb_is_413_and_a_file_over_its_own_limit_400(
    service: Service, tmp_path: Path
) -> None:
    alice = await service.token("alice")
    too_large = await send(service, alice, PDF + bytes(21 * MEGABYTE))
    assert (too_large.status_code, too_large.json()["error"]["code"]) == (413, "PAYLOAD_TOO_LARGE")
    assert offending(await send(service, alice, PDF + bytes(20 * MEGABYTE))) == {"file"}
    large_picture = picture() + bytes(10 * MEGABYTE)
    assert offending(await send(service, alice, large_picture, "a.png", "image/png")) == {"file"}
    assert stored(tmp_path) == received(tmp_path) == []


async def test_a_body_that_says_no_length_is_cut_off_at_21_mb(service: Service) -> None:
    alice = await service.token("alice")
    sent = 0

    async def endless() -> Any:
        nonlocal sent
        yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.4\n'
        for _ in range(1000):
            sent += MEGABYTE
            yield bytes(MEGABYTE)

    headers = {**alice, "Content-Type": "multipart/form-data; boundary=x"}
    response = await service.client.post(f"{FILES}/upload", content=endless(), headers=headers)
    assert response.status_code == 413


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("../../etc/passwd", "passwd.pdf"),
        ("..\\..\\boot.ini", "boot.ini.pdf"),
        ("invoice.html", "invoice.html.pdf"),
        ("März 💶.PDF", "März 💶.PDF"),
        ("x" * 300 + ".pdf", "x" * 124 + ".pdf"),
    ],
)
async def test_a_name_is_made_safe(service: Service, name: str, kept: str, tmp_path: Path) -> None:
    alice = await service.token("alice")
    file = await uploaded(service, alice, filename=name)
    assert file["filename"] == kept
    [content] = stored(tmp_path)
    assert content.relative_to(tmp_path / "objects").as_posix() == f"files/{file['id']}"
    assert (await service.client.get(file["url"])).content == PDF


async def test_a_store_that_fails_leaves_nothing_of_an_upload(start: Start, tmp_path: Path) -> None:
    service, store = await with_broken_store(start)
    alice = await service.token("alice")
    store.broken = {"put"}
    response = await send(service, alice)
    assert (response.status_code, response.json()["error"]["code"]) == (500, "STORAGE_ERROR")
    assert stored(tmp_path) == received(tmp_path) == []
    assert (await service.client.get(FILES, headers=alice)).json()["data"]["total"] == 0


async def test_a_file_that_the_store_cannot_delete_stays_and_can_be_deleted_later(start: Start) -> None:
    service, store = await with_broken_store(start)
    alice = await service.token("alice")
    file = await uploaded(service, alice)
    path = f"{FILES}/{file['id']}"

    store.broken = {"delete"}
    refused = await service.client.delete(path, headers=alice)
    assert (refused.status_code, refused.json()["error"]["code"]) == (500, "STORAGE_ERROR")
    assert (await service.client.get(path, headers=alice)).status_code == 200

    store.broken = set()
    assert (await service.client.delete(path, headers=alice)).status_code == 200


async def test_a_full_disk_is_a_storage_error(start: Start, tmp_path: Path) -> None:
    service = await start()
    alice = await service.token("alice")
    (tmp_path / "spool").write_text("a file where the folder should be")
    response = await send(service, alice)
    assert (response.status_code, response.json()["error"]["code"]) == (500, "STORAGE_ERROR")


async def test_of_many_parallel_deletions_one_succeeds(service: Service) -> None:
    alice = await service.token("alice")
    file = await uploaded(service, alice)
    path = f"{FILES}/{file['id']}"
    answers = await asyncio.gather(*(service.client.delete(path, headers=alice) for _ in range(10)))
    assert sorted(answer.status_code for answer in answers) == [200] + [404] * 9


async def test_a_client_that_goes_away_leaves_nothing(service: Service, tmp_path: Path) -> None:
    alice = await service.token("alice")

    async def receive() -> dict[str, Any]:
        return next(messages)

    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.4\n'
    messages: Iterator[dict[str, Any]] = iter(
        [
            {"type": "http.request", "body": head + bytes(MEGABYTE), "more_body": True},
            {"type": "http.disconnect"},
        ]
    )
    sent: list[MutableMapping[str, Any]] = []

    async def reply(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    await service.app(upload_scope(alice), receive, reply)

    assert sent[0]["status"] == 400
    assert stored(tmp_path) == received(tmp_path) == []


def upload_scope(headers: dict[str, str]) -> dict[str, Any]:
    sent = {**headers, "Content-Type": "multipart/form-data; boundary=x"}
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": f"{FILES}/upload",
        "raw_path": f"{FILES}/upload".encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(name.lower().encode(), value.encode()) for name, value in sent.items()],
        "client": ("127.0.0.1", 1),
        "server": ("testserver", 80),
    }
