"""Bodies that are costly to refuse (issue 18, point 2): short answers, read beside the event loop."""

import asyncio
import threading
from base64 import b64encode
from types import SimpleNamespace
from typing import Any

import httpx2
import msgspec
import pytest

from finassist.application.shares import redact
from finassist.config import Secret
from finassist.domain.errors import FieldError
from finassist.entrypoints.http.requests import large_json, validation
from finassist.testing import ScriptedModel
from http_service import DEVICE, Service, Start
from waiting import until

pytestmark = pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)

SECRET = "a backend secret of the tests of attacks"
CONVERSATION = f"/api/v1/user/conversations/{'a' * 24}"
JSON = {**DEVICE, "content-type": "application/json", "x-backend-secret": SECRET}
KB = 1024

TOO_LONG: dict[str, tuple[str, str, bytes, str]] = {
    "tags": ("PATCH", CONVERSATION, b'{"tags":[%s1]}' % (b"1," * 32_000), "tags"),
    "attachments": (
        "POST",
        "/api/v1/ai/chat",
        b'{"message":"a","attachments":[%s1]}' % (b"1," * 32_000),
        "attachments",
    ),
    "embeds": ("POST", "/api/v1/visual-embeds/bulk", b'{"embeds":[%s1]}' % (b"1," * 32_000), "embeds"),
}


@pytest.fixture
async def service(start: Start) -> Service:
    return await start({"backend_secret": Secret(SECRET)})


async def send(service: Service, method: str, path: str, body: bytes) -> httpx2.Response:
    return await service.client.request(method, path, content=body, headers=JSON)


@pytest.mark.parametrize("name", TOO_LONG)
async def test_a_list_over_its_length_reports_only_that(service: Service, name: str) -> None:
    method, path, body, field = TOO_LONG[name]
    answer = await send(service, method, path, body)
    assert answer.status_code == 400
    assert [detail["field"] for detail in answer.json()["error"]["details"]] == [field]
    assert len(answer.content) < KB


@pytest.mark.parametrize("embed", [b"1", b"{}", b'{"categoryId":1,"imageUrl":2,"quoteText":3}'])
async def test_an_answer_lists_at_most_a_hundred_errors(service: Service, embed: bytes) -> None:
    body = b'{"embeds":[%s]}' % b",".join([embed] * 100)
    answer = await send(service, "POST", "/api/v1/visual-embeds/bulk", body)
    assert answer.status_code == 400
    assert len(answer.json()["error"]["details"]) == 100
    assert len(answer.content) < 16 * KB


