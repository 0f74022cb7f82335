"""A turn from question to stored reply (contract section 4)."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from finassist.application.chat import ChatMessage, TurnStream
from finassist.application.chat.turns.replay import Numbered
from finassist.application.ports.language_model import ModelFinished
from finassist.composition.application import Finassist
from finassist.config import Settings
from finassist.domain.chat.events import FALLBACK_REPLY, Done, Failed, Token
from finassist.domain.conversations.message import FinishReason, Message, MessageStatus, Role
from finassist.domain.errors import (
    Conflict,
    Forbidden,
    FreeLimitExceeded,
    IdempotencyMismatch,
    NotFound,
    ServiceUnavailable,
    ValidationFailed,
)
from finassist.domain.users import Caller
from finassist.testing import ScriptedModel, model_failure, model_of
from usecases.conftest import guest_of, opened
from waiting import FACT_SECONDS


async def send(
    service: Finassist, caller: Caller, text: str = "What is an ETF?", **fields: Any
) -> TurnStream:
    return await service.send_message(caller, ChatMessage(message=text, **fields))


async def ask(service: Finassist, caller: Caller, text: str = "What is an ETF?", **fields: Any) -> Any:
    return await (await send(service, caller, text, **fields)).ending()


async def collect(batches: Any) -> list[Numbered]:
    return [numbered async for batch in batches for numbered in batch]


async def stored_message(service: Finassist, message_id: str) -> Message:
    message = await service.adapters.messages.get(message_id)
    assert message is not None
    return message


async def used(service: Finassist, caller: Caller) -> int:
    return (await service.adapters.quotas.get(caller.user_id)).used


async def test_a_turn_stores_the_question_and_the_reply(service: Finassist, guest: Caller) -> None:
    ending = await ask(service, guest)

    assert isinstance(ending, Done)
    page = await service.adapters.messages.list(
        ending.message.conversation_id, limit=10, offset=0, descending=False
    )
    question, reply = page.items
    assert (question.role, question.content) == (Role.USER, "What is an ETF?")
    assert (reply.role, reply.content, reply.status) == (
        Role.ASSISTANT,
        "Hello there.",
        MessageStatus.COMPLETED,
    )
    assert reply.lease is None
    assert reply.token_count == 12
    assert reply.finish_reason is FinishReason.STOP
    conversation = await service.adapters.conversations.get(reply.conversation_id)
    assert conversation is not None
    assert conversation.title == "What is an ETF?"
    assert conversation.preview == "Hello there."
    assert conversation.message_count == 2


async def test_events_are_numbered_by_the_code_points_of_the_reply(service: Finassist, guest: Caller) -> None:
    model_of(service).script = ("Grüße", " 💶!")
    turn = await send(service, guest)

    events = await collect(turn.batches)

    assert [(number, event.content) for number, event in events[:-1] if isinstance(event, Token)] == [
        (5, "Grüße"),
        (8, " 💶!"),
    ]
    assert events[-1][0] == 8
    assert isinstance(events[-1][1], Done)


async def test_a_running_turn_can_be_followed_from_the_middle_of_a_token(
    service: Finassist, guest: Caller
) -> None:
    gate = asyncio.Event()
    model_of(service).script = ("one two", gate, " three")
    turn = await send(service, guest)
    await anext(turn.batches)

    again = await service.follow_turn(guest, turn.message_id, after=4)
    gate.set()

    assert "".join(e.content for _, e in await collect(again.batches) if isinstance(e, Token)) == "two three"


async def test_a_finished_turn_is_replayed_from_any_number(service: Finassist, guest: Caller) -> None:
    ending = await ask(service, guest)
    for after, text in ((0, "Hello there."), (5, " there."), (12, ""), (99, "")):
        turn = await service.follow_turn(guest, ending.message.id, after=after)
        events = await collect(turn.batches)
        assert "".join(e.content for _, e in events if isinstance(e, Token)) == text
        assert isinstance(events[-1][1], Done)


async def test_nobody_listening_does_not_stop_the_reply(service: Finassist, guest: Caller) -> None:
    gate = asyncio.Event()
    model_of(service).script = ("kept", gate, " going")
    turn = await send(service, guest)
    await turn.batches.aclose()
    gate.set()
    await service.workers.turn_runner.drain(5)

    assert (await stored_message(service, turn.message_id)).content == "kept going"


async def test_a_turn_that_is_stopped_before_its_first_step_ends_all_the_same(
    service: Finassist, guest: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = service.workers.turn_runner
    start = runner.start

    def start_and_stop(*arguments: Any) -> Any:
        turn = start(*arguments)
        turn.stop(MessageStatus.STOPPED)
        return turn

    monkeypatch.setattr(runner, "start", start_and_stop)
    async with asyncio.timeout(FACT_SECONDS):
        ending = await ask(service, guest)

    assert (ending.message.status, ending.message.content) == (MessageStatus.STOPPED, "")
    assert model_of(service).requests == []
    assert await used(service, guest) == 0
    assert runner.running == 0


async def test_a_database_that_fails_a_follower_is_the_error_that_ends_its_stream(
    service: Finassist, guest: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = asyncio.Event()
    model_of(service).script = ("one", gate)
    turn = await send(service, guest)
    monkeypatch.setattr(service.workers.turn_runner, "get", lambda _: None)  # as if another process ran it
    followed = await service.follow_turn(guest, turn.message_id, after=0)

    async def fail(*_: Any) -> None:
        raise ServiceUnavailable()

    monkeypatch.setattr(type(service.adapters.messages), "get", fail)
    events = await collect(followed.batches)
    monkeypatch.undo()
    gate.set()

    assert [event.code for _, event in events if isinstance(event, Failed)] == ["SERVICE_UNAVAILABLE"]
    assert len(events) == 1


async def test_history_reaches_the_model_as_whole_exchanges(service: Finassist, guest: Caller) -> None:
    model = model_of(service)
    first = await ask(service, guest, "What is a bond?")
    await ask(service, guest, "And its yield?", conversation_id=first.message.conversation_id)

    assert [(m.role, m.content) for m in model.requests[1].messages] == [
        (Role.USER, "What is a bond?"),
        (Role.ASSISTANT, "Hello there."),
        (Role.USER, "And its yield?"),
    ]


async def test_an_empty_reply_becomes_a_fallback_message(service: Finassist, guest: Caller) -> None:
    model_of(service).script = (ModelFinished("stop"),)
    ending = await ask(service, guest)
    assert ending.message.content == FALLBACK_REPLY
    assert ending.message.finish_reason is FinishReason.FALLBACK


async def test_a_reply_that_was_cut_by_its_length_says_so(service: Finassist, guest: Caller) -> None:
    model_of(service).script = ("long", ModelFinished("length"))
    assert (await ask(service, guest)).message.finish_reason is FinishReason.LENGTH


async def test_a_failure_before_the_first_token_gives_the_message_back(
    service: Finassist, guest: Caller
) -> None:
    model_of(service).script = (model_failure(),)
    ending = await ask(service, guest)

    assert isinstance(ending, Failed)
    assert ending.code == "LLM_ERROR"
    assert await used(service, guest) == 0
    stored = await stored_message(service, ending.message.id)
    assert (stored.status, stored.error_code) == (MessageStatus.ERROR, "LLM_ERROR")


async def test_a_failure_after_the_first_token_keeps_what_came(service: Finassist, guest: Caller) -> None:
    model_of(service).script = ("half an ans", model_failure())
    ending = await ask(service, guest)

    assert isinstance(ending, Failed)
    stored = await stored_message(service, ending.message.id)
    assert (stored.content, stored.status) == ("half an ans", MessageStatus.ERROR)
    assert await used(service, guest) == 1


async def test_an_unexpected_failure_ends_the_turn_with_an_internal_error(
    service: Finassist, guest: Caller
) -> None:
    model_of(service).script = (RuntimeError("boom"),)
    ending = await ask(service, guest)
    assert (ending.code, await used(service, guest)) == ("INTERNAL_ERROR", 0)


async def test_stopping_keeps_what_there_is_and_leaves_the_model(service: Finassist, guest: Caller) -> None:
    model = model_of(service)
    model.script = ("some words", asyncio.Event())
    turn = await send(service, guest)
    await anext(turn.batches)

    stopped = await service.stop_turn(guest, turn.message_id)

    assert (stopped.content, stopped.status) == ("some words", MessageStatus.STOPPED)
    assert stopped.finish_reason is FinishReason.STOPPED
    assert model.closed == 1
    assert isinstance((await collect(turn.batches))[-1][1], Done)
    assert await used(service, guest) == 1


async def test_stopping_twice_or_too_late_changes_nothing(service: Finassist, guest: Caller) -> None:
    ending = await ask(service, guest)
    for _ in range(2):
        assert (await service.stop_turn(guest, ending.message.id)).status is MessageStatus.COMPLETED


async def test_stopping_by_key_before_the_first_token_gives_the_message_back(
    service: Finassist, guest: Caller
) -> None:
    model_of(service).script = (asyncio.Event(),)
    turn = await send(service, guest, idempotency_key="key-1")

    stopped = await service.stop_turn_by_key(guest, "key-1")

    assert (stopped.id, stopped.content, stopped.status) == (turn.message_id, "", MessageStatus.STOPPED)
    assert stopped.allowance_used == 0
    assert await used(service, guest) == 0
    with pytest.raises(NotFound):
        await service.stop_turn_by_key(guest, "never-seen")


async def test_one_turn_at_a_time_in_a_conversation(service: Finassist, guest: Caller) -> None:
    first = await ask(service, guest)
    gate = asyncio.Event()
    model_of(service).script = ("slow", gate)

    async def attempt() -> bool:
        try:
            await send(service, guest, conversation_id=first.message.conversation_id)
        except Conflict:
            return False
        return True

    won = await asyncio.gather(*(attempt() for _ in range(30)))

    assert sum(won) == 1
    assert await used(service, guest) == 2
    gate.set()


async def test_one_message_left_and_fifty_requests_give_one_answer(service: Finassist, guest: Caller) -> None:
    await service.grant_quota(guest.user_id, -9)

    async def attempt() -> bool:
        try:
            await ask(service, guest)
        except FreeLimitExceeded:
            return False
        return True

    assert sum(await asyncio.gather(*(attempt() for _ in range(50)))) == 1
    assert await used(service, guest) == 1


async def test_a_model_outside_the_allow_list_is_refused_and_costs_nothing(
    service: Finassist, guest: Caller
) -> None:
    with pytest.raises(ValidationFailed):
        await ask(service, guest, model="gpt-unknown")
    assert (await ask(service, guest, model="scripted-2")).message.model == "scripted-2"
    assert await used(service, guest) == 1


async def test_the_same_key_and_body_replays_the_finished_answer(service: Finassist, guest: Caller) -> None:
    first = await ask(service, guest, idempotency_key="k")
    second = await ask(service, guest, idempotency_key="k")

    assert second.message == first.message
    assert len(model_of(service).requests) == 1
    with pytest.raises(IdempotencyMismatch):
        await ask(service, guest, "Another question", idempotency_key="k")


async def test_a_key_in_flight_is_a_conflict_and_a_failed_turn_frees_it(
    service: Finassist, guest: Caller
) -> None:
    gate = asyncio.Event()
    model_of(service).script = (gate, model_failure())
    turn = await send(service, guest, idempotency_key="k")
    with pytest.raises(Conflict):
        await send(service, guest, idempotency_key="k")
    gate.set()
    assert isinstance(await turn.ending(), Failed)

    model_of(service).script = ("fine",)
    assert (await ask(service, guest, idempotency_key="k")).message.content == "fine"


async def test_fifty_requests_with_one_key_start_one_turn(service: Finassist, guest: Caller) -> None:
    async def attempt() -> str | None:
        try:
            return str((await send(service, guest, idempotency_key="k")).message_id)
        except Conflict:
            return None

    ids = {found for found in await asyncio.gather(*(attempt() for _ in range(50))) if found}
    assert len(ids) == 1
    assert await used(service, guest) == 1


async def test_somebody_elses_turn_can_be_neither_followed_nor_stopped(
    service: Finassist, guest: Caller
) -> None:
    ending = await ask(service, guest)
    stranger = await guest_of(service, "device-2")
    with pytest.raises(Forbidden):
        await service.follow_turn(stranger, ending.message.id, after=0)
    with pytest.raises(Forbidden):
        await service.stop_turn(stranger, ending.message.id)


async def test_another_process_follows_and_stops_a_running_turn(
    service: Finassist, guest: Caller, settings: Settings
) -> None:
    gate = asyncio.Event()
    model_of(service).script = ("some words", gate)
    turn = await send(service, guest)
    await anext(turn.batches)  # the model has begun
    async with opened(settings, language_model=ScriptedModel()) as elsewhere:
        there = await elsewhere.follow_turn(guest, turn.message_id, after=5)
        stopped = await elsewhere.stop_turn(guest, turn.message_id)
        events = await collect(there.batches)

    assert (stopped.content, stopped.status) == ("some words", MessageStatus.STOPPED)
    assert "".join(e.content for _, e in events if isinstance(e, Token)) == "words"
    assert isinstance(events[-1][1], Done)


async def test_an_orphaned_turn_is_interrupted_once_and_keeps_what_was_saved(
    service: Finassist, guest: Caller
) -> None:
    model_of(service).script = ("saved text", asyncio.Event())
    turn = await send(service, guest)
    await anext(turn.batches)
    await abandon(service, turn.message_id)

    ended = await asyncio.gather(*(service.workers.collect_orphans() for _ in range(10)))

    assert sum(ended) == 1
    stored = await stored_message(service, turn.message_id)
    assert (stored.status, stored.content) == (MessageStatus.INTERRUPTED, "saved text")
    assert await used(service, guest) == 1
    replayed = await collect((await service.follow_turn(guest, turn.message_id, after=0)).batches)
    assert isinstance(replayed[-1][1], Failed)
    assert replayed[-1][1].code == "INTERRUPTED"


async def test_an_orphaned_turn_without_text_gives_the_message_back(
    service: Finassist, guest: Caller
) -> None:
    model_of(service).script = (asyncio.Event(),)
    turn = await send(service, guest, idempotency_key="k")
    await abandon(service, turn.message_id)

    assert await service.workers.collect_orphans() == 1

    assert await used(service, guest) == 0
    model_of(service).script = ("fine",)
    assert (await ask(service, guest, idempotency_key="k")).message.content == "fine"


async def abandon(service: Finassist, message_id: str) -> None:
    """Leave a turn as a killed process leaves it: saved once, its lease run out, nobody at work."""
    runner = service.workers.turn_runner
    live = runner.get(message_id)
    assert live is not None
    assert live.task is not None
    live.task.cancel()
    await asyncio.gather(live.task, return_exceptions=True)
    reply = live.snapshot()
    assert reply.lease is not None
    expired = replace(reply.lease, expires_at=reply.created_at)
    assert await service.adapters.messages.save_progress(replace(reply, lease=expired))


async def test_draining_waits_for_the_turns_and_interrupts_the_rest(
    service: Finassist, guest: Caller
) -> None:
    model_of(service).script = ("first words", asyncio.Event())
    turn = await send(service, guest)
    await anext(turn.batches)

    await service.workers.turn_runner.drain(0.05)

    assert service.workers.turn_runner.running == 0
    assert (await stored_message(service, turn.message_id)).status is MessageStatus.INTERRUPTED


async def test_small_talk_skips_retrieval(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with opened(Settings(improve_titles=False, data_dir=tmp_path), language_model=model) as service:
        guest = await guest_of(service, "device-1")
        await ask(service, guest, "hello, how are you?")
        ending = await ask(service, guest, "What is an emergency fund?")

    assert model.requests[0].references == ()
    assert ending.message.sources
    assert ending.message.sources[0].index == 1
