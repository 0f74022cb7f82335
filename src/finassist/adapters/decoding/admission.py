"""Whose file is decoded next: no caller and no address keeps the others waiting (docs/adr/0007)."""

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from finassist.application.concurrency.budgets import WorkBudget
from finassist.application.concurrency.places import FairPlaces
from finassist.domain.quotas import address_key
from finassist.domain.users import Caller


class DecodingAdmission:
    """At most ``processes`` jobs run at a time, one for each caller and all but one for each address, and
    both have a budget of seconds a minute. A caller of None has no limits of its own."""

    def __init__(self, processes: int, *, seconds_per_caller: float, seconds_per_address: float) -> None:
        self._places = FairPlaces(processes)
        self._of_callers = WorkBudget(seconds_per_caller)
        self._of_addresses = WorkBudget(seconds_per_address)

    @asynccontextmanager
    async def admit(self, caller: Caller | None) -> AsyncIterator[None]:
        """Wait for a decoder. Raises ServiceUnavailable when too many wait, RateLimitExceeded for a caller or
        address whose files took too long within the last minute."""
        self._require(caller)
        async with self._places.hold(caller):
            self._require(caller)  # its jobs before this one may have used up the budget
            yield

    @contextmanager
    def timed(self, caller: Caller | None, *, at_most: float) -> Iterator[None]:
        """Charge the caller with the time until the context ends; no more than a file may compute, as the
        rest is the machine's."""
        started = time.monotonic()
        try:
            yield
        finally:
            seconds = min(time.monotonic() - started, at_most)
            for budget, key in self._budgets(caller):
                budget.charge(key, seconds)

    def _require(self, caller: Caller | None) -> None:
        for budget, key in self._budgets(caller):
            budget.require(key)

    def _budgets(self, caller: Caller | None) -> Iterator[tuple[WorkBudget, str]]:
        if caller is not None:
            yield self._of_callers, caller.user_id
            if caller.address:
                yield self._of_addresses, address_key(caller.address)
