"""Malformed and wrong request bodies are a 400 that lists every offending field (contract section 1)."""

import json
from collections.abc import AsyncIterator, Iterator, MutableMapping
from typing import Any

import httpx2
import pytest
import structlog

from http_service import DEVICE, Service, offending

FEEDBACK = f"/api/v1/user/messages/{'a' * 24}/feedback"
CONVERSATION = f"/api/v1/user/conversations/{'a' * 24}"
JSON = {**DEVICE, "Content-Type": "application/json"}


def nested(depth: int) -> bytes:
    return b'{"rating":1,"more":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"{",
        b"rating=1",
        b"[1,]",
        b'{"rating":1}{}',
        b'\xef\xbb\xbf{"rating":1}',
        b'{"rating":1,"feedback":"\xff"}',
        b'{"rating":1,"feedback":"\\ud800"}',
        b'{"rating":1,"\\u0000":1}',
        b'{"rating":1,"more":{"a\\u0000b":1}}',
        b'{"rating":NaN}',
        b'{"rating":1,"more":Infinity}',
        b'{"rating":1,"more":1e999}',
        b'{"rating":1,"more":99999999999999999999}',
        b'{"rating":1,"more":%s}' % (b"1" * 5000),
        b"[" * 60_000,
        nested(33),
        b"null",
        b"[]",
        b'"text"',
        b"1",
    ],
    ids=lambda body: repr(body[:40]),
)
async def test_malformed_json_is_a_validation_error(client: httpx2.AsyncClient, body: bytes) -> None:
    response = await client.post(FEEDBACK, content=body, headers=JSON)
    assert offending(response) == {"body"}


async def test_json_may_be_nested_32_deep_and_hold_unknown_fields(client: httpx2.AsyncClient) -> None:
    response = await client.post(FEEDBACK, content=nested(32), headers=JSON)
    assert response.status_code == 404


@pytest.mark.parametrize("rating", ["1", True, 1.0, 0, 2, None, [1], {}])
async def test_types_are_strict(client: httpx2.AsyncClient, rating: Any) -> None:
    response = await client.post(FEEDBACK, json={"rating": rating}, headers=DEVICE)
    assert offending(response) == {"rating"}


@pytest.mark.parametrize("pinned", [1, 0, "true", None])
async def test_a_boolean_is_true_or_false_and_nothing_else(client: httpx2.AsyncClient, pinned: Any) -> None:
    response = await client.patch(CONVERSATION, json={"pinned": pinned}, headers=DEVICE)
    assert offending(response) == {"pinned"}


async def test_every_offending_field_is_listed_by_its_wire_name(client: httpx2.AsyncClient) -> None:
    response = await client.patch(
        "/api/v1/user/conversations/NOT-AN-ID?x=%00",
        json={"title": "", "pinned": "yes", "tags": ["fine", "", 5, "x" * 51]},
        headers={**DEVICE, "x-platform": "toaster"},
    )
    assert offending(response) == {
        "conversationId", "title", "pinned", "tags[1]", "tags[2]", "tags[3]", "x", "x-platform",
    }  # fmt: skip


async def test_a_missing_field_is_listed(client: httpx2.AsyncClient) -> None:
    assert offending(await client.post(FEEDBACK, json={}, headers=DEVICE)) == {"rating"}


async def test_messages_of_errors_do_not_repeat_what_was_sent(client: httpx2.AsyncClient) -> None:
    response = await client.post(FEEDBACK, json={"rating": 1, "feedback": ["canary"]}, headers=DEVICE)
    assert offending(response) == {"feedback"}
    assert "canary" not in response.text


@pytest.mark.parametrize("content_type", [None, "text/plain", "application/x-www-form-urlencoded", "json"])
async def test_a_body_that_is_not_sent_as_json_is_415(
    client: httpx2.AsyncClient, content_type: str | None
) -> None:
    headers = DEVICE | ({"Content-Type": content_type} if content_type else {})
    response = await client.post(FEEDBACK, content=b'{"rating":1}', headers=headers)
    assert response.status_code == 415
    assert response.json()["error"]["code"] == "UNSUPPORTED_MEDIA_TYPE"


@pytest.mark.parametrize(
    "content_type", ["application/json; charset=utf-8", "application/vnd.finassist+json", "Application/JSON"]
)
async def test_every_spelling_of_json_is_accepted(client: httpx2.AsyncClient, content_type: str) -> None:
    headers = {**DEVICE, "Content-Type": content_type}
    assert (await client.post(FEEDBACK, content=b'{"rating":1}', headers=headers)).status_code == 404


async def test_an_error_has_at_most_a_hundred_details(client: httpx2.AsyncClient) -> None:
    query = "&".join(f"q{n}=%00" for n in range(150))
    response = await client.get(f"/api/v1/user/conversations?{query}", headers=DEVICE)
    assert len(response.json()["error"]["details"]) == 100


