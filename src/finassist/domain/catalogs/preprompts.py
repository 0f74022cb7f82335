"""Pre-prompts: labels that stand for a hidden text, in two catalogs of one kind (contract section 7).

The state machine of both: ``active`` becomes ``deleted`` by DELETE; PUT, and creating the key again, restore
a deleted record. A key belongs to one record of its catalog for good, deleted or not.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypedDict

from finassist.domain.chat.masking import HiddenText
from finassist.domain.errors import Conflict

KEY_PATTERN = r"^[a-zA-Z0-9][a-zA-Z0-9_-]{1,63}$(?!\n)"
KEY_MAX = 64
PUBLIC_VALUE_MAX = 512
MASKED_VALUE_MAX = 4000
DESCRIPTION_MAX = 500
TAG_MAX = 50
TAGS_MAX = 16
NEEDS_MODEL = "needs-model"
"""The tag of a record that is of no use without a model that follows its instruction."""


class KeyTaken(Conflict):
    """Another record of the catalog has the key, possibly a deleted one."""

    def __init__(self) -> None:
        super().__init__("This key is taken.")


class PrepromptChanges(TypedDict, total=False):
    """What a PUT changes; a field that is left out stays as it is."""

    key: str
    public_value: str
    masked_value: str
    description: str | None
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preprompt:
    """A label, and the text that it stands for. ``masked_value`` is sent only to administrators
    and to the model.

    ``revision`` counts the changes, so that concurrent changes are detected.
    """

    id: str
    key: str
    public_value: str
    masked_value: str = field(repr=False)
    description: str | None = None
    tags: tuple[str, ...] = ()
    is_deleted: bool = False
    revision: int = 1
    created_at: datetime
    updated_at: datetime

    def changed(self, changes: PrepromptChanges, now: datetime) -> "Preprompt":
        """Apply the changes, and restore it when it is deleted."""
        return self._next({**changes, "is_deleted": False}, now)

    def deleted(self, now: datetime) -> "Preprompt":
        """Delete it; a deleted one stays as it is."""
        return self._next({"is_deleted": True}, now)

    def recreated(self, new: "Preprompt") -> "Preprompt":
        """Restore a deleted one with all values of ``new``. Raises KeyTaken for an active one."""
        if not self.is_deleted:
            raise KeyTaken()
        names = ("key", "public_value", "masked_value", "description", "tags", "is_deleted")
        return self._next({name: getattr(new, name) for name in names}, new.updated_at)

    def _next(self, values: Mapping[str, Any], now: datetime) -> "Preprompt":
        if all(getattr(self, name) == value for name, value in values.items()):
            return self
        return replace(self, **values, updated_at=now, revision=self.revision + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guidance:
    """The hidden instructions of a turn: sent to the model, not shown to the user.

    The masked value of ``instructions`` (main catalog) follows the system prompt; that of ``card``
    (second opinion) is sent in place of the user's message. ``key`` is the key that the user's request
    named; instructions that an earlier request chose do not set it.
    """

    instructions: Preprompt | None = None
    card: Preprompt | None = None
    key: str | None = None

    @property
    def instructions_id(self) -> str | None:
        """The id of the record of the main catalog."""
        return None if self.instructions is None else self.instructions.id

    @property
    def card_id(self) -> str | None:
        """The id of the second-opinion card."""
        return None if self.card is None else self.card.id

    @property
    def system_text(self) -> str | None:
        """The text that follows the system prompt."""
        return None if self.instructions is None else self.instructions.masked_value

    def asked(self, message: str) -> str:
        """Return the text that the model gets when the user writes ``message``."""
        return message if self.card is None else self.card.masked_value

    def hidden(self, message: str) -> tuple[HiddenText, ...]:
        """Return the texts that the model must not repeat; it may repeat the labels and the user's
        message."""
        records = (record for record in (self.instructions, self.card) if record is not None)
        return tuple(HiddenText(record.masked_value, (record.public_value, message)) for record in records)
