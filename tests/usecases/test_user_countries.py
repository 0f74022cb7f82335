"""The country and the language of the profile reach the answer (contract section 9)."""

import pytest

from finassist import ChatMessage
from finassist.application.profile_cards import GivenAnswer
from finassist.composition.application import Finassist
from finassist.config import Settings
from finassist.domain.chat.events import Done
from finassist.domain.conversations.message import Message
from finassist.domain.users import Caller, ProfileChanges
from finassist.testing import ScriptedModel
from stores import identity_of, new_id
from usecases.conftest import in_shared_service, opened

pytestmark = in_shared_service

DIVIDENDS = "how are dividends taxed"


async def user_of(
    service: Finassist, country: str | None = None, *, language: str = "en", do_not_use: bool = False
) -> Caller:
    """A new user with this country on the card that asks for it, and this preferred language."""
    now = service.adapters.clock.now()
    user = await service.adapters.users.upsert_identity(identity_of(new_id()), new_user_id=new_id(), now=now)
    caller = Caller.registered(user, None)
    await service.update_account(caller, ProfileChanges(language=language), None)
    if country is not None:
        [(card_id, question_id)] = [
            (card.id, question.id)
            for card in service.adapters.card_catalog.cards
            for question in card.questions
            if question.key == "country"
        ]
        answer = GivenAnswer(card_id=card_id, question_id=question_id, value=country, do_not_use=do_not_use)
        await service.answer_cards(caller, [answer])
    return caller


async def reply_to(service: Finassist, caller: Caller, text: str) -> Message:
    ending = await (await service.send_message(caller, ChatMessage(message=text))).ending()
    assert isinstance(ending, Done)
    return ending.message


async def cited(service: Finassist, caller: Caller, text: str) -> str:
    reply = await reply_to(service, caller, text)
    return next(source.title for source in reply.sources if source.cited)


@pytest.mark.parametrize(
    ("country", "language", "title"),
    [
        ("India", "en", "How are dividends taxed in India?"),
        ("UK", "en", "How are dividends taxed in the UK?"),
        (None, "en-GB", "How are dividends taxed in the UK?"),
        ("Portugal", "en-GB", "How are savings and shares taxed in Portugal?"),
    ],
)
async def test_of_entries_that_fit_as_well_the_one_of_the_users_country_is_quoted(
    offline: Finassist, country: str | None, language: str, title: str
) -> None:
    caller = await user_of(offline, country, language=language)
    assert await cited(offline, caller, DIVIDENDS) == title


async def test_a_question_that_names_a_country_is_answered_for_that_one(offline: Finassist) -> None:
    caller = await user_of(offline, "UK")
    assert "India" in await cited(offline, caller, "how are dividends taxed in India")


async def test_another_countrys_rules_are_quoted_as_such(offline: Finassist) -> None:
    question, told = "what is a 401k", "These are the rules of the United States"
    assert (await reply_to(offline, await user_of(offline, "UK"), question)).content.startswith(told)
    for caller in (await user_of(offline, "USA"), await user_of(offline)):
        assert told not in (await reply_to(offline, caller, question)).content


async def test_a_country_that_must_not_be_used_is_not(offline: Finassist) -> None:
    unknown = await cited(offline, await user_of(offline), DIVIDENDS)
    assert await cited(offline, await user_of(offline, "UK", do_not_use=True), DIVIDENDS) == unknown
    assert await cited(offline, await user_of(offline, "UK"), DIVIDENDS) != unknown


async def test_the_model_is_told_the_language_and_whose_rules_it_reads(settings: Settings) -> None:
    model = ScriptedModel()
    async with opened(settings, language_model=model) as service:
        await reply_to(service, await user_of(service, "Deutschland", language="de-DE"), "what is a 401k")
        await reply_to(service, await user_of(service), "what is an ETF")
    first, second = (request.system for request in model.requests)
    assert "Lives in: Deutschland\nPreferred language: de-DE\n</profile>" in first
    assert 'title="What is a 401(k) and how does it work?" jurisdiction="US">' in first
    assert "Preferred language" not in second
    assert 'title="What is an ETF?">' in second


@pytest.mark.parametrize(
    "question", ["how much deposit can a landlord ask for my flat in lyon", "council tax help"]
)
async def test_a_place_or_an_office_means_its_country(offline: Finassist, question: str) -> None:
    reply = await reply_to(offline, await user_of(offline, "USA"), question)
    assert all("US" not in source.title for source in reply.sources)


async def test_without_a_country_a_question_on_rules_is_asked_back(offline: Finassist) -> None:
    unknown = await reply_to(offline, await user_of(offline), "is money i inherit taxed")
    assert "Rules differ by country." in unknown.content
    assert len(unknown.suggestions) >= 2
    told = await reply_to(offline, await user_of(offline, "UK"), "is money i inherit taxed")
    assert "Rules differ by country." not in told.content


@pytest.mark.parametrize("question", ["pension??", "car finance help"])
async def test_a_vague_question_is_asked_back_with_directions(offline: Finassist, question: str) -> None:
    reply = await reply_to(offline, await user_of(offline), question)
    assert "What would you like to decide or find out?" in reply.content
    assert len(reply.suggestions) >= 2


async def test_a_short_question_that_says_what_it_wants_is_answered_at_once(offline: Finassist) -> None:
    reply = await reply_to(offline, await user_of(offline), "can i overpay a loan")
    assert "What would you like" not in reply.content


async def test_a_question_that_ends_a_story_is_not_taken_for_vague(offline: Finassist) -> None:
    letter = "I got a P800 from HMRC saying that I owe 214 from last year. do I pay tax?"
    reply = await reply_to(offline, await user_of(offline), letter)
    assert "What would you like to decide" not in reply.content
    assert "P800" in reply.content
