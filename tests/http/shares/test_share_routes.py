"""Sharing over HTTP, as the owner of a conversation does (spec "Chat share", contract section 6)."""

import asyncio
from typing import Any

import pytest

from http_service import DEVICE, Service, Start, offending
from shares_over_http import PUBLIC, SHARE, share, view

DAY = 24 * 3600
SHARE_FIELDS = {
    "id",
    "shareId",
    "userId",
    "conversationId",
    "shareType",
    "visibility",
    "allowContinuation",
    "redacted",
    "viewCount",
    "continuationCount",
    "status",
    "messageIds",
    "customTitle",
    "customDescription",
    "createdAt",
    "updatedAt",
    "lastViewedAt",
    "expiresAt",
    "revokedAt",
    "shareUrl",
}


@pytest.fixture
async def alice(service: Service) -> dict[str, str]:
    return await service.token("alice")


async def statuses(service: Service, headers: dict[str, str], status: str | None = None) -> list[str]:
    query = {} if status is None else {"status": status}
    response = await service.client.get(f"{SHARE}/list", params=query, headers=headers)
    assert response.status_code == 200, response.text
    return [each["status"] for each in response.json()["data"]["shares"]]


async def usage(service: Service, headers: dict[str, str]) -> dict[str, Any]:
    response = await service.client.get("/api/v1/auth/me", headers=headers)
    found: dict[str, Any] = response.json()["data"]["usage"]["shares"]
    return found


async def test_a_share_is_a_link_to_the_conversation_as_it_is(
    service: Service, alice: dict[str, str]
) -> None:
    reply = await service.ask("What is a bond?", alice)

    shared = await share(service, alice, conversationId=reply["conversationId"])

    assert set(shared) == SHARE_FIELDS
    assert shared["conversationId"] == reply["conversationId"]
    assert shared["messageIds"] == [reply["userMessageId"], reply["messageId"]]
    assert (shared["shareType"], shared["visibility"], shared["status"]) == ("full", "public", "active")
    assert shared["allowContinuation"] is True
    assert (shared["viewCount"], shared["continuationCount"]) == (0, 0)
    assert shared["expiresAt"] is shared["revokedAt"] is shared["lastViewedAt"] is None
    assert len(shared["shareId"]) == 22
    assert shared["shareUrl"] == f"http://testserver{PUBLIC}/{shared['shareId']}"
    assert (await service.client.get(shared["shareUrl"])).status_code == 200


async def test_the_link_begins_with_the_public_address(start: Start) -> None:
    service = await start({"public_base_url": "https://share.example.org"})
    shared = await share(service, await service.token())
    assert shared["shareUrl"].startswith(f"https://share.example.org{PUBLIC}/")


async def test_the_settings_of_a_share_are_kept(service: Service, alice: dict[str, str]) -> None:
    shared = await share(
        service,
        alice,
        allowContinuation=False,
        expiresInDays=1.5,
        customTitle="Mine",
        customDescription="Why",
        redact=True,
    )
    assert shared["allowContinuation"] is False
    assert (shared["createdAt"], shared["expiresAt"]) == (
        "2026-03-01T12:00:00.000Z",
        "2026-03-03T00:00:00.000Z",
    )
    assert (shared["customTitle"], shared["customDescription"]) == ("Mine", "Why")
    assert shared["redacted"] is True


async def test_both_spellings_are_taken(service: Service, alice: dict[str, str]) -> None:
    reply = await service.ask("What is a bond?", alice)
    body = {"conversation_id": reply["conversationId"], "expires_in_days": 1}
    response = await service.client.post(SHARE, json=body, headers=alice)
    assert response.json()["data"]["expiresAt"] == "2026-03-02T12:00:00.000Z"
    share_id = response.json()["data"]["shareId"]
    response = await service.client.patch(f"{SHARE}/{share_id}", json={"expires_in_days": 2}, headers=alice)
    assert response.json()["data"]["expiresAt"] == "2026-03-03T12:00:00.000Z"
    both = {"expires_in_days": 2, "expiresInDays": 3}
    response = await service.client.patch(f"{SHARE}/{share_id}", json=both, headers=alice)
    assert offending(response) == {"expires_in_days"}


