"""What has to fit together in the database of the records."""

from collections.abc import Iterator, Sequence
from typing import Final

from finassist.adapters.sqlite.chat.superseded import is_visible
from finassist.adapters.sqlite.verification.row_checks import DELETE, DELETED, RowCheck
from finassist.domain.auth.local_accounts import LOCAL_ISSUER

_USERS: Final = "SELECT id FROM users UNION ALL SELECT user_id FROM erasures WHERE user_id IS NOT NULL"
"""Users, and those who are being erased: what they have is on its way out."""
_OWNERS: Final = """SELECT id FROM users
    UNION ALL SELECT claimed.value FROM users, json_each(users.claimed_owner_ids) AS claimed
    UNION ALL SELECT guest_owner_id FROM devices
    UNION ALL SELECT owned.value FROM erasures, json_each(erasures.subject, '$.owner_ids') AS owned
        WHERE erasures.subject IS NOT NULL"""
_MESSAGES: Final = f"""SELECT count(*) FROM messages
    WHERE conversation_id = conversations.id AND {is_visible("messages")}"""
_VIEWS: Final = "SELECT coalesce(sum(views), 0) FROM share_days WHERE share_days.share_id = shares.share_id"
_VIEWERS: Final = "SELECT count(*) FROM share_viewers WHERE share_viewers.share_id = shares.share_id"
_RECORDS: Final = """CASE catalog WHEN 'preprompts'
    THEN (SELECT count(*) FROM preprompts AS some WHERE some.is_deleted = catalog_counts.is_deleted)
    ELSE (SELECT count(*) FROM second_opinion_preprompts AS some
        WHERE some.is_deleted = catalog_counts.is_deleted) END"""
_QUESTION: Final = """INSERT INTO questions (conversation_id, id, text_folded)
    SELECT conversation_id, id, casefold(shown ->> '$[3]') FROM messages WHERE {row}"""
_NO_CONVERSATION: Final = "NOT EXISTS (SELECT 1 FROM conversations AS its WHERE its.id = conversation_id)"
_NO_SHARE: Final = "NOT EXISTS (SELECT 1 FROM shares WHERE shares.share_id = {table}.share_id)"
_NO_ACCOUNT: Final = "subject NOT IN (SELECT subject FROM accounts)"
_REVOKED: Final = "it is revoked"


def _of_messages() -> Iterator[RowCheck]:
    yield RowCheck(
        check="a message without its conversation",
        table="messages",
        condition=_NO_CONVERSATION,
        mend=DELETE,
        repair=DELETED,
    )
    yield RowCheck(
        check="a running turn that no process can end",
        table="messages",
        condition="status = 'streaming' AND (lease_holder IS NULL OR lease_expires_at IS NULL)",
        mend="status = 'interrupted', shown = json_set(shown, '$[4]', 'interrupted')",
        repair="it ends as interrupted",
    )
    yield RowCheck(
        check="a lease of a turn that has ended",
        table="messages",
        condition="status <> 'streaming' AND lease_holder IS NOT NULL",
        mend="lease_holder = NULL, lease_expires_at = NULL, lease_stop_requested = NULL",
        repair="it is removed",
    )
    yield RowCheck(
        check="a message that is shown in another state than it has",
        table="messages",
        condition="shown ->> '$[4]' <> status",
        mend="shown = json_set(shown, '$[4]', status)",
        repair="it is shown as it is",
    )
    yield RowCheck(
        check="a question that the search does not know",
        table="messages",
        condition="""shown ->> '$[2]' = 'user' AND NOT EXISTS (SELECT 1 FROM questions AS known
            WHERE known.conversation_id = messages.conversation_id AND known.id = messages.id)""",
        mend=_QUESTION,
        repair="it is added to the search",
    )


def _of_conversations() -> Iterator[RowCheck]:
    yield RowCheck(
        check="a conversation with a wrong number of messages",
        table="conversations",
        condition=f"message_count <> ({_MESSAGES}) AND last_message_at < :before",
        mend=f"message_count = ({_MESSAGES})",
        repair="they are counted again",
    )
    yield RowCheck(
        check="a conversation without an owner",
        table="conversations",
        condition=f"owner_id NOT IN ({_OWNERS})",
    )
    yield RowCheck(
        check="a conversation with instructions that do not exist",
        table="conversations",
        condition="instructions_id IS NOT NULL AND instructions_id NOT IN (SELECT id FROM preprompts)",
        mend="instructions_id = NULL",
        repair="it goes on without",
    )


def _of_files() -> Iterator[RowCheck]:
    yield RowCheck(check="a file without an owner", table="files", condition=f"owner_id NOT IN ({_OWNERS})")
    yield RowCheck(
        check="a file of a conversation that does not exist",
        table="files",
        condition=f"conversation_id IS NOT NULL AND created_at < :before AND {_NO_CONVERSATION}",
        mend="conversation_id = NULL",
        repair="it becomes a file of no conversation",
    )
    yield RowCheck(
        check="a file of a message that does not exist",
        table="files",
        condition="""message_id IS NOT NULL AND created_at < :before
            AND NOT EXISTS (SELECT 1 FROM messages WHERE messages.id = message_id)""",
        mend=DELETE,
        repair=DELETED,
    )


