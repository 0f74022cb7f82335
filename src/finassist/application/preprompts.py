"""The two catalogs of pre-prompts (spec "Pre-prompts", contract section 7).

Both have the same rules; the main catalog's records are addressed by id, the second-opinion catalog's by key.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from finassist.application.ports.catalogs import PrepromptRepository
from finassist.application.ports.database import Page
from finassist.application.ports.system import Clock, IdFactory
from finassist.domain.errors import NotFound
from finassist.domain.preprompts import Preprompt, PrepromptChanges

_WHAT = "pre-prompt"


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepromptValues:
    """What a record says, without what the catalog adds."""

    key: str
    public_value: str
    masked_value: str
    description: str | None = None
    tags: Sequence[str] = ()


async def _create(
    catalog: PrepromptRepository, values: PrepromptValues, clock: Clock, ids: IdFactory
) -> tuple[Preprompt, bool]:
    now = clock.now()
    new = Preprompt(
        id=ids.new_id(),
        key=values.key,
        public_value=values.public_value,
        masked_value=values.masked_value,
        description=values.description,
        tags=tuple(values.tags),
        created_at=now,
        updated_at=now,
    )
    stored = await catalog.create(new)
    return stored, stored.id == new.id


async def _find(catalog: PrepromptRepository, key: str) -> Preprompt:
    found = await catalog.find(key)
    if found is None:
        raise NotFound(_WHAT)
    return found


async def _update(
    catalog: PrepromptRepository, preprompt_id: str, changes: PrepromptChanges, clock: Clock
) -> Preprompt:
    now = clock.now()
    return _there(await catalog.change(preprompt_id, lambda record: record.changed(changes, now)))


async def _delete(catalog: PrepromptRepository, preprompt_id: str, clock: Clock) -> Preprompt:
    now = clock.now()
    return _there(await catalog.change(preprompt_id, lambda record: record.deleted(now)))


def _there(record: Preprompt | None) -> Preprompt:
    if record is None:
        raise NotFound(_WHAT)
    return record


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPreprompts:
    """The main catalog, oldest first; all of it unless a limit is sent."""

    preprompts: PrepromptRepository

    async def __call__(
        self, *, include_deleted: bool = False, limit: int | None = None, offset: int = 0
    ) -> Page[Preprompt]:
        return await self.preprompts.list(include_deleted=include_deleted, limit=limit, offset=offset)


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatePreprompt:
    """Add a pre-prompt to the main catalog. A deleted one with the same key comes back with the new values
    (200). Returns whether it is new."""

    preprompts: PrepromptRepository
    clock: Clock
    ids: IdFactory

    async def __call__(self, values: PrepromptValues) -> tuple[Preprompt, bool]:
        return await _create(self.preprompts, values, self.clock, self.ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdatePreprompt:
    """Change what is named of a pre-prompt of the main catalog; a deleted one comes back. Its key may not be
    that of any other, deleted ones included."""

    preprompts: PrepromptRepository
    clock: Clock

    async def __call__(self, preprompt_id: str, changes: PrepromptChanges) -> Preprompt:
        return await _update(self.preprompts, preprompt_id, changes, self.clock)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletePreprompt:
    """Delete a pre-prompt of the main catalog, so that it can be brought back; deleting twice changes
    nothing. Conversations that it holds in go on without it."""

    preprompts: PrepromptRepository
    clock: Clock

    async def __call__(self, preprompt_id: str) -> Preprompt:
        return await _delete(self.preprompts, preprompt_id, self.clock)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSecondOpinionPreprompts:
    """The second-opinion catalog, oldest first; all of it unless a limit is sent."""

    second_opinion_preprompts: PrepromptRepository

    async def __call__(
        self, *, include_deleted: bool = False, limit: int | None = None, offset: int = 0
    ) -> Page[Preprompt]:
        return await self.second_opinion_preprompts.list(
            include_deleted=include_deleted, limit=limit, offset=offset
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GetSecondOpinionPreprompt:
    """One card of the second-opinion catalog; a deleted one only when it is asked for."""

    second_opinion_preprompts: PrepromptRepository

    async def __call__(self, key: str, *, include_deleted: bool = False) -> Preprompt:
        found = await _find(self.second_opinion_preprompts, key)
        if found.is_deleted and not include_deleted:
            raise NotFound(_WHAT)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateSecondOpinionPreprompt:
    """Add a card to the second-opinion catalog. A deleted one with the same key comes back with the new
    values (200). Returns whether it is new."""

    second_opinion_preprompts: PrepromptRepository
    clock: Clock
    ids: IdFactory

    async def __call__(self, values: PrepromptValues) -> tuple[Preprompt, bool]:
        return await _create(self.second_opinion_preprompts, values, self.clock, self.ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateSecondOpinionPreprompt:
    """Change what is named of a card of the second-opinion catalog; a deleted one comes back. Its key may
    not be that of any other, deleted ones included."""

    second_opinion_preprompts: PrepromptRepository
    clock: Clock

    async def __call__(self, key: str, changes: PrepromptChanges) -> Preprompt:
        known = await _find(self.second_opinion_preprompts, key)
        return await _update(self.second_opinion_preprompts, known.id, changes, self.clock)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteSecondOpinionPreprompt:
    """Delete a card of the second-opinion catalog, so that it can be brought back; deleting twice changes
    nothing."""

    second_opinion_preprompts: PrepromptRepository
    clock: Clock

    async def __call__(self, key: str) -> Preprompt:
        known = await _find(self.second_opinion_preprompts, key)
        return await _delete(self.second_opinion_preprompts, known.id, self.clock)
