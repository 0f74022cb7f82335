"""What Anthropic's wire format asks for beyond what every model keeps."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from finassist.adapters.llm.anthropic import AnthropicModel
from finassist.application.ports.language_model import (
    ImagePart,
    ModelEvent,
    ModelFinished,
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
from servers.anthropic_server import AnthropicServer, serve_anthropic

TOOL = ToolSpec(name="cagr", description="Growth.", parameters={"type": "object", "properties": {}})
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "signed"}


@pytest.fixture
async def server() -> AsyncIterator[AnthropicServer]:
    async with serve_anthropic() as model:
        yield model


@pytest.fixture
async def model(server: AnthropicServer) -> AsyncIterator[AnthropicModel]:
    made = make(server)
    yield made
    await made.close()


def make(server: AnthropicServer, api_key: str | None = "sk-ant-test") -> AnthropicModel:
    return AnthropicModel(
        api_key=api_key,
        base_url=server.url,
        default_model="",
        models=(),
        first_token_timeout=5,
        idle_timeout=5,
        total_timeout=10,
    )


def question(*parts: Any, **fields: Any) -> ModelRequest:
    message = ModelMessage(Role.USER, "What is an ETF?", parts)
    return ModelRequest(model="test-model", system="Be helpful.", messages=[message], **fields)


async def ask(model: AnthropicModel, request: ModelRequest) -> list[ModelEvent]:
    async with model.stream(request) as events:
        return [event async for event in events]


async def test_the_system_prompt_is_no_message(server: AnthropicServer, model: AnthropicModel) -> None:
    await ask(model, question())
    sent = server.requests[0]
    assert (sent["system"], sent["max_tokens"]) == ("Be helpful.", 1024)
    assert sent["messages"] == [{"role": "user", "content": "What is an ETF?"}]
    assert not {"temperature", "top_p", "top_k"} & sent.keys()
    assert server.heads[0].startswith(b"POST /v1/messages")
    assert b"sk-ant-test" in server.heads[0]


async def test_a_brief_result_is_sent_instead_of_the_whole_one(
    server: AnthropicServer, model: AnthropicModel
) -> None:
    answer = ToolAnswer(ToolCallRequest("toolu_1", "cagr", {}), ToolOutcome([1, 2, 3], brief=[1]))
    await ask(model, question(tools=[TOOL], rounds=[ToolRound("", [answer])]))
    assert server.requests[0]["messages"][-1]["content"][0]["content"] == "[1]"


async def test_tools_and_their_results_are_sent_as_content_blocks(
    server: AnthropicServer, model: AnthropicModel
) -> None:
    call = ToolCallRequest("toolu_1", "cagr", {"start": 100})
    answers = [ToolAnswer(call, ToolOutcome({"error": "No end."}, is_error=True))]
    rounds = [ToolRound("Let me see.", answers)]
    await ask(model, question(tools=[TOOL], rounds=rounds, may_call_tools=False))

    sent = server.requests[0]
    assert sent["tools"] == [
        {"name": "cagr", "description": "Growth.", "input_schema": dict(TOOL.parameters)}
    ]
    assert sent["tool_choice"] == {"type": "none"}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": '{"error":"No end."}'}
    assert sent["messages"][1:] == [
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Let me see."},
                {"type": "tool_use", "id": "toolu_1", "name": "cagr", "input": {"start": 100}},
            ],
        },
        {"role": "user", "content": [{**result, "is_error": True}]},
    ]


async def test_the_models_thoughts_are_no_text_and_come_back_with_the_tools_results(
    server: AnthropicServer, model: AnthropicModel
) -> None:
    server.thoughts = "Hm."
    server.behave_in_turn(
        {"texts": (), "calls": [("toolu_1", "cagr", "{}")], "finish_reason": "tool_calls"}, {}
    )
    call, end = await ask(model, question(tools=[TOOL]))
    assert isinstance(call, ToolCallRequest)
    assert isinstance(end, ModelFinished)

    rounds = [ToolRound("", [ToolAnswer(call, ToolOutcome(1))], end.state)]
    assert (await ask(model, question(tools=[TOOL], rounds=rounds)))[0] == TextDelta("Hello")
    assert server.requests[1]["messages"][1]["content"][0] == THOUGHT


async def test_images_and_pdfs_go_before_the_text(server: AnthropicServer, model: AnthropicModel) -> None:
    await ask(model, question(ImagePart("image/png", b"png"), PdfPart("a.pdf", b"pdf")))
    image, document, text = server.requests[0]["messages"][0]["content"]
    assert image["source"] == {"type": "base64", "media_type": "image/png", "data": "cG5n"}
    assert document["source"] == {"type": "base64", "media_type": "application/pdf", "data": "cGRm"}
    assert document["title"] == "a.pdf"
    assert text == {"type": "text", "text": "What is an ETF?"}


@pytest.mark.parametrize("api_key", [None, ""])
async def test_without_a_key_nothing_is_asked(
    server: AnthropicServer, monkeypatch: pytest.MonkeyPatch, api_key: str | None
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "found-on-the-machine")
    model = make(server, api_key)
    with pytest.raises(LanguageModelError) as caught:
        await ask(model, question())
    assert (caught.value.kind, caught.value.retryable) == ("auth", False)
    assert server.requests == []
    await model.close()


@pytest.mark.parametrize(
    ("kind_of_theirs", "kind"),
    [
        ("overloaded_error", "overloaded"),
        ("rate_limit_error", "rate_limited"),
        ("invalid_request_error", "bad_request"),
        ("authentication_error", "auth"),
        ("timeout_error", "timeout"),
        ("something_new", "overloaded"),
    ],
)
async def test_an_error_in_the_middle_of_a_stream_tells_its_kind(
    server: AnthropicServer, model: AnthropicModel, kind_of_theirs: str, kind: str
) -> None:
    raw = b'{"type":"error","error":{"type":"%b","message":"scripted"}}' % kind_of_theirs.encode()
    server.behave(raw=raw)
    with pytest.raises(LanguageModelError) as caught:
        await ask(model, question())
    assert caught.value.kind == kind


async def test_events_that_nobody_knows_yet_are_passed_over(
    server: AnthropicServer, model: AnthropicModel
) -> None:
    server.behave(raw=b'{"type":"something_new","delta":{"type":"more"},"index":9}')
    assert len(await ask(model, question())) == 3


@pytest.mark.parametrize(
    ("reason", "finish"), [("model_context_window_exceeded", "length"), ("pause_turn", "stop")]
)
async def test_every_stop_reason_has_a_meaning(
    server: AnthropicServer, model: AnthropicModel, reason: str, finish: str
) -> None:
    server.behave(finish_reason=reason)
    assert (await ask(model, question()))[-1].reason == finish  # type: ignore[union-attr]


async def test_the_default_reads_images_and_pdfs_and_calls_tools(model: AnthropicModel) -> None:
    assert model.default_model.startswith("claude-")
    can = model.capabilities_of(model.default_model)
    assert (can.tools, can.vision, can.pdf) == (True, True, True)