def _of_statements() -> Iterator[RowCheck]:
    yield RowCheck(
        check="categories of payees without an owner",
        table="payee_categories",
        key="owner_id",
        condition=f"owner_id NOT IN ({_OWNERS}) AND updated_at < :before",
        mend=DELETE,
        repair=DELETED,
    )


def _of_shares() -> Iterator[RowCheck]:
    for what, condition in (
        ("a share of a conversation that does not exist", _NO_CONVERSATION),
        ("a share without its user", f"user_id NOT IN ({_USERS})"),
    ):
        yield RowCheck(
            check=what,
            table="shares",
            condition=f"revoked_at IS NULL AND {condition}",
            mend="revoked_at = :before",
            repair=_REVOKED,
        )
    for table, other_key in (
        ("share_texts", "message_id"),
        ("share_viewers", "viewer"),
        ("share_days", "day"),
    ):
        yield RowCheck(
            check="a part of a share that does not exist",
            table=table,
            key=f"share_id, {other_key}",
            condition=_NO_SHARE.format(table=table),
            mend=DELETE,
            repair=DELETED,
        )
    yield RowCheck(
        check="a share with a wrong number of views",
        table="shares",
        condition=f"view_count <> ({_VIEWS}) OR unique_viewers <> ({_VIEWERS})",
        mend=f"view_count = ({_VIEWS}), unique_viewers = ({_VIEWERS})",
        repair="they are counted again",
    )
    yield RowCheck(
        check="a catalog with a wrong number of records",
        table="catalog_counts",
        key="catalog, is_deleted",
        condition=f"records <> {_RECORDS}",
        mend=f"records = {_RECORDS}",
        repair="they are counted again",
    )


def _of_users() -> Iterator[RowCheck]:
    yield RowCheck(
        check="a guest without a device",
        table="users",
        condition="""is_guest = 1 AND created_at < :before
            AND NOT EXISTS (SELECT 1 FROM devices WHERE guest_user_id = users.id)""",
        mend=DELETE,
        repair=DELETED,
    )
    for name in ("bound_user_id", "hinted_user_id"):
        yield RowCheck(
            check="a device of a user who does not exist",
            table="devices",
            condition=f"{name} IS NOT NULL AND {name} NOT IN ({_USERS})",
            mend=f"{name} = NULL",
            repair="it is unbound",
        )


def _of_limits() -> Iterator[RowCheck]:
    for table, key, user in (
        ("user_profiles", "user_id", "user_id"),
        ("quotas", "subject", "subject"),
        ("quota_reservations", "subject, turn_id", "subject"),
    ):
        yield RowCheck(
            check="a profile or an allowance of a user who does not exist",
            table=table,
            key=key,
            condition=f"{user} NOT IN ({_USERS})",
            mend=DELETE,
            repair=DELETED,
        )
    yield RowCheck(
        check="a reserved message of a turn that does not run",
        table="quota_reservations",
        key="subject, turn_id",
        condition="""reserved_at < :before AND NOT EXISTS
            (SELECT 1 FROM messages WHERE messages.id = turn_id AND status = 'streaming')""",
    )
    yield RowCheck(
        check="an idempotency key of a turn that does not exist",
        table="idempotency_keys",
        key="owner, key",
        condition="""message_id <> '' AND created_at < :before
            AND NOT EXISTS (SELECT 1 FROM messages WHERE messages.id = message_id)""",
        mend=DELETE,
        repair=DELETED,
    )
    yield RowCheck(
        check="an erasure that has taken longer than a day",
        table="erasures",
        key="receipt_id",
        condition="completed_at IS NULL AND requested_at < :before - 86400000",
    )


def _of_accounts() -> Iterator[RowCheck]:
    for table, key in (
        ("sessions", "id"),
        ("refresh_tokens", "hash"),
        ("second_factors", "subject"),
        ("second_factor_challenges", "hash"),
        ("sign_in_addresses", "hash"),
    ):
        own = f"issuer = '{LOCAL_ISSUER}' AND " if table == "sign_in_addresses" else ""
        yield RowCheck(
            check="a session, a second factor or an address without its account",
            table=table,
            key=key,
            condition=f"{own}{_NO_ACCOUNT}",
            mend=DELETE,
            repair=DELETED,
        )
    yield RowCheck(
        check="a user whose account does not exist",
        table="identities",
        key="user_id",
        condition=f"issuer = '{LOCAL_ISSUER}' AND {_NO_ACCOUNT}",
    )


RECORD_CHECKS: Final[Sequence[RowCheck]] = (
    *_of_messages(),
    *_of_conversations(),
    *_of_files(),
    *_of_statements(),
    *_of_shares(),
    *_of_users(),
    *_of_limits(),
    *_of_accounts(),
)
