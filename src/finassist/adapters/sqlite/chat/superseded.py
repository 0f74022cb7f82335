"""Which messages are superseded: the conditions of statements, and the runs themselves."""

from collections.abc import Sequence
from typing import Final

from finassist.adapters.sqlite.engine.connection import Connection
from finassist.domain.conversations.superseding import SupersededRun

_REPLACING: Final = "messages AS newer WHERE newer.replaces IS NOT NULL AND newer.conversation_id = "
_RUNS: Final = f"SELECT replaces, user_message_id FROM {_REPLACING} ?"


def is_visible(table: str) -> str:
    """The condition that the message which a row of ``table`` names by ``id`` and ``conversation_id`` is not
    superseded."""
    return f"""NOT EXISTS (SELECT 1 FROM {_REPLACING} {table}.conversation_id
        AND newer.replaces <= {table}.id AND newer.user_message_id > {table}.id)"""


# Where nothing was replaced, SQLite finds that out once, and not for every message.
VISIBLE_IN_FIRST: Final = f"(NOT EXISTS (SELECT 1 FROM {_REPLACING} ?1) OR {is_visible('messages')})"
"""The same of messages, in a statement whose first value is the only conversation that it reads."""


def superseded_runs(connection: Connection, conversation_id: str) -> Sequence[SupersededRun]:
    """The superseded messages of a conversation."""
    return [SupersededRun(*row) for row in connection.execute(_RUNS, (conversation_id,))]
