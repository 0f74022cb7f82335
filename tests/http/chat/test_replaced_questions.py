"""Editing a question: ``replaces`` of a chat request (contract sections 4 and 13)."""

import asyncio
import io
import json
from typing import Any
from zipfile import ZipFile

import httpx2
import pytest

from finassist.testing import ScriptedModel
from http_service import DEVICE, OTHER_DEVICE, Service, Start, offending

CHAT = "/api/v1/ai/chat"


async def messages_of(service: Service, conversation_id: str, **query: Any) -> list[dict[str, Any]]:
    path = f"/api/v1/user/conversations/{conversation_id}/messages"
    response = await service.client.get(path, params=query, headers=DEVICE)
    assert response.status_code == 200, response.text
    listed: list[dict[str, Any]] = response.json()["data"]["messages"]
    return listed


async def conversation_of(service: Service, conversation_id: str) -> dict[str, Any]:
    path = f"/api/v1/user/conversations/{conversation_id}"
    data: dict[str, Any] = (await service.client.get(path, headers=DEVICE)).json()["data"]
    return data


async def two_turns(service: Service, headers: dict[str, str] = DEVICE) -> list[dict[str, Any]]:
    first = await service.ask("What is a bond?", headers)
    return [first, await service.ask("What is a stock?", headers, conversation_id=first["conversationId"])]


async def edit(
    service: Service, turn: dict[str, Any], text: str, headers: dict[str, str] = DEVICE, **body: Any
) -> httpx2.Response:
    sent = {"conversation_id": turn["conversationId"], "replaces": turn["userMessageId"], **body}
    return await service.client.post(CHAT, json={"message": text, **sent}, headers=headers)


async def test_an_edited_question_takes_the_place_of_the_old_one_and_all_after_it(service: Service) -> None:
    first, second = await two_turns(service)
    response = await edit(service, second, "What is an ETF?")
    assert response.status_code == 200, response.text
    visible = await messages_of(service, first["conversationId"])
    assert [each["content"] for each in visible if each["role"] == "user"] == [
        "What is a bond?",
        "What is an ETF?",
    ]
    everything = await messages_of(service, first["conversationId"], include="superseded")
    assert [each["status"] for each in everything] == [
        *["completed"] * 2,
        *["superseded"] * 2,
        *["completed"] * 2,
    ]
    assert [each["replaces"] for each in everything if "replaces" in each] == [second["userMessageId"]]
    assert everything[4]["replaces"] == second["userMessageId"]
    assert all("replaces" not in each for each in visible)
    conversation = await conversation_of(service, first["conversationId"])
    assert (conversation["messageCount"], conversation["title"]) == (4, "What is a bond?")
    assert response.json()["data"]["freeThreshold"]["used"] == 3


async def test_an_edit_means_the_same_in_both_databases(start: Start, database: dict[str, Any]) -> None:
    service = await start(database)
    first, second = await two_turns(service)
    edited = await edit(service, second, "What is an ETF?")
    assert edited.status_code == 200, edited.text
    statuses = [each["status"] for each in await messages_of(service, first["conversationId"])]
    assert statuses == ["completed"] * 4
    conversation = await conversation_of(service, first["conversationId"])
    assert (conversation["messageCount"], conversation["preview"]) == (4, "Hello there.")

    async def found(query: str) -> int:
        path = "/api/v1/user/conversations"
        response = await service.client.get(path, params={"q": query}, headers=DEVICE)
        return int(response.json()["data"]["total"])

    assert [await found(text) for text in ("bond", "stock", "etf")] == [1, 0, 1]
    erased = await service.client.delete("/api/v1/auth/me", headers=DEVICE)
    assert erased.json()["data"]["counts"]["messages"] == 6


async def test_the_model_is_not_told_what_was_replaced(service: Service) -> None:
    _, second = await two_turns(service)
    await edit(service, second, "What is an ETF?")
    told = [message.content for message in service.model.requests[-1].messages]
    assert not any("stock" in text for text in told)
    assert any("bond" in text for text in told)


async def test_a_conversation_is_named_after_its_new_first_question_unless_named_by_the_user(
    service: Service,
) -> None:
    first, _ = await two_turns(service)
    edited = (await edit(service, first, "What is an ETF?")).json()["data"]
    assert edited["title"] == "What is an ETF?"
    conversation = await conversation_of(service, first["conversationId"])
    assert (conversation["title"], conversation["messageCount"]) == ("What is an ETF?", 2)

    path = f"/api/v1/user/conversations/{first['conversationId']}"
    await service.client.patch(path, json={"title": "Mine"}, headers=DEVICE)
    again = (await edit(service, edited, "What is a fund?")).json()["data"]
    assert again["title"] == "Mine"
    assert (await conversation_of(service, first["conversationId"]))["title"] == "Mine"


