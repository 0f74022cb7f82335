"""Shares as anybody sees them who has the link (contract section 6)."""

import asyncio
import json
import re
import sqlite3
from base64 import b64encode
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest

from finassist.domain.conversations.message import ListedMessage
from http_service import DEVICE, Service, Start
from shares_over_http import (
    ATTACHMENT,
    BROWSER,
    EMBED,
    FILE_ID,
    PUBLIC,
    SHARE,
    SOURCE,
    TOOL_CALL,
    continued,
    dress,
    keep_file,
    messages_of,
    share,
    view,
)

MESSAGE_FIELDS = {"id", "role", "content", "createdAt", "attachments", "visualEmbeds", "sources"}


async def views(service: Service, share_id: str, headers: dict[str, str]) -> tuple[int, int]:
    response = await service.client.get(f"{SHARE}/{share_id}/analytics", headers=headers)
    data = response.json()["data"]
    return data["totalViews"], data["uniqueViewers"]


async def test_a_viewer_sees_what_the_contract_lists(service: Service, alice: dict[str, str]) -> None:
    shared = await share(service, alice, customDescription="Why", expiresInDays=1)
    await dress(service, shared, attachments=[ATTACHMENT], visual_embeds=[EMBED], sources=[SOURCE])
    await keep_file(service, shared["userId"])

    response = await view(service, shared["shareId"])

    assert response.status_code == 200
    data = response.json()["data"]
    messages = data.pop("messages")
    assert data == {
        "shareId": shared["shareId"],
        "title": "What is a bond?",
        "description": "Why",
        "allowContinuation": True,
        "viewCount": 0,
        "createdAt": shared["createdAt"],
        "expiresAt": shared["expiresAt"],
    }
    assert [set(message) for message in messages] == [MESSAGE_FIELDS] * 2
    assert [message["role"] for message in messages] == ["user", "assistant"]
    assert messages[0]["attachments"] == [{"filename": "plan.pdf", "mimeType": "application/pdf"}]
    assert messages[0]["visualEmbeds"] == [
        {
            "id": "e" * 24,
            "categoryKey": "Debt_Fix_Income",
            "imageUrl": "https://img.example.org/a.png",
            "quoteText": "Q",
        }
    ]
    assert messages[0]["sources"][0]["title"] == "Bonds"


@pytest.mark.parametrize("accept", ["application/json", BROWSER])
async def test_nothing_else_that_the_database_knows_is_in_the_answer(
    service: Service, alice: dict[str, str], tmp_path: Path, accept: str
) -> None:
    shared = await share(service, alice)
    await dress(
        service,
        shared,
        attachments=[ATTACHMENT],
        visual_embeds=[EMBED],
        sources=[SOURCE],
        tool_calls=[TOOL_CALL],
        preprompt_key="preprompt-secret",
        model="model-secret",
        error_code="error-secret",
        feedback_rating="1",
        feedback_text="feedback-secret",
        feedback_at="1",
    )
    await keep_file(service, shared["userId"])
    await view(service, shared["shareId"])
    await continued(service, shared["shareId"], DEVICE)
    await service.ask("The next secret question", alice, conversation_id=shared["conversationId"])

    response = await service.client.get(f"{PUBLIC}/{shared['shareId']}", headers={"Accept": accept})

    assert response.status_code == 200
    shown = {
        shared["shareId"], *shared["messageIds"], "e" * 24, "bonds", "https://example.org/b", "A loan.",
        "https://img.example.org/a.png", "Debt_Fix_Income", "plan.pdf", "application/pdf", "What is a bond?",
    }  # fmt: skip
    known = secrets_of(tmp_path / "finassist.db") - shown
    assert {FILE_ID, "call-secret", "argument-secret", "feedback-secret", "alice@example.org"} <= known
    assert shared["conversationId"] in known
    assert shared["userId"] in known
    answer = response.text.replace(response.headers["X-Request-Id"], "")
    visible = answer + json.dumps(dict(response.headers), default=str)
    assert [secret for secret in sorted(known) if secret in visible] == []
    assert "The next secret question" not in visible


def secrets_of(database: Path) -> set[str]:
    """Every text of six characters and more that is stored anywhere, what JSON holds included, other than
    what the reply itself says."""
    found: set[str] = set()
    with sqlite3.connect(database) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            for row in connection.execute(f"SELECT * FROM {table}"):
                for column, value in zip(columns, row, strict=True):
                    if (table, column) == ("messages", "shown"):
                        parts = zip(ListedMessage._fields[:-1], json.loads(value), strict=True)
                        found |= texts_in([part for name, part in parts if name not in SHOWN])
                    elif (table, column) not in PUBLISHED and isinstance(value, str):
                        found |= texts_in(value)
    return {text for text in found if len(text) >= 6} - WORDS


