"""Loading catalogs from files; it can be repeated (contract section 12, ``seed``).

With ``only_missing`` existing records stay as they are, deleted ones included: the seeds that ship with the
service are loaded in this way. Otherwise the file's values replace them, and deleted records are restored.
Each use case returns how many records it stored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from finassist.application.ports.catalogs import LinkRepository, PrepromptRepository
from finassist.application.ports.system import Clock
from finassist.application.preprompts import CreatePreprompt, PrepromptValues
from finassist.domain.preprompts import Preprompt, PrepromptChanges


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
