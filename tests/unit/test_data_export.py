"""The format of the data export keeps up with the records (contract section 3, "Export and erasure")."""

from typing import Any

import pytest

from finassist.domain.auth.audit import AuditRecord
from finassist.domain.auth.sign_in_limits import SignInAddress
from finassist.domain.conversations.conversation import Conversation
from finassist.domain.conversations.message import Attachment, Message
from finassist.domain.files.record import StoredFile
from finassist.domain.shares import Share
from finassist.domain.users import Device, User
from finassist.entrypoints.http.conversations.views import ConversationView
from finassist.entrypoints.http.data_export.records import (
    ExportedAttachment,
    ExportedAudit,
    ExportedDevice,
    ExportedMessage,
    ExportedSignInAddress,
    ExportedUser,
    FileRecord,
    ShareRecord,
)

INTERNAL: dict[type[Any], tuple[type[Any], str]] = {
    User: (ExportedUser, "avatar_by_user avatar_key claimed_owner_ids name_by_user tokens_after"),
    Conversation: (ConversationView, "instructions_id owner_id title_by_user"),
    Message: (
        ExportedMessage,
        "allowance_total allowance_used card_id error_code finish_reason lease replaces usage"
        " user_message_id",
    ),
    Attachment: (ExportedAttachment, "is_inline"),
    StoredFile: (FileRecord, "message_id owner_id"),
    Share: (ShareRecord, "id user_id"),
    Device: (
        ExportedDevice,
        "bound_user_id guest_owner_id guest_user_id hinted_user_id is_locked token_hash",
    ),
    SignInAddress: (ExportedSignInAddress, "hash identity"),
    AuditRecord: (ExportedAudit, "id request_id user_hash user_id"),
}
"""What is exported of each record, and which of its fields are not: they say nothing about the user."""


@pytest.mark.parametrize("record", INTERNAL, ids=lambda record: record.__name__)
def test_every_field_of_a_record_is_exported_or_known_to_be_internal(record: type[Any]) -> None:
    exported, internal = INTERNAL[record]
    assert set(record.__dataclass_fields__) - set(exported.__struct_fields__) == set(internal.split())
