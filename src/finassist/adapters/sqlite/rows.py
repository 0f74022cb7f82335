"""Domain objects to rows and back. The order of the columns is the order of each tuple."""

from datetime import datetime
from typing import Any

import msgspec

from finassist.adapters.sqlite.engine.codec import by_value, from_ms, strings, to_json, to_ms
from finassist.domain.conversations.conversation import (
    Conversation,
    ConversationStatus,
    ConversationType,
    InputType,
)
from finassist.domain.conversations.message import (
    Feedback,
    FinishReason,
    ListedMessage,
    Message,
    TurnLease,
    Usage,
)
from finassist.domain.users import Device, Platform, Preferences, Theme, User
from finassist.timestamps import timestamps_as_text

Row = tuple[Any, ...]

USER_COLUMNS = """id, is_guest, auth_provider, name, created_at, updated_at, email, email_verified,
    phone, phone_verified, avatar_url, claimed_email, claimed_phone, claimed_owner_ids, language, theme,
    notifications, name_by_user, avatar_key, avatar_by_user, tokens_after"""

DEVICE_COLUMNS = """id, platform, guest_user_id, guest_owner_id, created_at, last_seen_at,
    bound_user_id, bound_at, hinted_user_id, token_hash, is_locked"""

CONVERSATION_COLUMNS = """id, owner_id, title, created_at, updated_at, last_message_at, title_by_user,
    preview, type, input_type, preprompt_key, pinned, tags, status, message_count, forked_from_share_id,
    instructions_id"""

MESSAGE_COLUMNS = """id, conversation_id, created_at, status, category, prompt_tokens, completion_tokens,
    finish_reason, error_code, feedback_rating, feedback_text, feedback_at, allowance_used, allowance_total,
    user_message_id, lease_holder, lease_expires_at, lease_user_message_id, lease_quota_subject,
    lease_idempotency_key, lease_stop_requested, visual_embeds, card_id, replaces, shown"""

_PLATFORMS = by_value(Platform)
_THEMES = by_value(Theme)
_STATUSES = by_value(ConversationStatus)
_TYPES = by_value(ConversationType)
_INPUT_TYPES = by_value(InputType)
_FINISH_REASONS = by_value(FinishReason)

_EMPTY = "[]"
_shown = msgspec.json.Decoder(ListedMessage)


def placeholders(columns: str) -> str:
    """``?, ?, …`` for a list of columns."""
    return ", ".join("?" for _ in columns.split(","))


def user_row(user: User) -> Row:
    """The values of ``USER_COLUMNS``."""
    return (
        user.id,
        user.is_guest,
        user.auth_provider,
        user.name,
        to_ms(user.created_at),
        to_ms(user.updated_at),
        user.email,
        user.email_verified,
        user.phone,
        user.phone_verified,
        user.avatar_url,
        user.claimed_email,
        user.claimed_phone,
        to_json(user.claimed_owner_ids),
        user.preferences.language,
        user.preferences.theme,
        user.preferences.notifications,
        user.name_by_user,
        user.avatar_key,
        user.avatar_by_user,
        None if user.tokens_after is None else to_ms(user.tokens_after),
    )


def user_from(row: Row) -> User:
    """The user of a row of ``USER_COLUMNS``."""
    return User(
        id=row[0],
        is_guest=row[1] == 1,
        auth_provider=row[2],
        name=row[3],
        created_at=from_ms(row[4]),
        updated_at=from_ms(row[5]),
        email=row[6],
        email_verified=row[7] == 1,
        phone=row[8],
        phone_verified=row[9] == 1,
        avatar_url=row[10],
        claimed_email=row[11],
        claimed_phone=row[12],
        claimed_owner_ids=() if row[13] == _EMPTY else strings(row[13]),
        preferences=Preferences(language=row[14], theme=_THEMES[row[15]], notifications=row[16] == 1),
        name_by_user=row[17] == 1,
        avatar_key=row[18],
        avatar_by_user=row[19] == 1,
        tokens_after=None if row[20] is None else from_ms(row[20]),
    )


def device_from(row: Row) -> Device:
    """The device of a row of ``DEVICE_COLUMNS``."""
    return Device(
        id=row[0],
        platform=_PLATFORMS[row[1]],
        guest_user_id=row[2],
        guest_owner_id=row[3],
        created_at=from_ms(row[4]),
        last_seen_at=from_ms(row[5]),
        bound_user_id=row[6],
        bound_at=None if row[7] is None else from_ms(row[7]),
        hinted_user_id=row[8],
        token_hash=row[9],
        is_locked=bool(row[10]),
    )


