"""The catalogs that a new service begins with (contract section 7), and what they offer without a model."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from finassist.adapters.data_files.catalogs import shipped_catalogs
from finassist.application.catalogs.preprompts import PrepromptValues
from finassist.application.catalogs.quote_images import NewQuoteImage
from finassist.application.chat import ChatMessage
from finassist.application.seeding import ShippedCatalogs
from finassist.composition.application import Finassist
from finassist.composition.resources import filled_catalogs
from finassist.config import Settings
from finassist.domain.catalogs.preprompts import NEEDS_MODEL
from finassist.domain.chat.events import Done
from finassist.domain.conversations.conversation import ConversationType
from finassist.domain.conversations.message import FinishReason, Message
from finassist.domain.errors import ValidationFailed
from finassist.entrypoints.http.web.pages import WORDS
from finassist.testing import FakeClock, ScriptedModel
from usecases.conftest import guest_of, opened
from waiting import until

FEW = ShippedCatalogs(
    preprompts=[PrepromptValues(key=key, public_value=key, masked_value="Ask.") for key in ("one", "two")],
    second_opinion=[PrepromptValues(key="card", public_value="Card", masked_value="Look at it.")],
)


@pytest.fixture
async def filled(tmp_path: Path) -> AsyncIterator[Finassist]:
    """A new service with few records."""
    settings = Settings(data_dir=tmp_path, rag_enabled=False)
    async with opened(settings, shipped_catalogs=lambda: FEW, clock=FakeClock()) as service:
        assert await service.workers.fill_catalogs()
        yield service


async def keys(service: Finassist) -> list[str]:
    catalogs = [await service.list_preprompts(), await service.list_second_opinion_preprompts()]
    return [record.key for page in catalogs for record in page.items]


async def test_a_new_service_fills_its_catalogs_and_what_is_deleted_stays_deleted(filled: Finassist) -> None:
    assert await keys(filled) == ["one", "two", "card"]
    for record in (await filled.list_preprompts()).items:
        await filled.delete_preprompt(record.id)
    assert not await filled.workers.fill_catalogs()
    assert await keys(filled) == ["card"]


async def test_of_several_processes_one_fills_the_catalogs(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, rag_enabled=False)
    async with (
        opened(settings, shipped_catalogs=lambda: FEW) as one,
        opened(settings, shipped_catalogs=lambda: FEW) as other,
    ):
        filling = (service.workers.fill_catalogs() for service in (one, other) for _ in range(5))
        assert sorted(await asyncio.gather(*filling)) == [False] * 9 + [True]
        assert await keys(other) == ["one", "two", "card"]


async def test_a_filling_that_stopped_half_way_is_completed_by_another(tmp_path: Path) -> None:
    settings, clock = Settings(data_dir=tmp_path, rag_enabled=False), FakeClock()
    half = replace(FEW, second_opinion=[], quote_images=[NewQuoteImage(category="nowhere")])
    async with opened(settings, clock=clock, shipped_catalogs=lambda: half) as service:
        with pytest.raises(ValidationFailed):
            await service.workers.fill_catalogs()
    async with opened(settings, clock=clock, shipped_catalogs=lambda: FEW) as service:
        assert not await service.workers.fill_catalogs()
        clock.advance(61)
        assert await service.workers.fill_catalogs()
        assert await keys(service) == ["one", "two", "card"]


async def test_a_service_with_records_of_its_own_keeps_to_them(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, rag_enabled=False)
    async with opened(settings, shipped_catalogs=lambda: FEW) as service:
        own, _ = await service.create_preprompt(FEW.preprompts[0])
        await service.delete_preprompt(own.id)
        assert not await service.workers.fill_catalogs()
        assert await keys(service) == []


@pytest.mark.engine  # images are looked into by another process
async def test_an_open_service_fills_its_catalogs_with_what_ships(tmp_path: Path) -> None:
    shipped = shipped_catalogs()
    async with opened(Settings(data_dir=tmp_path, rag_enabled=False)) as service:
        async with filled_catalogs(service):
            await until(service.adapters.catalog_filling.is_done)
        assert await keys(service) == [each.key for each in (*shipped.preprompts, *shipped.second_opinion)]
        assert (
            (await service.list_quote_images(None, limit=100, offset=0)).total
            == len(shipped.quote_images)
            == 20
        )


async def test_what_needs_a_model_is_offered_when_there_is_one(tmp_path: Path) -> None:
    records = [replace(each, tags=("a", NEEDS_MODEL)) for each in FEW.preprompts[:1]] + [FEW.preprompts[1]]
    marked = replace(FEW, preprompts=records)
    settings = Settings(data_dir=tmp_path, rag_enabled=False)
    async with opened(settings, shipped_catalogs=lambda: marked) as service:
        await service.workers.fill_catalogs()
        page = await service.offer_preprompts(limit=5)
        assert ([record.key for record in page.items], page.total, page.limit) == (["two"], 1, 5)
        assert (await service.offer_preprompts(limit=5, offset=1)).items == ()
    async with opened(settings, language_model=ScriptedModel()) as service:
        assert [record.key for record in (await service.offer_preprompts()).items] == ["one", "two"]


@pytest.fixture
async def offline(settings: Settings) -> AsyncIterator[Finassist]:
    """A new service without a model, as ``make run`` starts it, but without images."""
    plenty = replace(settings, free_message_threshold=1000, chat_rate_per_minute=1000)
    shipped = replace(shipped_catalogs(), quote_images=())
    async with opened(plenty, shipped_catalogs=lambda: shipped) as service:
        await service.workers.fill_catalogs()
        yield service


async def reply_to(service: Finassist, message: ChatMessage) -> Message:
    stream = await service.send_message(await guest_of(service, "device-1"), message)
    ending = await stream.ending()
    assert isinstance(ending, Done)
    return ending.message


def answers(reply: Message) -> bool:
    """Whether a reply quotes an entry or calculates."""
    quotes = any(source.cited for source in reply.sources)
    return reply.finish_reason is FinishReason.STOP and (quotes or bool(reply.tool_calls))


async def test_everything_that_the_catalogs_offer_is_answered_without_a_model(offline: Finassist) -> None:
    asked = []
    for kind, page in (
        (ConversationType.CHAT, await offline.offer_preprompts()),
        (ConversationType.SECOND_OPINION, await offline.offer_second_opinion_preprompts()),
    ):
        assert len(page.items) >= 4
        asked += [
            ChatMessage(message=record.public_value, preprompt_key=record.key, type=kind)
            for record in page.items
        ]
    failed = [message.message for message in asked if not answers(await reply_to(offline, message))]
    assert failed == []


async def test_the_examples_of_the_chat_page_are_answered_without_a_model(offline: Finassist) -> None:
    examples = {words.texts[key] for words in WORDS.values() for key in ("example_1", "example_2")}
    assert len(examples) == 2  # in English everywhere, as the base is
    for text in examples:
        assert answers(await reply_to(offline, ChatMessage(message=text))), text


NEAR = [
    "Explain it simply",
    "Does my budget add up?",
    "Review my budget",
    "Is my budget realistic?",
    "money tips",
]
"""Questions that no entry answers. What is near to them changes with the articles."""


async def test_what_a_reply_suggests_is_answered_when_it_is_asked(offline: Finassist) -> None:
    replies = [await reply_to(offline, ChatMessage(message=question)) for question in NEAR]
    suggested = {suggestion for reply in replies for suggestion in reply.suggestions}
    assert suggested
    for suggestion in suggested:
        reply = await reply_to(offline, ChatMessage(message=suggestion.message))
        assert suggestion.title in [source.title for source in reply.sources if source.cited]
