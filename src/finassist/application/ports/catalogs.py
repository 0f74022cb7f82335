"""Ports of the catalogs that operators maintain: pre-prompts, links, quote images."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from finassist.application.ports.database import Page
from finassist.domain.catalogs.preprompts import Preprompt
from finassist.domain.catalogs.quote_images import QuoteImage, QuoteImageChanges, QuoteImageEdition


class PrepromptRepository(Protocol):
    """One catalog of pre-prompts. Keys are unique among all records, the deleted ones included."""

    async def get(self, preprompt_id: str) -> Preprompt | None:
        """The record, deleted or not."""
        ...

    async def find(self, key: str) -> Preprompt | None:
        """The record with this key, deleted or not."""
        ...

    async def list(self, *, include_deleted: bool, limit: int | None, offset: int) -> Page[Preprompt]:
        """The records, oldest first; all of them from ``offset`` on when ``limit`` is None."""
        ...

    async def create(self, new: Preprompt) -> Preprompt:
        """Store a new record, or bring back the deleted one that has its key (``Preprompt.recreated``).

        Returns the stored record, whose id tells whether it is new. Raises KeyTaken: exactly one of many
        parallel calls with one key succeeds.
        """
        ...

    async def change(self, preprompt_id: str, verb: Callable[[Preprompt], Preprompt]) -> Preprompt | None:
        """Apply ``verb``, a pure function, to the current record; returns the result.

        Parallel changes are applied one after the other, none is lost. None when there is no such record;
        raises KeyTaken when the changed key is another record's.
        """
        ...


class CatalogFilling(Protocol):
    """One record for all catalogs: whether they were ever filled, and who fills them now."""

    async def is_done(self) -> bool:
        """Whether they were filled."""
        ...

    async def claim(self, *, now: datetime, until: datetime, done: bool) -> bool:
        """Take the filling until a moment, or record that it is ``done`` when nobody has ever taken it.

        True when the caller has to fill them: for one of many parallel callers, the first, or after the
        moment that the one before it named.
        """
        ...

    async def finish(self) -> None:
        """Record that they were filled."""
        ...


class LinkRepository(Protocol):
    """The links that operators set in place of the defaults, by their name (``Links.with_values``)."""

    async def get(self) -> Mapping[str, str]:
        """The links that are set."""
        ...

    async def set(self, values: Mapping[str, str]) -> Mapping[str, str]:
        """Set these links and leave the others; returns all that are set now."""
        ...


class QuoteImageRepository(Protocol):
    """The catalog of quote images. The rules of ``ports/database.py`` apply."""

    async def version(self) -> int:
        """A number that every change of the catalog raises: cheap to read, for the validation of caches."""
        ...

    async def edition(self) -> QuoteImageEdition:
        """All quote images with the version that they are of."""
        ...

    async def add(self, quote_images: Sequence[QuoteImage]) -> None:
        """Store new quote images: a reader sees all of them or none."""
        ...

    async def update(
        self, quote_image_id: str, changes: QuoteImageChanges, now: datetime
    ) -> QuoteImage | None:
        """Store what ``QuoteImage.changed`` makes of it. Returns the quote image as it was BEFORE, so that of
        many parallel calls exactly one learns of each image that it replaced; None for an unknown id."""
        ...

    async def delete(self, quote_image_id: str) -> QuoteImage | None:
        """Remove the quote image. One of many parallel calls gets what was removed, the others None."""
        ...

    async def shown_in(self, conversation_id: str) -> Sequence[str]:
        """The ids of the quote images that the conversation's replies have shown."""
        ...
