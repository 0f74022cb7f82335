"""A real process answers real requests: pieces, disconnects, resuming, stopping, dying (contract 4, 12)."""

import asyncio
import json
import signal
from typing import Any

import httpx2

from e2e.conftest import Start, ask, open_stream, text_of, until_saved
from servers.anthropic_server import serve_anthropic
from waiting import until

CHAT = "/api/v1/ai/chat"
STREAM = {"Stream": "true"}


async def test_a_new_user_gets_a_cited_answer_with_no_setting(start_server: Start) -> None:
    server = await start_server()
    async with server.client() as client:
        response, events = await ask(client, "What is an emergency fund?")

    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.headers["cache-control"] == "no-cache, no-transform"
    assert response.headers["x-accel-buffering"] == "no"
    assert {event["type"] for event in events} == {"token", "done"}
    done = events[-1]
    assert done["conversationId"] == response.headers["x-conversation-id"]
    assert done["messageId"] == response.headers["x-message-id"]
    assert done["message"]["content"] == text_of(events)
    assert done["sources"]
    assert "[1]" in text_of(events)
    assert [event.number for event in events] == sorted(event.number for event in events)
    assert events[-1].number == len(text_of(events))


async def test_what_is_no_http_is_refused_in_the_envelope(start_server: Start) -> None:
    server = await start_server()
    reader, writer = await asyncio.open_connection(*server.address.removeprefix("http://").split(":"))
    writer.write(b"this is no request\r\n\r\n")
    head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()

    status, *headers = head.decode().split("\r\n")
    named = dict(header.split(": ") for header in headers)
    answer = json.loads(body)
    assert status == "HTTP/1.1 400 Bad Request"
    assert answer["error"]["code"] == "VALIDATION_ERROR"
    assert answer["meta"]["requestId"] == named["x-request-id"]
    assert (named["content-type"], named["content-length"]) == ("application/json", str(len(body)))
    assert (named["x-content-type-options"], named["connection"]) == ("nosniff", "close")


async def test_head_of_a_running_turn_says_that_it_runs(start_server: Start) -> None:
    server = await start_server()
    async with server.client() as client:
        reply = (await ask(client))[1][-1]
        path = f"/api/v1/ai/chat/{reply['messageId']}/stream"
        asked = await client.head(path)
        followed = await client.get(path)
    assert (asked.status_code, asked.content) == (200, b"")
    assert asked.headers["content-type"] == followed.headers["content-type"]
    assert followed.content


async def test_a_calculation_is_done_by_a_calculator_with_no_setting(start_server: Start) -> None:
    server = await start_server()
    async with server.client() as client:
        _, events = await ask(client, "What is the monthly payment on a 20k loan at 7% for 5 years?")
        health = await client.get("/api/v1/ai/health")

    call, result, *tokens, done = events
    assert (call["type"], call["name"]) == ("tool_call", "loan_instalment")
    assert call["arguments"] == {"principal": 20000, "yearly_rate": 7, "years": 5}
    assert (result["type"], result["toolCallId"], result["isError"]) == (
        "tool_result",
        call["toolCallId"],
        False,
    )
    assert {token["type"] for token in tokens} == {"token"}
    assert text_of(events).startswith("The monthly instalment is 396.02;")
    assert (done["type"], done["finishReason"]) == ("done", "stop")
    assert done["message"]["content"] == text_of(events)
    assert [called["id"] for called in done["toolCalls"]] == [call["toolCallId"]]
    assert [call.number, result.number, done.number] == [1, 2, len(text_of(events)) + 2]
    assert health.json()["data"]["capabilities"]["tools"] is True


async def test_anthropic_answers_and_calls_the_calculators(start_server: Start) -> None:
    arguments = '{"principal": 20000, "yearly_rate": 7, "years": 5}'
    async with serve_anthropic() as model:
        model.behave_in_turn(
            {
                "texts": (),
                "calls": [("toolu_1", "loan_instalment", arguments)],
                "finish_reason": "tool_calls",
            },
            {"texts": ("It is ", "396.02.")},
        )
        server = await start_server(**model.environ)
        async with server.client() as client:
            _, events = await ask(client, "What would 20k at 7% cost me a month?")
            health = await client.get("/api/v1/ai/health")

    assert [event["type"] for event in events] == ["tool_call", "tool_result", "token", "token", "done"]
    assert events[-1]["usage"] == {"promptTokens": 22, "completionTokens": 14, "totalTokens": 36}
    result = json.loads(model.requests[1]["messages"][-1]["content"][0]["content"])
    assert result["figures"]["instalment"] == "396.02"
    about = health.json()["data"]
    assert (about["provider"], about["model"]) == ("anthropic", about["models"][0])
    assert about["capabilities"].items() >= {"tools": True, "vision": True, "pdf": True}.items()


async def test_the_answer_arrives_while_it_is_being_written(start_server: Start, model_server: Any) -> None:
    model_server.behave(texts=["first ", "second"], pause_after=1)
    server = await start_server(**model_server.environ)
    async with (
        server.client() as client,
        open_stream(client, "POST", CHAT, json={"message": "hi there"}, headers=STREAM) as (_, events),
    ):
        assert (await anext(events))["content"] == "first "
        model_server.resume()
        assert (await anext(events))["content"] == "second"
        assert (await anext(events))["type"] == "done"