def conversation_row(conversation: Conversation) -> Row:
    """The values of ``CONVERSATION_COLUMNS``."""
    return (
        conversation.id,
        conversation.owner_id,
        conversation.title,
        to_ms(conversation.created_at),
        to_ms(conversation.updated_at),
        to_ms(conversation.last_message_at),
        conversation.title_by_user,
        conversation.preview,
        conversation.type,
        conversation.input_type,
        conversation.preprompt_key,
        conversation.pinned,
        to_json(conversation.tags),
        conversation.status,
        conversation.message_count,
        conversation.forked_from_share_id,
        conversation.instructions_id,
    )


def conversation_from(row: Row) -> Conversation:
    """The conversation of a row of ``CONVERSATION_COLUMNS``."""
    return Conversation(
        id=row[0],
        owner_id=row[1],
        title=row[2],
        created_at=from_ms(row[3]),
        updated_at=from_ms(row[4]),
        last_message_at=from_ms(row[5]),
        title_by_user=row[6] == 1,
        preview=row[7],
        type=_TYPES[row[8]],
        input_type=_INPUT_TYPES[row[9]],
        preprompt_key=row[10],
        pinned=row[11] == 1,
        tags=() if row[12] == _EMPTY else strings(row[12]),
        status=_STATUSES[row[13]],
        message_count=row[14],
        forked_from_share_id=row[15],
        instructions_id=row[16],
    )


def message_row(message: Message) -> Row:
    """The values of ``MESSAGE_COLUMNS``."""
    return (
        message.id,
        message.conversation_id,
        to_ms(message.created_at),
        message.status,
        message.category,
        message.usage.prompt_tokens,
        message.usage.completion_tokens,
        message.finish_reason,
        message.error_code,
        *_feedback_row(message.feedback),
        message.allowance_used,
        message.allowance_total,
        message.user_message_id,
        *_lease_row(message.lease),
        to_json(message.visual_embeds),
        message.card_id,
        message.replaces,
        shown_text(message),
    )


def message_from(row: Row) -> Message:
    """The message of a row of ``MESSAGE_COLUMNS``."""
    shown = shown_from(row[24])
    return Message(
        id=shown.id,
        conversation_id=shown.conversation_id,
        role=shown.role,
        content=shown.content,
        created_at=datetime.fromisoformat(shown.created_at),
        updated_at=datetime.fromisoformat(shown.updated_at),
        status=shown.status,
        attachments=shown.attachments,
        model=shown.model,
        preprompt_key=shown.preprompt_key,
        usage=Usage(prompt_tokens=row[5], completion_tokens=row[6]),
        tool_calls=shown.tool_calls,
        sources=shown.sources,
        visual_embeds=shown.visual_embeds,
        suggestions=shown.suggestions,
        finish_reason=None if row[7] is None else _FINISH_REASONS[row[7]],
        error_code=row[8],
        feedback=None if row[9] is None else _feedback_from(row[9:12]),
        allowance_used=row[12],
        allowance_total=row[13],
        user_message_id=row[14],
        lease=None if row[15] is None else _lease_from(row[15:21]),
        category=row[4],
        card_id=row[22],
        replaces=row[23],
    )


def shown_text(message: Message) -> str:
    """What a reader sees of a message, except the feedback, as the column ``shown`` stores it.

    It is a JSON array, so new fields have to be added at the end of ``ListedMessage``, before its last one:
    ``replaces`` is not stored.
    """
    created_at, updated_at = timestamps_as_text((message.created_at, message.updated_at))
    return to_json(
        ListedMessage(
            id=message.id,
            conversation_id=message.conversation_id,
            role=message.role,
            content=message.content,
            status=message.status,
            model=message.model,
            preprompt_key=message.preprompt_key,
            token_count=message.token_count,
            created_at=created_at,
            updated_at=updated_at,
            attachments=message.attachments,
            tool_calls=message.tool_calls,
            sources=message.sources,
            visual_embeds=message.visual_embeds,
            suggestions=message.suggestions,
        )[:-1]
    )


def shown_from(text: str) -> ListedMessage:
    """The message of the column ``shown``."""
    return _shown.decode(text)


def _feedback_row(feedback: Feedback | None) -> Row:
    if feedback is None:
        return (None,) * 3
    return (feedback.rating, feedback.feedback, to_ms(feedback.updated_at))


def _feedback_from(row: Row) -> Feedback:
    return Feedback(rating=row[0], feedback=row[1], updated_at=from_ms(row[2]))


def _lease_row(lease: TurnLease | None) -> Row:
    if lease is None:
        return (None,) * 6
    return (
        lease.holder,
        to_ms(lease.expires_at),
        lease.user_message_id,
        lease.quota_subject,
        lease.idempotency_key,
        lease.stop_requested,
    )


def _lease_from(row: Row) -> TurnLease:
    return TurnLease(
        holder=row[0],
        expires_at=from_ms(row[1]),
        user_message_id=row[2],
        quota_subject=row[3],
        idempotency_key=row[4],
        stop_requested=row[5] == 1,
    )
