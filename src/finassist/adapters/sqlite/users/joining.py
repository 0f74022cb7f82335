"""Making two registered users one in SQLite: one transaction."""

from sqlite3 import Connection
from typing import Final

_MOVES: Final = (
    "UPDATE identities SET user_id = :into WHERE user_id = :user",
    "UPDATE shares SET user_id = :into WHERE user_id = :user",
    "UPDATE audit_records SET user_id = :into WHERE user_id = :user",
    "UPDATE devices SET bound_user_id = :into WHERE bound_user_id = :user",
    "UPDATE devices SET hinted_user_id = :into WHERE hinted_user_id = :user",
    """INSERT INTO user_profiles (user_id, session_count, shown, revision, updated_at)
    SELECT :into, session_count, shown, revision, updated_at FROM user_profiles WHERE user_id = :user
    ON CONFLICT DO NOTHING""",
    """INSERT INTO profile_answers (user_id, question_key, value, do_not_use)
    SELECT :into, question_key, value, do_not_use FROM profile_answers WHERE user_id = :user
    ON CONFLICT DO NOTHING""",
    "DELETE FROM profile_answers WHERE user_id = :user",
    "DELETE FROM user_profiles WHERE user_id = :user",
    "UPDATE users SET joined_into = :into WHERE joined_into = :user",
    """UPDATE users SET joined_into = :into, name = '', email = NULL, email_folded = NULL, email_verified = 0,
    phone = NULL, phone_verified = 0, avatar_url = NULL, claimed_owner_ids = '[]' WHERE id = :user""",
)
"""What goes to the other user. Answers to profile cards that the other has given stay. What is left says
where the records went, for requests that are under way, and keeps the avatar until it is erased."""


def move_to(connection: Connection, user_id: str, into_id: str) -> None:
    """Give a user's identities, shares, devices and answers to another one, who owns its records already."""
    for statement in _MOVES:
        connection.execute(statement, {"user": user_id, "into": into_id})
