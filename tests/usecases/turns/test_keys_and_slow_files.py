"""One idempotency key is one turn, however long the files of its request take."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from finassist.application.chat import ChatMessage, TurnStream
from finassist.application.chat.attachments.received import InlineFile
from finassist.composition.application import Finassist
from finassist.config import Settings
from finassist.domain.chat.events import Done
from finassist.domain.chat.idempotency import HELD_SECONDS, IdempotencyRecord, KeyState
from finassist.domain.conversations.conversation import ConversationFilter
from finassist.domain.conversations.message import FinishReason, MessageStatus
from finassist.domain.errors import Conflict, FreeLimitExceeded, IdempotencyMismatch, NotFound
from finassist.domain.users import Caller
from finassist.testing import FakeClock, ScriptedModel, model_of
from stores import NOW
from usecases.conftest import opened
from waiting import until

pytestmark = pytest.mark.engine  # a file is decoded by another process

KEY = "key-1"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOW)  # MongoDB removes by its own clock what is expired


@pytest.fixture
async def service(
    settings: Settings,
    database: dict[str, Any],
    model: ScriptedModel,
    clock: FakeClock,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[Finassist]:
    monkeypatch.setattr("finassist.application.chat.turns.idempotency.HELD_RENEWAL_SECONDS", 0.01)
    async with opened(replace(settings, **database), language_model=model, clock=clock) as finassist:
        yield finassist


class SlowStore:
    """An object store whose uploads wait for ``go_on``."""

    def __init__(self, service: Finassist, monkeypatch: pytest.MonkeyPatch) -> None:
        self.arrived, self.go_on = asyncio.Event(), asyncio.Event()
        kind = type(service.adapters.object_store)
        put = kind.put

        async def slow(*arguments: Any, **named: Any) -> Any:
            self.arrived.set()
            await self.go_on.wait()
            return await put(*arguments, **named)

        monkeypatch.setattr(kind, "put", slow)


@pytest.fixture
def store(service: Finassist, monkeypatch: pytest.MonkeyPatch) -> SlowStore:
    return SlowStore(service, monkeypatch)


async def until_stopped(service: Finassist, guest: Caller) -> None:
    async def stopped() -> bool:
        return (await key_of(service, guest)).state is KeyState.STOPPED

    await until(stopped)


def message(**fields: Any) -> ChatMessage:
    note = InlineFile(filename="a.txt", mime_type="text/plain", pieces=lambda: iter([b"A note."]))
    values = {"message": "What is this?", "attachments": (note,), "idempotency_key": KEY, **fields}
    return ChatMessage(**values)


async def sent(service: Finassist, guest: Caller, store: SlowStore) -> asyncio.Task[TurnStream]:
    """A request whose file is being stored."""
    request = asyncio.create_task(service.send_message(guest, message()))
    await store.arrived.wait()
    return request


async def key_of(service: Finassist, guest: Caller) -> IdempotencyRecord:
    found = await service.adapters.idempotency_keys.find(guest.user_id, KEY, service.adapters.clock.now())
    assert found is not None
    return found


async def conversations(service: Finassist, guest: Caller) -> int:
    return (await service.list_conversations(guest, ConversationFilter(), limit=20, offset=0)).total


async def used(service: Finassist, guest: Caller) -> int:
    return (await service.adapters.quotas.get(guest.user_id)).used


async def take_over(service: Finassist, guest: Caller) -> IdempotencyRecord:
    """Let another request have the key, as when this process was frozen for longer than its claim holds."""
    found = await key_of(service, guest)
    other = replace(found, holder="another request", held_until=service.adapters.clock.now())
    assert await service.adapters.idempotency_keys.claim(other, instead_of=found) is None
    return other


async def test_a_retry_while_files_are_stored_is_in_flight_however_long_they_take(
    service: Finassist, guest: Caller, store: SlowStore, clock: FakeClock
) -> None:
    async def renewed() -> bool:
        return (await key_of(service, guest)).held_until >= clock.now()

    first = await sent(service, guest, store)
    for _ in range(3):
        clock.advance(seconds=HELD_SECONDS - 1)
        await until(renewed)
        with pytest.raises(Conflict):
            await service.send_message(guest, message())
    store.go_on.set()
    ending = await (await first).ending()

    again = await (await service.send_message(guest, message())).ending()
    assert isinstance(ending, Done)
    assert again.message == ending.message
    assert (await conversations(service, guest), await used(service, guest)) == (1, 1)
    with pytest.raises(IdempotencyMismatch):
        await service.send_message(guest, message(message="And this?"))


async def test_a_key_whose_renewal_fails_unexpectedly_is_renewed_again_and_the_failure_counted(
    service: Finassist, guest: Caller, store: SlowStore, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = type(service.adapters.idempotency_keys)
    renew, failures = kind.renew, [OverflowError("as nobody thought of")]

    async def failing_once(*arguments: Any) -> bool:
        if failures:
            raise failures.pop()
        return await renew(*arguments)

    async def renewed() -> bool:
        return (await key_of(service, guest)).held_until > clock.now()

    monkeypatch.setattr(kind, "renew", failing_once)
    request = await sent(service, guest, store)
    await until(lambda: not failures)
    clock.advance(seconds=HELD_SECONDS)
    await until(renewed)
    store.go_on.set()
    assert isinstance(await (await request).ending(), Done)
    telemetry = service.adapters.telemetry.render()  # type: ignore[attr-defined]
    assert b'finassist_background_failures_total{job="renew an idempotency key"} 1.0' in telemetry


async def test_a_stop_while_files_are_stored_ends_the_turn_before_the_model_is_asked(
    service: Finassist, guest: Caller, store: SlowStore
) -> None:
    request = await sent(service, guest, store)
    stop = asyncio.create_task(service.stop_turn_by_key(guest, KEY))
    await until_stopped(service, guest)
    store.go_on.set()
    ending = await (await request).ending()

    assert isinstance(ending, Done)
    assert (ending.message.content, ending.message.finish_reason) == ("", FinishReason.STOPPED)
    stopped = await stop
    assert (stopped.id, stopped.status) == (ending.message.id, MessageStatus.STOPPED)
    assert model_of(service).requests == []
    assert await used(service, guest) == 0
    replayed = await (await service.send_message(guest, message())).ending()
    assert replayed.message.id == stopped.id


async def test_a_stop_that_waits_too_long_is_a_conflict_and_takes_effect_later(
    service: Finassist, guest: Caller, store: SlowStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("finassist.application.chat.turns.stop._ATTEMPTS_BY_KEY", 2)
    request = await sent(service, guest, store)
    with pytest.raises(Conflict):
        await service.stop_turn_by_key(guest, KEY)
    store.go_on.set()
    ending = await (await request).ending()
    assert ending.message.status is MessageStatus.STOPPED
    assert await used(service, guest) == 0


async def test_a_stop_of_a_request_that_is_refused_finds_nothing(
    service: Finassist, guest: Caller, store: SlowStore
) -> None:
    request = await sent(service, guest, store)
    await service.grant_quota(guest.user_id, -10)
    stop = asyncio.create_task(service.stop_turn_by_key(guest, KEY))
    await until_stopped(service, guest)
    store.go_on.set()
    with pytest.raises(FreeLimitExceeded):
        await request
    with pytest.raises(NotFound):
        await stop


async def test_a_request_that_has_lost_its_key_meanwhile_begins_no_turn(
    service: Finassist, guest: Caller, store: SlowStore
) -> None:
    request = await sent(service, guest, store)
    other = await take_over(service, guest)
    store.go_on.set()
    with pytest.raises(Conflict):
        await request
    assert await used(service, guest) == 0
    assert model_of(service).requests == []
    assert await key_of(service, guest) == other


async def test_of_a_turn_that_has_lost_its_key_as_it_began_nothing_stays(
    service: Finassist, guest: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = type(service.adapters.messages)
    begin = kind.begin_turn
    replies: list[str] = []

    async def frozen(self: Any, question: Any, reply: Any, *rest: Any) -> bool:
        await take_over(service, guest)
        replies.append(reply.id)
        return await begin(self, question, reply, *rest)

    monkeypatch.setattr(kind, "begin_turn", frozen)
    with pytest.raises(Conflict):
        await service.send_message(guest, message())
    assert [await service.adapters.messages.get(reply_id) for reply_id in replies] == [None]
    assert await conversations(service, guest) == 0
    assert (await used(service, guest), model_of(service).requests) == (0, [])


async def test_the_key_of_a_request_that_a_crash_ended_is_free_after_fifteen_seconds(
    service: Finassist, guest: Caller, clock: FakeClock
) -> None:
    await (await service.send_message(guest, message())).ending()
    abandoned = replace(
        await key_of(service, guest),
        key="key-2",
        state=KeyState.CLAIMED,
        message_id=None,
        held_until=IdempotencyRecord.hold_from(clock.now()),
    )
    assert await service.adapters.idempotency_keys.claim(abandoned) is None
    clock.advance(seconds=HELD_SECONDS - 1)
    with pytest.raises(Conflict):
        await service.send_message(guest, message(idempotency_key="key-2"))
    clock.advance(seconds=1)
    with pytest.raises(NotFound):
        await service.stop_turn_by_key(guest, "key-2")
    turn = await service.send_message(guest, message(idempotency_key="key-2"))
    assert isinstance(await turn.ending(), Done)


async def test_what_does_not_exist_is_told_before_a_key_in_flight(
    service: Finassist, guest: Caller, store: SlowStore
) -> None:
    request = await sent(service, guest, store)
    for missing in ({"conversation_id": "0" * 24}, {"preprompt_key": "unknown"}):
        with pytest.raises(NotFound):
            await service.send_message(guest, message(**missing))
    store.go_on.set()
    await request
