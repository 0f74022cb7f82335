"""The views of the chat: replies, stopped turns, and the assistant itself."""

from collections.abc import Sequence
from typing import Literal

from finassist.domain.chat.events import Done
from finassist.domain.conversations.message import MessageStatus
from finassist.domain.quotas import Allowance
from finassist.entrypoints.http.launch.views import FreeThresholdView
from finassist.entrypoints.http.responses.envelope import View, view
from finassist.entrypoints.http.responses.transcript import (
    MessageView,
    ShownQuoteImageView,
    SourceView,
    SuggestionView,
    ToolCallView,
)


class TokenUsageView(View):
    """Tokens of one reply."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ReplyView(View):
    """A finished reply; also the body of the ``done`` event."""

    conversation_id: str
    message_id: str
    user_message_id: str
    message: MessageView
    title: str
    model: str
    token_count: int
    usage: TokenUsageView
    tool_calls: Sequence[ToolCallView]
    sources: Sequence[SourceView]
    visual_embeds: Sequence[ShownQuoteImageView]
    suggestions: Sequence[SuggestionView]
    free_threshold: FreeThresholdView
    finish_reason: Literal["stop", "length", "stopped", "fallback"]


class StoppedView(View):
    """A reply that is no longer being written."""

    conversation_id: str
    message_id: str
    status: MessageStatus
    message: MessageView


class CapabilitiesView(View):
    """What the assistant can do."""

    streaming: bool
    tools: bool
    vision: bool
    pdf: bool
    retrieval: bool


class LimitsView(View):
    """What a chat request may hold."""

    message_max_chars: int
    attachment_max_bytes: int
    attachments_max: int
    rate_per_minute: int


class AssistantView(View):
    """Provider, model and capability metadata."""

    status: str
    provider: str
    model: str
    models: Sequence[str]
    capabilities: CapabilitiesView
    limits: LimitsView


def reply_view(done: Done) -> ReplyView:
    """The fields of a finished reply."""
    message = done.message
    shown = view(message, MessageView)
    allowance = Allowance(total=message.allowance_total or 0, used=message.allowance_used or 0)
    return ReplyView(
        conversation_id=message.conversation_id,
        message_id=message.id,
        user_message_id=message.user_message_id or "",
        message=shown,
        title=done.title,
        model=message.model or "",
        token_count=message.token_count,
        usage=view(message.usage, TokenUsageView),
        tool_calls=shown.tool_calls,
        sources=shown.sources,
        visual_embeds=shown.visual_embeds,
        suggestions=shown.suggestions,
        free_threshold=view(allowance, FreeThresholdView),
        finish_reason=message.finish_reason.value if message.finish_reason else "stop",
    )
