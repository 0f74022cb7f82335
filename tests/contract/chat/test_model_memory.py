"""What an open stream of a model keeps in memory, and what many of them share."""

import gc
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import RequestInfo

from finassist.adapters.llm.anthropic import AnthropicModel
from finassist.adapters.llm.event_stream import SharedTools
from finassist.adapters.llm.openai import OpenAiModel
from finassist.application.ports.language_model import (
    ImagePart,
    ModelMessage,
    ModelRequest,
    TextDelta,
    ToolSpec,
)
from finassist.domain.conversations.message import Role
from servers.anthropic_server import serve_anthropic
from servers.model_server import ModelServer, serve_model

IMAGE_BYTES = 3_000_000
SENT_BYTES = 4_000_000  # in base64
LIMITS = {"first_token_timeout": 5, "idle_timeout": 5, "total_timeout": 10}


@asynccontextmanager
async def openai() -> AsyncIterator[tuple[ModelServer, Any]]:
    async with serve_model() as server:
        url = f"{server.url}/v1"
        yield server, OpenAiModel(api_key="k", base_url=url, default_model="m", models=(), **LIMITS)


@asynccontextmanager
async def anthropic() -> AsyncIterator[tuple[ModelServer, Any]]:
    async with serve_anthropic() as server:
        yield server, AnthropicModel(api_key="k", base_url=server.url, default_model="m", models=(), **LIMITS)


def question(*tools: ToolSpec, size: int) -> ModelRequest:
    message = ModelMessage(Role.USER, "What is this?", (ImagePart("image/png", bytes(size)),))
    return ModelRequest(model="m", system="Be helpful.", messages=[message], tools=tools)


@pytest.mark.parametrize("provider", [openai, anthropic])
async def test_what_was_sent_is_let_go_of_once_the_answer_has_begun(provider: Any) -> None:
    request = question(size=IMAGE_BYTES)
    async with provider() as (server, model):
        server.behave(texts=("a", "b"), pause_after=1)
        await model.prepare()  # the SDK's modules are not what is measured
        gc.collect()
        tracemalloc.start()
        try:
            async with model.stream(request) as events:
                assert await anext(events) == TextDelta("a")
                assert len(str(server.requests.pop())) > SENT_BYTES
                gc.collect()
                kept, _ = tracemalloc.get_traced_memory()
                server.resume()
                assert [event async for event in events]
        finally:
            tracemalloc.stop()
        await model.close()
    assert kept < 1.5 * SENT_BYTES  # the server, in the same process, keeps what it has read


@pytest.mark.parametrize("provider", [openai, anthropic])
async def test_heads_are_let_go_of_once_the_answer_has_begun(provider: Any) -> None:
    async with provider() as (server, model):
        server.behave(texts=("a", "b"), pause_after=1)
        await model.prepare()  # importing the SDK is not what is awaited
        async with model.stream(question(size=10)) as events:
            assert await anext(events) == TextDelta("a")
            gc.collect()
            assert not [each for each in gc.get_objects() if type(each) is RequestInfo]
            server.resume()
            assert [event async for event in events]
        await model.close()


@pytest.mark.parametrize("provider", [openai, anthropic])
async def test_a_request_that_is_tried_again_is_sent_whole(provider: Any) -> None:
    async with provider() as (server, model):
        server.behave(status=503, failures_before=1)
        async with model.stream(question(size=10)) as events:
            assert [event async for event in events]
        await model.close()
    assert len(server.requests) == 2
    assert server.requests[0] == server.requests[1]


def test_tools_are_described_once_and_again_when_they_change() -> None:
    described = []

    def describe(tool: ToolSpec) -> dict[str, Any]:
        described.append(tool.name)
        return {"name": tool.name}

    a, b = (ToolSpec(name=name, description="", parameters={}) for name in "ab")
    shared, both, one = SharedTools(describe), (a, b), (b,)
    first = shared.encoded(both)
    assert bytes(first) == b'[{"name":"a"},{"name":"b"}]'
    assert shared.encoded(both) is first
    assert bytes(shared.encoded(one)) == b'[{"name":"b"}]'
    assert described == ["a", "b", "b"]
