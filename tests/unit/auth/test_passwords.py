"""Password hashes (contract section 3)."""

import asyncio

import pytest
from argon2 import PasswordHasher, extract_parameters

from finassist.adapters.identity.passwords import Passwords


@pytest.fixture
def passwords() -> Passwords:
    return Passwords()


async def test_a_password_fits_its_hash_and_no_other(passwords: Passwords) -> None:
    kept = await passwords.hash("Secret-123")

    assert (await passwords.check(kept, "Secret-123")).matches
    assert not (await passwords.check(kept, "secret123")).matches


async def test_the_hash_is_argon2id_with_the_agreed_parameters(passwords: Passwords) -> None:
    parameters = extract_parameters(await passwords.hash("Secret-123"))

    assert parameters.type.name == "ID"
    assert (parameters.memory_cost, parameters.time_cost, parameters.parallelism) == (19_456, 2, 1)


async def test_two_hashes_of_one_password_differ(passwords: Passwords) -> None:
    assert await passwords.hash("Secret-123") != await passwords.hash("Secret-123")


async def test_nothing_fits_an_account_without_a_password(passwords: Passwords) -> None:
    for password in ("", "Secret-123", "nobody has a password that gives"):
        assert not (await passwords.check(None, password)).matches


async def test_an_account_without_a_password_costs_a_whole_verification(
    passwords: Passwords, monkeypatch: pytest.MonkeyPatch
) -> None:
    verified: list[str] = []
    verify = PasswordHasher.verify

    def count(hasher: PasswordHasher, kept: str, password: str) -> bool:
        verified.append(kept)
        return verify(hasher, kept, password)

    monkeypatch.setattr(PasswordHasher, "verify", count)
    kept = await passwords.hash("Secret-123")
    await passwords.check(kept, "x")
    await passwords.check(None, "x")

    known, unknown = (extract_parameters(each) for each in verified)
    assert known == unknown


async def test_an_outdated_hash_is_replaced_when_its_password_is_seen(passwords: Passwords) -> None:
    outdated = PasswordHasher(time_cost=1, memory_cost=8192, parallelism=1).hash("Secret-123")

    right, wrong = await passwords.check(outdated, "Secret-123"), await passwords.check(outdated, "x")

    assert right.new_hash is not None
    assert (await passwords.check(right.new_hash, "Secret-123")).matches
    assert wrong.new_hash is None


@pytest.mark.parametrize("kept", ["", "x", "$argon2id$v=19$m=1", "$2b$12$abcdefghijklmnopqrstuv"])
async def test_a_broken_hash_fits_nothing(passwords: Passwords, kept: str) -> None:
    assert not (await passwords.check(kept, "x")).matches


async def test_twenty_hashes_at_once_leave_the_event_loop_free(passwords: Passwords) -> None:
    turns = 0

    async def turn() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    turning = asyncio.create_task(turn())
    await asyncio.gather(*(passwords.hash("Secret-123") for _ in range(20)))
    turning.cancel()

    assert turns > 20
