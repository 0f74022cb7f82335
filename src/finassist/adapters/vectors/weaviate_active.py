"""The collection that holds the articles in Weaviate: an alias names it, and one command replaces it."""

import hashlib
import secrets
import time
from typing import Any, Final

from finassist.adapters.vectors.weaviate_collections import create, once, wait_for
from finassist.domain.errors import Conflict

_KNOWN_SECONDS: Final = 5.0
"""Another process may point the alias elsewhere, which happens once in years."""


class ActiveCollection:
    """The collection that the alias ``name`` points to, of the articles that one embedder's model embedded.

    ``replace`` is for a collection that holds all of its articles, embedded by another model. Several
    commands may do so at once, each in a collection of its own; one of them is taken.
    """

    def __init__(self, name: str, model: str) -> None:
        self._name = name
        self._wanted = f"{name}_{_hash(model, 12)}"
        self._known: str | None = None
        self._known_until = 0.0

    @property
    def may_be_ours(self) -> bool:
        """False when the articles are known to be those of another model."""
        return self._known is None or self.is_ours(self._known)

    def is_ours(self, collection: str) -> bool:
        """Whether the collection is one of this embedder's model."""
        return collection == self._wanted or collection.startswith(f"{self._wanted}_")

    async def target(self, client: Any, *, fresh: bool = False) -> str:
        """The name of the active collection, created if there is none; as it was some seconds ago, unless
        ``fresh``."""
        if fresh or self._known is None or time.monotonic() > self._known_until:
            alias = await client.alias.get(alias_name=self._name)
            if alias is None:
                await create(client, self._wanted)
                await once(client.alias.create(alias_name=self._name, target_collection=self._wanted))
                alias = await client.alias.get(alias_name=self._name)
            if alias.collection != self._known:
                await wait_for(client, alias.collection)
            self._known = str(alias.collection)
            self._known_until = time.monotonic() + _KNOWN_SECONDS
        return self._known

    async def another(self, client: Any) -> str:
        """Create an empty collection for this model, which no other command knows."""
        made = f"{self._wanted}_{secrets.token_hex(4)}"
        await create(client, made)
        return made

    async def replace(self, client: Any, earlier: str, made: str) -> str | None:
        """Replace ``earlier`` by ``made``. Returns the collection that is active then: another command's, if
        that one decided first and has not ended; None if ``earlier`` was replaced before. A ``made`` that is
        not used is deleted. Raises Conflict if another command replaces it for another model.

        A second alias decides, because the server creates it once: it is kept until ``earlier`` is deleted.
        """
        decision = self._decision(earlier)
        if not await once(client.alias.create(alias_name=decision, target_collection=made)):
            decided = await client.alias.get(alias_name=decision)
            await client.collections.delete(made)
            if decided is None:
                return None
            made = str(decided.collection)
            if not self.is_ours(made):
                raise Conflict(
                    "A `finassist knowledge embed --replace` with another EMBEDDINGS_MODEL has begun: wait "
                    "until it has ended, or run it again if it was stopped."
                )
        if await self.target(client, fresh=True) != earlier:
            await client.alias.delete(alias_name=decision)
            if self._known != made:
                await client.collections.delete(made)
            return None
        await client.alias.update(alias_name=self._name, new_target_collection=made)
        await self.target(client, fresh=True)
        return made

    async def replaced(self, client: Any) -> str | None:
        """A collection that was replaced by the active one and is still there; None without one."""
        decisions = set(await client.alias.list_all(collection=await self.target(client)))
        names = await client.collections.list_all()
        return next((name for name in names if self._decision(name) in decisions), None)

    async def forget(self, client: Any, earlier: str) -> None:
        """Delete a collection that was replaced."""
        await client.collections.delete(earlier)
        await client.alias.delete(alias_name=self._decision(earlier))

    def _decision(self, earlier: str) -> str:
        return f"{self._name}After_{_hash(earlier, 16)}"


def _hash(text: str, length: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:length]