async def test_of_many_errors_hardly_more_are_looked_for_than_are_told(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def note(field: str, message: str) -> Any:
        made.append(field)
        return FieldError(field, message)

    monkeypatch.setattr("finassist.entrypoints.http.requests.field_errors.FieldError", note)
    body = b'{"embeds":[%s]}' % b",".join([b'{"categoryId":1,"imageUrl":2,"quoteText":3}'] * 100)
    await send(service, "POST", "/api/v1/visual-embeds/bulk", body)
    assert len(made) < 110  # not the 300 that there are


@pytest.mark.parametrize(("size", "beside"), [(16 * KB, False), (16 * KB + 1, True)])
async def test_a_body_over_16_kb_is_read_beside_the_event_loop(
    service: Service, monkeypatch: pytest.MonkeyPatch, size: int, beside: bool
) -> None:
    threads: list[threading.Thread] = []
    decode = validation._decode

    def note(*arguments: Any) -> Any:
        threads.append(threading.current_thread())
        return decode(*arguments)

    monkeypatch.setattr(validation, "_decode", note)
    body = b'{"pinned":true}'
    answer = await send(service, "PATCH", CONVERSATION, body + b" " * (size - len(body)))
    assert answer.status_code == 404
    assert [thread is not threading.main_thread() for thread in threads] == [beside]


async def test_while_large_bodies_are_read_one_by_one_others_are_answered(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end = threading.Event()
    running: list[int] = []
    most = 0
    decode = validation._decode

    def slow(text: bytes, *arguments: Any) -> Any:
        nonlocal most
        if len(text) > 16 * KB:
            running.append(1)
            most = max(most, len(running))
            may_end.wait(10)
            running.pop()
        return decode(text, *arguments)

    monkeypatch.setattr(validation, "_decode", slow)
    large = b'{"tags":[%s1]}' % (b"1," * 32_000)
    attack = [asyncio.create_task(send(service, "PATCH", CONVERSATION, large)) for _ in range(3)]
    await until(lambda: running)
    assert (await send(service, "PATCH", CONVERSATION, b'{"pinned":true}')).status_code == 404
    assert not any(request.done() for request in attack)
    may_end.set()
    assert [answer.status_code for answer in await asyncio.gather(*attack)] == [400] * 3
    assert most == 1


CHAT = "/api/v1/ai/chat"
NOTE = b"???>>>" * 200_000
DATA = b64encode(NOTE).decode()


def with_note(data: str) -> bytes:
    file = f'{{"mimeType":"text/plain","filename":"a.txt","data":"{data}"}}'
    return f'{{"message":"What does it say? \U0001f600","attachments":[{file}]}}'.encode()


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lengths of the texts that were decoded in one step each, which no other thread can interrupt."""
    lengths: list[int] = []

    def decode(text: bytes, **options: Any) -> Any:
        lengths.append(len(text))
        return msgspec.json.decode(text, **options)

    monkeypatch.setattr(large_json, "msgspec", SimpleNamespace(json=SimpleNamespace(decode=decode)))
    return lengths


@pytest.mark.parametrize(
    "data", [DATA, DATA.replace("/", "\\/").replace("+", "\\u002B")], ids=["as it is", "escaped"]
)
async def test_a_large_attachment_is_decoded_in_slices(
    service: Service, decoded: list[int], data: str
) -> None:
    alice = await service.token("alice")
    answer = await service.client.post(CHAT, content=with_note(data), headers=JSON | alice)
    assert answer.status_code == 200, answer.text
    files = (await service.client.get("/api/v1/files", headers=alice)).json()["data"]["files"]
    assert [(file["filename"], file["size"]) for file in files] == [("a.txt", len(NOTE))]
    assert max(decoded) < 70 * KB


SLOW_TO_DECODE: dict[str, bytes] = {
    "a character beyond ASCII after base64": with_note("A" * 4 * KB * KB + "😀"),
    "the same, escaped": with_note("A" * 4 * KB * KB + "\\ud83d\\ude00"),
    "escapes": with_note("\\u00e9" * KB * KB),
    "backslashes": with_note("\\" * 4 * KB * KB),
    "quotes": with_note('\\"' * 2 * KB * KB),
    "a string without an end": b'{"message":"' + b"\\u00e9" * KB * KB,
    "many strings of 60 KB": b'{"message":["%s"]}' % b'","'.join([b"\xc3\xa9" * 30 * KB] * 70),
    "white space": b'{"message":"Hi"}' + b" " * 4 * KB * KB,
}


@pytest.mark.parametrize("name", SLOW_TO_DECODE)
async def test_large_bodies_that_are_slow_to_decode_are_refused_before(
    service: Service, decoded: list[int], name: str
) -> None:
    answer = await send(service, "POST", CHAT, SLOW_TO_DECODE[name])
    assert answer.status_code == 400, answer.text
    assert [detail["field"] for detail in answer.json()["error"]["details"]] == ["body"]
    assert max(decoded, default=0) <= KB * KB


PREVIEW = "/api/v1/share/preview"


async def long_conversation(
    start: Start, characters: int, replies: int = 1
) -> tuple[Service, dict[str, Any]]:
    """A conversation of Alice's, and the body of a request to preview its share."""
    service = await start(language_model=ScriptedModel(lambda _: ["a@b.co " * (characters // 7)]))
    alice = await service.token("alice")
    asked: dict[str, Any] = {}
    for _ in range(replies):
        reply = await service.ask("Hello", alice, **asked)
        asked = {"conversation_id": reply["conversationId"]}
    return service, {"json": {"conversationId": reply["conversationId"], "redact": True}, "headers": alice}


async def test_a_conversation_is_redacted_beside_the_event_loop_one_of_a_caller_at_a_time(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    service, request = await long_conversation(start, 7_000)
    may_end = threading.Event()
    running: list[threading.Thread] = []
    most = 0
    find = redact._findings

    def slow(*arguments: Any) -> Any:
        nonlocal most
        running.append(threading.current_thread())
        most = max(most, len(running))
        may_end.wait(10)
        assert running.pop() is not threading.main_thread()
        return find(*arguments)

    monkeypatch.setattr(redact, "_findings", slow)
    attack = [asyncio.create_task(service.client.post(PREVIEW, **request)) for _ in range(4)]
    await until(lambda: running)
    assert (await send(service, "PATCH", CONVERSATION, b'{"pinned":true}')).status_code == 404
    assert not any(preview.done() for preview in attack)
    may_end.set()
    assert [answer.status_code for answer in await asyncio.gather(*attack)] == [200] * 4
    assert most == 1


@pytest.mark.parametrize("path", [PREVIEW, "/api/v1/share"])
async def test_a_conversation_that_is_too_long_is_not_redacted(
    start: Start, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    service, request = await long_conversation(start, 100_000, replies=6)
    monkeypatch.setattr(redact, "_redacted", None)
    answer = await service.client.post(path, **request)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "INVALID_STATE")
