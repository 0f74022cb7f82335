"""Messages as their readers get them (contract section 5, "Message")."""

from collections.abc import Mapping
from typing import Any

from finassist.domain.messages import ListedMessage, MessageStatus, Role
from finassist.entrypoints.http.addresses import absolute_url
from finassist.entrypoints.http.envelope import Link, Timestamp, View, view
from finassist.entrypoints.http.security import CallerRequest


class AttachmentView(View):
    """A file that was sent with a message. ``url`` is good for 15 minutes, null once the file is deleted."""

    file_id: str
    filename: str
    mime_type: str
    size: int
    url: str | None = None


class ToolCallView(View):
    """A tool that the model called while it wrote a reply."""

    id: str
    name: str
    arguments: dict[str, Any]
    result: Any
    is_error: bool


class SourceView(View):
    """A passage that a reply was given; ``index`` counts from 1, as cited in the text ``[1]``."""

    index: int
    id: str
    title: str
    url: str | None
    snippet: str
    score: float


class VisualEmbedView(View):
    """A quote image that goes with a reply."""

    id: str
    category_key: str
    image_url: Link
    quote_text: str | None


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
    visual_embeds: list[VisualEmbedView]
    status: MessageStatus
    feedback: MessageFeedbackView | None
    created_at: Timestamp
    updated_at: Timestamp


def listed_message(message: ListedMessage) -> MessageView:
    """The view of a message of a list."""
    # Most messages have none of the lists, and converting nothing costs as much as the rest.
    calls, sources, embeds = message.tool_calls, message.sources, message.visual_embeds
    return MessageView(
        id=message.id,
        conversation_id=message.conversation_id,
        role=message.role,
        content=message.content,
        attachments=view(message.attachments, list[AttachmentView]) if message.attachments else [],
        model=message.model,
        preprompt_key=message.preprompt_key,
        token_count=message.token_count,
        tool_calls=view(calls, list[ToolCallView]) if calls else [],
        sources=view(sources, list[SourceView]) if sources else [],
        visual_embeds=view(embeds, list[VisualEmbedView]) if embeds else [],
        status=message.status,
        feedback=view(message.feedback, MessageFeedbackView) if message.feedback else None,
        created_at=Timestamp.of(message.created_at),
        updated_at=Timestamp.of(message.updated_at),
    )


def with_links(
    messages: list[MessageView], urls: Mapping[str, str], request: CallerRequest
) -> list[MessageView]:
    """The messages, with the addresses of their files that are still there."""
    for attachment in (attachment for message in messages for attachment in message.attachments):
        attachment.url = absolute_url(request, urls.get(attachment.file_id))
    return messages