@pytest.mark.parametrize("path", [SHARE, f"{SHARE}/preview"])
async def test_every_wrong_field_of_a_new_share_is_named(
    service: Service, alice: dict[str, str], path: str
) -> None:
    wrong = {
        "conversationId": "nonsense",
        "allowContinuation": "yes",
        "expiresInDays": 366,
        "customTitle": "x" * 201,
        "customDescription": "x" * 501,
        "redact": 1,
    }
    assert offending(await service.client.post(path, json=wrong, headers=alice)) == set(wrong)
    assert offending(await service.client.post(path, json={}, headers=alice)) == {"conversationId"}


@pytest.mark.parametrize("days", [0, 0.99, 365.1, 1e400, "7", True])
async def test_a_share_lasts_from_a_day_to_a_year(service: Service, alice: dict[str, str], days: Any) -> None:
    shared = await share(service, alice)
    path = f"{SHARE}/{shared['shareId']}"
    content = '{"expiresInDays": 1e400}' if days == 1e400 else None
    body = {"content": content} if content else {"json": {"expiresInDays": days}}
    headers = {**alice, "Content-Type": "application/json"}
    assert offending(await service.client.patch(path, headers=headers, **body))


async def test_guests_do_not_share(service: Service) -> None:
    reply = await service.ask("What is a bond?")
    body = {"conversationId": reply["conversationId"]}
    for response in (
        await service.client.post(SHARE, json=body, headers=DEVICE),
        await service.client.post(f"{SHARE}/preview", json=body, headers=DEVICE),
        await service.client.get(f"{SHARE}/list", headers=DEVICE),
        await service.client.patch(f"{SHARE}/{'x' * 22}", json={}, headers=DEVICE),
        await service.client.delete(f"{SHARE}/{'x' * 22}", headers=DEVICE),
        await service.client.get(f"{SHARE}/{'x' * 22}/analytics", headers=DEVICE),
    ):
        assert response.status_code == 401
        assert response.json()["error"]["code"] == "UNAUTHORIZED"


async def test_only_the_owner_shares_and_404_comes_before_403(
    service: Service, alice: dict[str, str]
) -> None:
    bob = await service.token("bob")
    shared = await share(service, alice)
    body = {"conversationId": shared["conversationId"]}
    unknown = {"conversationId": "0" * 24}
    for path in (SHARE, f"{SHARE}/preview"):
        assert (await service.client.post(path, json=body, headers=bob)).status_code == 403
        assert (await service.client.post(path, json=unknown, headers=bob)).status_code == 404
    for share_id, status in ((shared["shareId"], 403), ("0" * 22, 404), ("0" * 7, 400), ("0" * 65, 400)):
        path = f"{SHARE}/{share_id}"
        assert (await service.client.patch(path, json={}, headers=bob)).status_code == status
        assert (await service.client.delete(path, headers=bob)).status_code == status
        assert (await service.client.get(f"{path}/analytics", headers=bob)).status_code == status
    assert (await view(service, shared["shareId"])).status_code == 200


async def test_an_empty_conversation_is_not_shared(service: Service, alice: dict[str, str]) -> None:
    reply = await service.ask("What is a bond?", alice)
    database = service.database
    await database.write(lambda connection: connection.execute("DELETE FROM messages"))
    for path in (SHARE, f"{SHARE}/preview"):
        response = await service.client.post(
            path, json={"conversationId": reply["conversationId"]}, headers=alice
        )
        assert response.status_code == 409
        assert response.json()["error"]["code"] == "INVALID_STATE"


async def test_later_messages_and_a_later_title_stay_hidden(service: Service, alice: dict[str, str]) -> None:
    shared = await share(service, alice)
    conversation = shared["conversationId"]
    await service.ask("My secret plan", alice, conversation_id=conversation)
    await service.client.patch(
        f"/api/v1/user/conversations/{conversation}", json={"title": "Secret title"}, headers=alice
    )

    seen = (await view(service, shared["shareId"])).json()["data"]

    assert [message["id"] for message in seen["messages"]] == shared["messageIds"]
    assert seen["title"] == "What is a bond?"
    listed = (await service.client.get(f"{SHARE}/list", headers=alice)).json()["data"]["shares"][0]
    assert listed["conversationTitle"] == "Secret title"


