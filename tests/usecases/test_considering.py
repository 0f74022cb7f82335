"""What kind of question a message is, and what follows from it (contract section 4, "Retrieval")."""

from finassist.application.chat import ChatMessage
from finassist.composition.application import Finassist
from finassist.domain.chat.events import Done
from finassist.domain.conversations.message import Message
from finassist.domain.users import Caller
from finassist.testing import ScriptedModel

LOAN = "What is the monthly instalment on a loan of 20,000 at 6 % over five years?"


async def ask(service: Finassist, caller: Caller, text: str, conversation_id: str | None = None) -> str:
    """The id of the conversation in which it was asked."""
    stream = await service.send_message(caller, ChatMessage(message=text, conversation_id=conversation_id))
    ending = await stream.ending()
    assert isinstance(ending, Done)
    found: str = ending.message.conversation_id
    return found


async def stored(service: Finassist, conversation_id: str) -> list[Message]:
    page = await service.adapters.messages.list(conversation_id, limit=50, offset=0, descending=False)
    return list(page.items)


async def test_a_question_is_stored_with_its_category_and_a_reply_without(
    service: Finassist, guest: Caller
) -> None:
    messages = await stored(service, await ask(service, guest, "What does renters insurance cover?"))
    assert [message.category for message in messages] == ["Insurance", None]


async def test_small_talk_and_a_cry_for_help_have_no_category(service: Finassist, guest: Caller) -> None:
    for text in ("Good morning!", "I want to kill myself because of my mortgage"):
        (question, _) = await stored(service, await ask(service, guest, text))
        assert question.category is None


async def test_a_follow_up_has_the_category_of_what_it_follows_and_gets_passages(
    service: Finassist, guest: Caller, model: ScriptedModel
) -> None:
    conversation_id = await ask(service, guest, LOAN)
    await ask(service, guest, "and for ten years?", conversation_id)
    first, _, follow_up, _ = await stored(service, conversation_id)
    assert first.category is not None
    assert follow_up.category == first.category


async def test_thanks_after_a_question_about_money_gets_no_passages(
    service: Finassist, guest: Caller, model: ScriptedModel
) -> None:
    conversation_id = await ask(service, guest, "What is an emergency fund?")
    assert model.requests[-1].references
    await ask(service, guest, "thanks a lot!", conversation_id)
    assert not model.requests[-1].references


async def test_what_another_conversation_was_about_does_not_matter(service: Finassist, guest: Caller) -> None:
    await ask(service, guest, LOAN)
    (question, _) = await stored(service, await ask(service, guest, "why is that"))
    assert question.category is None
