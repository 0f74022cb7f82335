import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from finassist.application.ports.auth import LoginState
from finassist.application.ports.identity import AuthorizationRequest
from stores import NOW, Store, after

REQUEST = AuthorizationRequest(redirect_uri="https://app.test/", code_challenge="c", state="s", nonce=None)
LOGIN = LoginState(
    client_state=None, nonce="n", code_verifier="v", callback_uri="https://api.test/c", redirect_uri=None
)


async def test_a_ticket_is_good_once(store: Store) -> None:
    await store.login_forms.add("hash", REQUEST, after(60))

    assert await store.login_forms.take("other", NOW) is None
    assert await store.login_forms.take("hash", NOW) == REQUEST
    assert await store.login_forms.take("hash", NOW) is None


async def test_looking_at_a_ticket_does_not_use_it_up(store: Store) -> None:
    await store.login_forms.add("hash", REQUEST, after(60))

    assert [await store.login_forms.get("hash", after(59)) for _ in range(2)] == [REQUEST, REQUEST]
    assert await store.login_forms.get("other", NOW) is None
    assert await store.login_forms.get("hash", after(60)) is None


async def test_of_50_parallel_calls_one_stores_a_new_ticket(store: Store) -> None:
    stored = await asyncio.gather(*(store.login_forms.add_new("hash", REQUEST, after(60)) for _ in range(50)))

    assert stored.count(True) == 1
    assert await store.login_forms.get("hash", NOW) == REQUEST
    assert await store.login_states.add_new("hash", LOGIN, after(60)) is True


async def test_kinds_of_tickets_do_not_share(store: Store) -> None:
    await store.login_forms.add("hash", REQUEST, after(60))
    await store.login_states.add("hash", LOGIN, after(60))

    assert await store.login_states.take("hash", NOW) == LOGIN
    assert await store.login_forms.take("hash", NOW) == REQUEST


async def test_an_expired_ticket_is_worth_nothing(store: Store) -> None:
    await store.login_forms.add("one", REQUEST, after(60))
    await store.login_forms.add("two", REQUEST, after(60))

    assert await store.login_forms.take("one", after(59.999)) == REQUEST
    assert await store.login_forms.take("two", after(60)) is None


async def test_expired_tickets_are_removed(store: Store) -> None:
    await store.login_forms.add("one", REQUEST, after(60))
    await store.login_states.add("two", LOGIN, after(60))
    await store.login_forms.add("three", REQUEST, after(61))

    assert await store.login_states.delete_expired(after(60)) == 2
    assert await store.login_states.delete_expired(after(60)) == 0
    assert await store.login_forms.take("three", after(60)) == REQUEST


async def test_of_50_parallel_takers_one_gets_it(store: Store) -> None:
    await store.login_forms.add("hash", REQUEST, after(60))
    taken = await asyncio.gather(*(store.login_forms.take("hash", NOW) for _ in range(50)))

    assert taken.count(REQUEST) == 1
    assert taken.count(None) == 49


async def test_of_two_processes_one_gets_it(
    store: Store, call_from_processes: Callable[[str, int, str], Awaitable[list[Any]]]
) -> None:
    await store.login_forms.add("hash", REQUEST, after(60))

    assert (await call_from_processes("take_form", 25, "hash")).count(True) == 1
