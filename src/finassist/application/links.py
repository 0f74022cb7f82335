"""The link lists of the app (spec "App launch and configuration", contract section 11)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from finassist.application.ports.catalogs import LinkRepository
from finassist.application.ports.system import Clock
from finassist.domain.links import Links

_GOOD_FOR: Final = timedelta(seconds=2)
"""How long another process may serve cached links: less than the five seconds that are promised."""


@dataclass(slots=True)
class _Kept:
    """The cached links."""

    links: Links | None = None
    read_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GetLinks:
    """The system and social links that clients show: neutral defaults, until an operator sets others."""

    links: LinkRepository
    default_links: Links
    clock: Clock
    _kept: _Kept = field(default_factory=_Kept)

    async def __call__(self) -> Links:
        kept, now = self._kept, self.clock.now()
        if (
            kept.links is not None
            and kept.read_at is not None
            and abs(now - kept.read_at) < _GOOD_FOR  # also after the clock was turned back
        ):
            return kept.links
        return self.keep(await self.links.get(), now)

    def keep(self, values: Mapping[str, str], now: datetime) -> Links:
        """Remember what is set, as it was read or written at ``now``."""
        self._kept.links, self._kept.read_at = self.default_links.with_values(values), now
        return self._kept.links


@dataclass(frozen=True, slots=True, kw_only=True)
class SetLinks:
    """Set the links that are named and leave the others; every process sees them within five seconds."""

    links: LinkRepository
    get_links: GetLinks
    clock: Clock

    async def __call__(self, values: Mapping[str, str]) -> Links:
        return self.get_links.keep(await self.links.set(values), self.clock.now())
