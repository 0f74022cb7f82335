"""What every language model keeps, of any vendor."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from finassist.adapters.llm.offline.model import OfflineModel
from finassist.adapters.tools.calculators import CalculatorTools
from finassist.application.ports.language_model import (
    LanguageModel,
    ModelEvent,
    ModelFinished,
    ModelMessage,
    ModelRequest,
    TextDelta,
    ToolAnswer,
    ToolCallRequest,
    ToolRound,
)
from finassist.domain.conversations.message import TOKENS_MAX, Role, Usage
from finassist.domain.errors import LanguageModelError
from finassist.domain.knowledge import Hit
from finassist.testing import ScriptedModel
from finassist.testing.contracts import LanguageModelContract
from servers.anthropic_server import serve_anthropic
from servers.model_server import ModelServer, serve_model

HIT = Hit(
    article_id="etf",
    title="What is an ETF?",
    url=None,
    snippet="An ETF is a fund whose shares trade on an exchange. It often follows an index.",
    score=0.9,
)
CALCULATION = "What is the monthly payment on a 20k loan at 7% for 5 years?"
CALL = ("call_1", "loan_instalment", '{"principal": 20000, "yearly_rate": 7, "years": 5}')
ARGUMENTS = {"principal": 20000, "yearly_rate": 7, "years": 5}
QUICK_RETRY = {"retry-after-ms": "1"}


@dataclass(frozen=True)
class Vendor:
    """A model behind a scripted server. ``make`` makes another one, with other arguments."""

    model: LanguageModel
    server: ModelServer
    make: Callable[..., LanguageModel]


@asynccontextmanager
async def openai() -> AsyncIterator[Vendor]:
    from finassist.adapters.llm.openai import OpenAiModel

    async with serve_model() as server, vendor_of(OpenAiModel, server, f"{server.url}/v1") as vendor:
        yield vendor


@asynccontextmanager
async def anthropic() -> AsyncIterator[Vendor]:
    from finassist.adapters.llm.anthropic import AnthropicModel

    async with serve_anthropic() as server, vendor_of(AnthropicModel, server, server.url) as vendor:
        yield vendor


@asynccontextmanager
async def vendor_of(adapter: Any, server: ModelServer, base_url: str) -> AsyncIterator[Vendor]:
    made: list[Any] = []

    def make(**changes: Any) -> LanguageModel:
        timeouts = {"first_token_timeout": 5, "idle_timeout": 5, "total_timeout": 10}
        names = {"default_model": "test-model", "models": ("other-model",)}
        given = {"api_key": "sk-test", "base_url": base_url, **names, **timeouts, **changes}
        made.append(adapter(**given))
        model: LanguageModel = made[-1]
        return model

    yield Vendor(make(), server, make)
    for model in made:
        await model.close()


@pytest.fixture(params=[openai, anthropic], ids=["openai", "anthropic"])
async def vendor(request: pytest.FixtureRequest) -> AsyncIterator[Vendor]:
    async with request.param() as opened:
        yield opened


def question(text: str = "What is an ETF?", **fields: Any) -> ModelRequest:
    return ModelRequest(
        model="test-model",
        system="Answer from the reference text.",
        messages=[
            ModelMessage(Role.USER, "Hello"),
            ModelMessage(Role.ASSISTANT, "Hello!"),
            ModelMessage(Role.USER, text),
        ],
        references=[HIT],
        **fields,
    )


async def ask(model: LanguageModel, request: ModelRequest) -> list[ModelEvent]:
    async with model.stream(request) as events:
        return [event async for event in events]


def text_of(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


# Every model.


class TestEveryModel(LanguageModelContract):
    @pytest.fixture(params=[None, openai, anthropic], ids=["offline", "openai", "anthropic"])
    async def model(self, request: pytest.FixtureRequest) -> AsyncIterator[LanguageModel]:
        if request.param is None:
            yield OfflineModel()
            return
        async with request.param() as opened:
            yield opened.model

    async def test_a_model_says_who_it_is(self, model: LanguageModel) -> None:
        assert model.provider in ("offline", "openai", "anthropic")
        assert model.models[0] == model.default_model
        assert len(set(model.models)) == len(model.models)
        assert model.capabilities_of(model.default_model).tools


class TestTheFake(LanguageModelContract):
    @pytest.fixture
    def model(self) -> LanguageModel:
        return ScriptedModel()


# A model that wants to calculate.


@pytest.fixture(params=[None, openai, anthropic], ids=["offline", "openai", "anthropic"])
async def calculating(request: pytest.FixtureRequest) -> AsyncIterator[LanguageModel]:
    """A model that calls the calculator first, and then says what came of it."""
    if request.param is None:
        yield OfflineModel()
        return
    async with request.param() as opened:
        opened.server.behave_in_turn(
            {"texts": (), "calls": [CALL], "finish_reason": "tool_calls"},
            {"texts": ("That is ", "396.02 a month.")},
        )
        yield opened.model


async def test_a_tool_call_is_complete_and_its_result_becomes_the_answer(calculating: LanguageModel) -> None:
    toolbox = CalculatorTools()
    request = question(CALCULATION, tools=toolbox.specs())
    call, end = await ask(calculating, request)

    assert call == ToolCallRequest("call_1", "loan_instalment", ARGUMENTS)
    assert isinstance(end, ModelFinished)
    assert end.reason == "tool_calls"

    outcome = await toolbox.call(call.name, call.arguments)
    rounds = [ToolRound("", [ToolAnswer(call, outcome)], end.state)]
    events = await ask(calculating, replace(request, rounds=rounds))
    assert "396.02" in text_of(events)
    assert isinstance(events[-1], ModelFinished)
    assert events[-1].reason == "stop"


# Every vendor.


async def test_the_text_comes_in_pieces_and_the_usage_with_the_end(vendor: Vendor) -> None:
    first, second, end = await ask(vendor.model, question())
    assert (first, second) == (TextDelta("Hello"), TextDelta(" there."))
    assert isinstance(end, ModelFinished)
    assert (end.reason, end.usage) == ("stop", Usage(prompt_tokens=11, completion_tokens=7))
    sent = vendor.server.requests[0]
    assert sent["model"] == "test-model"
    assert sent["stream"] is True
    assert "tools" not in sent


async def test_a_server_that_counts_no_tokens_gives_no_usage(vendor: Vendor) -> None:
    vendor.server.behave(usage=None)
    end = (await ask(vendor.model, question()))[-1]
    assert isinstance(end, ModelFinished)
    assert end.usage is None


@pytest.mark.parametrize(
    ("counted", "taken"),
    [
        ((2**63, 2**63), Usage(prompt_tokens=TOKENS_MAX, completion_tokens=TOKENS_MAX)),
        ((11, -1), Usage(prompt_tokens=11)),
    ],
)
async def test_a_server_that_counts_what_no_reply_has_is_not_believed(
    vendor: Vendor, counted: tuple[int, int], taken: Usage
) -> None:
    vendor.server.behave(usage=counted)
    end = (await ask(vendor.model, question()))[-1]
    assert isinstance(end, ModelFinished)
    assert end.usage == taken


async def test_a_reply_cut_by_its_length_says_so(vendor: Vendor) -> None:
    vendor.server.behave(finish_reason="length")
    assert (await ask(vendor.model, question()))[-1].reason == "length"  # type: ignore[union-attr]


async def test_a_tool_call_cut_by_the_length_is_no_tool_call(vendor: Vendor) -> None:
    vendor.server.behave(texts=(), calls=[("c", "x", '{"a": 1')], finish_reason="length")
    [end] = await ask(vendor.model, question())
    assert end.reason == "length"  # type: ignore[union-attr]


async def test_the_reply_is_over_when_the_server_says_so(vendor: Vendor) -> None:
    vendor.server.behave(stay_open=True)
    assert (await ask(vendor.model, question()))[-1].reason == "stop"  # type: ignore[union-attr]


async def test_text_may_come_before_the_tool_calls_and_there_may_be_several(vendor: Vendor) -> None:
    vendor.server.behave(
        texts=("Let me see.",), calls=[CALL, ("call_2", "x", "{}")], finish_reason="tool_calls"
    )
    text, first, second, end = await ask(vendor.model, question())
    assert text == TextDelta("Let me see.")
    assert (first, second) == (
        ToolCallRequest("call_1", "loan_instalment", ARGUMENTS),
        ToolCallRequest("call_2", "x", {}),
    )
    assert end.reason == "tool_calls"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "arguments", ['{"cut', "[1]", '{"n": 1e999}', '{"a": "\\ud800"}', '{"a": ' + "[" * 32 + "]" * 32 + "}"]
)
async def test_arguments_that_cannot_be_read_are_the_models_problem(vendor: Vendor, arguments: str) -> None:
    vendor.server.behave(texts=(), calls=[("c", "x", arguments)], finish_reason="tool_calls")
    call = (await ask(vendor.model, question()))[0]
    assert isinstance(call, ToolCallRequest)
    assert call.arguments == {}
    assert call.problem


@pytest.mark.parametrize(
    ("behaviour", "kind", "retryable"),
    [
        ({"status": 401}, "auth", False),
        ({"status": 403}, "auth", False),
        ({"status": 400}, "bad_request", False),
        ({"status": 404}, "bad_request", False),
        ({"status": 413}, "bad_request", False),
        ({"status": 429, "headers": QUICK_RETRY}, "rate_limited", True),
        ({"status": 500, "headers": QUICK_RETRY}, "overloaded", True),
        ({"status": 503, "headers": QUICK_RETRY}, "overloaded", True),
        ({"status": 529, "headers": QUICK_RETRY}, "overloaded", True),
        ({"cut": True}, "connection", True),
        ({"calls": [CALL], "cut_in_call": True}, "connection", True),
        ({"texts": (), "calls": [CALL], "cut_in_call": True}, "connection", True),
        ({"finish_reason": None}, "incomplete", True),
        ({"texts": (), "finish_reason": None}, "incomplete", True),
        ({"calls": [CALL], "finish_reason": None}, "incomplete", True),
        ({"error_event": True}, "overloaded", True),
        ({"raw": b"{not json"}, "malformed", True),
        ({"raw": b'{"choices": 5, "type": 5}'}, "malformed", True),
        ({"raw": b'{"choices": [{"delta": {"content": "\xff"}}], "type": "\xff"}'}, "malformed", True),
        ({"raw": b"[" * 100_000}, "malformed", True),
        ({"raw": b" " * 3_000_000}, "malformed", True),
        ({"finish_reason": "content_filter"}, "content_filter", False),
    ],
)  # fmt: skip
async def test_every_failure_is_a_model_error_of_its_kind(
    vendor: Vendor, behaviour: dict[str, Any], kind: str, retryable: bool
) -> None:
    vendor.server.behave(**behaviour)
    with pytest.raises(LanguageModelError) as caught:
        await ask(vendor.model, question())
    assert (caught.value.kind, caught.value.retryable) == (kind, retryable)
    assert "scripted" not in str(caught.value)


async def test_a_server_that_is_not_there_is_a_connection_failure(vendor: Vendor) -> None:
    with pytest.raises(LanguageModelError) as caught:
        await ask(vendor.make(base_url="http://127.0.0.1:9/v1"), question())
    assert caught.value.kind == "connection"


@pytest.mark.parametrize("status", [429, 503, 529])
async def test_an_overloaded_server_is_asked_again_before_the_first_token(
    vendor: Vendor, status: int
) -> None:
    vendor.server.behave(status=status, headers=QUICK_RETRY, failures_before=2)
    assert (await ask(vendor.model, question()))[0] == TextDelta("Hello")
    assert len(vendor.server.requests) == 3


@pytest.mark.parametrize("wait", ["3600", "Wed, 21 Oct 2099 07:28:00 GMT"])
async def test_a_server_that_wants_a_long_wait_is_not_asked_again(vendor: Vendor, wait: str) -> None:
    vendor.server.behave(status=429, headers={"retry-after": wait})
    with pytest.raises(LanguageModelError) as caught:
        await ask(vendor.model, question())
    assert caught.value.kind == "rate_limited"
    assert len(vendor.server.requests) == 1


@pytest.mark.parametrize("behaviour", [{"cut": True}, {"error_event": True}])
async def test_nothing_is_retried_once_text_has_come(vendor: Vendor, behaviour: dict[str, Any]) -> None:
    vendor.server.behave(**behaviour)
    with pytest.raises(LanguageModelError):
        await ask(vendor.model, question())
    assert len(vendor.server.requests) == 1


@pytest.mark.parametrize(
    ("behaviour", "timeout"),
    [
        ({"first_delay": 5}, {"first_token_timeout": 0.05}),
        ({"pause_after": 1}, {"idle_timeout": 0.05}),
        ({"texts": ["drip "] * 100, "delay": 0.02}, {"total_timeout": 0.1}),
    ],
)
async def test_a_slow_model_runs_into_the_timeout_of_its_kind(
    vendor: Vendor, behaviour: dict[str, Any], timeout: dict[str, float]
) -> None:
    vendor.server.behave(**behaviour)
    with pytest.raises(LanguageModelError) as caught:
        await ask(vendor.make(**timeout), question())
    assert caught.value.kind == "timeout"


async def test_leaving_the_stream_ends_the_call(vendor: Vendor) -> None:
    vendor.server.behave(pause_after=1)
    async with vendor.model.stream(question()) as events:
        await anext(events)
    await vendor.server.wait_until_disconnected()
    assert vendor.server.disconnects == 1


def test_the_allow_list_begins_with_the_default(vendor: Vendor) -> None:
    assert vendor.model.models == ("test-model", "other-model")
    assert vendor.make(default_model="").default_model
