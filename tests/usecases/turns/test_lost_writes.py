"""A write that was lost, or was stored and not confirmed, costs nobody a text, a file or a message."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from finassist import open_container
from finassist.application.chat import ChatMessage
from finassist.composition.application import Finassist
from finassist.config import Settings
from finassist.domain.conversations.message import LEASE_SECONDS
from finassist.domain.errors import FinassistError
from finassist.domain.users import Caller
from finassist.testing import FakeClock, ScriptedModel
from raw_records import texts_of
from stores import NOW

SECRET = "my salary is 4,321 a month"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOW)  # MongoDB removes by its own clock what is expired


@pytest.fixture
async def service(
    settings: Settings, database: dict[str, Any], model: ScriptedModel, clock: FakeClock
) -> AsyncIterator[Finassist]:
    async with open_container(replace(settings, **database), language_model=model, clock=clock) as finassist:
        yield finassist


class Died(FinassistError):
    """As if the process had died here."""


async def erase(service: Finassist, guest: Caller) -> str:
    receipt = await service.request_erasure(guest, None, "127.0.0.1")
    while (await service.get_erasure(receipt.receipt_id)).completed_at is None:
        await asyncio.sleep(0.01)
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
