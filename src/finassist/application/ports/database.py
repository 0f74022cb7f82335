"""Common to all repositories: their rules, pages of a list, the connection, its probe and its checks.

Rules that every repository keeps, in SQLite and in MongoDB:

* Domain objects go in and come out; a missing record is None, never an exception.
* What must be atomic is one method whose name says so. It has to be possible as one transaction in
  SQLite and as one guarded single-document update in MongoDB (docs/adr/0003-atomic-verbs.md).
* Times are aware UTC with millisecond precision and come from the caller: no repository has a clock.
* A database that cannot be reached raises ``ServiceUnavailable``.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from finassist.domain.errors import ServiceUnavailable

T = TypeVar("T")


class WritesRefused(ServiceUnavailable):
    """The records are moving to another database and must not change; reads go on."""

    def __init__(self) -> None:
        super().__init__("The records are moving to another database.", retry_after=5)


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
        """Write next to nothing, and return once it is durable; raise ``ServiceUnavailable`` otherwise.

        It succeeds while a move of the records refuses writes: reads go on.
        """
        ...


@dataclass(frozen=True, slots=True)
class Fault:
    """A record that does not fit the others. ``check`` says what is wrong with it, in the words of
    docs/operations.md; ``record`` names it by its kind and its id. ``repair`` says what mends it; None when
    nothing does without losing something."""

    check: str
    record: str
    repair: str | None = None


@dataclass(frozen=True, slots=True)
class NamedObject:
    """A file in the object store that a record names; ``size`` in bytes, where the record tells it.
    ``avatar_of`` is the user whose avatar it is."""

    key: str
    record: str
    size: int | None = None
    avatar_of: str | None = None


class RecordChecks(Protocol):
    """Looks for records that do not fit together, beside a running service.

    What was written after ``before`` may still be under way, and is left out.
    """

    @property
    def names(self) -> Sequence[str]:
        """What is looked for: every ``check`` that a fault may have."""
        ...

    def faults(self, *, before: datetime) -> AsyncIterator[Fault]:
        """Every fault, check by check."""
        ...

    async def mend(self, fault: Fault, *, before: datetime) -> bool:
        """Mend a fault that has a ``repair``, unless the record fits by now. Returns whether it did."""
        ...

    def named_objects(self) -> AsyncIterator[Sequence[NamedObject]]:
        """Every file of the object store that a record names, some at a time."""
        ...


class DatabaseConnection(Protocol):
    """The connection that the repositories of one database share."""

    async def open(self) -> None:
        """Connect; called once, before any repository."""
        ...

    async def close(self) -> None:
        """Finish what runs and disconnect; called once, after all repositories."""
        ...
