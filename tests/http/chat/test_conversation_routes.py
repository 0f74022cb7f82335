"""Conversations, messages and feedback over HTTP (contract section 5)."""

from base64 import b64encode
from typing import Any

import httpx2
import pytest

from http_service import DEVICE, OTHER_DEVICE, Service, offending

LIST = "/api/v1/user/conversations"
UNKNOWN = "f" * 24


async def conversation_of(service: Service, message: str = "What is an ETF?") -> str:
    reply = await service.ask(message)
    conversation_id: str = reply["conversationId"]
    return conversation_id


async def listed(service: Service, query: str = "", headers: dict[str, str] = DEVICE) -> dict[str, Any]:
    response = await service.client.get(f"{LIST}{query}", headers=headers)
    assert response.status_code == 200, response.text
    data: dict[str, Any] = response.json()["data"]
    return data


def ids(page: dict[str, Any]) -> list[str]:
    return [conversation["id"] for conversation in page["conversations"]]


def all_routes(conversation_id: str) -> list[tuple[str, str, Any]]:
    path = f"{LIST}/{conversation_id}"
    return [
        ("GET", path, None),
        ("GET", f"{path}/messages", None),
        ("PATCH", path, {"title": "New"}),
        ("POST", f"{path}/archive", None),
        ("POST", f"{path}/restore", None),
        ("DELETE", path, None),
    ]


async def test_a_conversation_has_the_fields_of_the_contract(service: Service) -> None:
    conversation_id = await conversation_of(service)
    response = await service.client.get(f"{LIST}/{conversation_id}", headers=DEVICE)
    conversation = response.json()["data"]
    assert conversation == {
        "id": conversation_id,
        "title": "What is an ETF?",
        "preview": "Hello there.",
        "type": "chat",
        "inputType": "text",
        "prepromptKey": None,
        "pinned": False,
        "tags": [],
        "status": "active",
        "messageCount": 2,
        "lastMessageAt": "2026-03-01T12:00:00.000Z",
        "forkedFromShareId": None,
        "createdAt": "2026-03-01T12:00:00.000Z",
        "updatedAt": "2026-03-01T12:00:00.000Z",
    }
    assert (await listed(service))["conversations"] == [conversation]


async def test_a_list_has_pages(service: Service) -> None:
    made = [await conversation_of(service, f"Question {number}") for number in range(5)]
    first = await listed(service, "?limit=2")
    assert (first["total"], first["limit"], first["offset"], first["hasMore"]) == (5, 2, 0, True)
    last = await listed(service, "?limit=2&offset=4")
    assert (len(last["conversations"]), last["hasMore"]) == (1, False)
    beyond = await listed(service, "?offset=50")
    assert (beyond["conversations"], beyond["hasMore"], beyond["limit"]) == ([], False, 20)
    pages = [await listed(service, f"?limit=2&offset={offset}") for offset in (0, 2, 4)]
    assert sorted(one for page in pages for one in ids(page)) == sorted(made)


async def test_newest_activity_comes_first_and_pinned_ones_before_all(service: Service) -> None:
    made = []
    for number in range(3):
        made.append(await conversation_of(service, f"Question {number}"))
        service.clock.advance(60)
    assert ids(await listed(service)) == made[::-1]
    await service.client.patch(f"{LIST}/{made[0]}", json={"pinned": True}, headers=DEVICE)
    assert ids(await listed(service)) == [made[0], made[2], made[1]]
    assert ids(await listed(service, "?pinned=true")) == [made[0]]
    assert ids(await listed(service, "?pinned=false")) == [made[2], made[1]]


@pytest.mark.parametrize(("query", "found"), [("etf", True), ("%25", False), ("_", False), ("HELLO", True)])
async def test_a_search_is_literal_and_ignores_case(service: Service, query: str, found: bool) -> None:
    await conversation_of(service)
    assert bool((await listed(service, f"?q={query}"))["conversations"]) is found


async def test_a_search_finds_what_the_caller_wrote(service: Service) -> None:
    first = await service.ask("What is a bond?")
    await service.ask("Und die Rücklage?", conversation_id=first["conversationId"])
    await service.ask("Something else")
    found = await listed(service, "?q=RÜCKLAGE")
    assert (ids(found), found["total"]) == ([first["conversationId"]], 1)