async def test_a_list_is_the_callers_own_newest_first_with_a_filter(
    service: Service, alice: dict[str, str]
) -> None:
    first = await share(service, alice, expiresInDays=1)
    second = await share(service, alice)
    third = await share(service, alice)
    await share(service, await service.token("bob"))
    await service.client.delete(f"{SHARE}/{third['shareId']}", headers=alice)
    service.clock.advance(DAY)
    alice = await service.token("alice")

    response = await service.client.get(f"{SHARE}/list", params={"limit": 2}, headers=alice)

    data = response.json()["data"]
    assert [each["id"] for each in data["shares"]] == [third["id"], second["id"]]
    assert {key: data[key] for key in ("total", "limit", "offset", "hasMore")} == {
        "total": 3, "limit": 2, "offset": 0, "hasMore": True,
    }  # fmt: skip
    assert set(data["shares"][0]) == SHARE_FIELDS | {"conversationTitle"}
    assert await statuses(service, alice) == ["revoked", "active", "expired"]
    for status, each in (("active", second), ("expired", first), ("revoked", third)):
        assert await statuses(service, alice, status) == [status]
        found = await service.client.get(f"{SHARE}/list", params={"status": status}, headers=alice)
        assert [item["id"] for item in found.json()["data"]["shares"]] == [each["id"]]
    wrong = await service.client.get(f"{SHARE}/list", params={"status": "x", "limit": 0}, headers=alice)
    assert offending(wrong) == {"status", "limit"}


async def test_a_patch_changes_only_what_it_names(service: Service, alice: dict[str, str]) -> None:
    shared = await share(service, alice, customTitle="Old", expiresInDays=3)
    path = f"{SHARE}/{shared['shareId']}"

    response = await service.client.patch(path, json={"allowContinuation": False}, headers=alice)

    assert response.status_code == 200
    assert response.json()["data"] == {**shared, "allowContinuation": False}
    response = await service.client.patch(path, json={"customTitle": ""}, headers=alice)
    unchanged = await service.client.patch(path, json={}, headers=alice)
    assert unchanged.json()["data"] == response.json()["data"]
    assert (await view(service, shared["shareId"])).json()["data"]["title"] == "What is a bond?"
    wrong = {"allowContinuation": None, "customTitle": "x" * 201, "customDescription": 5}
    assert offending(await service.client.patch(path, json=wrong, headers=alice)) == set(wrong)


async def test_null_removes_what_is_optional(service: Service, alice: dict[str, str]) -> None:
    texts = {"customTitle": "Mine", "customDescription": "About it"}
    shared = await share(service, alice, expiresInDays=1, **texts)
    path = f"{SHARE}/{shared['shareId']}"
    response = await service.client.patch(path, json={"customTitle": None}, headers=alice)
    assert response.json()["data"] == {**shared, "customTitle": None}
    service.clock.advance(DAY)
    alice = await service.token("alice")
    response = await service.client.patch(
        path, json={"expires_in_days": None, "customDescription": None}, headers=alice
    )
    cleared = response.json()["data"]
    assert (cleared["expiresAt"], cleared["customDescription"], cleared["status"]) == (None, None, "active")
    assert (await view(service, shared["shareId"])).json()["data"]["title"] == "What is a bond?"


async def test_an_expired_share_is_gone_until_it_gets_a_new_expiry(
    service: Service, alice: dict[str, str]
) -> None:
    shared = await share(service, alice, expiresInDays=1)
    path = f"{SHARE}/{shared['shareId']}"
    service.clock.advance(DAY - 0.001)
    assert (await view(service, shared["shareId"])).status_code == 200
    service.clock.advance(0.001)

    assert (await view(service, shared["shareId"])).status_code == 404
    alice = await service.token("alice")
    renamed = await service.client.patch(path, json={"customTitle": "T"}, headers=alice)
    assert renamed.json()["data"]["status"] == "expired"
    renewed = await service.client.patch(path, json={"expiresInDays": 1}, headers=alice)
    assert renewed.json()["data"]["status"] == "active"
    assert renewed.json()["data"]["expiresAt"] == "2026-03-03T12:00:00.000Z"
    assert (await view(service, shared["shareId"])).json()["data"]["title"] == "T"


