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
    """The cached links, and how many changes this process has made."""

    links: Links | None = None
    read_at: datetime | None = None
    changes: int = 0


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
        changes = kept.changes
        links = self.default_links.with_values(await self.links.get())
        if kept.changes == changes:  # else it may have been read before the change
            kept.links, kept.read_at = links, now
        return links

    def forget(self) -> None:
        """Drop the cached links after a change, and what is being read just now."""
        self._kept.links = None
        self._kept.changes += 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SetLinks:
    """Set the links that are named and leave the others; this process shows them at once, every other one
    within five seconds."""

    links: LinkRepository
    get_links: GetLinks
    default_links: Links

    async def __call__(self, values: Mapping[str, str]) -> Links:
        try:
            return self.default_links.with_values(await self.links.set(values))
        finally:
            self.get_links.forget()  # also after a failure, which may have come after the change
