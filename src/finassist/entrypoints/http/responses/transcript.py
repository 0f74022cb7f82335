"""Messages as the API returns them: to their owner (contract section 5, "Message"), and to anyone who has the
link of a share (section 6)."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from finassist.domain.conversations.message import MessageStatus, Role
from finassist.entrypoints.http.requests.addresses import absolute_url
from finassist.entrypoints.http.requests.security import CallerRequest
from finassist.entrypoints.http.responses.envelope import Link, Timestamp, View


class AttachmentView(View):
    """A file that was sent with a message. ``url`` is good for 15 minutes, null once the file is deleted.
    ``transcript`` is what is said in a recording; other files have none."""

    file_id: str
    filename: str
    mime_type: str
    size: int
    url: str | None = None
    transcript: str | msgspec.UnsetType | None = msgspec.UNSET


class ToolCallView(View):
    """A tool that the model called while it wrote a reply."""

    id: str
    name: str
    arguments: dict[str, Any]
    result: Any
    is_error: bool


class SourceView(View):
    """A passage that a reply was given; ``index`` counts from 1, as cited in the text ``[1]``, and ``cited``
    tells whether the text does. Sources that it cites come first."""

    index: int
    id: str
    title: str
    url: str | None
    snippet: str
    score: float
    cited: bool


class ShownQuoteImageView(View):
    """A quote image that goes with a reply."""

    id: str
    category_key: str
    image_url: Link
    quote_text: str | None


class SuggestionView(View):
    """A question that can be asked next: ``title`` is shown, ``message`` is what choosing it sends."""

    title: str
    message: str


class MessageFeedbackView(View):
    """What the reader thought of a message."""

    rating: int
    feedback: str | None
    updated_at: Timestamp


class MessageView(View):
    """One message of a conversation."""

    id: str
    conversation_id: str
    role: Role
    content: str
    attachments: list[AttachmentView]
    model: str | None
    preprompt_key: str | None
    token_count: int
    tool_calls: list[ToolCallView]
    sources: list[SourceView]
    visual_embeds: list[ShownQuoteImageView]
    suggestions: list[SuggestionView]
    status: MessageStatus
    feedback: MessageFeedbackView | None
    created_at: Timestamp
    updated_at: Timestamp


M = TypeVar("M", bound=MessageView)


class SharedAttachmentView(View):
    """The name and the type of a file that was sent with a message; the file itself is not shared."""

    filename: str
    mime_type: str


class SharedMessageView(View):
    """One message of a shared conversation."""

    id: str
    role: Role
    content: str
    created_at: Timestamp
    attachments: list[SharedAttachmentView]
    visual_embeds: list[ShownQuoteImageView]
    sources: list[SourceView]


class SharedConversationView(View):
    """A shared conversation, as it was when it was shared."""

    share_id: str
    title: str
    description: str | None
    allow_continuation: bool
    view_count: int
    created_at: Timestamp
    expires_at: Timestamp | None
    messages: list[SharedMessageView]


def with_links(messages: list[M], urls: Mapping[str, str], request: CallerRequest) -> list[M]:
    """The messages, with the addresses of their files that are still there."""
    for attachment in (attachment for message in messages for attachment in message.attachments):
        attachment.url = absolute_url(request, urls.get(attachment.file_id))
        attachment.transcript = attachment.transcript or msgspec.UNSET
    return messages
