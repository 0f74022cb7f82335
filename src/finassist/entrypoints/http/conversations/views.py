"""The views of a conversation, for routes of several features."""

from finassist.domain.conversations.conversation import (
    ConversationStatus,
    ConversationType,
    InputType,
)
from finassist.entrypoints.http.responses.envelope import (
    Timestamp,
    View,
)


class ConversationView(View):
    """One conversation. ``preview`` is the last message's first 140 characters."""

    id: str
    title: str
    preview: str
    type: ConversationType
    input_type: InputType
    preprompt_key: str | None
    pinned: bool
    tags: list[str]
    status: ConversationStatus
    message_count: int
    last_message_at: Timestamp
    forked_from_share_id: str | None
    created_at: Timestamp
    updated_at: Timestamp
