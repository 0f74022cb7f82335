"""How the offline model goes on in a conversation: follow-ups, reactions, and whose rules are meant."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from finassist import ChatMessage, open_container
from finassist.composition.application import Finassist
from finassist.config import Settings
from finassist.domain.chat.events import Done
from finassist.domain.conversations.message import FinishReason, Message
from usecases.conftest import guest_of


@pytest.fixture
async def offline(settings: Settings) -> AsyncIterator[Finassist]:
    async with open_container(replace(settings, free_message_threshold=100)) as service:
        yield service


async def replies_to(service: Finassist, *messages: str) -> list[Message]:
    """The replies to the messages of one conversation."""
    caller = await guest_of(service, "device-1")
    conversation_id, replies = None, []
    for text in messages:
        turn = await service.send_message(caller, ChatMessage(message=text, conversation_id=conversation_id))
        ending = await turn.ending()
        assert isinstance(ending, Done)
        replies.append(ending.message)
        conversation_id = ending.message.conversation_id
    return replies


def cited(reply: Message) -> list[str]:
    return [source.title for source in reply.sources if source.cited]


@pytest.mark.parametrize(
    "reaction", ["ok i'll try that", "Thank you, that was really helpful", "👍", "lol ok"]
)
async def test_a_reaction_gets_a_friendly_word_and_no_article(offline: Finassist, reaction: str) -> None:
    _, reply = await replies_to(offline, "What is an index fund?", reaction)
    assert (reply.sources, reply.finish_reason) == ((), FinishReason.STOP)
    assert "knowledge base" not in reply.content


@pytest.mark.parametrize("text", ["ok and what does it cost", "thanks, is it safe?", "hmm why"])
async def test_a_follow_up_with_a_reaction_is_answered(offline: Finassist, text: str) -> None:
    _, reply = await replies_to(offline, "What is an index fund?", text)
    assert cited(reply)


async def test_who_asks_for_the_same_again_gets_it_in_short_and_what_to_ask_next(
    offline: Finassist,
) -> None:
    first, reply = await replies_to(offline, "What is an ETF?", "dumb it down for me")
    assert cited(reply) == cited(first)
    assert reply.content.startswith("In short: ")
    assert len(reply.content) < len(first.content)
    assert 1 <= len(reply.suggestions) <= 3
    for suggestion in reply.suggestions:
        assert f"- {suggestion.title}" in reply.content.splitlines()
        [answer] = await replies_to(offline, suggestion.message)
        assert suggestion.title in cited(answer)


async def test_a_message_that_is_clear_only_with_the_question_before_it_is_a_follow_up(
    offline: Finassist,
) -> None:
    [alone] = await replies_to(offline, "how much can i put in each yr")
    _, after = await replies_to(offline, "What is a Roth IRA?", "how much can i put in each yr")
    assert "IRA" not in " ".join(cited(alone))
    assert "IRA" in " ".join(cited(after))


async def test_a_first_message_that_sounds_like_a_follow_up_is_what_others_follow(offline: Finassist) -> None:
    first, second = await replies_to(offline, "fix my mortgage for 2 or 5 years?", "why")
    assert cited(first)
    assert cited(second)


@pytest.mark.parametrize(
    ("first", "country"),
    [
        ("Hi, I moved to Manchester for work. What is an emergency fund?", "UK"),
        ("I have £500 left. What is an emergency fund?", "UK"),
        ("What is an emergency fund? I live in Canada", "Canad"),
    ],
)
async def test_a_country_that_was_spoken_of_chooses_the_rules_of_later_answers(
    offline: Finassist, first: str, country: str
) -> None:
    _, reply = await replies_to(offline, first, "how are dividends taxed")
    assert country in " ".join(cited(reply))


@pytest.mark.parametrize("text", ["hey are you a real person or a bot", "tell me a joke"])
async def test_small_talk_is_told_what_the_assistant_is_for(offline: Finassist, text: str) -> None:
    [reply] = await replies_to(offline, text)
    assert "I answer questions about personal finance" in reply.content
    assert reply.finish_reason is FinishReason.STOP


async def test_a_follow_up_is_not_answered_by_the_rules_of_a_country_that_nobody_named(
    offline: Finassist,
) -> None:
    _, reply = await replies_to(offline, "how much emergency fund do i need", "i spend about 1900 a month")
    assert "India" not in " ".join(cited(reply))
