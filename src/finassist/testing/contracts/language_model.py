"""The contract suite of every language model."""

import pytest

from finassist.application.ports.language_model import (
    LanguageModel,
    ModelCapabilities,
    ModelEvent,
    ModelFinished,
    ModelMessage,
    ModelRequest,
    TextDelta,
)
from finassist.domain.conversations.message import Role
from finassist.domain.knowledge import Hit

PASSAGE = Hit(
    article_id="etf",
    title="What is an ETF?",
    url=None,
    snippet="An ETF is a fund whose shares trade on an exchange. It often follows an index.",
    score=0.9,
)


def question(model: LanguageModel) -> ModelRequest:
    """A request without tools, in the middle of a conversation, with a passage that answers it."""
    return ModelRequest(
        model=model.default_model,
        system="Answer in two sentences.",
        messages=[
            ModelMessage(Role.USER, "Hello"),
            ModelMessage(Role.ASSISTANT, "Hello!"),
            ModelMessage(Role.USER, "What is an ETF?"),
        ],
        references=[PASSAGE],
    )


async def ask(model: LanguageModel, request: ModelRequest) -> list[ModelEvent]:
    """All events of the reply."""
    async with model.stream(request) as events:
        return [event async for event in events]


class LanguageModelContract:
    """The suite of ``LanguageModel``. Subclass it and override the fixture ``model``.

    The model has to reply to a question with at least two pieces of text.
    """

    @pytest.fixture
    def model(self) -> LanguageModel:
        """The model under test."""
        raise NotImplementedError("override this fixture")

    async def test_a_complete_stream_is_text_and_then_one_end(self, model: LanguageModel) -> None:
        *texts, end = await ask(model, question(model))
        assert len(texts) > 1
        assert all(isinstance(event, TextDelta) and event.text for event in texts)
        assert isinstance(end, ModelFinished)
        assert end.reason == "stop"

    async def test_a_stream_can_be_left_at_any_time_and_the_model_asked_again(
        self, model: LanguageModel
    ) -> None:
        async with model.stream(question(model)) as events:
            first = await anext(events)
        assert isinstance(first, TextDelta)
        assert len(await ask(model, question(model))) > 2

    async def test_a_stream_that_nobody_reads_can_be_left(self, model: LanguageModel) -> None:
        async with model.stream(question(model)):
            pass
        assert len(await ask(model, question(model))) > 2

    async def test_every_model_that_can_be_chosen_has_capabilities(self, model: LanguageModel) -> None:
        assert model.provider
        assert model.models[0] == model.default_model
        assert len(set(model.models)) == len(model.models)
        for name in model.models:
            assert isinstance(model.capabilities_of(name), ModelCapabilities)
