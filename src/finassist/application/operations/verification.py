"""Looking for what does not fit together: records with each other and with the files in the object store,
articles with their vectors (docs/operations.md, "Verify").
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from finassist.application.ports.database import Fault, NamedObject, RecordChecks
from finassist.application.ports.files import ObjectStore, StoredObject
from finassist.application.ports.knowledge import Embedder, VectorIndex
from finassist.application.ports.system import Clock
from finassist.application.ports.users import UserRepository
from finassist.application.retrieval.embedding import EmbedArticles
from finassist.domain.errors import NotFound
from finassist.domain.files.record import OBJECT_PREFIXES
from finassist.domain.users import ProfileChanges

UNDER_WAY: Final = timedelta(hours=1)
"""What is younger may still be under way."""

MISSING: Final = "a record without its file"
UNNAMED: Final = "a file without its record"
WRONG_SIZE: Final = "a file of another size than its record says"
NO_VECTORS: Final = "an article without vectors"

_DELETED: Final = "it is deleted"
_NO_AVATAR: Final = "the user has no avatar then"


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault, and whether it has just been mended."""

    fault: Fault
    mended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyObjects:
    """Compare the files in the object store with the records that name them.

    Holds the keys of all files in memory. What looks wrong is looked at a second time, because both change
    meanwhile.
    """

    record_checks: RecordChecks
    object_store: ObjectStore
    users: UserRepository
    clock: Clock

    async def __call__(self, *, before: datetime, repair: bool) -> AsyncIterator[Finding]:
        unnamed = {each.key: each async for each in self._stored()}
        missing: dict[str, NamedObject] = {}
        async for page in self.record_checks.named_objects():
            for named in page:
                content = unnamed.pop(named.key, None)
                if content is None:
                    missing[named.key] = named
                elif named.size not in (None, content.size):
                    yield Finding(Fault(WRONG_SIZE, f"{named.record}, {named.key}"))
        unnamed = {key: each for key, each in unnamed.items() if each.modified_at < before}
        if not unnamed and not missing:
            return
        still_named = await self._named_again(missing, unnamed)
        for key, named in missing.items():
            if key in still_named and not await self._is_there(key):
                yield await self._without_file(named, repair)
        for key in unnamed.keys() - still_named:
            if repair:
                await self.object_store.delete(key)
            yield Finding(Fault(UNNAMED, key, _DELETED), repair)

    async def _stored(self) -> AsyncIterator[StoredObject]:
        for prefix in OBJECT_PREFIXES:
            async for each in self.object_store.list(prefix, modified_before=self.clock.now() + UNDER_WAY):
                yield each

    async def _named_again(self, *suspects: Mapping[str, object]) -> set[str]:
        """The keys of the suspects that a record names now."""
        found: set[str] = set()
        async for page in self.record_checks.named_objects():
            found |= {named.key for named in page if any(named.key in some for some in suspects)}
        return found

    async def _is_there(self, key: str) -> bool:
        try:
            await anext(self.object_store.open(key), b"")
        except NotFound:
            return False
        return True

    async def _without_file(self, named: NamedObject, repair: bool) -> Finding:
        if named.avatar_of is None:  # its file may come back out of a backup
            return Finding(Fault(MISSING, f"{named.record}, {named.key}"))
        if repair:
            changes = ProfileChanges(clear_avatar=True)
            await self.users.update_account(named.avatar_of, changes, self.clock.now())
        return Finding(Fault(MISSING, f"{named.record}, {named.key}", _NO_AVATAR), repair)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyVectors:
    """Find out whether every article has vectors of the embedder that is set; embed what lacks them."""

    vector_index: VectorIndex | None
    embedder: Embedder | None
    embed_articles: EmbedArticles

    async def __call__(self, *, repair: bool) -> AsyncIterator[Finding]:
        if self.vector_index is None or self.embedder is None:
            return
        status = await self.vector_index.status()
        is_other = status.model not in (None, self.embedder.model)
        missing = status.articles if is_other else status.articles - status.with_vectors
        if missing:
            if repair:
                await self.embed_articles()
            yield Finding(Fault(NO_VECTORS, f"{missing} of {status.articles}", "they are embedded"), repair)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verify:
    """Name what does not fit together, beside a running service, and mend what can be mended without losing
    anything, when ``repair`` is set. What was written in the last hour is left out."""

    record_checks: RecordChecks
    knowledge_checks: RecordChecks | None
    verify_objects: VerifyObjects
    verify_vectors: VerifyVectors
    clock: Clock

    @property
    def names(self) -> Sequence[str]:
        """What is looked for."""
        found = [*self.record_checks.names, MISSING, UNNAMED, WRONG_SIZE, NO_VECTORS]
        if self.knowledge_checks is not None:
            found += self.knowledge_checks.names
        return tuple(dict.fromkeys(found))

    async def __call__(self, *, repair: bool) -> AsyncIterator[Finding]:
        before = self.clock.now() - UNDER_WAY
        for checks in (self.record_checks, self.knowledge_checks):
            if checks is not None:
                async for fault in checks.faults(before=before):
                    mends = repair and fault.repair is not None
                    yield Finding(fault, mends and await checks.mend(fault, before=before))
        async for finding in self.verify_objects(before=before, repair=repair):
            yield finding
        async for finding in self.verify_vectors(repair=repair):
            yield finding
