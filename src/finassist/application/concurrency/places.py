"""Places for work that costs much, shared fairly by those who want one."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from finassist.domain.errors import ServiceUnavailable
from finassist.domain.quotas import address_key
from finassist.domain.users import Caller

WAITING_MAX: Final = 256
RETRY_AFTER: Final = 5
_BUSY: Final = "The service is busy, please try again in a moment."


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    keys: tuple[str, ...]
    admitted: asyncio.Future[None]


class FairPlaces:
    """At most ``places`` are taken at a time: one by each caller, and all but one by each address, so that
    nobody takes them all. The others wait, and are admitted in their order as far as these limits let them.

    At most ``waiting_max`` wait, half of them from one address and a quarter of one caller; beyond that
    ServiceUnavailable is raised. A caller of None (the service itself, an administrator) shares with nobody.
    """

    def __init__(self, places: int, *, waiting_max: int = WAITING_MAX) -> None:
        self._places = places
        self._waiting_max = waiting_max
        self._taken = 0
        self._taken_by: Counter[str] = Counter()
        self._waiting: list[_Waiting] = []

    @asynccontextmanager
    async def hold(self, caller: Caller | None) -> AsyncIterator[None]:
        """Have a place as long as the context is open. Raises ServiceUnavailable."""
        await self.take(caller)
        try:
            yield
        finally:
            self.give_back(caller)

    async def take(self, caller: Caller | None) -> None:
        """Wait for a place. Raises ServiceUnavailable when too many wait."""
        keys = _keys(caller)
        if self._fits(keys):  # those who wait already do not fit in, or they would not wait
            self._occupy(keys)
            return
        self._require_room(keys)
        waiting = _Waiting(keys, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        try:
            await waiting.admitted
        except BaseException:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
            else:
                self._vacate(keys)
            raise

    def give_back(self, caller: Caller | None) -> None:
        """Let the next one have the place."""
        self._vacate(_keys(caller))

    def _fits(self, keys: tuple[str, ...]) -> bool:
        if self._taken >= self._places:
            return False
        most = (1, max(1, self._places - 1))
        return all(self._taken_by[key] < limit for key, limit in zip(keys, most, strict=False))

    def _require_room(self, keys: tuple[str, ...]) -> None:
        waiting = Counter(key for each in self._waiting for key in each.keys)
        most = (self._waiting_max // 4, self._waiting_max // 2)
        crowded = any(waiting[key] >= limit for key, limit in zip(keys, most, strict=False))
        if crowded or len(self._waiting) >= self._waiting_max:
            raise ServiceUnavailable(_BUSY, retry_after=RETRY_AFTER)

    def _occupy(self, keys: tuple[str, ...]) -> None:
        self._taken += 1
        self._taken_by.update(keys)

    def _vacate(self, keys: tuple[str, ...]) -> None:
        self._taken -= 1
        for key in keys:
            self._taken_by[key] -= 1
            if not self._taken_by[key]:
                del self._taken_by[key]
        for waiting in tuple(self._waiting):
            if not waiting.admitted.cancelled() and self._fits(waiting.keys):
                self._waiting.remove(waiting)
                self._occupy(waiting.keys)
                waiting.admitted.set_result(None)


def _keys(caller: Caller | None) -> tuple[str, ...]:
    """The caller and its address, by which places are counted."""
    if caller is None:
        return ()
    own = f"caller {caller.user_id}"
    return (own, f"address {address_key(caller.address)}") if caller.address else (own,)
