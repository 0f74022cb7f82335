"""The format of the records in an export: the fields of the API's responses, and fields that the API does
not show because clients do not need them (docs/privacy.md)."""

from typing import Any

import msgspec

from finassist.application.data_export import OwnedRecords
from finassist.domain.auth.audit import Actor, AuditRecord, AuditResult
from finassist.domain.auth.sign_in_limits import SignInAddress
from finassist.domain.conversations.conversation import Conversation
from finassist.domain.conversations.message import Message, MessageStatus, Role
from finassist.domain.files.content import FileKind
from finassist.domain.files.record import StoredFile
from finassist.domain.shares import Share, ShareStatus
from finassist.domain.users import Device, Platform, Preferences, User
from finassist.entrypoints.http.accounts.views import PreferencesView
from finassist.entrypoints.http.conversations.views import ConversationView
from finassist.entrypoints.http.responses.envelope import Link, Timestamp, View, view
from finassist.entrypoints.http.responses.transcript import (
    MessageFeedbackView,
    ShownQuoteImageView,
    SourceView,
    SuggestionView,
    ToolCallView,
)
from finassist.entrypoints.http.shares.views import link_to


class ExportedAllowance(View):
    """Free messages, for life."""

    total: int
    used: int


class ExportedUser(View):
    """Who the user is. The claims are unverified hints of the guest's device about its user."""

    id: str
    is_guest: bool
    auth_provider: str
    name: str
    email: str | None
    email_verified: bool
    phone: str | None
    phone_verified: bool
    avatar_url: str | None
    preferences: PreferencesView
    claimed_email: str | None
    claimed_phone: str | None
    free_messages: ExportedAllowance
    created_at: Timestamp
    updated_at: Timestamp


class ExportedAttachment(View):
    """A file that was sent with a message, and what is said in it, if it is a recording."""

    file_id: str
    filename: str
    mime_type: str
    size: int
    transcript: str | None


class ExportedMessage(View):
    """One message."""

    id: str
    conversation_id: str
    role: Role
    content: str
    status: MessageStatus
    attachments: list[ExportedAttachment]
    model: str | None
    preprompt_key: str | None
    category: str | None
    token_count: int
    tool_calls: list[ToolCallView]
    sources: list[SourceView]
    visual_embeds: list[ShownQuoteImageView]
    suggestions: list[SuggestionView]
    feedback: MessageFeedbackView | None
    created_at: Timestamp
    updated_at: Timestamp


class FileRecord(View):
    """One file."""

    id: str
    conversation_id: str | None
    filename: str
    mime_type: str
    size: int
    kind: FileKind
    width: int | None
    height: int | None
    created_at: Timestamp
    updated_at: Timestamp


class ExportedFile(FileRecord):
    """One file; ``path`` is where it is in the archive, ``text`` what is kept of its text for the search."""

    path: str
    text: str | None


class ShareRecord(View):
    """One share."""

    share_id: str
    conversation_id: str
    message_ids: list[str]
    title: str
    custom_title: str | None
    custom_description: str | None
    allow_continuation: bool
    redacted: bool
    view_count: int
    continuation_count: int
    created_at: Timestamp
    updated_at: Timestamp
    last_viewed_at: Timestamp | None
    expires_at: Timestamp | None
    revoked_at: Timestamp | None


class ExportedShare(ShareRecord):
    """One share, its link and its state."""

    share_url: Link
    status: ShareStatus


class ExportedDevice(View):
    """A device; ``boundAt`` is when the user signed in there."""

    id: str
    platform: Platform
    created_at: Timestamp
    last_seen_at: Timestamp
    bound_at: Timestamp | None


class ExportedSignInAddress(View):
    """An address that the user signed in from with the password. It is kept as a keyed hash, so that only its
    times can be told."""

    first_seen_at: Timestamp
    last_seen_at: Timestamp


class ExportedAudit(View):
    """A sign-in, an export or the like: by the user, or by somebody who tried to be the user."""

    at: Timestamp
    action: str
    actor: Actor
    result: AuditResult
    code: str | None
    address: str | None


class ExportedAnswer(View):
    """An answer to a profile question; ``question`` is null for one that is not asked any more."""

    key: str
    question: str | None
    value: Any
    do_not_use: bool


class ExportedAnswers(View):
    """What the user answered to profile cards."""

    answers: list[ExportedAnswer]
    session_count: int
    updated_at: Timestamp | None


class ExportedCorrection(View):
    """A payee in bank statements whose payments the user counts as another category."""

    payee: str
    category: str


class ExportedCorrections(View):
    """What the user counts payments as."""

    payee_categories: list[ExportedCorrection]


def exported_user(owned: OwnedRecords) -> ExportedUser:
    """The user, and what is left of the allowance."""
    user: User = owned.user
    preferences: Preferences = user.preferences
    return ExportedUser(
        id=user.id,
        is_guest=user.is_guest,
        auth_provider=user.auth_provider,
        name=user.name,
        email=user.email,
        email_verified=user.email_verified,
        phone=user.phone,
        phone_verified=user.phone_verified,
        avatar_url=user.avatar_url,
        preferences=view(preferences, PreferencesView),
        claimed_email=user.claimed_email,
        claimed_phone=user.claimed_phone,
        free_messages=view(owned.allowance, ExportedAllowance),
        created_at=Timestamp.of(user.created_at),
        updated_at=Timestamp.of(user.updated_at),
    )


def exported_answers(owned: OwnedRecords) -> ExportedAnswers:
    """The answers with their questions."""
    profile = owned.profile
    answers = [
        ExportedAnswer(
            key=key,
            question=owned.questions[key].text if key in owned.questions else None,
            value=answer.value,
            do_not_use=answer.do_not_use,
        )
        for key, answer in profile.answers.items()
    ]
    return ExportedAnswers(
        answers=answers,
        session_count=profile.session_count,
        updated_at=None if profile.updated_at is None else Timestamp.of(profile.updated_at),
    )


def exported_corrections(owned: OwnedRecords) -> ExportedCorrections:
    """The corrections of categories."""
    return ExportedCorrections(
        payee_categories=[
            ExportedCorrection(payee=payee, category=category)
            for each in owned.corrections
            for payee, category in each.categories.items()
        ]
    )


def exported_conversation(conversation: Conversation) -> ConversationView:
    """A conversation as its list shows it."""
    return view(conversation, ConversationView)


def exported_message(message: Message) -> ExportedMessage:
    """A message with all that its reader may see."""
    return view(message, ExportedMessage)


def exported_file(file: StoredFile, path: str, text: str | None) -> ExportedFile:
    """A file's record."""
    return ExportedFile(path=path, text=text, **msgspec.structs.asdict(view(file, FileRecord)))


def exported_share(share: Share, owned: OwnedRecords) -> ExportedShare:
    """A share with its state, as its owner sees it."""
    return ExportedShare(
        share_url=link_to(share.share_id),
        status=share.status(owned.clock.now()),
        **msgspec.structs.asdict(view(share, ShareRecord)),
    )


def exported_device(device: Device) -> ExportedDevice:
    """A device, without whose guest it has."""
    return view(device, ExportedDevice)


def exported_sign_in_address(address: SignInAddress) -> ExportedSignInAddress:
    """When somebody signed in from an address."""
    return view(address, ExportedSignInAddress)


def exported_audit(record: AuditRecord) -> ExportedAudit:
    """A record of the audit log."""
    return view(record, ExportedAudit)
