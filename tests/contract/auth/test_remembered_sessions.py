"""A session that ended in a process is refused there at once, whatever was being looked up meanwhile."""

import asyncio
from typing import Any

import pytest

from contract.auth.test_session_repository import start
from finassist.adapters.identity.live_sessions import RememberedSessions
from finassist.domain.errors import ServiceUnavailable, Unauthorized
from finassist.testing import FakeClock
from stores import NOW, Store


@pytest.mark.parametrize("verb", ["end", "end_all_of"])
async def test_a_session_that_ended_while_it_was_looked_up_is_refused_at_once(
    store: Store, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await start(store, "token")
    live = RememberedSessions(store.sessions, FakeClock(NOW))
    found, go_on = asyncio.Event(), asyncio.Event()
    get = type(store.sessions).get

    async def slow(self: Any, session_id: str) -> Any:
        looked = await get(self, session_id)
        found.set()
        await go_on.wait()
        return looked

    monkeypatch.setattr(type(store.sessions), "get", slow)
    request = asyncio.create_task(live.require(session.id))
    await found.wait()
    await (live.end(session.id) if verb == "end" else live.end_all_of([session.subject]))
    go_on.set()
    await request  # it came before the end
    with pytest.raises(Unauthorized):
        await live.require(session.id)


async def test_a_session_whose_end_was_stored_but_not_confirmed_is_refused_at_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await start(store, "token")
    live = RememberedSessions(store.sessions, FakeClock(NOW))
    await live.require(session.id)
    end = type(store.sessions).end

    async def lose(self: Any, session_id: str) -> Any:
        await end(self, session_id)
        raise ServiceUnavailable()

    monkeypatch.setattr(type(store.sessions), "end", lose)
    with pytest.raises(ServiceUnavailable):
        await live.end(session.id)
    with pytest.raises(Unauthorized):
        await live.require(session.id)
