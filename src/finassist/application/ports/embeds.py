"""Where quote images are kept (contract section 8)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from finassist.domain.embeds import Embed, EmbedChanges, EmbedEdition


class EmbedRepository(Protocol):
    """The catalog of quote images. Rules as in ``ports/repositories.py``."""

    async def version(self) -> int:
        """A number that every change of the catalog raises: cheap, so that a cache can ask each time."""
        ...

    async def edition(self) -> EmbedEdition:
        """All embeds with the version that they are of."""
        ...

    async def add(self, embeds: Sequence[Embed]) -> None:
        """Store new embeds: a reader sees all of them or none."""
        ...

    async def update(self, embed_id: str, changes: EmbedChanges, now: datetime) -> Embed | None:
        """Change only what ``changes`` names. Returns the embed as it was BEFORE, so that of many parallel
        calls exactly one learns of each image that it took away; None when there is no such embed."""
        ...

    async def delete(self, embed_id: str) -> Embed | None:
        """Remove the embed; answers what was removed to one of many parallel calls, None to the others."""
        ...

    async def shown_in(self, conversation_id: str) -> Sequence[str]:
        """The ids of the embeds that went with the conversation's replies."""
        ...
