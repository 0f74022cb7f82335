"""What every language model keeps, whoever is behind it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from finassist.adapters.llm.offline import OfflineModel
from finassist.application.ports.gateways import (
    LanguageModel,
    ModelEvent,
    ModelFinished,
    ModelMessage,
    ModelRequest,
    TextDelta,
)
from finassist.domain.knowledge import Hit
from finassist.domain.messages import Role
from servers.model_server import serve_model

HIT = Hit(
    article_id="etf",
    title="What is an ETF?",
    url=None,
    snippet="An ETF is a fund whose shares trade on an exchange. It often follows an index.",
    score=0.9,
)


@asynccontextmanager
async def offline() -> AsyncIterator[LanguageModel]:
    model = OfflineModel()
    yield model
    await model.close()


@asynccontextmanager
async def openai() -> AsyncIterator[LanguageModel]:
    from finassist.adapters.llm.openai import OpenAiModel

    async with serve_model() as server:
        model = OpenAiModel(
            api_key="sk-test",
            base_url=f"{server.url}/v1",
            default_model="test-model",
            models=(),
            first_token_timeout=5,
            idle_timeout=5,
            total_timeout=10,
        )
        yield model
        await model.close()


@pytest.fixture(params=[offline, openai], ids=["offline", "openai"])
async def model(request: pytest.FixtureRequest) -> AsyncIterator[LanguageModel]:
    async with request.param() as opened:
        yield opened


def question(model: LanguageModel, text: str = "What is an ETF?") -> ModelRequest:
    return ModelRequest(
        model=model.default_model,
        system="Answer from the reference text.",
        messages=[
            ModelMessage(Role.USER, "Hello"),
            ModelMessage(Role.ASSISTANT, "Hello!"),
            ModelMessage(Role.USER, text),
        ],
        references=[HIT],
    )


async def ask(model: LanguageModel, request: ModelRequest) -> list[ModelEvent]:
    async with model.stream(request) as events:
        return [event async for event in events]


async def test_a_complete_stream_is_text_and_then_one_end(model: LanguageModel) -> None:
    *texts, end = await ask(model, question(model))
    assert len(texts) > 1
    assert all(isinstance(event, TextDelta) and event.text for event in texts)
    assert isinstance(end, ModelFinished)
    assert end.reason == "stop"


async def test_a_stream_can_be_left_at_any_time_and_the_model_asked_again(model: LanguageModel) -> None:
    async with model.stream(question(model)) as events:
        first = await anext(events)
    assert isinstance(first, TextDelta)
    assert len(await ask(model, question(model))) > 2


async def test_a_stream_that_nobody_reads_can_be_left(model: LanguageModel) -> None:
    async with model.stream(question(model)):
        pass
    assert len(await ask(model, question(model))) > 2


async def test_a_model_says_who_it_is(model: LanguageModel) -> None:
    assert model.provider in ("offline", "openai", "anthropic")
    assert model.models[0] == model.default_model
    assert len(set(model.models)) == len(model.models)