async def test_a_disconnect_loses_nothing_and_the_stream_can_be_resumed(
    start_server: Start, model_server: Any
) -> None:
    model_server.behave(texts=["one ", "two ", "three"], pause_after=1)
    server = await start_server(**model_server.environ)
    async with server.client() as client:
        async with open_stream(client, "POST", CHAT, json={"message": "count"}, headers=STREAM) as (
            response,
            events,
        ):
            first = await anext(events)
            message_id = response.headers["x-message-id"]
        model_server.resume()
        async with open_stream(
            client, "GET", f"{CHAT}/{message_id}/stream", headers={"Last-Event-ID": str(first.number)}
        ) as (_, events):
            rest = [event async for event in events]

    assert text_of(rest) == "two three"
    assert rest[-1]["type"] == "done"
    assert rest[-1]["message"]["content"] == "one two three"


async def test_stopping_ends_the_stream_and_the_upstream_call(start_server: Start, model_server: Any) -> None:
    model_server.behave(texts=["some words", "never said"], pause_after=1)
    server = await start_server(**model_server.environ)
    async with (
        server.client() as client,
        open_stream(client, "POST", CHAT, json={"message": "talk"}, headers=STREAM) as (response, events),
    ):
        await anext(events)
        stopped = await client.post(f"{CHAT}/{response.headers['x-message-id']}/stop")
        done = await anext(events)

    assert stopped.json()["data"]["status"] == "stopped"
    assert (done["type"], done["finishReason"]) == ("done", "stopped")
    assert done["message"]["content"] == "some words"
    await model_server.wait_until_disconnected()


async def test_a_model_that_fails_before_the_first_token_is_a_plain_500(
    start_server: Start, model_server: Any
) -> None:
    model_server.behave(status=400)
    server = await start_server(**model_server.environ)
    async with server.client() as client:
        response, _ = await ask(client)
        launch = await client.get("/app/launch")

    assert response.status_code == 500
    assert response.json()["error"]["code"] == "LLM_ERROR"
    assert response.headers["x-message-id"]
    assert launch.json()["data"]["appLaunchResponseData"]["freeThreshold"]["used"] == 0


async def test_a_model_that_fails_later_ends_the_stream_with_one_error(
    start_server: Start, model_server: Any
) -> None:
    model_server.behave(texts=["half an ans"], cut=True)
    server = await start_server(**model_server.environ)
    async with server.client() as client:
        _, events = await ask(client)
        messages = await client.get(f"/api/v1/user/conversations/{events[0]['conversationId']}/messages")

    assert [event["type"] for event in events] == ["token", "error"]
    assert events[-1]["code"] == "LLM_ERROR"
    assert events[-1]["requestId"]
    stored = messages.json()["data"]["messages"][-1]
    assert (stored["status"], stored["content"]) == ("error", "half an ans")


async def test_a_killed_server_leaves_an_interrupted_message_with_what_was_saved(
    start_server: Start, model_server: Any
) -> None:
    model_server.behave(texts=["saved in time ", "never said"], pause_after=1)
    server = await start_server(**model_server.environ)
    async with (
        server.client() as client,
        open_stream(client, "POST", CHAT, json={"message": "talk"}, headers=STREAM) as (response, events),
    ):
        await anext(events)
        message_id = response.headers["x-message-id"]
        await until_saved(client, response.headers["x-conversation-id"], "saved in time ")
        await server.end(signal.SIGKILL)

    second = await start_server(**model_server.environ)
    async with second.client() as client:
        async with open_stream(client, "GET", f"{CHAT}/{message_id}/stream") as (_, events):
            replayed = [event async for event in events]
        launch = await client.get("/app/launch")

    assert text_of(replayed) == "saved in time "
    assert (replayed[-1]["type"], replayed[-1]["code"]) == ("error", "INTERRUPTED")
    assert launch.json()["data"]["appLaunchResponseData"]["freeThreshold"]["used"] == 1


async def test_sigterm_lets_running_turns_finish_and_refuses_new_requests(
    start_server: Start, model_server: Any
) -> None:
    model_server.behave(texts=["first ", "last"], pause_after=1)
    server = await start_server(**model_server.environ)
    async with (
        server.client() as client,
        open_stream(client, "POST", CHAT, json={"message": "talk"}, headers=STREAM) as (_, events),
    ):
        await anext(events)
        server.process.send_signal(signal.SIGTERM)
        await until_draining(client)
        live = await client.get("/health/live")
        refused = await client.get("/app/config")
        model_server.resume()
        rest = [event async for event in events]

    assert live.status_code == 200
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "SERVICE_UNAVAILABLE")
    assert [event["type"] for event in rest] == ["token", "done"]
    assert await server.process.wait() == 0


async def until_draining(client: httpx2.AsyncClient) -> None:
    async def draining() -> bool:
        return (await client.get("/health/ready")).status_code == 503

    await until(draining)


async def test_turns_that_outlast_the_drain_are_interrupted_and_kept(
    start_server: Start, model_server: Any
) -> None:
    model_server.behave(texts=["so far ", "never said"], pause_after=1)
    server = await start_server(DRAIN_SECONDS="0.3", **model_server.environ)
    async with (
        server.client() as client,
        open_stream(client, "POST", CHAT, json={"message": "talk"}, headers=STREAM) as (_, events),
    ):
        await anext(events)
        server.process.send_signal(signal.SIGTERM)
        rest = [event async for event in events]

    assert [(event["type"], event.get("code")) for event in rest] == [("error", "INTERRUPTED")]
    assert await server.process.wait() == 0
