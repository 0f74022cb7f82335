"""The quote image that goes with a reply (contract section 8): at most one a reply, three a conversation,
none twice, and never at the price of the reply."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from finassist import ChatMessage
from finassist.adapters.data_files.quote_images import shipped_image
from finassist.application.catalogs.quote_images import NewQuoteImage
from finassist.composition.adapters import AdapterOverrides
from finassist.composition.application import Finassist
from finassist.config import Settings
from finassist.domain.chat.events import Done
from finassist.domain.conversations.message import FinishReason, Message, MessageStatus
from finassist.domain.errors import Conflict, ServiceUnavailable
from finassist.domain.retrieval.questions import Classification
from finassist.domain.users import Caller
from finassist.testing import ScriptedModel, model_failure
from usecases.conftest import guest_of, opened

QUESTION = "How much life insurance do I need with two kids?"
ANSWER = "Enough coverage for the family: ten times the income. Compare the premiums of term life insurance."
OTHERS = (
    ("What is a good budget?", "Write down what comes in and what goes out."),
    ("Hello!", "Hello, what would you like to know?"),
)


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(settings, free_message_threshold=1000, rag_enabled=False)


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel([ANSWER])


@pytest.fixture
async def service(settings: Settings, model: ScriptedModel) -> AsyncIterator[Any]:
    async with opened(settings, language_model=model) as container:
        yield container


async def add(
    service: Finassist, count: int = 1, category: str = "Insurance", **fields: Any
) -> Sequence[str]:
    new = [
        NewQuoteImage(
            category=category,
            image_url=f"https://x.test/{number}.png",
            quote_text=f"Quote {number}",
            **fields,
        )
        for number in range(count)
    ]
    return [embed.id for embed in await service.create_quote_images(new)]


async def ask(
    service: Finassist, caller: Caller, question: str = QUESTION, conversation: str | None = None
) -> Message:
    turn = await service.send_message(caller, ChatMessage(message=question, conversation_id=conversation))
    ending = await turn.ending()
    stored = await service.adapters.messages.get(turn.message_id)
    assert isinstance(stored, Message)
    assert not isinstance(ending, Done) or ending.message == stored
    return stored


async def test_a_reply_gets_an_embed_of_the_category_that_it_is_about(
    service: Finassist, guest: Caller
) -> None:
    [insurance] = await add(service)
    await add(service, 3, "Tax_Planning")
    [embed] = (await ask(service, guest)).visual_embeds
    assert (embed.id, embed.category_key) == (insurance, "Insurance")
    assert (embed.image_url, embed.quote_text) == ("https://x.test/0.png", "Quote 0")


@pytest.mark.engine
async def test_a_stored_image_goes_by_an_address_that_lasts(service: Finassist, guest: Caller) -> None:
    pixel = bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
        "0000000c4944415408d763f8cfc0000003010100c9fe92ef0000000049454e44ae426082"
    )
    [embed] = await service.create_quote_images([NewQuoteImage(category="Insurance", image=pixel)])
    [shown] = (await ask(service, guest)).visual_embeds
    assert shown.image_url == f"/api/v1/visual-embeds/{embed.id}/image"


async def test_a_reply_about_something_else_gets_none(
    service: Finassist, model: ScriptedModel, guest: Caller
) -> None:
    await add(service)
    for question, answer in OTHERS:
        model.script = [answer]
        assert (await ask(service, guest, question)).visual_embeds == ()


async def test_an_inactive_embed_goes_with_no_reply(service: Finassist, guest: Caller) -> None:
    await add(service, 2, is_active=False)
    assert (await ask(service, guest)).visual_embeds == ()


async def test_a_conversation_shows_three_and_none_twice(service: Finassist, guest: Caller) -> None:
    await add(service, 10)
    first = await ask(service, guest)
    replies = [first]
    for _ in range(5):
        replies.append(await ask(service, guest, conversation=first.conversation_id))
    shown = [embed.id for reply in replies for embed in reply.visual_embeds]
    assert [len(reply.visual_embeds) for reply in replies] == [1, 1, 1, 0, 0, 0]
    assert len(set(shown)) == 3
    assert len((await ask(service, guest)).visual_embeds) == 1, "another conversation has none yet"


async def test_when_all_have_been_shown_there_is_none(service: Finassist, guest: Caller) -> None:
    await add(service, 1)
    first = await ask(service, guest)
    again = await ask(service, guest, conversation=first.conversation_id)
    assert (len(first.visual_embeds), len(again.visual_embeds)) == (1, 0)


async def test_parallel_turns_on_two_processes_show_three_in_all(
    settings: Settings, service: Finassist, guest: Caller
) -> None:
    await add(service, 10)
    conversation_id = (await ask(service, guest)).conversation_id
    async with opened(settings, language_model=ScriptedModel([ANSWER])) as other:

        async def try_to_ask(container: Finassist) -> Message | None:
            try:
                return await ask(container, guest, conversation=conversation_id)
            except Conflict:
                return None

        replies = []
        for _ in range(8):
            replies += await asyncio.gather(*(try_to_ask(each) for each in (service, other) * 4))
    answered = [reply for reply in replies if reply is not None]
    assert len(answered) >= 8
    page = await service.adapters.messages.list(conversation_id, limit=100, offset=0, descending=False)
    shown = [embed.id for message in page.items for embed in message.visual_embeds]
    assert len(shown) == len(set(shown)) == 3
    assert max(len(message.visual_embeds) for message in page.items) == 1


async def test_a_reply_without_words_of_its_own_gets_none(
    service: Finassist, model: ScriptedModel, guest: Caller
) -> None:
    await add(service)
    model.script = []
    reply = await ask(service, guest)
    assert (reply.finish_reason, reply.visual_embeds) == (FinishReason.FALLBACK, ())
    model.script = [ANSWER, model_failure()]
    reply = await ask(service, guest)
    assert (reply.status, reply.visual_embeds) == (MessageStatus.ERROR, ())


async def test_a_stopped_reply_gets_none(service: Finassist, model: ScriptedModel, guest: Caller) -> None:
    await add(service)
    model.script = [ANSWER, asyncio.Event()]
    turn = await service.send_message(guest, ChatMessage(message=QUESTION))
    await anext(turn.batches)
    reply = await service.stop_turn(guest, turn.message_id)
    assert (reply.status, reply.visual_embeds) == (MessageStatus.STOPPED, ())


async def test_help_in_distress_carries_no_picture(service: Finassist, guest: Caller) -> None:
    await add(service)
    reply = await ask(service, guest, "I want to kill myself so my family gets the life insurance policy")
    assert reply.visual_embeds == ()


class BrokenClassifier:
    """Works for the question, fails for the answer."""

    def classify(self, question: str, history: Sequence[str] = ()) -> Classification:
        if question == ANSWER:
            raise RuntimeError("broken")
        return Classification(is_finance=True, confidence=1, category="Insurance", category_confidence=1)


class BrokenEmbeds:
    """A catalog whose database is away."""

    def __getattr__(self, verb: str) -> Any:
        async def fail(*args: object, **kwargs: object) -> None:
            raise ServiceUnavailable()

        return fail


@pytest.mark.parametrize(
    "broken", [{"question_classifier": BrokenClassifier()}, {"quote_images": BrokenEmbeds()}]
)
async def test_a_failure_to_find_one_never_costs_the_reply(
    settings: Settings, model: ScriptedModel, service: Finassist, broken: AdapterOverrides
) -> None:
    await add(service)
    broken["language_model"] = model
    async with opened(settings, **broken) as container:
        reply = await ask(container, await guest_of(container, "device-2"))
    assert (reply.status, reply.content.startswith(ANSWER), reply.visual_embeds) == (
        MessageStatus.COMPLETED,
        True,
        (),
    )


@pytest.mark.engine
async def test_seeds_are_loaded_twice_without_effect(service: Finassist) -> None:
    image = shipped_image("insurance-1.png")
    records = [
        NewQuoteImage(category="Insurance", image=image, quote_text="One"),
        NewQuoteImage(category="Insurance", image_url="https://x.test/1.png", quote_text="Two"),
    ]
    for only_missing, stored in ((True, 2), (True, 0), (False, 0)):
        assert await service.seed_quote_images(records, only_missing=only_missing) == stored
    moved = [replace(records[1], image_url="https://x.test/2.png")]
    assert await service.seed_quote_images(moved, only_missing=True) == 0
    assert await service.seed_quote_images(moved, only_missing=False) == 1
    page = await service.list_quote_images(None, limit=None, offset=0)
    assert [embed.image_url for embed in page.items] == [None, "https://x.test/2.png"]


def test_only_images_that_ship_are_found_by_name() -> None:
    assert shipped_image("insurance-1.png")
    for name in ("insurance-9.png", "../links.json", "../quote_images/insurance-1.png", ""):
        assert shipped_image(name) is None
