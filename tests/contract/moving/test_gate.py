"""What a process that writes to MongoDB knows of a move (``adapters/mongo/engine/gate.py``)."""

import time
from typing import Any, cast

import pytest

from finassist.adapters.mongo.engine import gate
from finassist.adapters.mongo.engine.gate import Gate
from finassist.application.ports.database import WritesRefused


class States:
    """The collection of the state, which counts how often it is read."""

    def __init__(self) -> None:
        self.state: dict[str, Any] | None = None
        self.reads = 0

    async def find_one(self, _: object) -> dict[str, Any] | None:
        self.reads += 1
        return self.state


@pytest.fixture
def states() -> States:
    return States()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The process's own clock, in seconds."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def process(states: States, clock: list[float]) -> Gate:
    return Gate(cast(Any, {gate.MOVES: states, gate.NOTES: None}))


async def test_without_a_move_many_writes_read_the_state_once_a_second(
    process: Gate, states: States, clock: list[float]
) -> None:
    for _ in range(1000):
        assert await process.round() is None
    assert states.reads == 1
    clock[0] += gate.KNOWN_SECONDS
    assert await process.round() is None
    assert states.reads == 2


async def test_a_state_is_known_no_longer_than_a_command_waits_for(
    process: Gate, states: States, clock: list[float]
) -> None:
    assert await process.round() is None
    states.state = {"phase": gate.NOTING, "round": 3, "beat": 0}
    clock[0] += gate.KNOWN_SECONDS
    assert await process.round() == 3
    assert gate.KNOWN_SECONDS + 2.0 < gate.SETTLED_SECONDS, "a call may last two seconds"


@pytest.mark.parametrize("phase", [gate.REFUSING, gate.COMPLETE, gate.FILLING])
async def test_writes_are_refused(process: Gate, states: States, phase: str) -> None:
    states.state = {"phase": phase, "round": 1, "beat": 5}
    with pytest.raises(WritesRefused):
        await process.round()


async def test_the_store_that_records_came_to_takes_writes(process: Gate, states: States) -> None:
    states.state = {"phase": gate.ARRIVED, "move_id": "1"}
    assert await process.round() is None


async def test_a_command_that_shows_no_sign_of_life_refuses_no_longer(
    process: Gate, states: States, clock: list[float]
) -> None:
    states.state = {"phase": gate.REFUSING, "round": 1, "beat": 5}
    for second in range(int(gate.ABANDONED_SECONDS)):
        with pytest.raises(WritesRefused):
            await process.round()
        clock[0] += 1
        states.state["beat"] += second % 5 == 0
    clock[0] += gate.ABANDONED_SECONDS
    assert await process.round() == 1
