"""Ports of a move: the store that records leave, and the one that they go to."""

import hashlib
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import msgspec

from finassist.application.operations.moving.kinds import Kind
from finassist.domain.conversations.message import Message
from finassist.domain.erasure import ErasureCounts, ErasureSubject

Key = tuple[str, ...]
Fields = Mapping[str, Any]
"""A record's fields by name, each what JSON can hold."""

Progress = dict[str, str]
"""How far the first pass is: a cursor for each kind, ``DONE`` at its end."""

DONE: Final = "done"

_encoder: Final = msgspec.json.Encoder(order="deterministic")


@dataclass(frozen=True, slots=True)
class Record:
    """A record that neither database is named in.

    ``beside`` is what a store derives from other records, which may arrive later; it is not compared.
    """

    key: Key
    fields: Fields
    beside: Fields = field(default_factory=dict, compare=False)

    @property
    def digest(self) -> bytes:
        """The hash of the fields, by which the two stores are compared."""
        return hashlib.sha256(_encoder.encode(self.fields)).digest()

    def has_expired(self, now_ms: int) -> bool:
        """Whether a store may have deleted it by itself."""
        expires_at = self.fields.get("expires_at")
        return isinstance(expires_at, int) and expires_at <= now_ms


def message_fields(message: Message) -> dict[str, Any]:
    """The fields of a message's record."""
    return {"id": message.id, "message": msgspec.to_builtins(message)}


def message_of(fields: Fields) -> Message:
    """The message that these fields make."""
    return msgspec.convert(fields["message"], Message)


def normal_erasure(fields: Fields) -> dict[str, Any]:
    """The fields of an erasure, with every field of what it counts and concerns."""
    kinds: Mapping[str, Any] = {"counts": ErasureCounts, "subject": ErasureSubject}
    normal = {
        name: None if fields[name] is None else msgspec.to_builtins(msgspec.convert(fields[name], kind))
        for name, kind in kinds.items()
    }
    return {**fields, **normal}


def in_order(rows: Iterable[Sequence[Any]]) -> list[list[Any]]:
    """The rows of a list whose order means nothing, in the one order in which they are compared."""
    return sorted(map(list, rows), key=lambda row: _encoder.encode(row[:2]))


@dataclass(frozen=True, slots=True)
class Changed:
    """Records of a kind that were written or deleted since they were moved."""

    kind: Kind
    keys: Sequence[Key]


class RecordStore(Protocol):
    """What both stores of a move can do. Every failure of a database is a ServiceUnavailable."""

    async def open(self) -> None:
        """Connect. Raises Conflict for a store of another version, or one that cannot be used for this."""
        ...

    async def close(self) -> None:
        """Disconnect."""
        ...

    async def page(self, kind: Kind, cursor: str | None, limit: int) -> tuple[Sequence[Record], str | None]:
        """The records after a cursor in the store's own order, and the cursor of the last one; None at the
        end. About ``limit`` of them: what is not whole (a message whose conversation is not there yet) is
        left out."""
        ...

    async def read(self, kind: Kind, keys: Sequence[Key]) -> Mapping[Key, Record]:
        """The records of these keys that exist."""
        ...

    async def count(self, kind: Kind, expires_after: int) -> int:
        """How many records there are; of a kind that expires those that do so after the time."""
        ...


class MoveSource(RecordStore, Protocol):
    """The store that a running service uses, and that records leave. Nothing is deleted there."""

    async def begin(self, move_id: str) -> str:
        """Note from now on, in every process of the service, which records change; returns the move's id.

        It is the one of a move that began earlier and goes on.
        """
        ...

    async def is_complete(self) -> bool:
        """Whether the records have moved, and writes are refused for good."""
        ...

    async def abandon(self) -> None:
        """Forget the move: take writes again, and note no changes any more."""
        ...

    async def progress(self) -> Progress:
        """How far the first pass is."""
        ...

    async def keep_progress(self, progress: Progress) -> None:
        """Keep how far the first pass is."""
        ...

    def changes(self) -> AsyncIterator[Changed]:
        """What changed before this call and was not yet moved, in batches.

        A batch counts as moved once the next one is asked for. Changes that come meanwhile are for the next
        call.
        """
        ...

    async def refuse_writes(self) -> None:
        """Let every process of the service refuse writes, and return when none is under way any more.

        They are taken again when this process ends, after ten seconds at the latest.
        """
        ...

    async def accept_writes(self) -> None:
        """Take writes again, unless the move is complete."""
        ...

    async def complete(self) -> None:
        """Refuse writes for good. Raises Conflict when they were taken again meanwhile."""
        ...


class MoveTarget(RecordStore, Protocol):
    """The store that records go to, which no service uses before the move is complete."""

    async def begin(self, move_id: str) -> None:
        """Make the tables or collections. Raises Conflict when there is anything that this move did not
        bring."""
        ...

    async def write(self, kind: Kind, records: Sequence[Record]) -> None:
        """Store the records, in place of those with the same keys.

        Another record that has a value which is unique is removed: it was changed at the source since it was
        moved, so that it comes again.
        """
        ...

    async def remove(self, kind: Kind, keys: Sequence[Key]) -> None:
        """Remove the records of these keys; a missing one changes nothing."""
        ...

    async def complete(self, move_id: str) -> None:
        """Let a service use it; again, it changes nothing. Raises Conflict for a store of another move."""
        ...