async def test_the_message_is_a_visible_one_of_the_user_in_this_conversation(service: Service) -> None:
    first, second = await two_turns(service)
    elsewhere = await service.ask("Another conversation?")
    no_conversation = {"message": "?", "replaces": first["userMessageId"]}
    response = await service.client.post(CHAT, json=no_conversation, headers=DEVICE)
    assert offending(response) == {"replaces"}
    assert offending(await edit(service, first, "?", replaces="x")) == {"replaces"}
    assert offending(await edit(service, first, "?", replaces=first["messageId"])) == {"replaces"}
    for other in (elsewhere["userMessageId"], "f" * 24):
        assert (await edit(service, first, "?", replaces=other)).status_code == 404
    foreign = await edit(service, first, "?", OTHER_DEVICE)
    assert foreign.json()["error"]["code"] == "FORBIDDEN"
    assert (await edit(service, first, "Edited?")).status_code == 200
    assert offending(await edit(service, second, "?")) == {"replaces"}
    wrong_alone = await service.client.post(CHAT, json={**no_conversation, "message": ""}, headers=DEVICE)
    assert offending(wrong_alone) == {"message", "replaces"}


async def test_a_refused_request_supersedes_nothing(start: Start) -> None:
    service = await start({"free_message_threshold": 2})
    first, _ = await two_turns(service)
    assert (await edit(service, first, "?")).json()["error"]["code"] == "FREE_LIMIT_EXCEEDED"
    assert (await edit(service, first, "?", model="none")).status_code == 400
    assert len(await messages_of(service, first["conversationId"])) == 4


async def test_of_two_edits_at_once_one_wins_and_the_other_is_a_conflict(start: Start) -> None:
    go_on = asyncio.Event()
    service = await start(language_model=(model := ScriptedModel()))
    first, second = await two_turns(service)
    model.script = ["So", go_on, "."]
    edits = [asyncio.create_task(edit(service, second, f"Edited {n}?")) for n in range(2)]
    done, _ = await asyncio.wait(edits, return_when=asyncio.FIRST_COMPLETED)
    go_on.set()
    [refused] = done
    assert refused.result().json()["error"]["code"] == "CONFLICT"
    assert sorted([(await each).status_code for each in edits]) == [200, 409]
    assert len(await messages_of(service, first["conversationId"])) == 4


async def test_a_repeated_request_gets_its_reply_again_and_supersedes_once(service: Service) -> None:
    first, second = await two_turns(service)
    headers = {**DEVICE, "Idempotency-Key": "edit-1"}
    once = await edit(service, second, "What is an ETF?", headers)
    again = await edit(service, second, "What is an ETF?", headers)
    assert (again.status_code, again.json()["data"]) == (200, once.json()["data"])
    assert len(await messages_of(service, first["conversationId"], include="superseded")) == 6
    other = await edit(service, first, "What is an ETF?", headers)
    assert other.json()["error"]["code"] == "IDEMPOTENCY_MISMATCH"
    # The key of a reply that was superseded since stands for it all the same.
    await edit(service, first, "From the start?")
    later = await edit(service, second, "What is an ETF?", headers)
    assert later.json()["data"]["messageId"] == once.json()["data"]["messageId"]


async def test_shares_keep_what_they_show_and_new_ones_leave_it_out(
    service: Service, alice: dict[str, str]
) -> None:
    first, second = await two_turns(service, alice)

    async def shared() -> str:
        body = {"conversationId": first["conversationId"]}
        made = await service.client.post("/api/v1/share", json=body, headers=alice)
        return str(made.json()["data"]["shareId"])

    async def texts(share_id: str) -> list[str]:
        view = (await service.client.get(f"/api/v1/public/share/{share_id}")).json()["data"]
        return [each["content"] for each in view["messages"] if each["role"] == "user"]

    before = await shared()
    await edit(service, second, "What is an ETF?", alice)
    assert await texts(before) == ["What is a bond?", "What is a stock?"]
    assert await texts(await shared()) == ["What is a bond?", "What is an ETF?"]


@pytest.mark.parametrize("include", [None, "superseded"])
async def test_the_export_has_superseded_messages_when_asked_for(
    service: Service, include: str | None
) -> None:
    _, second = await two_turns(service)
    await edit(service, second, "What is an ETF?")
    query = {} if include is None else {"include": include}
    response = await service.client.get("/api/v1/auth/me/export", params=query, headers=DEVICE)
    archive = ZipFile(io.BytesIO(response.content))
    messages = json.loads(archive.read("messages.json"))
    assert sum(each["status"] == "superseded" for each in messages) == (0 if include is None else 2)
    [transcript] = [name for name in archive.namelist() if name.startswith("transcripts/")]
    assert (b"What is a stock?" in archive.read(transcript)) is (include is not None)
    assert (b"include=superseded" in archive.read("README.txt")) is (include is None)


@pytest.mark.parametrize("path", ["/api/v1/user/conversations/{id}/messages", "/api/v1/auth/me/export"])
async def test_nothing_else_can_be_included(service: Service, path: str) -> None:
    first = await service.ask("What is a bond?")
    address = path.format(id=first["conversationId"])
    response = await service.client.get(address, params={"include": "deleted"}, headers=DEVICE)
    assert offending(response) == {"include"}


async def test_a_superseded_message_can_be_rated_and_its_reply_replayed(service: Service) -> None:
    _, second = await two_turns(service)
    await edit(service, second, "What is an ETF?")
    path = f"/api/v1/user/messages/{second['messageId']}/feedback"
    assert (await service.client.post(path, json={"rating": 1}, headers=DEVICE)).status_code == 200
    replayed = await service.client.get(f"{CHAT}/{second['messageId']}/stream", headers=DEVICE)
    assert '"type":"done"' in replayed.text
