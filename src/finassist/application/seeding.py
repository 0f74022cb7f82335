"""Filling catalogs: once from what ships (contract section 7), and from files, which can be repeated
(contract section 12, ``seed``).

From files: with ``only_missing`` existing records stay as they are, deleted ones included: the seeds that
ship with the service are loaded in this way. Otherwise the file's values replace them, and deleted records
are restored. Each use case for files returns how many records it stored.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Final

from finassist.application.catalogs.preprompts import CreatePreprompt, PrepromptValues
from finassist.application.catalogs.quote_images import NewQuoteImage, SeedQuoteImages
from finassist.application.ports.catalogs import (
    CatalogFilling,
    LinkRepository,
    PrepromptRepository,
    QuoteImageRepository,
)
from finassist.application.ports.system import Clock, IdFactory
from finassist.domain.catalogs.preprompts import Preprompt, PrepromptChanges

_CLAIM: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippedCatalogs:
    """The records that a service begins with."""

    preprompts: Sequence[PrepromptValues] = ()
    second_opinion: Sequence[PrepromptValues] = ()
    quote_images: Sequence[NewQuoteImage] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FillCatalogs:
    """Fill the catalogs of a new service from what ships: once, so that what is deleted stays deleted. One of
    several processes fills them, and another goes on when that one is gone. A service that has records in
    any of them is left as it is. Returns whether they were filled.
    """

    preprompts: PrepromptRepository
    second_opinion_preprompts: PrepromptRepository
    quote_images: QuoteImageRepository
    catalog_filling: CatalogFilling
    seed_quote_images: SeedQuoteImages
    shipped_catalogs: Callable[[], ShippedCatalogs]
    clock: Clock
    ids: IdFactory

    async def __call__(self) -> bool:
        if await self.catalog_filling.is_done():
            return False
        shipped = await asyncio.to_thread(self.shipped_catalogs)
        if shipped == ShippedCatalogs():
            return False
        now, done = self.clock.now(), await self._has_records()
        if not await self.catalog_filling.claim(now=now, until=now + _CLAIM, done=done):
            return False
        await self._add_missing(self.preprompts, shipped.preprompts)
        await self._add_missing(self.second_opinion_preprompts, shipped.second_opinion)
        await self.seed_quote_images(shipped.quote_images, only_missing=True)
        await self.catalog_filling.finish()
        return True

    async def _has_records(self) -> bool:
        for catalog in (self.preprompts, self.second_opinion_preprompts):
            if (await catalog.list(include_deleted=True, limit=1, offset=0)).total:
                return True
        return await self.quote_images.version() > 0

    async def _add_missing(self, catalog: PrepromptRepository, records: Sequence[PrepromptValues]) -> None:
        create = CreatePreprompt(preprompts=catalog, clock=self.clock, ids=self.ids)
        for record in records:
            if await catalog.find(record.key) is None:
                await create(record)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedPreprompts:
    """Load pre-prompts into one of the two catalogs."""

    preprompts: PrepromptRepository
    create_preprompt: CreatePreprompt
    clock: Clock

    async def __call__(self, records: Sequence[PrepromptValues], *, only_missing: bool) -> int:
        stored = 0
        for record in records:
            known = await self.preprompts.find(record.key)
            if known is None:
                await self.create_preprompt(record)
                stored += 1
            elif not only_missing:
                values: PrepromptChanges = {
                    "public_value": record.public_value,
                    "masked_value": record.masked_value,
                    "description": record.description,
                    "tags": tuple(record.tags),
                }
                verb = partial(Preprompt.changed, changes=values, now=self.clock.now())
                after = await self.preprompts.change(known.id, verb)
                stored += after is not None and after.revision != known.revision
        return stored


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedLinks:
    """Set links that clients show."""

    links: LinkRepository

    async def __call__(self, values: Mapping[str, str], *, only_missing: bool) -> int:
        kept = await self.links.get()
        wanted = {
            name: value
            for name, value in values.items()
            if name not in kept or (not only_missing and kept[name] != value)
        }
        await self.links.set(wanted)
        return len(wanted)