async def test_a_search_tells_where_it_found_the_text_and_finds_nothing_of_others(service: Service) -> None:
    asked = await service.ask("About bonds?")
    named = (await service.ask("Else?"))["conversationId"]
    await service.client.patch(f"{LIST}/{named}", json={"title": "Hello"}, headers=DEVICE)
    text = {"data": "YSxiCjEsMg==", "mimeType": "text/csv", "filename": "Konto März.csv"}
    sent = await service.ask("What is in it?", attachments=[text])
    theirs = await service.ask("Hello", OTHER_DEVICE)

    page = await listed(service, "?q=hello%20there")
    by_id = {each["id"]: each["found"] for each in page["conversations"]}
    assert set(by_id) == {asked["conversationId"], named, sent["conversationId"]}
    assert by_id[asked["conversationId"]] == {
        "place": "reply", "text": "Hello there.", "messageId": asked["messageId"]
    }  # fmt: skip
    found = {
        each["id"]: each["found"]["place"] for each in (await listed(service, "?q=HELLO"))["conversations"]
    }
    assert found[named] == "title"
    (file,) = (await listed(service, "?q=konto%20M%C3%84RZ"))["conversations"]
    assert (file["id"], file["found"]["place"]) == (sent["conversationId"], "file")
    assert (file["found"]["text"], len(file["found"]["messageId"])) == ("Konto März.csv", 24)
    assert ids(await listed(service, "?q=hello", OTHER_DEVICE)) == [theirs["conversationId"]]
    assert all("found" not in each for each in (await listed(service))["conversations"])


async def test_a_search_finds_the_text_of_a_file_for_its_sender_alone(service: Service) -> None:
    rows = b64encode(b"Date;Payee;Amount\n2026-03-01;ALDI S\xc3\x9cD 4711;-12.30").decode()
    file = {"data": rows, "mimeType": "text/csv", "filename": "march.csv"}
    sent = await service.ask("What did I spend?", attachments=[file])
    await service.ask("And they?", OTHER_DEVICE)

    (item,) = (await listed(service, "?q=aldi%20s%C3%BCd"))["conversations"]
    assert item["id"] == sent["conversationId"]
    assert item["found"] == {
        "place": "file",
        "text": "march.csv: Date;Payee;Amount 2026-03-01;ALDI SÜD 4711;-12.30",
        "messageId": sent["userMessageId"],
    }
    assert ids(await listed(service, "?q=aldi", OTHER_DEVICE)) == []

    for query in ("Payee%3BAmount%202026", "4711"):  # where a line ends means nothing
        assert ids(await listed(service, f"?q={query}")) == [sent["conversationId"]]
    path = f"{LIST}/{sent['conversationId']}/messages"
    question, _ = (await service.client.get(path, headers=DEVICE)).json()["data"]["messages"]
    assert "text" not in question["attachments"][0]


async def test_all_states_and_tags_filter(service: Service) -> None:
    made = [(await service.ask(f"Number {n}"))["conversationId"] for n in range(3)]
    for n, tags in enumerate((["home", "a&b"], ["home"], [])):
        await service.client.patch(f"{LIST}/{made[n]}", json={"tags": tags}, headers=DEVICE)
    await service.client.post(f"{LIST}/{made[0]}/archive", headers=DEVICE)

    assert set(ids(await listed(service, "?status=all"))) == set(made)
    assert set(ids(await listed(service, "?status=all&tag=home"))) == {made[0], made[1]}
    assert ids(await listed(service, "?status=all&tag=home&tag=a%26b")) == [made[0]]
    assert ids(await listed(service, "?tag=home")) == [made[1]]
    assert ids(await listed(service, "?tag=home&tag=else")) == []
    seventeen = "&".join(f"tag={n}" for n in range(17))
    for wrong in ("tag=", "tag=home&tag=", "tag=home&tag=" + "x" * 51, seventeen):
        assert offending(await service.client.get(f"{LIST}?{wrong}", headers=DEVICE)) == {"tag"}


async def test_the_type_filters(service: Service) -> None:
    made = await conversation_of(service)
    assert ids(await listed(service, "?type=chat")) == [made]
    assert ids(await listed(service, "?type=second_opinion")) == []


async def test_a_patch_changes_only_what_it_names(service: Service) -> None:
    path = f"{LIST}/{await conversation_of(service)}"
    tagged = await service.client.patch(path, json={"tags": ["etf", "basics"]}, headers=DEVICE)
    assert tagged.json()["data"]["tags"] == ["etf", "basics"]
    renamed = (await service.client.patch(path, json={"title": "Funds", "x": 1}, headers=DEVICE)).json()[
        "data"
    ]
    assert (renamed["title"], renamed["tags"], renamed["pinned"]) == ("Funds", ["etf", "basics"], False)
    unchanged = (await service.client.patch(path, json={}, headers=DEVICE)).json()["data"]
    assert unchanged["title"] == "Funds"
    untagged = (await service.client.patch(path, json={"tags": []}, headers=DEVICE)).json()["data"]
    assert untagged["tags"] == []


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"title": "x" * 200}, 200),
        ({"title": "x" * 201}, 400),
        ({"title": " "}, 400),
        ({"title": None}, 400),
        ({"tags": ["x" * 50] * 16}, 200),
        ({"tags": ["x"] * 17}, 400),
        ({"tags": None}, 400),
        ({"tags": "etf"}, 400),
    ],
)
async def test_titles_and_tags_have_limits(service: Service, changes: dict[str, Any], status: int) -> None:
    path = f"{LIST}/{await conversation_of(service)}"
    assert (await service.client.patch(path, json=changes, headers=DEVICE)).status_code == status


