"""A write that was lost, or was stored and not confirmed, costs nobody a text, a file or a message."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from finassist.adapters.data_files.quote_images import shipped_image
from finassist.application.catalogs.quote_images import NewQuoteImage
from finassist.application.chat import ChatMessage
from finassist.application.chat.attachments.received import InlineFile
from finassist.composition.application import Finassist
from finassist.config import Settings
from finassist.domain.catalogs.quote_images import QuoteImageChanges
from finassist.domain.chat.events import Done, Failed
from finassist.domain.conversations.message import LEASE_SECONDS, Message, MessageStatus
from finassist.domain.errors import Conflict, FinassistError, ServiceUnavailable
from finassist.domain.users import Caller
from finassist.testing import FakeClock, ScriptedModel
from raw_records import texts_of
from stores import NOW
from usecases.conftest import opened
from waiting import until

pytestmark = pytest.mark.engine  # a file is decoded by another process

SECRET = "my salary is 4,321 a month"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOW)  # MongoDB removes by its own clock what is expired


@pytest.fixture
async def service(
    settings: Settings, database: dict[str, Any], model: ScriptedModel, clock: FakeClock
) -> AsyncIterator[Finassist]:
    async with opened(replace(settings, **database), language_model=model, clock=clock) as finassist:
        yield finassist


def lose_answers(monkeypatch: pytest.MonkeyPatch, kind: Any, verb: str, times: int) -> None:
    """Let the calls of a verb be carried out, and lose so many answers."""
    call, left = getattr(kind, verb), [times]

    async def lost(*arguments: Any, **named: Any) -> Any:
        answer = await call(*arguments, **named)
        if left[0]:
            left[0] -= 1
            raise ServiceUnavailable()
        return answer

    monkeypatch.setattr(kind, verb, lost)


class Died(FinassistError):
    """As if the process had died here."""


async def erase(service: Finassist, guest: Caller) -> str:
    receipt = await service.request_erasure(guest, None, "127.0.0.1")

    async def completed() -> bool:
        return (await service.get_erasure(receipt.receipt_id)).completed_at is not None

    await until(completed)
    return receipt.receipt_id


async def test_a_turn_that_began_during_an_erasure_is_erased_when_it_is_collected(
    service: Finassist, guest: Caller, clock: FakeClock, database: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    kind = type(service.adapters.messages)
    begin = kind.begin_turn

    async def erased_meanwhile(self: Any, *turn: Any) -> bool:
        await erase(service, guest)
        assert await begin(self, *turn)
        raise Died("the process is gone")

    with monkeypatch.context() as patched:
        patched.setattr(kind, "begin_turn", erased_meanwhile)
        with pytest.raises(Died):
            await service.send_message(guest, ChatMessage(message=SECRET))
    assert [name for name, text in texts_of(database["database_url"]) if SECRET in text]

    clock.advance(seconds=LEASE_SECONDS + 1)
    assert await service.workers.collect_orphans() == 1
    await service.workers.erasure_runner()
    assert [name for name, text in texts_of(database["database_url"]) if SECRET in text] == []


async def test_an_erasure_of_a_user_of_whom_nothing_is_known_any_more_ends(
    service: Finassist, clock: FakeClock
) -> None:
    await service.erase_again("0" * 24)

    async def is_over() -> bool:
        await service.workers.erasure_runner()
        now = clock.now() + timedelta(days=1)
        return await service.adapters.erasures.take(holder="test", now=now, lease_until=clock.now()) is None

    await until(is_over)


@pytest.mark.parametrize("answers_lost", [1, 2])
async def test_a_reply_that_was_stored_and_not_confirmed_is_told_as_complete(
    service: Finassist, guest: Caller, monkeypatch: pytest.MonkeyPatch, answers_lost: int
) -> None:
    lose_answers(monkeypatch, type(service.adapters.messages), "finish_turn", answers_lost)
    monkeypatch.setattr("finassist.application.chat.turns.runner._FINISH_RETRY_SECONDS", (0.0, 0.0))
    ending = await (await service.send_message(guest, ChatMessage(message="What is an ETF?"))).ending()

    assert isinstance(ending, Done)
    assert ending.message.status is MessageStatus.COMPLETED
    assert (await service.adapters.quotas.get(guest.user_id)).used == 1


async def test_a_turn_that_another_process_ended_is_not_told_as_complete(
    service: Finassist, guest: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = type(service.adapters.messages)
    finish = kind.finish_turn

    async def ended_before(self: Any, reply: Message, holder: str) -> bool:
        interrupted = replace(reply, status=MessageStatus.INTERRUPTED, content="")
        assert await finish(self, interrupted, holder)
        return await finish(self, reply, holder)

    monkeypatch.setattr(kind, "finish_turn", ended_before)
    ending = await (await service.send_message(guest, ChatMessage(message="What is an ETF?"))).ending()
    assert isinstance(ending, Failed)
    assert ending.code == "INTERRUPTED"


async def test_a_turn_whose_beginning_was_stored_and_not_confirmed_goes_on(
    service: Finassist, guest: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose_answers(monkeypatch, type(service.adapters.messages), "begin_turn", 1)
    lose_answers(monkeypatch, type(service.adapters.idempotency_keys), "begin", 1)
    message = ChatMessage(message="What is this?", attachments=(note(),), idempotency_key="k")
    ending = await (await service.send_message(guest, message)).ending()

    assert isinstance(ending, Done)
    page = await service.list_messages(
        guest, ending.message.conversation_id, limit=9, offset=0, descending=False
    )
    assert page.total == 2
    assert (await service.adapters.quotas.get(guest.user_id)).used == 1


@pytest.mark.parametrize(("port", "verb"), [("messages", "begin_turn"), ("idempotency_keys", "begin")])
async def test_files_stay_while_the_message_that_names_them_may_be_stored(
    service: Finassist, guest: Caller, clock: FakeClock, monkeypatch: pytest.MonkeyPatch,
    port: str, verb: str,
) -> None:  # fmt: skip
    with monkeypatch.context() as patched:
        lose_answers(patched, type(getattr(service.adapters, port)), verb, 2)
        message = ChatMessage(message="What is this?", attachments=(note(),), idempotency_key="k")
        with pytest.raises(ServiceUnavailable):
            await service.send_message(guest, message)
        assert await files_of(service, guest) == [b"A note."]

    clock.advance(seconds=LEASE_SECONDS + 1)
    assert await service.workers.collect_orphans() == 1
    assert await files_of(service, guest) == [], "of a turn that is not charged they go"
    assert (await service.adapters.quotas.get(guest.user_id)).used == 0
    assert isinstance(await (await service.send_message(guest, message)).ending(), Done)


async def test_files_of_a_beginning_that_was_certainly_not_stored_are_removed(
    service: Finassist, guest: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused(*_: Any) -> bool:
        return False

    monkeypatch.setattr(type(service.adapters.messages), "begin_turn", refused)
    with pytest.raises(Conflict):
        await service.send_message(guest, ChatMessage(message="What?", attachments=(note(),)))
    assert await files_of(service, guest) == []


async def test_a_file_whose_record_was_stored_and_not_confirmed_keeps_its_content(
    service: Finassist, guest: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose_answers(monkeypatch, type(service.adapters.files), "add_within", 1)
    message = ChatMessage(message="What is this?", attachments=(note(),))
    assert isinstance(await (await service.send_message(guest, message)).ending(), Done)
    assert await files_of(service, guest) == [b"A note."]


async def test_a_file_whose_record_may_be_stored_keeps_its_content(
    service: Finassist, guest: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: Any) -> None:
        raise ServiceUnavailable()

    kind = type(service.adapters.files)
    with monkeypatch.context() as patched:
        lose_answers(patched, kind, "add_within", 1)
        patched.setattr(kind, "get", away)
        with pytest.raises(ServiceUnavailable):
            await service.send_message(guest, ChatMessage(message="What?", attachments=(note(),)))
    assert await files_of(service, guest) == [b"A note."]


def note() -> InlineFile:
    return InlineFile(filename="a.txt", mime_type="text/plain", pieces=lambda: iter([b"A note."]))


async def files_of(service: Finassist, guest: Caller) -> list[bytes]:
    page = await service.adapters.files.list(guest.owner_ids, conversation_id=None, limit=9, offset=0)
    contents = [service.adapters.object_store.open(file.key) for file in page.items]
    return [b"".join([piece async for piece in content]) for content in contents]


async def test_the_picture_of_a_quote_image_that_was_stored_and_not_confirmed_stays(
    service: Finassist, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = type(service.adapters.quote_images)
    lose_answers(monkeypatch, kind, "add", 1)
    image = shipped_image("insurance-1.png")
    [made] = await service.create_quote_images([NewQuoteImage(category="Insurance", image=image)])

    lose_answers(monkeypatch, kind, "update", 1)
    with pytest.raises(ServiceUnavailable):
        await service.update_quote_image(made.id, QuoteImageChanges(), image)
    [stored] = (await service.adapters.quote_images.edition()).quote_images
    assert stored.image_key is not None
    assert stored.image_key != made.image_key
    assert [piece async for piece in service.adapters.object_store.open(stored.image_key)]
