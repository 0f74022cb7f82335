"""The document of a user's answers to profile cards."""

from datetime import datetime
from typing import Any, ClassVar, Final

from beanie import Document, PydanticObjectId
from bson.int64 import Int64
from pydantic import BaseModel, Field

from finassist.adapters.mongo.engine.documents import DocumentSettings
from finassist.domain.profile_cards import ProfileAnswer, UserProfile


class AnswerEntry(BaseModel):
    """One answer. ``value`` is what JSON makes of it."""

    value: Any
    do_not_use: bool


class UserProfileDocument(Document):
    """The profile of the user whose id it has; answers are kept by question key."""

    id: PydanticObjectId
    answers: dict[str, AnswerEntry] = Field(default_factory=dict)
    session_count: int = 0
    shown: tuple[str, ...] = ()
    revision: int
    updated_at: datetime

    class Settings(DocumentSettings):
        name: ClassVar = "user_profiles"

    def to_domain(self) -> UserProfile:
        """The profile."""
        return UserProfile(
            user_id=str(self.id),
            answers={
                key: ProfileAnswer(value=_plain(answer.value), do_not_use=answer.do_not_use)
                for key, answer in sorted(self.answers.items())
            },
            session_count=self.session_count,
            shown=self.shown,
            revision=self.revision,
            updated_at=self.updated_at,
        )


def _plain(value: Any) -> Any:
    """BSON gives large integers back as a type of its own, which no JSON encoder knows."""
    return int(value) if isinstance(value, Int64) else value


PROFILE_DOCUMENTS: Final = (UserProfileDocument,)
