"""Common to all repositories: their rules, pages of a list, the connection and its probe.

Rules that every repository keeps, in SQLite and in MongoDB:

* Domain objects go in and come out; a missing record is None, never an exception.
* What must be atomic is one method whose name says so. It has to be possible as one transaction in
  SQLite and as one guarded single-document update in MongoDB (docs/adr/0003-atomic-verbs.md).
* Times are aware UTC with millisecond precision and come from the caller: no repository has a clock.
* A database that cannot be reached raises ``ServiceUnavailable``.
"""

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a list: ``items`` from ``offset`` on, at most ``limit``, of ``total`` in all."""

    items: tuple[T, ...]
    total: int
    limit: int
    offset: int

    @property
    def has_more(self) -> bool:
        """Whether another page follows."""
        return self.offset + len(self.items) < self.total


class DatabaseProbe(Protocol):
    """Checks whether the database can be used."""

    async def write(self) -> None:
        """Write next to nothing, and return once it is durable; raise ``ServiceUnavailable`` otherwise."""
        ...


class DatabaseConnection(Protocol):
    """The connection that the repositories of one database share."""

    async def open(self) -> None:
        """Connect; called once, before any repository."""
        ...

    async def close(self) -> None:
        """Finish what runs and disconnect; called once, after all repositories."""
        ...
