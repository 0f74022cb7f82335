"""Readiness writes, and no more often than it has to."""

import asyncio

import pytest

from finassist.application.concurrency import readiness
from finassist.application.concurrency.readiness import CheckReadiness
from finassist.domain.errors import ServiceUnavailable


class Probe:
    """Counts writes; they wait for ``answer`` and fail while ``is_away``."""

    def __init__(self) -> None:
        self.writes = 0
        self.is_away = False
        self.answer = asyncio.Event()

    async def write(self) -> None:
        self.writes += 1
        await self.answer.wait()
        if self.is_away:
            raise ServiceUnavailable()


async def all_at_once(check: CheckReadiness, probe: Probe) -> set[type]:
    probe.answer.clear()
    checks = [asyncio.create_task(check()) for _ in range(100)]
    await asyncio.sleep(0)
    probe.answer.set()
    return {type(result) for result in await asyncio.gather(*checks, return_exceptions=True)}


async def test_many_checks_at_once_share_one_write_and_its_success_answers_those_soon_after() -> None:
    probe = Probe()
    check = CheckReadiness(database_probe=probe)
    for _ in range(3):
        assert await all_at_once(check, probe) == {type(None)}
    assert probe.writes == 1


async def test_a_success_does_not_hide_a_later_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "_FRESH_SECONDS", 0)
    probe = Probe()
    check = CheckReadiness(database_probe=probe)
    assert await all_at_once(check, probe) == {type(None)}
    probe.is_away = True
    assert await all_at_once(check, probe) == {ServiceUnavailable}
    probe.is_away = False
    assert await all_at_once(check, probe) == {type(None)}
    assert probe.writes == 3


async def test_a_check_that_is_given_up_leaves_the_write_to_the_others() -> None:
    probe = Probe()
    check = CheckReadiness(database_probe=probe)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(check(), 0.01)
    another = asyncio.create_task(check())
    await asyncio.sleep(0)
    probe.answer.set()
    await another
    assert probe.writes == 1
