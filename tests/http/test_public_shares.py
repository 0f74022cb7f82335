"""Shares as anybody sees them who has the link (contract section 6)."""

import asyncio
import json
import re
import sqlite3
from base64 import b64encode
from html.parser import HTMLParser
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import httpx2
import pytest

from finassist.domain.files import FileKind
from finassist.domain.messages import Attachment, ListedMessage, Source, ToolCall, VisualEmbed
from finassist.domain.stored_files import StoredFile
from http_service import DEVICE, OTHER_DEVICE, Service, Start
from shares_over_http import PUBLIC, SHARE, share, view

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
MESSAGE_FIELDS = {"id", "role", "content", "createdAt", "attachments", "visualEmbeds", "sources"}


@pytest.fixture
async def alice(service: Service) -> dict[str, str]:
    return await service.token("alice", email="alice@example.org", name="Alice Adams")


async def continued(
    service: Service, share_id: str, headers: dict[str, str] | None = None, agent: str = "agent"
) -> httpx2.Response:
    return await service.client.post(
        f"{PUBLIC}/{share_id}/continue", headers={"User-Agent": agent, **(headers or {})}
    )


async def messages_of(service: Service, conversation: str, headers: dict[str, str]) -> list[dict[str, Any]]:
    path = f"/api/v1/user/conversations/{conversation}/messages"
    response = await service.client.get(path, headers=headers)
    assert response.status_code == 200, response.text
    found: list[dict[str, Any]] = response.json()["data"]["messages"]
    return found


async def views(service: Service, share_id: str, headers: dict[str, str]) -> tuple[int, int]:
    response = await service.client.get(f"{SHARE}/{share_id}/analytics", headers=headers)
    data = response.json()["data"]
    return data["totalViews"], data["uniqueViewers"]


async def dress(service: Service, shared: dict[str, Any], **fields: Any) -> None:
    """Give the first message of a share what only other parts of the service can give it."""
    shown = ListedMessage._fields
    changes = {
        name: f"shown = json_set(shown, '$[{shown.index(name)}]', json(?))"
        if name in shown
        else f"{name} = ?"
        for name in fields
    }

    def unit(connection: sqlite3.Connection) -> None:
        for name, value in fields.items():
            values = (json.dumps(value) if name in shown else value, shared["messageIds"][0])
            connection.execute(f"UPDATE messages SET {changes[name]} WHERE id = ?", values)

    await service.container.database().write(unit)


def plain(entity: Any) -> dict[str, Any]:
    return {name: getattr(entity, name) for name in entity.__dataclass_fields__}


FILE_ID = "f" * 24
ATTACHMENT = plain(Attachment(file_id=FILE_ID, filename="plan.pdf", mime_type="application/pdf", size=77))
EMBED = plain(
    VisualEmbed(
        id="e" * 24, category_key="Debt_Fix_Income", image_url="https://img.example.org/a.png", quote_text="Q"
    )
)
SOURCE = plain(
    Source(index=1, id="bonds", title="Bonds", url="https://example.org/b", snippet="A loan.", score=0.5)
)
TOOL_CALL = plain(
    ToolCall(
        id="call-secret", name="tool-secret", arguments={"a": "argument-secret"}, called_at=1,
        result="result-secret", returned_at=2,
    )
)  # fmt: skip


async def keep_file(service: Service, owner_id: str) -> None:
    now = service.container.clock().now()
    await service.container.files().add(
        StoredFile(
            id=FILE_ID,
            owner_id=owner_id,
            conversation_id=None,
            filename="plan.pdf",
            mime_type="application/pdf",
            size=77,
            kind=FileKind.PDF,
            created_at=now,
            updated_at=now,
        )
    )


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
                        parts = zip(ListedMessage._fields, json.loads(value), strict=True)
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
            assert response.headers["Vary"] == "Accept"
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

    await service.container.files().remove(FILE_ID)

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


