"""Hosts whose clocks differ go by the clock of MongoDB's server (docs/operations.md, "Scaling")."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engines.mongodb import empty_mongodb
from finassist.adapters import mongo
from finassist.adapters.mongo.engine import server_time
from finassist.adapters.mongo.engine.server_time import ClockDiffers
from finassist.adapters.system.clock import CorrectedClock, SystemClock
from finassist.application.ports.repositories import Repositories
from finassist.domain.conversations.message import Message
from stores import conversation_of, new_id, turn_of
from waiting import until

pytestmark = pytest.mark.engine

NEAR = timedelta(seconds=1)


class WrongClock:
    """A host's clock that is off by so many seconds."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def now(self) -> datetime:
        return SystemClock().now() + timedelta(seconds=self.seconds)


@asynccontextmanager
async def host(
    url: str, own: float | WrongClock
) -> AsyncIterator[tuple[Repositories, CorrectedClock, list[float]]]:
    """A host of the service with that clock, or one that is off by so many seconds: its repositories, its
    corrected clock, and the corrections that it told."""
    told: list[float] = []
    clock = CorrectedClock(own if isinstance(own, WrongClock) else WrongClock(own), report=told.append)
    database = mongo.MongoDatabase(url, call_seconds=30, clock=clock)
    await database.open()
    try:
        yield mongo.repositories(database), clock, told
    finally:
        await database.close()


async def begin(records: Repositories, clock: CorrectedClock) -> Message:
    """A turn that has just begun, by the clock of its host."""
    conversation = conversation_of(new_id())
    question, reply = turn_of(conversation.id, at=clock.now())
    assert await records.messages.begin_turn(question, reply, conversation)
    return reply


async def take_over(records: Repositories, now: datetime) -> Any:
    return await records.messages.take_over_expired(
        holder="another-host", now=now, lease_until=now + timedelta(seconds=15)
    )


async def test_a_host_that_is_20_seconds_ahead_does_not_interrupt_the_turns_of_others() -> None:
    with empty_mongodb() as url:
        async with host(url, 0) as (records, clock, _):
            reply = await begin(records, clock)
            async with host(url, 20) as (others, ahead, told):
                assert abs(ahead.now() - clock.now()) < NEAR
                assert abs(told[-1] + 20) < 1
                assert await take_over(others, ahead.now()) is None
                uncorrected = await take_over(others, ahead.own_time())
                assert uncorrected is not None
                assert uncorrected.id == reply.id


async def test_a_host_that_is_20_seconds_behind_ends_what_is_over() -> None:
    with empty_mongodb() as url:
        async with host(url, -20) as (records, clock, _):
            await begin(records, clock)
            assert await take_over(records, clock.now() + timedelta(seconds=16)) is not None
            assert abs(clock.now() - datetime.now(UTC)) < NEAR


@pytest.mark.parametrize("seconds", [90, -90])
async def test_a_host_that_is_further_away_does_not_start_and_says_why(seconds: float) -> None:
    with empty_mongodb() as url, pytest.raises(ClockDiffers, match=f"{seconds} seconds ahead"):
        async with host(url, seconds):
            pass


@pytest.mark.parametrize("seconds", [20, -20, 90])
async def test_a_clock_that_is_set_while_its_host_runs_is_corrected_and_told(
    seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_time, "_EVERY_SECONDS", 0.0)
    own = WrongClock(0)
    with empty_mongodb() as url:
        async with host(url, own) as (records, clock, told):
            own.seconds = seconds

            async def corrected() -> bool:
                await records.links.get()  # a call measures beside it
                return abs(told[-1] + seconds) < 1

            await until(corrected)
            assert abs(clock.now() - datetime.now(UTC)) < NEAR