async def test_a_revocation_is_final_and_twice_is_once(service: Service, alice: dict[str, str]) -> None:
    shared = await share(service, alice)
    path = f"{SHARE}/{shared['shareId']}"
    answers = []
    for _ in range(2):
        response = await service.client.delete(path, headers=alice)
        assert response.status_code == 200
        answers.append(response.json()["data"])
        service.clock.advance(5)

    assert answers == [{"revoked": True, "shareId": shared["shareId"]}] * 2
    assert (await view(service, shared["shareId"])).status_code == 404
    for body in ({}, {"expiresInDays": 5}, {"customTitle": "T"}):
        response = await service.client.patch(path, json=body, headers=alice)
        assert response.status_code == 409
        assert response.json()["error"]["code"] == "INVALID_STATE"
    listed = (await service.client.get(f"{SHARE}/list", headers=alice)).json()["data"]["shares"][0]
    assert listed["revokedAt"] == "2026-03-01T12:00:00.000Z"
    analytics = await service.client.get(f"{path}/analytics", headers=alice)
    assert analytics.json()["data"]["status"] == "revoked"


async def test_a_deleted_conversation_ends_its_shares(service: Service, alice: dict[str, str]) -> None:
    shared = await share(service, alice)
    other = await share(service, alice)
    await service.client.delete(f"/api/v1/user/conversations/{shared['conversationId']}", headers=alice)

    assert (await view(service, shared["shareId"])).status_code == 404
    assert (await view(service, other["shareId"])).status_code == 200
    assert await statuses(service, alice) == ["active", "revoked"]
    body = {"conversationId": shared["conversationId"]}
    assert (await service.client.post(SHARE, json=body, headers=alice)).status_code == 404


async def test_an_archived_conversation_stays_shared(service: Service, alice: dict[str, str]) -> None:
    shared = await share(service, alice)
    conversation = f"/api/v1/user/conversations/{shared['conversationId']}"
    await service.client.post(f"{conversation}/archive", headers=alice)
    assert (await view(service, shared["shareId"])).status_code == 200


async def test_however_sharing_and_deleting_meet_nothing_of_it_stays_shared(
    service: Service, alice: dict[str, str]
) -> None:
    for _ in range(5):
        conversation = (await service.ask("What is a bond?", alice))["conversationId"]
        body = {"conversationId": conversation}
        *made, deleted = await asyncio.gather(
            *(service.client.post(SHARE, json=body, headers=alice) for _ in range(6)),
            service.client.delete(f"/api/v1/user/conversations/{conversation}", headers=alice),
        )
        assert deleted.status_code == 200
        assert {response.status_code for response in made} <= {201, 404}
    assert await statuses(service, alice, "active") == []


async def test_usage_tells_each_state_and_all_views(service: Service, alice: dict[str, str]) -> None:
    expiring = await share(service, alice, expiresInDays=1)
    await view(service, expiring["shareId"])
    service.clock.advance(60)
    revoked = await share(service, alice)
    await view(service, revoked["shareId"])
    await service.client.delete(f"{SHARE}/{revoked['shareId']}", headers=alice)
    await share(service, alice)
    service.clock.advance(DAY)
    assert await usage(service, await service.token("alice")) == {
        "total": 3,
        "active": 1,
        "expired": 1,
        "revoked": 1,
        "totalViews": 2,
        "lastSharedAt": "2026-03-01T12:01:00.000Z",
    }


