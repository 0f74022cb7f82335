"""Tool calls over HTTP: in the stream, in the buffered reply, in the stored message (contract section 4)."""

import json
from typing import Any

from finassist.application.ports.language_model import ToolCallRequest
from finassist.testing import ScriptedModel, model_failure
from http_service import DEVICE, Service, Start

LOAN = ToolCallRequest("call_1", "loan_instalment", {"principal": 20000, "yearly_rate": 7, "years": 5})
STREAM = {**DEVICE, "Stream": "true"}


def calculating(then: Any = "It is 396.02.") -> ScriptedModel:
    return ScriptedModel(lambda request: (then,) if request.rounds else (LOAN,))


def events_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]


async def test_the_stream_tells_the_call_and_its_result_before_the_text(start: Start) -> None:
    service = await start(language_model=calculating())
    response = await service.client.post("/api/v1/ai/chat", json={"message": "20k at 7%?"}, headers=STREAM)

    call, result, token, done = events_of(response.text)
    ids = {key: done[key] for key in ("conversationId", "messageId")}
    assert call == {
        "type": "tool_call",
        **ids,
        "toolCallId": "call_1",
        "name": "loan_instalment",
        "arguments": LOAN.arguments,
    }
    assert (result["type"], result["toolCallId"], result["isError"]) == ("tool_result", "call_1", False)
    assert result["result"]["figures"]["instalment"] == "396.02"
    assert (token["type"], done["type"]) == ("token", "done")
    stored = {
        "id": "call_1",
        "name": "loan_instalment",
        "arguments": LOAN.arguments,
        "result": result["result"],
        "isError": False,
    }
    assert done["toolCalls"] == done["message"]["toolCalls"] == [stored]
    assert [line for line in response.text.splitlines() if line.startswith("id: ")] == [
        "id: 1",
        "id: 2",
        "id: 15",
        "id: 15",
    ]


async def test_the_buffered_reply_and_the_message_list_carry_the_calls(start: Start) -> None:
    service = await start(language_model=calculating())
    reply = await service.ask("20k at 7%?")
    assert reply["message"]["content"] == "It is 396.02."
    [call] = reply["toolCalls"]
    response = await service.client.get(
        f"/api/v1/user/conversations/{reply['conversationId']}/messages", headers=DEVICE
    )
    assert response.json()["data"]["messages"][-1]["toolCalls"] == [call]


async def test_a_failure_after_a_tool_call_ends_the_open_stream_and_costs_nothing(start: Start) -> None:
    service = await start(language_model=calculating(then=model_failure()))
    response = await service.client.post("/api/v1/ai/chat", json={"message": "20k at 7%?"}, headers=STREAM)

    assert response.status_code == 200
    assert [event["type"] for event in events_of(response.text)] == ["tool_call", "tool_result", "error"]
    await assert_nothing_was_charged(service)


async def test_the_same_failure_of_a_buffered_reply_is_a_plain_500(start: Start) -> None:
    service = await start(language_model=calculating(then=model_failure()))
    response = await service.client.post("/api/v1/ai/chat", json={"message": "20k at 7%?"}, headers=DEVICE)

    assert (response.status_code, response.json()["error"]["code"]) == (500, "LLM_ERROR")
    assert response.headers["x-message-id"]
    await assert_nothing_was_charged(service)


async def test_a_turn_with_tools_can_be_resumed_from_between_its_events(start: Start) -> None:
    service = await start(language_model=calculating())
    reply = await service.ask("20k at 7%?")
    response = await service.client.get(
        f"/api/v1/ai/chat/{reply['messageId']}/stream", headers={**DEVICE, "Last-Event-ID": "1"}
    )
    assert [event["type"] for event in events_of(response.text)] == ["tool_result", "token", "done"]


async def test_health_says_that_the_model_calls_tools(service: Service) -> None:
    response = await service.client.get("/api/v1/ai/health")
    assert response.json()["data"]["capabilities"]["tools"] is True


async def assert_nothing_was_charged(service: Service) -> None:
    launch = await service.client.get("/app/launch", headers=DEVICE)
    assert launch.json()["data"]["appLaunchResponseData"]["freeThreshold"]["used"] == 0
