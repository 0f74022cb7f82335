"""What OpenAI's wire format asks for beyond what every model keeps."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from finassist.adapters.llm.openai import OpenAiModel
from finassist.application.ports.language_model import (
    ImagePart,
    ModelEvent,
    ModelMessage,
    ModelRequest,
    PdfPart,
    TextDelta,
    ToolAnswer,
    ToolCallRequest,
    ToolOutcome,
    ToolRound,
    ToolSpec,
)
from finassist.domain.conversations.message import Role
from finassist.domain.errors import LanguageModelError
from servers.model_server import ModelServer, serve_model

TOOL = ToolSpec(name="cagr", description="Growth.", parameters={"type": "object", "properties": {}})


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with serve_model() as model:
        yield model


@pytest.fixture
async def model(server: ModelServer) -> AsyncIterator[OpenAiModel]:
    made = make(f"{server.url}/v1")
    yield made
    await made.close()


def make(base_url: str | None, default_model: str = "test-model") -> OpenAiModel:
    return OpenAiModel(
        api_key=None,
        base_url=base_url,
        default_model=default_model,
        models=(),
        first_token_timeout=5,
        idle_timeout=5,
        total_timeout=10,
    )


def question(*parts: Any, **fields: Any) -> ModelRequest:
    message = ModelMessage(Role.USER, "What is an ETF?", parts)
    return ModelRequest(model="test-model", system="Be helpful.", messages=[message], **fields)


async def ask(model: OpenAiModel, request: ModelRequest) -> list[ModelEvent]:
    async with model.stream(request) as events:
        return [event async for event in events]


async def test_the_usage_is_asked_for(server: ModelServer, model: OpenAiModel) -> None:
    await ask(model, question())
    assert server.requests[0]["stream_options"] == {"include_usage": True}
    assert [message["role"] for message in server.requests[0]["messages"]] == ["system", "user"]


async def test_a_brief_result_is_sent_instead_of_the_whole_one(
    server: ModelServer, model: OpenAiModel
) -> None:
    answer = ToolAnswer(ToolCallRequest("call_1", "cagr", {}), ToolOutcome([1, 2, 3], brief=[1]))
    await ask(model, question(tools=[TOOL], rounds=[ToolRound("", [answer])]))
    assert server.requests[0]["messages"][-1]["content"] == "[1]"


async def test_tools_and_their_results_are_sent_as_functions(server: ModelServer, model: OpenAiModel) -> None:
    call = ToolCallRequest("call_1", "cagr", {"start": 100})
    answers = [ToolAnswer(call, ToolOutcome({"error": "No end."}, is_error=True))]
    rounds = [ToolRound("Let me see.", answers)]
    await ask(model, question(tools=[TOOL], rounds=rounds, may_call_tools=False))

    sent = server.requests[0]
    function = {"name": "cagr", "description": "Growth.", "parameters": dict(TOOL.parameters)}
    assert sent["tools"] == [{"type": "function", "function": function}]
    assert sent["tool_choice"] == "none"
    assert sent["messages"][2:] == [
        {
            "role": "assistant",
            "content": "Let me see.",
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "cagr", "arguments": '{"start":100}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": '{"error":"No end."}'},
    ]


async def test_images_and_pdfs_go_before_the_text(server: ModelServer, model: OpenAiModel) -> None:
    await ask(model, question(ImagePart("image/png", b"png"), PdfPart("a.pdf", b"pdf")))
    assert server.requests[0]["messages"][1]["content"] == [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,cG5n"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,cGRm"}},
        {"type": "text", "text": "What is an ETF?"},
    ]


@pytest.mark.parametrize(
    "refusal", ["gemma:2b does not support tools", '"auto" tool choice requires --enable-auto-tool-choice']
)
async def test_a_server_that_refuses_tools_is_asked_without_them_from_then_on(
    server: ModelServer, model: OpenAiModel, refusal: str
) -> None:
    server.behave_in_turn({"status": 400, "refusal": refusal}, {})
    for _ in range(2):
        assert (await ask(model, question(tools=[TOOL])))[0] == TextDelta("Hello")
    assert ["tools" in request for request in server.requests] == [True, False, False]
    assert not model.capabilities_of(model.default_model).tools


async def test_another_refusal_is_not_taken_for_one_of_tools(server: ModelServer, model: OpenAiModel) -> None:
    server.behave(status=400, refusal="the context is too long")
    with pytest.raises(LanguageModelError):
        await ask(model, question(tools=[TOOL]))
    assert model.capabilities_of(model.default_model).tools


@pytest.mark.parametrize(
    ("base_url", "name", "vision", "pdf"),
    [
        (None, "", True, True),
        (None, "gpt-4.1", True, True),
        (None, "gpt-3.5-turbo", False, False),
        ("http://127.0.0.1:9/v1", "gpt-4o", True, False),
        ("http://127.0.0.1:9/v1", "qwen2.5-vl", True, False),
        ("http://127.0.0.1:9/v1", "qwen3", False, False),
    ],
)
async def test_a_models_name_says_what_it_reads(
    base_url: str | None, name: str, vision: bool, pdf: bool
) -> None:
    model = make(base_url, name)
    can = model.capabilities_of(model.default_model)
    assert (can.vision, can.pdf) == (vision, pdf)
    await model.close()
