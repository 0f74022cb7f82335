"""The two catalogs of pre-prompts (spec "Pre-prompts", contract section 7).

Both have the same rules, so each use case is one class, wired once with each catalog. Records of the main
catalog are addressed by id, those of the second-opinion catalog by key (``by_key``).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from finassist.application.ports.catalogs import PrepromptRepository
from finassist.application.ports.database import Page
from finassist.application.ports.language_model import LanguageModel
from finassist.application.ports.system import Clock, IdFactory
from finassist.domain.catalogs.preprompts import NEEDS_MODEL, Preprompt, PrepromptChanges
from finassist.domain.errors import NotFound

_WHAT = "pre-prompt"


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepromptValues:
    """The values of a record that its author sets."""

    key: str
    public_value: str
    masked_value: str
    description: str | None = None
    tags: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPreprompts:
    """List a catalog, oldest first; all of it unless a limit is given."""

    preprompts: PrepromptRepository

    async def __call__(
        self, *, include_deleted: bool = False, limit: int | None = None, offset: int = 0
    ) -> Page[Preprompt]:
        return await self.preprompts.list(include_deleted=include_deleted, limit=limit, offset=offset)


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferPreprompts:
    """List what users can choose from a catalog, oldest first. A model that only quotes cannot follow an
    instruction: records with the tag ``needs-model`` are left out while it is the default."""

    preprompts: PrepromptRepository
    language_model: LanguageModel

    async def __call__(self, *, limit: int | None = None, offset: int = 0) -> Page[Preprompt]:
        if self.language_model.capabilities_of(self.language_model.default_model).writes:
            return await self.preprompts.list(include_deleted=False, limit=limit, offset=offset)
        page = await self.preprompts.list(include_deleted=False, limit=None, offset=0)
        offered = [record for record in page.items if NEEDS_MODEL not in record.tags]
        end = None if limit is None else offset + limit
        total = len(offered)
        return Page(tuple(offered[offset:end]), total, total if limit is None else limit, offset)


@dataclass(frozen=True, slots=True, kw_only=True)
class GetPreprompt:
    """Get the record with a key; a deleted one only when it is asked for."""

    preprompts: PrepromptRepository

    async def __call__(self, key: str, *, include_deleted: bool = False) -> Preprompt:
        found = _there(await self.preprompts.find(key))
        if found.is_deleted and not include_deleted:
            raise NotFound(_WHAT)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatePreprompt:
    """Add a pre-prompt to a catalog. A deleted one with the same key comes back with the new values. Returns
    whether it is new."""

    preprompts: PrepromptRepository
    clock: Clock
    ids: IdFactory

    async def __call__(self, values: PrepromptValues) -> tuple[Preprompt, bool]:
        now = self.clock.now()
        new = Preprompt(
            id=self.ids.new_id(),
            key=values.key,
            public_value=values.public_value,
            masked_value=values.masked_value,
            description=values.description,
            tags=tuple(values.tags),
            created_at=now,
            updated_at=now,
        )
        stored = await self.preprompts.create(new)
        return stored, stored.id == new.id


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdatePreprompt:
    """Change what is named of a pre-prompt; a deleted one comes back. Its key may not be that of any other,
    deleted ones included."""

    preprompts: PrepromptRepository
    clock: Clock
    by_key: bool = False

    async def __call__(self, preprompt: str, changes: PrepromptChanges) -> Preprompt:
        now = self.clock.now()
        preprompt_id = await _id_of(self.preprompts, preprompt, self.by_key)
        return _there(await self.preprompts.change(preprompt_id, lambda record: record.changed(changes, now)))


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletePreprompt:
    """Delete a pre-prompt; it can be restored. Deleting twice changes nothing. Conversations that use it go
    on without it."""

    preprompts: PrepromptRepository
    clock: Clock
    by_key: bool = False

    async def __call__(self, preprompt: str) -> Preprompt:
        now = self.clock.now()
        preprompt_id = await _id_of(self.preprompts, preprompt, self.by_key)
        return _there(await self.preprompts.change(preprompt_id, lambda record: record.deleted(now)))


async def _id_of(catalog: PrepromptRepository, preprompt: str, by_key: bool) -> str:
    return _there(await catalog.find(preprompt)).id if by_key else preprompt


def _there(record: Preprompt | None) -> Preprompt:
    if record is None:
        raise NotFound(_WHAT)
    return record