@pytest.mark.parametrize(
    ("accept", "is_page"),
    [
        (BROWSER, True),
        ("text/html", True),
        ("text/html;q=0.9, application/json;q=0.8", True),
        ("text/html;q=0.8, application/json;q=0.9", False),
        ("application/json", False),
        ("application/json, text/html", False),
        ("*/*", False),
        ("text/*", True),
        ("image/png", False),
        ("nonsense", False),
        ("text/html;q=x", True),
        ("text/html;q=0", False),
        ("text/html; q=0.000, */*", False),
        ("application/json;q=0, text/html", True),
        ("text/html;q=0.001", True),
    ],
)
async def test_the_page_is_for_who_prefers_html(
    service: Service, alice: dict[str, str], accept: str, is_page: bool
) -> None:
    shared = await share(service, alice)
    response = await service.client.get(f"{PUBLIC}/{shared['shareId']}", headers={"Accept": accept})
    assert response.status_code == 200
    expected = "text/html; charset=utf-8" if is_page else "application/json"
    assert response.headers["Content-Type"] == expected


class Page(HTMLParser):
    """The tags and the attributes of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs


async def test_what_people_write_is_inert_on_the_page(service: Service, alice: dict[str, str]) -> None:
    attack = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)> [a](javascript:alert(3)) **b**"
    reply = await service.ask(attack, alice)
    shared = await share(
        service, alice, conversationId=reply["conversationId"], customTitle=attack, customDescription=attack
    )
    bad = {"image_url": "javascript:alert(4)", "quote_text": attack}
    await dress(
        service,
        shared,
        attachments=[{**ATTACHMENT, "filename": attack}],
        visual_embeds=[EMBED | {"quote_text": attack}, EMBED | bad],
        sources=[SOURCE | {"title": attack}, SOURCE | {"url": "javascript:alert(5)"}],
        role="assistant",
    )
    await keep_file(service, shared["userId"])

    response = await service.client.get(f"{PUBLIC}/{shared['shareId']}", headers={"Accept": BROWSER})

    page = Page(response.text)
    assert "script" not in page.tags
    assert page.tags.count("img") == 1
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    addresses = [value for name, value in page.attributes if name in ("href", "src")]
    assert set(addresses) == {"https://img.example.org/a.png", "https://example.org/b"}
    policy = response.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "script-src" not in policy
    assert "unsafe" not in policy
    assert policy.endswith("img-src https://img.example.org")


async def test_the_page_says_what_it_is_to_who_previews_links(
    service: Service, alice: dict[str, str]
) -> None:
    shared = await share(service, alice, customTitle='Bonds & "more"', customDescription="Why <b>")
    page = await service.client.get(f"{PUBLIC}/{shared['shareId']}", headers={"Accept": BROWSER})
    assert "<title>Bonds &amp; &quot;more&quot;</title>" in page.text
    assert '<meta property=og:title content="Bonds &amp; &quot;more&quot;">' in page.text
    assert '<meta property=og:description content="Why &lt;b&gt;">' in page.text
    assert f'<meta property=og:url content="{shared["shareUrl"]}">' in page.text
    assert "<meta name=robots content=noindex>" in page.text


async def test_a_link_that_does_not_work_is_a_page_as_well(service: Service) -> None:
    response = await service.client.get(f"{PUBLIC}/{'x' * 22}", headers={"Accept": BROWSER})
    assert response.status_code == 404
    assert "This link does not work" in response.text
    assert response.headers["Content-Security-Policy"].startswith("default-src 'none'")


async def test_the_same_viewer_within_half_an_hour_is_one_view(
    service: Service, alice: dict[str, str]
) -> None:
    shared = await share(service, alice)
    for seconds, expected in ((0, 1), (1799, 1), (1, 2), (1, 2)):
        service.container.clock().advance(seconds)
        await view(service, shared["shareId"])
        assert (await views(service, shared["shareId"], alice))[0] == expected
    page = await service.client.get(f"{PUBLIC}/{shared['shareId']}", headers={"Accept": BROWSER})
    assert page.status_code == 200
    assert await views(service, shared["shareId"], alice) == (2, 1)


async def test_200_parallel_views_are_counted_exactly(service: Service, alice: dict[str, str]) -> None:
    shared = await share(service, alice)
    path = f"{PUBLIC}/{shared['shareId']}"
    agents = [f"agent-{number % 100}" for number in range(200)]
    answers = await asyncio.gather(
        *(service.client.get(path, headers={"User-Agent": agent}) for agent in agents)
    )
    assert {answer.status_code for answer in answers} == {200}
    await service.container.count_view().close()
    assert await views(service, shared["shareId"], alice) == (100, 100)


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

    kind = type(service.container.shares())
    with monkeypatch.context() as patch:
        patch.setattr(kind, "record_view", stuck)
        assert (await view(service, shared["shareId"])).status_code == 200
        never.set()


async def test_a_guest_goes_on_in_a_conversation_of_its_own(service: Service, alice: dict[str, str]) -> None:
    shared = await share(service, alice, customTitle="Bonds")

    response = await continued(service, shared["shareId"], DEVICE)

    assert response.status_code == 201, response.text
    data = response.json()["data"]
    assert set(data) == {"conversationId", "conversation", "messageCount", "sourceShareId"}
    assert (data["messageCount"], data["sourceShareId"]) == (2, shared["shareId"])
    conversation = data["conversation"]
    assert conversation["id"] == data["conversationId"] != shared["conversationId"]
    assert conversation["forkedFromShareId"] == shared["shareId"]
    assert (conversation["title"], conversation["messageCount"]) == ("Bonds", 2)
    listed = await service.client.get("/api/v1/user/conversations", headers=DEVICE)
    assert [each["id"] for each in listed.json()["data"]["conversations"]] == [data["conversationId"]]
    copied = await messages_of(service, data["conversationId"], DEVICE)
    original = await messages_of(service, shared["conversationId"], alice)
    for copy, message in zip(copied, original, strict=True):
        assert copy["id"] != message["id"]
        for field in ("role", "content", "createdAt", "sources", "visualEmbeds"):
            assert copy[field] == message[field]
    reply = await service.ask("And then?", DEVICE, conversation_id=data["conversationId"])
    assert reply["freeThreshold"]["used"] == 1
    assert len(await messages_of(service, shared["conversationId"], alice)) == 2


async def test_a_copy_has_no_tool_payload_model_or_preprompt(service: Service, alice: dict[str, str]) -> None:
    shared = await share(service, alice)
    await dress(service, shared, tool_calls=[TOOL_CALL], preprompt_key="key-secret", model="model-secret")
    made = (await continued(service, shared["shareId"], DEVICE)).json()["data"]
    copied = (await messages_of(service, made["conversationId"], DEVICE))[0]
    assert (copied["toolCalls"], copied["prepromptKey"], copied["model"]) == ([], None, None)
    assert made["conversation"]["prepromptKey"] is None


async def test_a_copy_keeps_the_names_of_files_and_not_the_files(
    service: Service, alice: dict[str, str]
) -> None:
    shared = await share(service, alice)
    await dress(service, shared, attachments=[ATTACHMENT])
    await keep_file(service, shared["userId"])
    made = (await continued(service, shared["shareId"], DEVICE)).json()["data"]
    await service.container.files().remove(FILE_ID)
    copied = (await messages_of(service, made["conversationId"], DEVICE))[0]
    assert copied["attachments"] == []
    assert copied["content"] == "What is a bond?\n\n[Not copied: plan.pdf]"


async def test_a_registered_user_goes_on_as_such(service: Service, alice: dict[str, str]) -> None:
    shared = await share(service, alice)
    bob = await service.token("bob")
    data = (await continued(service, shared["shareId"], {**bob, **DEVICE})).json()["data"]
    assert "deviceId" not in data
    assert len(await messages_of(service, data["conversationId"], bob)) == 2
    other = await service.client.get(
        f"/api/v1/user/conversations/{data['conversationId']}", headers=OTHER_DEVICE
    )
    assert other.status_code == 403


async def test_the_owner_may_continue_its_own_share(service: Service, alice: dict[str, str]) -> None:
    shared = await share(service, alice)
    assert (await continued(service, shared["shareId"], alice)).status_code == 201


async def test_nobody_gets_a_device_of_its_own(service: Service, alice: dict[str, str]) -> None:
    shared = await share(service, alice)
    first, second = [(await continued(service, shared["shareId"])).json()["data"] for _ in range(2)]
    assert first["deviceId"] != second["deviceId"]
    assert len(first["deviceId"]) >= 22
    mine = {"x-device-id": first["deviceId"], "x-platform": "web"}
    assert len(await messages_of(service, first["conversationId"], mine)) == 2
    other = {"x-device-id": second["deviceId"]}
    path = f"/api/v1/user/conversations/{first['conversationId']}"
    assert (await service.client.get(path, headers=other)).status_code == 403


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": "Bearer nonsense"}, 401),
        ({"Authorization": "Bearer nonsense", **DEVICE}, 401),
        ({"Authorization": "Basic x"}, 401),
        ({"x-device-id": "x" * 129}, 400),
        ({**DEVICE, "x-platform": "toaster"}, 400),
        ({"x-platform": "toaster"}, 400),
    ],
)
async def test_bad_credentials_are_refused(
    service: Service, alice: dict[str, str], headers: dict[str, str], status: int
) -> None:
    shared = await share(service, alice)
    assert (await continued(service, shared["shareId"], headers)).status_code == status


async def test_a_share_for_reading_only_is_not_continued(service: Service, alice: dict[str, str]) -> None:
    shared = await share(service, alice, allowContinuation=False)
    response = await continued(service, shared["shareId"])
    assert response.status_code == 403
    assert response.json()["error"]["code"] == "FORBIDDEN"
    assert (await view(service, shared["shareId"])).json()["data"]["allowContinuation"] is False
    await service.client.delete(f"{SHARE}/{shared['shareId']}", headers=alice)
    assert (await continued(service, shared["shareId"])).status_code == 404


async def test_a_viewer_continues_a_share_three_times_in_a_day(
    service: Service, alice: dict[str, str]
) -> None:
    shared, other = await share(service, alice), await share(service, alice)
    made = [await continued(service, shared["shareId"], DEVICE) for _ in range(4)]
    assert [response.status_code for response in made] == [201, 201, 201, 429]
    assert made[3].json()["error"]["code"] == "RATE_LIMIT_EXCEEDED"
    assert made[3].headers["Retry-After"] == "86400"
    assert (await continued(service, shared["shareId"], OTHER_DEVICE)).status_code == 429
    assert (await continued(service, shared["shareId"], DEVICE, agent="another")).status_code == 201
    assert (await continued(service, other["shareId"], DEVICE)).status_code == 201
    service.container.clock().advance(86400)
    assert (await continued(service, shared["shareId"], DEVICE)).status_code == 201


async def test_of_parallel_continuations_three_are_made(service: Service, alice: dict[str, str]) -> None:
    shared = await share(service, alice)
    made = await asyncio.gather(*(continued(service, shared["shareId"], DEVICE) for _ in range(20)))
    codes = [response.status_code for response in made]
    assert (codes.count(201), codes.count(429)) == (3, 17)
    listed = (await service.client.get(f"{SHARE}/list", headers=alice)).json()["data"]["shares"][0]
    assert listed["continuationCount"] == 3


async def test_a_continuation_that_failed_does_not_count(start: Start) -> None:
    service = await start({"new_guests_per_address_per_hour": 1})
    shared = await share(service, await service.token("alice"))
    assert (await continued(service, shared["shareId"])).status_code == 201
    for _ in range(3):  # no further guest from this address
        assert (await continued(service, shared["shareId"])).status_code == 429
    bob = await service.token("bob")
    assert [(await continued(service, shared["shareId"], bob)).status_code for _ in range(3)] == [
        201,
        201,
        429,
    ]