SHOWN = {"content", "created_at", "updated_at"}
PUBLISHED = {("conversations", "preview"), ("conversations", "preview_folded"),
             ("conversations", "title_folded"), ("conversations", "title")}  # fmt: skip
WORDS = {"assistant", "active", "completed", "system"}
"""Values of enumerations."""


def texts_in(value: Any) -> set[str]:
    if isinstance(value, str):
        try:
            inner = json.loads(value)
        except ValueError:
            return {value}
        return texts_in(inner) if isinstance(inner, dict | list) else {value}
    if isinstance(value, dict):
        return {text for item in value.values() for text in texts_in(item)}
    if isinstance(value, list):
        return {text for item in value for text in texts_in(item)}
    return set()


async def test_every_answer_is_private_and_not_indexed(service: Service, alice: dict[str, str]) -> None:
    shared = await share(service, alice)
    for share_id in (shared["shareId"], "x" * 22):
        for accept in ("application/json", BROWSER):
            response = await service.client.get(f"{PUBLIC}/{share_id}", headers={"Accept": accept})
            assert response.headers.get_list("Cache-Control") == ["private, no-store"]
            assert response.headers["X-Robots-Tag"] == "noindex"
            assert response.headers["Vary"] == "Accept, Accept-Language, Cookie"
            assert response.headers["Referrer-Policy"] == "no-referrer"
        response = await continued(service, share_id)
        assert response.headers.get_list("Cache-Control") == ["private, no-store"]


@pytest.mark.parametrize("share_id", ["short", "x" * 65])
async def test_what_is_refused_before_a_share_is_looked_for_is_private_too(
    service: Service, share_id: str
) -> None:
    refused = [
        await service.client.get(f"{PUBLIC}/{share_id}"),
        await continued(service, share_id),
        await continued(service, "x" * 22, {"Authorization": "Bearer nonsense"}),
    ]
    assert [response.status_code for response in refused] == [400, 400, 401]
    for response in refused:
        assert response.headers.get_list("Cache-Control") == ["private, no-store"]
        assert response.headers["X-Robots-Tag"] == "noindex"


@pytest.mark.parametrize("headers", [{}, DEVICE, {"Authorization": "Bearer nonsense"}])
async def test_anybody_reads_a_share_and_bad_credentials_do_not_matter(
    service: Service, alice: dict[str, str], headers: dict[str, str]
) -> None:
    shared = await share(service, alice)
    response = await service.client.get(f"{PUBLIC}/{shared['shareId']}", headers=headers)
    assert response.status_code == 200


@pytest.mark.parametrize("share_id", ["x" * 22, "%00" * 8, "%2e%2e%2f" * 4, "é" * 8])
async def test_an_unknown_share_is_not_found(service: Service, share_id: str) -> None:
    assert (await view(service, share_id)).status_code in (400, 404)
    assert (await continued(service, share_id)).status_code in (400, 404)


@pytest.mark.parametrize("length", [7, 65])
async def test_a_share_id_has_8_to_64_characters(service: Service, length: int) -> None:
    for response in (await view(service, "x" * length), await continued(service, "x" * length)):
        assert response.status_code == 400
        assert response.json()["error"]["details"][0]["field"] == "shareId"


async def test_a_deleted_file_is_gone_from_the_share(service: Service, alice: dict[str, str]) -> None:
    shared = await share(service, alice)
    await dress(service, shared, attachments=[ATTACHMENT])
    await keep_file(service, shared["userId"])
    assert (await view(service, shared["shareId"])).json()["data"]["messages"][0]["attachments"]

    await service.finassist.adapters.files.remove(FILE_ID)

    assert (await view(service, shared["shareId"])).json()["data"]["messages"][0]["attachments"] == []


async def test_the_name_of_a_file_that_was_sent_is_shown_and_redacted(
    service: Service, alice: dict[str, str]
) -> None:
    sent = {
        "data": b64encode(b"hello").decode(),
        "mimeType": "text/plain",
        "filename": "ann@example.org.txt",
    }
    reply = await service.ask("Look at it", alice, attachments=[sent])
    for redact, name in ((False, "ann@example.org.txt"), (True, "[email]")):
        shared = await share(service, alice, conversationId=reply["conversationId"], redact=redact)
        message = (await view(service, shared["shareId"])).json()["data"]["messages"][0]
        assert message["attachments"] == [{"filename": name, "mimeType": "text/plain"}]
        made = (await continued(service, shared["shareId"], DEVICE)).json()["data"]
        copied = (await messages_of(service, made["conversationId"], DEVICE))[0]
        assert copied["content"] == f"Look at it\n\n[Not copied: {name}]"