async def test_a_body_above_its_routes_cap_is_413(client: httpx2.AsyncClient) -> None:
    response = await client.post(FEEDBACK, json={"rating": 1, "more": "x" * 65536}, headers=DEVICE)
    assert response.status_code == 413
    assert response.json()["error"]["code"] == "PAYLOAD_TOO_LARGE"


async def test_an_announced_length_above_the_cap_is_refused_unread(client: httpx2.AsyncClient) -> None:
    async def never_read() -> AsyncIterator[bytes]:
        pytest.fail("the body was read")
        yield b""

    response = await client.post(FEEDBACK, content=never_read(), headers={**JSON, "Content-Length": "65537"})
    assert response.status_code == 413


async def test_a_body_of_unknown_length_is_cut_off_at_the_cap(client: httpx2.AsyncClient) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b" " * 1024

    assert (await client.post(FEEDBACK, content=pieces(), headers=JSON)).status_code == 413


async def test_the_chat_takes_bodies_that_other_routes_refuse(client: httpx2.AsyncClient) -> None:
    response = await client.post("/api/v1/ai/chat", json={"more": "x" * 2**20}, headers=DEVICE)
    assert offending(response) == {"message"}


async def test_json_with_a_huge_number_of_parts_is_refused_before_it_is_built(
    client: httpx2.AsyncClient,
) -> None:
    body = b'{"message":"hi","more":[' + b"[]," * 1_000_000 + b"[]]}"
    response = await client.post("/api/v1/ai/chat", content=body, headers=JSON)
    assert offending(response) == {"body"}


async def test_both_spellings_of_a_field_are_accepted(service: Service) -> None:
    first = await service.ask("What is an ETF?")
    for spelling in ("conversation_id", "conversationId"):
        reply = await service.ask("And a bond?", **{spelling: first["conversationId"]})
        assert reply["conversationId"] == first["conversationId"]


async def test_both_spellings_with_different_values_are_a_validation_error(
    client: httpx2.AsyncClient,
) -> None:
    body = {"message": "", "conversation_id": "a" * 24, "conversationId": "b" * 24}
    response = await client.post("/api/v1/ai/chat", json=body, headers=DEVICE)
    assert offending(response) == {"message", "conversationId"}


@pytest.mark.parametrize("name", ["conversation_id", "conversationId"])
async def test_an_offending_field_is_named_as_it_was_spelled(client: httpx2.AsyncClient, name: str) -> None:
    response = await client.post("/api/v1/ai/chat", json={"message": "hi", name: "nope"}, headers=DEVICE)
    assert offending(response) == {name}


async def test_an_id_with_a_line_feed_behind_it_is_malformed(service: Service) -> None:
    unknown = "0" * 24 + "\n"
    sent = {"message": "hi", "conversation_id": unknown, "attachments": [{"fileId": unknown}]}
    chat = await service.client.post("/api/v1/ai/chat", json=sent, headers=DEVICE)
    assert offending(chat) == {"conversation_id", "attachments[0].fileId"}
    answers = {"answers": [{"cardId": unknown, "questionId": unknown, "value": 1}]}
    token = await service.token()
    cards = await service.client.post("/api/v1/user-profile/answers", json=answers, headers=token)
    assert offending(cards) == {"answers[0].cardId", "answers[0].questionId"}


async def test_a_list_that_is_too_long_is_one_entry_whatever_is_wrong_in_it(service: Service) -> None:
    sent = {"message": "hi", "attachments": [{"fileId": "x"}] * 6}
    chat = await service.client.post("/api/v1/ai/chat", json=sent, headers=DEVICE)
    assert offending(chat) == {"attachments"}


async def test_the_longest_feedback_counts_code_points(client: httpx2.AsyncClient) -> None:
    for length, status in ((1000, 404), (1001, 400)):
        body = json.dumps({"rating": 1, "feedback": "😀" * length}).encode()
        assert (await client.post(FEEDBACK, content=body, headers=JSON)).status_code == status


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/authorize", "/api/v1/auth/signin", FEEDBACK])
async def test_a_body_that_is_cut_off_is_no_error_of_the_server(service: Service, path: str) -> None:
    messages: Iterator[dict[str, Any]] = iter(
        [{"type": "http.request", "body": b"half", "more_body": True}, {"type": "http.disconnect"}]
    )
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return next(messages)

    async def reply(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    headers = [(name.lower().encode(), value.encode()) for name, value in JSON.items()]
    with structlog.testing.capture_logs() as logs:
        await service.app(
            {
                **{"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST"},
                **{"scheme": "http", "path": path, "raw_path": path.encode(), "root_path": ""},
                **{"query_string": b"", "headers": headers},
                **{"client": ("127.0.0.1", 1), "server": ("testserver", 80)},
            },
            receive,
            reply,
        )
    assert sent[0]["status"] == 400
    assert [line for line in logs if line["log_level"] == "error"] == []