async def test_archive_and_restore_move_between_the_lists_and_repeat_harmlessly(service: Service) -> None:
    made = await conversation_of(service)
    for _ in range(2):
        archived = await service.client.post(f"{LIST}/{made}/archive", headers=DEVICE)
        assert (archived.status_code, archived.json()["data"]["status"]) == (200, "archived")
    assert ids(await listed(service)) == []
    assert ids(await listed(service, "?status=archived")) == [made]
    for _ in range(2):
        restored = await service.client.post(f"{LIST}/{made}/restore", headers=DEVICE)
        assert (restored.status_code, restored.json()["data"]["status"]) == (200, "active")
    assert ids(await listed(service)) == [made]


async def test_a_deleted_conversation_is_gone_for_its_owner(service: Service) -> None:
    made = await conversation_of(service)
    deleted = await service.client.delete(f"{LIST}/{made}", headers=DEVICE)
    assert deleted.status_code == 200
    assert deleted.json()["data"] == {"deleted": True, "conversationId": made}
    for method, path, body in all_routes(made):
        response = await service.client.request(method, path, json=body, headers=DEVICE)
        assert (response.status_code, response.json()["error"]["code"]) == (404, "NOT_FOUND")
    assert ids(await listed(service)) == ids(await listed(service, "?status=archived")) == []


async def test_somebody_elses_conversation_is_forbidden_and_an_unknown_one_not_found(
    service: Service,
) -> None:
    made = await conversation_of(service)
    for conversation_id, status, code in ((made, 403, "FORBIDDEN"), (UNKNOWN, 404, "NOT_FOUND")):
        for method, path, body in all_routes(conversation_id):
            response = await service.client.request(method, path, json=body, headers=OTHER_DEVICE)
            assert (response.status_code, response.json()["error"]["code"]) == (status, code)


@pytest.mark.parametrize("conversation_id", ["x", "A" * 24, "a" * 23, "a" * 25, "g" * 24, "a" * 24 + "%0A"])
async def test_a_malformed_id_is_a_validation_error(client: httpx2.AsyncClient, conversation_id: str) -> None:
    for method, path, body in all_routes(conversation_id):
        response = await client.request(method, path, json=body, headers=DEVICE)
        assert response.status_code == 400
        assert [d["field"] for d in response.json()["error"]["details"]] == ["conversationId"]


async def test_a_message_has_the_fields_of_the_contract(service: Service) -> None:
    reply = await service.ask("What is an ETF?")
    path = f"{LIST}/{reply['conversationId']}/messages"
    page = (await service.client.get(path, headers=DEVICE)).json()["data"]
    assert (page["total"], page["limit"], page["offset"], page["hasMore"]) == (2, 50, 0, False)
    question, answer = page["messages"]
    assert set(question) == {
        "id", "conversationId", "role", "content", "attachments", "model", "prepromptKey", "tokenCount",
        "toolCalls", "sources", "visualEmbeds", "suggestions", "status", "feedback", "createdAt", "updatedAt",
    }  # fmt: skip
    assert (question["role"], question["content"]) == ("user", "What is an ETF?")
    assert (answer["role"], answer["content"], answer["status"]) == ("assistant", "Hello there.", "completed")
    assert answer == reply["message"]
    newest_first = (await service.client.get(f"{path}?order=desc&limit=1", headers=DEVICE)).json()["data"]
    assert (newest_first["messages"], newest_first["hasMore"]) == ([answer], True)
    assert (await service.client.get(f"{path}?order=up", headers=DEVICE)).status_code == 400


async def test_feedback_is_stored_and_replaced(service: Service) -> None:
    reply = await service.ask("What is an ETF?")
    path = f"/api/v1/user/messages/{reply['messageId']}/feedback"
    await service.client.post(path, json={"rating": 1, "feedback": "Clear."}, headers=DEVICE)
    given = await service.client.post(path, json={"rating": -1}, headers=DEVICE)
    assert given.status_code == 200
    assert given.json()["data"] == {
        "messageId": reply["messageId"],
        "rating": -1,
        "feedback": None,
        "updatedAt": "2026-03-01T12:00:00.000Z",
    }
    messages = await service.client.get(f"{LIST}/{reply['conversationId']}/messages", headers=DEVICE)
    feedback = messages.json()["data"]["messages"][1]["feedback"]
    assert feedback == {"rating": -1, "feedback": None, "updatedAt": "2026-03-01T12:00:00.000Z"}


async def test_feedback_needs_the_conversation_and_an_existing_message(service: Service) -> None:
    reply = await service.ask("What is an ETF?")
    for message_id, headers, status in (
        (reply["messageId"], OTHER_DEVICE, 403),
        (UNKNOWN, DEVICE, 404),
        ("x", DEVICE, 400),
    ):
        path = f"/api/v1/user/messages/{message_id}/feedback"
        assert (await service.client.post(path, json={"rating": 1}, headers=headers)).status_code == status
