"""Storing new messages, inside a unit of work."""

from collections.abc import Sequence
from sqlite3 import Connection
from typing import Final

from finassist.adapters.sqlite.rows import MESSAGE_COLUMNS, message_row, placeholders
from finassist.domain.conversations.message import Message, Role

_INSERT: Final = f"INSERT INTO messages ({MESSAGE_COLUMNS}) VALUES ({placeholders(MESSAGE_COLUMNS)})"
_INSERT_QUESTION: Final = "INSERT INTO questions (conversation_id, id, text_folded) VALUES (?, ?, ?)"


def insert_messages(connection: Connection, messages: Sequence[Message]) -> None:
    """Store new messages, and the text of the user's own for the search of the list."""
    connection.executemany(_INSERT, map(message_row, messages))
    questions = (
        (message.conversation_id, message.id, message.content.casefold())
        for message in messages
        if message.role is Role.USER
    )
    connection.executemany(_INSERT_QUESTION, questions)
