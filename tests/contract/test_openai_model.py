"""Every documented end of an OpenAI stream, and every failure, against a scripted server."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from finassist.adapters.llm.openai import OpenAiModel
from finassist.application.ports.gateways import (
    ModelEvent,
    ModelFinished,
    ModelMessage,
    ModelRequest,
    TextDelta,
    ToolCallRequest,
)
from finassist.domain.errors import LanguageModelError
from finassist.domain.messages import Role, Usage
from servers.model_server import ModelServer, serve_model

REQUEST = ModelRequest(
    model="test-model", system="You are helpful.", messages=[ModelMessage(Role.USER, "What is an ETF?")]
)


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with serve_model() as model:
        yield model


@pytest.fixture
async def model(server: ModelServer) -> AsyncIterator[OpenAiModel]:
    made = make(server)
    yield made
    await made.close()


def make(server: ModelServer, **timeouts: float) -> OpenAiModel:
    return OpenAiModel(
        api_key="sk-test",
        base_url=f"{server.url}/v1",
        default_model="test-model",
        models=("other-model",),
        **{"first_token_timeout": 5, "idle_timeout": 5, "total_timeout": 10, **timeouts},
    )


async def ask(model: OpenAiModel) -> list[ModelEvent]:
    async with model.stream(REQUEST) as events:
        return [event async for event in events]


async def test_the_text_comes_in_pieces_and_the_usage_with_the_end(
    server: ModelServer, model: OpenAiModel
) -> None:
    assert await ask(model) == [
        TextDelta("Hello"),
        TextDelta(" there."),
        ModelFinished("stop", Usage(prompt_tokens=11, completion_tokens=7)),
    ]
    sent = server.requests[0]
    assert sent["model"] == "test-model"
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]
    assert sent["stream_options"] == {"include_usage": True}


async def test_a_server_that_counts_no_tokens_gives_no_usage(server: ModelServer, model: OpenAiModel) -> None:
    server.behave(usage=None)
    assert (await ask(model))[-1] == ModelFinished("stop", None)


async def test_a_reply_cut_by_its_length_says_so(server: ModelServer, model: OpenAiModel) -> None:
    server.behave(finish_reason="length")
    assert (await ask(model))[-1].reason == "length"  # type: ignore[union-attr]


async def test_the_reply_is_over_when_the_server_says_so(server: ModelServer, model: OpenAiModel) -> None:
    server.behave(stay_open=True)
    assert (await ask(model))[-1].reason == "stop"  # type: ignore[union-attr]


async def test_a_tool_call_is_put_together_from_its_pieces(server: ModelServer, model: OpenAiModel) -> None:
    server.behave(
        texts=(),
        finish_reason="tool_calls",
        tool_calls=[
            {"index": 0, "id": "call_1", "function": {"name": "cagr", "arguments": '{"start":'}},
            {"index": 0, "function": {"arguments": ' "100"}'}},
        ],
    )
    assert (await ask(model))[0] == ToolCallRequest("call_1", "cagr", {"start": "100"})


@pytest.mark.parametrize(
    ("behaviour", "kind", "retryable"),
    [
        ({"status": 401}, "auth", False),
        ({"status": 403}, "auth", False),
        ({"status": 400}, "bad_request", False),
        ({"status": 404}, "bad_request", False),
        ({"status": 429, "headers": {"retry-after-ms": "1"}}, "rate_limited", True),
        ({"status": 500, "headers": {"retry-after-ms": "1"}}, "overloaded", True),
        ({"status": 503, "headers": {"retry-after-ms": "1"}}, "overloaded", True),
        ({"cut": True}, "connection", True),
        ({"finish_reason": None}, "incomplete", True),
        ({"error_event": True}, "overloaded", True),
        ({"raw": b"{not json"}, "malformed", True),
        ({"finish_reason": "content_filter"}, "content_filter", False),
        ({"finish_reason": "tool_calls", "tool_calls": [
            {"index": 0, "id": "c", "function": {"name": "x", "arguments": '{"cut'}}]}, "malformed", True),
    ],
)  # fmt: skip
async def test_every_failure_is_a_model_error_of_its_kind(
    server: ModelServer, model: OpenAiModel, behaviour: dict[str, Any], kind: str, retryable: bool
) -> None:
    server.behave(**behaviour)
    with pytest.raises(LanguageModelError) as caught:
        await ask(model)
    assert (caught.value.kind, caught.value.retryable) == (kind, retryable)
    assert "scripted" not in str(caught.value)


async def test_a_server_that_is_not_there_is_a_connection_failure(server: ModelServer) -> None:
    model = OpenAiModel(
        api_key=None,
        base_url="http://127.0.0.1:9/v1",
        default_model="",
        models=(),
        first_token_timeout=5,
        idle_timeout=5,
        total_timeout=10,
    )
    with pytest.raises(LanguageModelError) as caught:
        await ask(model)
    assert caught.value.kind == "connection"
    await model.close()


async def test_an_overloaded_server_is_asked_again_before_the_first_token(
    server: ModelServer, model: OpenAiModel
) -> None:
    server.behave(status=503, headers={"retry-after-ms": "1"}, failures_before=2)
    assert (await ask(model))[0] == TextDelta("Hello")
    assert len(server.requests) == 3


async def test_nothing_is_retried_once_text_has_come(server: ModelServer, model: OpenAiModel) -> None:
    server.behave(cut=True)
    with pytest.raises(LanguageModelError):
        await ask(model)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("behaviour", "timeout"),
    [
        ({"first_delay": 5}, {"first_token_timeout": 0.05}),
        ({"pause_after": 1}, {"idle_timeout": 0.05}),
        ({"texts": ["drip "] * 100, "delay": 0.02}, {"total_timeout": 0.1}),
    ],
)
async def test_a_slow_model_runs_into_the_timeout_of_its_kind(
    server: ModelServer, behaviour: dict[str, Any], timeout: dict[str, float]
) -> None:
    server.behave(**behaviour)
    model = make(server, **timeout)
    with pytest.raises(LanguageModelError) as caught:
        await ask(model)
    assert caught.value.kind == "timeout"
    await model.close()


async def test_leaving_the_stream_ends_the_call(server: ModelServer, model: OpenAiModel) -> None:
    server.behave(pause_after=1)
    async with model.stream(REQUEST) as events:
        await anext(events)
    await server.wait_until_disconnected()
    assert server.disconnects == 1


def test_the_allow_list_begins_with_the_default(server: ModelServer) -> None:
    assert make(server).models == ("test-model", "other-model")
