"""The documents of shares and of their viewers."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar, Final

import msgspec
from beanie import Document, PydanticObjectId
from pydantic import BaseModel

from finassist.adapters.mongo.engine.documents import DocumentSettings, index_on
from finassist.domain.shares import RedactedText, Share

_COUNTED: Final = frozenset({"view_count", "continuation_count", "last_viewed_at"})


class ShareDocument(Document):
    """A share, without what is counted. Its state follows from its times (``Share.status``)."""

    id: PydanticObjectId
    share_id: str
    user_id: PydanticObjectId
    conversation_id: PydanticObjectId
    message_ids: tuple[PydanticObjectId, ...]
    title: str
    created_at: datetime
    updated_at: datetime
    allow_continuation: bool
    redacted: bool
    custom_title: str | None = None
    custom_description: str | None = None
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    class Settings(DocumentSettings):
        name = "shares"
        indexes: ClassVar = [
            index_on("shares_by_share_id", "share_id", unique=True),
            index_on("shares_by_user", "user_id", "-_id"),
            index_on("shares_by_conversation", "conversation_id"),
        ]

    @classmethod
    def of(cls, share: Share) -> "ShareDocument":
        """The document of a new share."""
        names = (name for name in Share.__dataclass_fields__ if name not in _COUNTED)
        return cls(**{name: getattr(share, name) for name in names})

    @staticmethod
    def entity_of(stored: Mapping[str, Any], **counted: Any) -> Share:
        """The share that these fields make, with what was counted."""
        texts = {name: str(stored[name]) for name in ("id", "user_id", "conversation_id")}
        ids = tuple(map(str, stored["message_ids"]))
        return msgspec.convert({**stored, **texts, "message_ids": ids, **counted}, Share)


class ShareTextDocument(Document):
    """What a redacted share shows in place of a message; its id is the share's and the message's."""

    id: str  # type: ignore[assignment]
    share_id: str
    message_id: PydanticObjectId
    content: str
    filenames: tuple[str, ...]

    class Settings(DocumentSettings):
        name = "share_texts"
        indexes: ClassVar = [index_on("share_texts_by_share", "share_id")]

    @classmethod
    def of(cls, share_id: str, text: RedactedText) -> "ShareTextDocument":
        """The document of a redacted text."""
        return cls(
            id=f"{share_id}:{text.message_id}",
            share_id=share_id,
            message_id=text.message_id,
            content=text.content,
            filenames=text.filenames,
        )

    @staticmethod
    def entity_of(stored: Mapping[str, Any]) -> RedactedText:
        """The redacted text that these fields make."""
        return RedactedText(
            message_id=str(stored["message_id"]),
            content=stored["content"],
            filenames=tuple(stored["filenames"]),
        )


class DayOfViewer(BaseModel):
    """How often a viewer came on a day."""

    date: str
    views: int


class ShareViewerDocument(Document):
    """A viewer of a share, a keyed hash that includes the share; its id is the share's and the viewer's.

    Every viewer has a document of its own, so that many at once do not wait for each other. ``slot`` says
    which tally counts the viewer.
    """

    id: str  # type: ignore[assignment]
    share_id: str
    slot: int
    views: int
    counted_at: datetime
    days: tuple[DayOfViewer, ...]

    class Settings(DocumentSettings):
        name = "share_viewers"
        indexes: ClassVar = [index_on("share_viewers_by_slot", "share_id", "slot", "views", "counted_at")]


class ShareTallyDocument(Document):
    """What the viewers of one slot add up to; its id is the share's and the slot's number."""

    id: str  # type: ignore[assignment]
    share_id: str
    views: int
    last_viewed_at: datetime

    class Settings(DocumentSettings):
        name = "share_tallies"
        indexes: ClassVar = [index_on("share_tallies_by_share", "share_id")]


SHARE_DOCUMENTS: Final = (ShareDocument, ShareTextDocument, ShareViewerDocument, ShareTallyDocument)
