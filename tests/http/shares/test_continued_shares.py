"""Going on from a share in a conversation of one's own (contract section 6)."""

import asyncio

import pytest

from http_service import DEVICE, OTHER_DEVICE, Service, Start
from shares_over_http import (
    ATTACHMENT,
    FILE_ID,
    SHARE,
    TOOL_CALL,
    continued,
    dress,
    keep_file,
    messages_of,
    share,
    view,
)


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
    await service.finassist.adapters.files.remove(FILE_ID)
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
    service.clock.advance(86400)
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
