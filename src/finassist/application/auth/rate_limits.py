"""Counting requests in rolling windows, by address and by other things (contract section 13, "Addresses")."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from finassist.application.ports.quotas import RateWindowRepository
from finassist.application.ports.system import Clock, Fingerprints
from finassist.domain.quotas import RateLimit, counted_networks


@dataclass(frozen=True, slots=True)
class Window:
    """Where requests are counted together, and how many there may be."""

    key: str
    limit: RateLimit


@dataclass(frozen=True, slots=True)
class Counted:
    """The windows in which a request was counted, and when; none, when it has to wait ``seconds``."""

    windows: Sequence[Window]
    at: datetime
    seconds: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CountRequests:
    """Count a request in each of several windows, or in none of them when one of them is full.

    Only fingerprints of addresses, phones and the like are stored. A refused request stores nothing, so that
    requests beyond the limit cost no writes.
    """

    rate_windows: RateWindowRepository
    fingerprints: Fingerprints
    clock: Clock

    def window(self, purpose: str, *whose: str, limit: RateLimit) -> Window:
        """The window of something that ``whose`` names."""
        return Window(f"{purpose}-{limit.seconds}:{self.fingerprints.fingerprint(purpose, *whose)}", limit)

    def address_windows(self, purpose: str, address: str, *whose: str, limit: RateLimit) -> Sequence[Window]:
        """The windows of an address: of each network that it counts as."""
        return [
            self.window(purpose, *whose, network.key, limit=limit.times(network.factor))
            for network in counted_networks(address)
        ]

    async def __call__(self, windows: Sequence[Window]) -> Counted:
        now = self.clock.now()
        windows = _limited(windows)
        if len(windows) > 1 and (seconds := await self.seconds_full(windows)):
            return Counted((), now, seconds)
        for index, window in enumerate(windows):
            limit = window.limit
            decision = await self.rate_windows.hit(
                window.key, limit=limit.requests, window_seconds=limit.seconds, now=now
            )
            if not decision.allowed:  # another request took the last place meanwhile
                await self.take_back(Counted(windows[:index], now))
                return Counted((), now, decision.reset_after)
        return Counted(windows, now)

    async def seconds_full(self, windows: Sequence[Window]) -> int:
        """How long one of the windows is still full, the first that is; 0 when a request fits in all. Counts
        nothing."""
        now = self.clock.now()
        for window in _limited(windows):
            limit = window.limit
            decision = await self.rate_windows.peek(
                window.key, limit=limit.requests, window_seconds=limit.seconds, now=now
            )
            if not decision.allowed:
                return decision.reset_after
        return 0

    async def take_back(self, counted: Counted, keep: Sequence[Window] = ()) -> None:
        """Count a request no more, except in the windows to keep."""
        for window in counted.windows:
            if window not in keep:
                await self.rate_windows.take_back(window.key, counted.at)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountOnce:
    """Count a thing among those that somebody may have within a time, once however often it is asked about.

    Returns whether it is one of them: never for more than the limit, under any concurrency.
    """

    rate_windows: RateWindowRepository
    fingerprints: Fingerprints
    clock: Clock

    async def __call__(self, purpose: str, whose: str, thing: str, limit: RateLimit) -> bool:
        now = self.clock.now()
        known = f"{purpose}-known:{self.fingerprints.fingerprint(purpose, whose, thing)}"
        if not (await self.rate_windows.peek(known, limit=1, window_seconds=limit.seconds, now=now)).allowed:
            return True
        # Known only after it was counted: a parallel call about the same thing must not trust a count that
        # is refused.
        key = f"{purpose}:{self.fingerprints.fingerprint(purpose, whose)}"
        counted = await self.rate_windows.hit(
            key, limit=limit.requests, window_seconds=limit.seconds, now=now
        )
        if not counted.allowed:
            return False
        if not (await self.rate_windows.hit(known, limit=1, window_seconds=limit.seconds, now=now)).allowed:
            await self.rate_windows.take_back(key, now)  # the parallel call has counted it
        return True


def _limited(windows: Sequence[Window]) -> Sequence[Window]:
    """The windows whose limit is not switched off."""
    return [window for window in windows if window.limit.requests > 0]
