"""Messages that a later question took the place of (contract section 4, ``replaces``).

A reply stores which of the user's messages its question replaces (``Message.replaces``). That one value,
stored as the turn begins, supersedes the replaced message and all after it, up to the new question.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from finassist.domain.conversations.message import ListedMessage, Message, MessageStatus


class SupersededRun(NamedTuple):
    """A run of a conversation's messages that were replaced: from ``first``, up to and without ``end``."""

    first: str
    end: str

    def holds(self, message_id: str) -> bool:
        """Whether this message is among them."""
        return self.first <= message_id < self.end


def is_superseded(message_id: str, runs: Iterable[SupersededRun]) -> bool:
    """Whether a message of the conversation that has these runs was replaced."""
    return any(run.holds(message_id) for run in runs)


def marked(messages: Iterable[ListedMessage], runs: Sequence[SupersededRun]) -> tuple[ListedMessage, ...]:
    """Messages as a list of all shows them: with the status ``superseded``, where they are, and with what
    each of them replaces."""
    replaced = {run.end: run.first for run in runs}
    return tuple(
        message._replace(
            status=MessageStatus.SUPERSEDED if is_superseded(message.id, runs) else message.status,
            replaces=replaced.get(message.id),
        )
        for message in messages
    )


def as_listed(message: Message, runs: Sequence[SupersededRun]) -> Message:
    """A message with the status that a list of all shows; it is not to be stored."""
    return replace(message, status=MessageStatus.SUPERSEDED) if is_superseded(message.id, runs) else message