async def test_the_same_viewer_within_half_an_hour_is_one_view(
    service: Service, alice: dict[str, str]
) -> None:
    shared = await share(service, alice)
    for seconds, expected in ((0, 1), (1799, 1), (1, 2), (1, 2)):
        service.clock.advance(seconds)
        await view(service, shared["shareId"])
        assert (await views(service, shared["shareId"], alice))[0] == expected
    page = await service.client.get(f"{PUBLIC}/{shared['shareId']}", headers={"Accept": BROWSER})
    assert page.status_code == 200
    assert await views(service, shared["shareId"], alice) == (2, 1)


async def test_200_parallel_views_are_counted_exactly(start: Start) -> None:
    service = await start({"trusted_proxies": (ip_network("127.0.0.0/8"),)})
    alice = await service.token("alice")
    shared = await share(service, alice)
    path = f"{PUBLIC}/{shared['shareId']}"
    addresses = [f"198.51.100.{number % 100}" for number in range(200)]
    answers = await asyncio.gather(
        *(service.client.get(path, headers={"X-Forwarded-For": address}) for address in addresses)
    )
    assert {answer.status_code for answer in answers} == {200}
    await service.finassist.workers.count_view.close()
    assert await views(service, shared["shareId"], alice) == (100, 100)


async def test_a_view_that_fails_unexpectedly_is_counted_as_a_failure_and_the_share_is_shown(
    service: Service, alice: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> bool:
        raise RuntimeError("as nobody thought of")

    shared = await share(service, alice)
    monkeypatch.setattr(type(service.finassist.adapters.shares), "record_view", broken)
    assert (await view(service, shared["shareId"])).status_code == 200
    await service.finassist.workers.count_view.close()
    metrics = (await service.client.get("/metrics")).text
    assert 'finassist_background_failures_total{job="count a view"} 1.0' in metrics


async def test_a_forged_address_makes_no_second_viewer(service: Service, alice: dict[str, str]) -> None:
    shared = await share(service, alice)
    for hop in ("198.51.100.1", "198.51.100.2"):
        await service.client.get(f"{PUBLIC}/{shared['shareId']}", headers={"X-Forwarded-For": hop})
    assert await views(service, shared["shareId"], alice) == (1, 1)


async def test_behind_a_trusted_proxy_viewers_are_told_apart(start: Start) -> None:
    service = await start({"trusted_proxies": (ip_network("127.0.0.0/8"),)})
    alice = await service.token("alice")
    shared = await share(service, alice)
    for hop in ("198.51.100.1", "198.51.100.2", "6.6.6.6, 198.51.100.2"):
        await service.client.get(f"{PUBLIC}/{shared['shareId']}", headers={"X-Forwarded-For": hop})
    assert await views(service, shared["shareId"], alice) == (2, 2)


async def test_a_viewer_is_another_one_at_every_share_and_no_address_is_stored(
    service: Service, alice: dict[str, str], tmp_path: Path
) -> None:
    for _ in range(2):
        shared = await share(service, alice)
        await service.client.get(f"{PUBLIC}/{shared['shareId']}", headers={"User-Agent": "a-rare-browser"})
    with sqlite3.connect(tmp_path / "finassist.db") as connection:
        viewers = [row[0] for row in connection.execute("SELECT viewer FROM share_viewers")]
        dump = "\n".join(connection.iterdump())
    assert len(set(viewers)) == 2
    assert all(re.fullmatch("[0-9a-f]{32}", viewer) for viewer in viewers)
    assert "a-rare-browser" not in dump
    assert "127.0.0.1" not in dump


async def test_a_view_that_cannot_be_counted_is_answered_all_the_same(
    service: Service, alice: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = await share(service, alice)
    never = asyncio.Event()

    async def stuck(*_: object) -> bool:
        await never.wait()
        return True

    kind = type(service.finassist.adapters.shares)
    with monkeypatch.context() as patch:
        patch.setattr(kind, "record_view", stuck)
        assert (await view(service, shared["shareId"])).status_code == 200
        never.set()
