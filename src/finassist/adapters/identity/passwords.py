"""Password hashes: argon2id in separate threads (contract section 3).

A hash takes 20 to 40 ms and 19 MiB. Two threads bound both without blocking the event loop: argon2 releases
the interpreter lock while it works. No more callers wait for them than they serve in two seconds: the others
are refused at once, so that guesses from many addresses cannot make everybody wait.
"""

import asyncio
import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, ParamSpec, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import Type

from finassist.domain.errors import ServiceUnavailable

P = ParamSpec("P")
T = TypeVar("T")

_MEMORY_KIB: Final = 19 * 1024
_ITERATIONS: Final = 2
_LANES: Final = 1
_THREADS: Final = 2
_WAIT_SECONDS_MAX: Final = 2.0
_FIRST_ESTIMATE_SECONDS: Final = 0.04
_WEIGHT_OF_NEWEST: Final = 0.1

_NOBODYS_HASH: Final = (
    f"$argon2id$v=19$m={_MEMORY_KIB},t={_ITERATIONS},p={_LANES}"
    "$bm9ib2R5J3Mgc2FsdCEhIQ$bm9ib2R5IGhhcyBhIHBhc3N3b3JkIHRoYXQgZ2l2ZXM"
)
"""Well formed, and no password is known to give it: verifying against it costs what any other does."""


@dataclass(frozen=True, slots=True)
class PasswordCheck:
    """Whether the password is the right one, and the new hash to keep when the old one is outdated."""

    matches: bool
    new_hash: str | None = None


class Passwords:
    """Makes and checks password hashes. Raises ServiceUnavailable when the queue for them is longer than
    ``wait_seconds_max``."""

    def __init__(self, *, wait_seconds_max: float = _WAIT_SECONDS_MAX) -> None:
        self._wait_seconds_max = wait_seconds_max
        self._seconds = _FIRST_ESTIMATE_SECONDS
        self._waiting = 0
        self._hasher = PasswordHasher(
            time_cost=_ITERATIONS, memory_cost=_MEMORY_KIB, parallelism=_LANES, type=Type.ID
        )
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="passwords")

    async def hash(self, password: str) -> str:
        """The hash to keep, in PHC form."""
        return await self._run(self._hasher.hash, password)

    async def check(self, password_hash: str | None, password: str) -> PasswordCheck:
        """Compare; without a hash (None) it takes as long, and nothing matches."""
        return await self._run(self._check, password_hash, password)

    def close(self) -> None:
        """End the threads."""
        self._threads.shutdown(wait=False)

    def _check(self, password_hash: str | None, password: str) -> PasswordCheck:
        try:
            self._hasher.verify(password_hash or _NOBODYS_HASH, password)
        except (VerificationError, InvalidHashError):
            return PasswordCheck(matches=False)
        if password_hash is None:
            return PasswordCheck(matches=False)
        outdated = self._hasher.check_needs_rehash(password_hash)
        return PasswordCheck(matches=True, new_hash=self._hasher.hash(password) if outdated else None)

    async def _run(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        wait = self._waiting * self._seconds / _THREADS
        if wait > self._wait_seconds_max:
            message = "Too many are signing in, please try again."
            raise ServiceUnavailable(message, retry_after=math.ceil(wait))

        def timed() -> tuple[T, float]:
            began = time.perf_counter()
            return work(*arguments, **named), time.perf_counter() - began

        self._waiting += 1
        try:
            outcome, seconds = await asyncio.get_running_loop().run_in_executor(self._threads, timed)
        finally:
            self._waiting -= 1
        self._seconds += _WEIGHT_OF_NEWEST * (seconds - self._seconds)
        return outcome
