"""What a failure in the middle of a turn costs: never another turn, and never a message without its text."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest

from finassist.application.chat import ChatMessage, TurnStream
from finassist.application.chat.attachments.received import InlineFile
from finassist.application.chat.turns.collect import CollectOrphans
from finassist.application.chat.turns.settle import ChargeReply, SettleTurn
from finassist.application.ports.language_model import ModelFinished, ToolCallRequest
from finassist.application.ports.quotas import Reservation
from finassist.composition.application import Finassist
from finassist.config import Settings
from finassist.domain.chat.events import Done, Failed
from finassist.domain.conversations.message import (
    REPLY_BYTES_MAX,
    FinishReason,
    Message,
    MessageStatus,
    Role,
)
from finassist.domain.errors import FinassistError, ServiceUnavailable
from finassist.domain.users import Caller
from finassist.testing import FakeClock, ScriptedModel, model_of
from usecases.conftest import guest_of, opened
from waiting import until


async def send(service: Finassist, caller: Caller, text: str = "What is an ETF?") -> TurnStream:
    return await service.send_message(caller, ChatMessage(message=text))


async def used(service: Finassist, caller: Caller) -> int:
    return (await service.adapters.quotas.get(caller.user_id)).used


async def stored(service: Finassist, turn: TurnStream) -> Message:
    message = await service.adapters.messages.get(turn.message_id)
    assert message is not None
    return message


async def test_a_turn_that_cannot_be_saved_does_not_cost_the_others_their_leases(
    service: Finassist, guest: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = asyncio.Event()
    model_of(service).script = ("some words", gate)
    bad, good = await send(service, guest), await send(service, guest)
    messages = type(service.adapters.messages)
    save = messages.save_progress

    async def fail_for_one(self: Any, reply: Message) -> bool:
        if reply.id == bad.message_id:
            raise OverflowError("Python int too large to convert to SQLite INTEGER")
        return await save(self, reply)

    async def is_saved() -> bool:
        return (await stored(service, good)).content == "some words"

    monkeypatch.setattr(messages, "save_progress", fail_for_one)
    await until(is_saved)
    telemetry = service.adapters.telemetry.render()  # type: ignore[attr-defined]
    gate.set()

    assert b'finassist_background_failures_total{job="save a turn"}' in telemetry
    assert service.workers.background_tasks.dead == frozenset()
    assert isinstance(await good.ending(), Done)


async def test_a_reply_without_end_is_cut_at_256_kb(service: Finassist, guest: Caller) -> None:
    model_of(service).script = ("é" * 100_000, "word " * 20_000, "never said")
    ending = await (await send(service, guest)).ending()

    assert isinstance(ending, Done)
    assert ending.message.finish_reason is FinishReason.LENGTH
    written = ending.message.content.partition("\n\n")[0]
    assert REPLY_BYTES_MAX - 4 <= len(written.encode()) <= REPLY_BYTES_MAX
    assert (await service.adapters.messages.get(ending.message.id)) is not None
    assert model_of(service).closed == 1


async def test_tool_calls_after_the_longest_reply_are_not_made(service: Finassist, guest: Caller) -> None:
    call = ToolCallRequest("call_1", "percentage", {"percent": 5, "of": 100})
    model_of(service).script = ("x" * (REPLY_BYTES_MAX + 1), call, ModelFinished("tool_calls"))
    ending = await (await send(service, guest)).ending()
    assert isinstance(ending, Done)
    assert ending.message.finish_reason is FinishReason.LENGTH
    assert not ending.message.tool_calls


async def test_nobody_is_charged_for_a_text_that_was_not_stored(
    service: Finassist, guest: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    for port, verb in (("messages", "finish_turn"), ("quotas", "commit_message")):
        kind = type(getattr(service.adapters, port))
        call = getattr(kind, verb)

        async def noted(*arguments: Any, _call: Any = call, _verb: str = verb) -> Any:
            order.append(_verb)
            return await _call(*arguments)

        monkeypatch.setattr(kind, verb, noted)
    await (await send(service, guest)).ending()
    assert order == ["finish_turn", "commit_message"]


async def test_a_crash_between_the_end_of_a_turn_and_its_charge_is_settled_from_what_is_stored(
    settings: Settings, model: ScriptedModel, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(settings, language_model=model, clock=clock) as service:
        guest = await guest_of(service, "device-1")
        quotas = type(service.adapters.quotas)

        async def die(*_: Any) -> None:
            raise FinassistError("as if the process had died here")

        with monkeypatch.context() as patched:
            patched.setattr(quotas, "commit_message", die)
            patched.setattr(quotas, "release_message", die)
            said = await send(service, guest)
            await said.ending()
            model.script = ()
            unsaid = await send(service, guest)
            await unsaid.ending()
        assert [(await stored(service, turn)).finish_reason for turn in (said, unsaid)] == [
            FinishReason.STOP,
            FinishReason.FALLBACK,
        ]
        assert await used(service, guest) == 2
        clock.advance(seconds=120)
        await service.workers.collect_orphans()
        assert await used(service, guest) == 1


@pytest.mark.engine  # a file is decoded by another process
async def test_a_lease_begins_when_the_turn_begins(
    settings: Settings, model: ScriptedModel, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(settings, language_model=model, clock=clock) as service:
        guest = await guest_of(service, "device-1")
        model.script = (asyncio.Event(),)
        store = type(service.adapters.object_store)
        put = store.put

        async def slow(*arguments: Any, **named: Any) -> Any:
            clock.advance(seconds=40)
            return await put(*arguments, **named)

        monkeypatch.setattr(store, "put", slow)
        note = InlineFile(filename="a.txt", mime_type="text/plain", pieces=lambda: iter([b"A note."]))
        turn = await service.send_message(guest, ChatMessage(message="What is this?", attachments=(note,)))

        assert await service.workers.collect_orphans() == 0
        assert (await stored(service, turn)).status is MessageStatus.STREAMING


@dataclass
class FewQuotas:
    """Reservations of a hundred running turns, and one that a crash left."""

    reservations: list[Reservation]
    released: list[str] = field(default_factory=list)

    async def stale_reservations(
        self, before: datetime, *, limit: int, offset: int = 0
    ) -> Sequence[Reservation]:
        return self.reservations[offset : offset + limit]

    async def release_message(self, subject: str, turn_id: str) -> None:
        self.released.append(turn_id)
        self.reservations = [each for each in self.reservations if each.turn_id != turn_id]


@dataclass
class RunningMessages:
    """Every turn runs, except those that are ``unknown``."""

    unknown: set[str]

    async def take_over_expired(self, **_: Any) -> None:
        return None

    async def get(self, message_id: str) -> Message | None:
        if message_id in self.unknown:
            return None
        now = FakeClock().now()
        return Message(
            id=message_id, conversation_id="c", role=Role.ASSISTANT, content="", created_at=now,
            updated_at=now, status=MessageStatus.STREAMING,
        )  # fmt: skip


async def test_a_hundred_long_turns_do_not_keep_a_lost_reservation_from_being_released() -> None:
    clock = FakeClock()
    old = clock.now() - timedelta(minutes=5)
    quotas: Any = FewQuotas([Reservation("ann", f"turn-{number}", old) for number in range(101)])
    messages: Any = RunningMessages({"turn-100"})
    unused: Any = None
    charge = ChargeReply(quotas=quotas, count_once=unused)
    settle = SettleTurn(messages=messages, charge_reply=charge, idempotency_keys=unused, discard_files=unused)
    ids: Any = type("Ids", (), {"new_id": lambda self: "collector"})()
    collect = CollectOrphans(
        users=unused, conversations=unused, messages=messages, quotas=quotas, settle_turn=settle,
        charge_reply=charge, erase_again=unused, background_tasks=unused, clock=clock, ids=ids,
    )  # fmt: skip
    await collect()
    assert quotas.released == ["turn-100"]


async def test_a_database_that_stays_away_ends_the_turn_with_an_error_and_charges_nothing(
    service: Finassist, guest: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: Any) -> bool:
        raise ServiceUnavailable()

    monkeypatch.setattr("finassist.application.chat.turns.runner._FINISH_RETRY_SECONDS", (0.0,))
    monkeypatch.setattr(type(service.adapters.messages), "finish_turn", away)
    committed: list[str] = []
    monkeypatch.setattr(type(service.adapters.quotas), "commit_message", lambda *_: committed.append("once"))
    ending = await (await send(service, guest)).ending()
    assert isinstance(ending, Failed)
    assert committed == []
