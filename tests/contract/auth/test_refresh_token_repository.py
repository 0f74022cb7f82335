import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

from finassist.application.ports.auth import Rotation
from finassist.domain.auth.refresh_tokens import RotationOutcome
from stores import NOW, Store, after, new_id

UNKNOWN = Rotation(RotationOutcome.UNKNOWN)
ROTATED = Rotation(RotationOutcome.ROTATED, "ann")


async def start(store: Store, token: str, subject: str = "ann") -> None:
    await store.refresh_tokens.start_family(
        token,
        family_id=new_id(),
        subject=subject,
        now=NOW,
        expires_at=after(1000),
        ends_at=after(100_000),
    )


async def rotate(store: Store, token: str, new: str, seconds: float = 0, grace: int = 300) -> Rotation:
    return await store.refresh_tokens.rotate(
        token, new_hash=new, now=after(seconds), expires_at=after(seconds + 1000), grace_seconds=grace
    )


async def end_session_of(store: Store, token: str) -> None:
    session = await store.sessions.find_by_token(token)
    assert session is not None
    await store.sessions.end(session.id)


async def test_a_token_leads_to_its_successor(store: Store) -> None:
    await start(store, "one")

    assert await rotate(store, "one", "two", 10) == ROTATED
    assert await rotate(store, "two", "three", 20) == ROTATED
    assert await rotate(store, "nobody's", "four") == UNKNOWN


async def test_each_successor_lives_from_its_own_rotation(store: Store) -> None:
    await start(store, "one")
    await rotate(store, "one", "two", 900)

    assert (await rotate(store, "one", "x", 1000)).outcome is RotationOutcome.EXPIRED
    assert await rotate(store, "two", "three", 1899) == ROTATED
    assert (await rotate(store, "two", "y", 1900)).outcome is RotationOutcome.EXPIRED


async def test_a_retry_within_the_grace_window_gets_another_successor(store: Store) -> None:
    await start(store, "one")
    await rotate(store, "one", "two", 10)

    assert await rotate(store, "one", "two-again", 309.999) == ROTATED
    assert await rotate(store, "two", "three", 310) == ROTATED
    assert await rotate(store, "two-again", "four", 310) == ROTATED


async def test_a_token_used_later_than_that_revokes_its_whole_family_and_no_other(store: Store) -> None:
    await start(store, "one")
    await start(store, "other")
    await rotate(store, "one", "two", 10)
    await rotate(store, "one", "two-again", 11)

    assert await rotate(store, "one", "x", 310) == Rotation(RotationOutcome.REUSED, "ann")
    for token in ("one", "two", "two-again", "x"):
        assert await rotate(store, token, "y", 311) == UNKNOWN
    assert await rotate(store, "other", "other-2", 311) == ROTATED


async def test_without_a_grace_window_a_second_use_is_reuse(store: Store) -> None:
    await start(store, "one")
    await rotate(store, "one", "two", 10, grace=0)

    assert (await rotate(store, "one", "x", 10, grace=0)).outcome is RotationOutcome.REUSED
    assert await rotate(store, "two", "y", 10) == UNKNOWN


async def test_ending_a_session_ends_its_family_and_no_other(store: Store) -> None:
    await start(store, "one")
    await start(store, "other")
    await rotate(store, "one", "two")
    await end_session_of(store, "one")

    assert await rotate(store, "two", "x") == UNKNOWN
    assert await rotate(store, "other", "other-2") == ROTATED


async def test_all_sessions_of_an_account_end_at_once(store: Store) -> None:
    for token, subject in (("one", "ann"), ("two", "ann"), ("three", "ben")):
        await start(store, token, subject)
    await store.refresh_tokens.revoke_all_of("ann")

    assert await rotate(store, "one", "x") == UNKNOWN
    assert await rotate(store, "two", "x") == UNKNOWN
    assert (await rotate(store, "three", "y")).subject == "ben"


async def test_expired_tokens_are_removed(store: Store) -> None:
    await start(store, "one")
    await start(store, "two")
    await rotate(store, "two", "three", 500)

    assert await store.refresh_tokens.delete_expired(after(1000)) >= 1
    assert await rotate(store, "one", "x", 1000) == UNKNOWN
    assert await rotate(store, "three", "four", 1000) == ROTATED


async def test_50_parallel_retries_all_get_a_successor_of_one_family(store: Store) -> None:
    await start(store, "one")
    rotations = await asyncio.gather(*(rotate(store, "one", f"next-{number}") for number in range(50)))

    assert rotations == [ROTATED] * 50
    await end_session_of(store, "next-7")
    assert [await rotate(store, f"next-{number}", "x") for number in range(50)] == [UNKNOWN] * 50


async def test_without_a_grace_window_one_of_50_parallel_rotations_wins_and_the_family_ends(
    store: Store,
) -> None:
    await start(store, "one")
    rotations = await asyncio.gather(
        *(rotate(store, "one", f"next-{number}", grace=0) for number in range(50))
    )

    outcomes = Counter(rotation.outcome for rotation in rotations)
    assert outcomes[RotationOutcome.ROTATED] == 1
    assert outcomes[RotationOutcome.REUSED] >= 1
    assert await rotate(store, "one", "x", grace=0) == UNKNOWN


async def test_two_processes_rotate_one_token_once(
    store: Store, call_from_processes: Callable[[str, int, str], Awaitable[list[Any]]]
) -> None:
    await start(store, "one")

    outcomes = await call_from_processes("rotate", 25, "one")

    assert outcomes.count("rotated") == 1
