"""The views of a conversation, for routes of several features."""

import msgspec

from finassist.domain.conversations.conversation import (
    ConversationStatus,
    ConversationType,
    InputType,
)
from finassist.domain.conversations.searching import FoundIn
from finassist.entrypoints.http.responses.envelope import (
    Timestamp,
    View,
)
from finassist.entrypoints.http.responses.transcript import MessageView


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


class ListedMessageView(MessageView):
    """A message in a list. With ``include=superseded`` a question that took the place of an earlier one has
    that one's id in ``replaces``."""

    replaces: str | msgspec.UnsetType = msgspec.UNSET


class FoundView(View):
    """Where a query was found, and a piece of the text around it: of a question or a reply, with the
    message's id, or of a title. Of a file it is the name, followed by a piece of its text when that is where
    the query was found; ``messageId`` is null when no message has it."""

    place: FoundIn
    text: str
    message_id: str | None


class ListedConversationView(ConversationView):
    """A conversation in a list; ``found`` is there in the answer to a query."""

    found: FoundView | msgspec.UnsetType = msgspec.UNSET