async def test_a_preview_shows_what_would_be_seen_and_publishes_nothing(
    service: Service, alice: dict[str, str]
) -> None:
    question = "My name is Ann Lee, IBAN DE89 3704 0044 0532 0130 00, what is a bond?"
    reply = await service.ask(question, alice)
    body = {"conversationId": reply["conversationId"], "redact": True}

    response = await service.client.post(f"{SHARE}/preview", json=body, headers=alice)

    assert response.status_code == 200
    data = response.json()["data"]
    assert set(data) == {"title", "messages", "findings"}
    assert data["messages"][0]["content"] == "My name is [name], IBAN [IBAN], what is a bond?"
    assert "Ann" not in data["title"]
    found = [(each["kind"], each["text"]) for each in data["findings"] if each["messageId"]]
    assert found == [("name", "Ann Lee"), ("iban", "DE89 3704 0044 0532 0130 00")]
    assert await statuses(service, alice) == []
    body["redact"] = False
    plain = (await service.client.post(f"{SHARE}/preview", json=body, headers=alice)).json()["data"]
    assert plain["messages"][0]["content"] == question
    assert plain["findings"] == data["findings"]
    assert set(plain["messages"][0]) == {
        "id", "role", "content", "createdAt", "attachments", "visualEmbeds", "sources",
    }  # fmt: skip


async def test_redaction_is_in_the_share_and_not_in_the_conversation(
    service: Service, alice: dict[str, str]
) -> None:
    question = "Mail ann@example.org, please"
    reply = await service.ask(question, alice)
    shared = await share(service, alice, conversationId=reply["conversationId"], redact=True)
    plain = await share(service, alice, conversationId=reply["conversationId"])

    seen = (await view(service, shared["shareId"])).json()["data"]

    assert seen["messages"][0]["content"] == "Mail [email], please"
    assert seen["title"] == "Mail [email], please"
    assert (await view(service, plain["shareId"])).json()["data"]["messages"][0]["content"] == question
    path = f"/api/v1/user/conversations/{reply['conversationId']}/messages"
    messages = (await service.client.get(path, headers=alice)).json()["data"]["messages"]
    assert messages[0]["content"] == question
    made = await service.client.post(f"{PUBLIC}/{shared['shareId']}/continue", headers=DEVICE)
    path = f"/api/v1/user/conversations/{made.json()['data']['conversationId']}/messages"
    copied = (await service.client.get(path, headers=DEVICE)).json()["data"]["messages"]
    assert copied[0]["content"] == "Mail [email], please"


async def test_a_title_that_is_cut_within_a_number_does_not_show_its_beginning(
    service: Service, alice: dict[str, str]
) -> None:
    question = "Please explain to me what a credit card limit means for my card 4111 1111 1111 1111"
    reply = await service.ask(question, alice)
    body = {"conversationId": reply["conversationId"], "redact": True}
    preview = await service.client.post("/api/v1/share/preview", headers=alice, json=body)
    shared = await share(service, alice, **body)

    seen = (await view(service, shared["shareId"])).json()["data"]

    assert "4111" in reply["title"]
    assert "4111" not in seen["title"]
    assert preview.json()["data"]["title"] == seen["title"]


async def test_analytics_count_views_viewers_and_continuations(
    service: Service, alice: dict[str, str]
) -> None:
    shared = await share(service, alice)
    path = f"{PUBLIC}/{shared['shareId']}"
    for agent in ("one", "two", "one"):
        assert (await service.client.get(path, headers={"User-Agent": agent})).status_code == 200
    await service.client.post(f"{path}/continue", headers=DEVICE)
    service.clock.advance(12 * 3600)
    await service.client.get(path, headers={"User-Agent": "one"})
    alice = await service.token("alice")

    response = await service.client.get(f"{SHARE}/{shared['shareId']}/analytics", headers=alice)

    assert response.json()["data"] == {
        "shareId": shared["shareId"],
        "status": "active",
        "totalViews": 3,
        "uniqueViewers": 2,
        "continuationCount": 1,
        "lastViewedAt": "2026-03-02T00:00:00.000Z",
        "createdAt": "2026-03-01T12:00:00.000Z",
        "viewsByDay": [
            {"date": "2026-03-01", "views": 2, "uniqueViewers": 2},
            {"date": "2026-03-02", "views": 1, "uniqueViewers": 1},
        ],
    }
