"""What has to fit together in the documents, as far as references and conditions say it."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from finassist.adapters.mongo.auth.documents import (
    AccountDocument,
    SecondFactorChallengeDocument,
    SecondFactorDocument,
    SignInAddressDocument,
    TokenFamilyDocument,
)
from finassist.adapters.mongo.catalogs.documents import PrepromptDocument
from finassist.adapters.mongo.chat.documents import ConversationDocument, MessageDocument
from finassist.adapters.mongo.chat.limit_documents import IdempotencyKeyDocument, QuotaDocument
from finassist.adapters.mongo.engine.updates import insert_unless_there
from finassist.adapters.mongo.erasure.documents import ErasureDocument
from finassist.adapters.mongo.files.documents import FileDocument
from finassist.adapters.mongo.profile_cards.documents import UserProfileDocument
from finassist.adapters.mongo.shares.documents import (
    ShareDocument,
    ShareTallyDocument,
    ShareTextDocument,
    ShareViewerDocument,
)
from finassist.adapters.mongo.statements.documents import PayeeCategoriesDocument
from finassist.adapters.mongo.users.documents import DeviceDocument, UserDocument
from finassist.adapters.mongo.verification.document_checks import (
    DELETE,
    DELETED,
    Condition,
    DocumentCheck,
    Reference,
)
from finassist.adapters.mongo.verification.walking import Stored, in_all, in_field, nothing, values_at
from finassist.domain.auth.local_accounts import LOCAL_ISSUER
from finassist.domain.conversations.message import MessageStatus, Role
from finassist.domain.users import User

_A_DAY: Final = timedelta(days=1)
_PENDING: Final = {"user_id": {"$exists": True}}
_REVOKED: Final = "it is revoked"

_conversations = in_field(ConversationDocument)
_messages = in_field(MessageDocument)
_shares = in_field(ShareDocument, "share_id")
_erased_users = in_all((ErasureDocument, _PENDING, "user_id"))
"""Those who are being erased: what they have is on its way out."""
_users = in_field(UserDocument)
_accounts = in_field(AccountDocument)
_owners = in_field(UserDocument, as_id=True)
_other_owners = in_all(
    (UserDocument, {"claimed_owner_ids.0": {"$exists": True}}, "claimed_owner_ids"),
    (DeviceDocument, {}, "guest_owner_id"),
    (DeviceDocument, {"claims.0": {"$exists": True}}, "claims.owner_id"),
    (ErasureDocument, _PENDING, "subject.owner_ids"),
)


def _local_subjects(stored: Stored, path: str) -> list[str]:
    return [each["subject"] for each in values_at(stored, path) if each["issuer"] == LOCAL_ISSUER]


async def _fold_question(stored: Stored) -> bool:
    change = {"$set": {"question_folded": stored["content"].casefold()}}
    messages = MessageDocument.get_pymongo_collection()
    return (await messages.update_one({"_id": stored["_id"]}, change)).matched_count == 1


async def _make_guest(stored: Stored) -> bool:
    guest = User.guest(str(stored["guest_user_id"]), stored["created_at"])
    return await insert_unless_there(UserDocument.of(guest))


def _of_messages() -> Iterator[DocumentCheck]:
    yield Reference(
        check="a message without its conversation",
        kind=MessageDocument,
        path="conversation_id",
        known=_conversations,
        written_at="created_at",
        change=DELETE,
        repair=DELETED,
    )
    yield Condition(
        check="a running turn that no process can end",
        kind=MessageDocument,
        where=lambda _: {"status": MessageStatus.STREAMING, "lease.expires_at": {"$exists": False}},
        change={"$set": {"status": MessageStatus.INTERRUPTED}, "$unset": {"lease": ""}},
        repair="it ends as interrupted",
    )
    yield Condition(
        check="a lease of a turn that has ended",
        kind=MessageDocument,
        where=lambda _: {"status": {"$ne": MessageStatus.STREAMING}, "lease": {"$exists": True}},
        change={"$unset": {"lease": ""}},
        repair="it is removed",
    )
    yield Condition(
        check="a question that the search does not know",
        kind=MessageDocument,
        where=lambda _: {"role": Role.USER, "question_folded": {"$exists": False}},
        change=_fold_question,
        repair="it is added to the search",
    )


def _of_conversations() -> Iterator[DocumentCheck]:
    yield Reference(
        check="a conversation without an owner",
        kind=ConversationDocument,
        path="owner_id",
        known=_owners,
        elsewhere=_other_owners,
        written_at="created_at",
    )
    yield Reference(
        check="a conversation with instructions that do not exist",
        kind=ConversationDocument,
        path="instructions_id",
        known=in_field(PrepromptDocument, as_id=True),
        change={"$unset": {"instructions_id": ""}},
        repair="it goes on without",
    )


def _of_statements() -> Iterator[DocumentCheck]:
    yield Reference(
        check="categories of payees without an owner",
        kind=PayeeCategoriesDocument,
        path="_id",
        known=_owners,
        elsewhere=_other_owners,
        written_at="updated_at",
        change=DELETE,
        repair=DELETED,
    )


def _of_files() -> Iterator[DocumentCheck]:
    yield Reference(
        check="a file without an owner",
        kind=FileDocument,
        path="owner_id",
        known=_owners,
        elsewhere=_other_owners,
        written_at="created_at",
    )
    yield Reference(
        check="a file of a conversation that does not exist",
        kind=FileDocument,
        path="conversation_id",
        known=_conversations,
        written_at="created_at",
        change={"$unset": {"conversation_id": ""}},
        repair="it becomes a file of no conversation",
    )
    yield Reference(
        check="a file of a message that does not exist",
        kind=FileDocument,
        path="message_id",
        known=_messages,
        written_at="created_at",
        change=DELETE,
        repair=DELETED,
    )


def _of_shares() -> Iterator[DocumentCheck]:
    not_revoked = {"revoked_at": {"$exists": False}}
    revoked = {"$currentDate": {"revoked_at": True}}
    yield Reference(
        check="a share of a conversation that does not exist",
        kind=ShareDocument,
        path="conversation_id",
        known=_conversations,
        where=not_revoked,
        change=revoked,
        repair=_REVOKED,
    )
    yield Reference(
        check="a share without its user",
        kind=ShareDocument,
        path="user_id",
        known=_users,
        elsewhere=_erased_users,
        where=not_revoked,
        change=revoked,
        repair=_REVOKED,
    )
    for kind in (ShareViewerDocument, ShareTallyDocument, ShareTextDocument):
        yield Reference(
            check="a part of a share that does not exist",
            kind=kind,
            path="share_id",
            known=_shares,
            change=DELETE,
            repair=DELETED,
        )


def _of_users() -> Iterator[DocumentCheck]:
    yield Reference(
        check="a guest without a device",
        kind=UserDocument,
        path="_id",
        known=nothing,
        elsewhere=in_all((DeviceDocument, {}, "guest_user_id")),
        where={"is_guest": True},
        written_at="created_at",
        change=DELETE,
        repair=DELETED,
    )
    yield Reference(
        check="a device without its guest",
        kind=DeviceDocument,
        path="guest_user_id",
        known=_users,
        elsewhere=_erased_users,
        written_at="created_at",
        change=_make_guest,
        repair="its guest is made again",
    )
    for path in ("bound_user_id", "hinted_user_id"):
        yield Reference(
            check="a device of a user who does not exist",
            kind=DeviceDocument,
            path=path,
            known=_users,
            elsewhere=_erased_users,
            change={"$unset": {path: ""}},
            repair="it is unbound",
        )


def _of_limits() -> Iterator[DocumentCheck]:
    for kind, known in ((UserProfileDocument, _users), (QuotaDocument, in_field(UserDocument, as_id=True))):
        yield Reference(
            check="a profile or an allowance of a user who does not exist",
            kind=kind,
            path="_id",
            known=known,
            elsewhere=_erased_users,
            change=DELETE,
            repair=DELETED,
        )
    yield Condition(
        check="a reserved message of a turn that does not run",
        kind=QuotaDocument,
        where=lambda before: {"reservations.reserved_at": {"$lt": before}},
    )
    yield Reference(
        check="an idempotency key of a turn that does not exist",
        kind=IdempotencyKeyDocument,
        path="message_id",
        known=_messages,
        written_at="created_at",
        change=DELETE,
        repair=DELETED,
    )
    yield Condition(
        check="an erasure that has taken longer than a day",
        kind=ErasureDocument,
        where=lambda before: {"completed_at": {"$exists": False}, "requested_at": {"$lt": before - _A_DAY}},
    )


def _of_accounts() -> Iterator[DocumentCheck]:
    for kind, path, where in (
        (TokenFamilyDocument, "subject", {}),
        (SecondFactorDocument, "_id", {}),
        (SecondFactorChallengeDocument, "subject", {}),
        (SignInAddressDocument, "subject", {"issuer": LOCAL_ISSUER}),
    ):
        yield Reference(
            check="a session, a second factor or an address without its account",
            kind=kind,
            path=path,
            known=_accounts,
            where=where,
            change=DELETE,
            repair=DELETED,
        )
    yield Reference(
        check="a user whose account does not exist",
        kind=UserDocument,
        path="identities",
        known=_accounts,
        pick=_local_subjects,
        written_at="created_at",
    )


REFERENCES_AND_CONDITIONS: Final = (
    *_of_messages(),
    *_of_conversations(),
    *_of_files(),
    *_of_statements(),
    *_of_shares(),
    *_of_users(),
    *_of_limits(),
    *_of_accounts(),
)
