"""Conversations and messages."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from finassist.application.ports.database import Page
from finassist.domain.conversations.conversation import (
    Conversation,
    ConversationChanges,
    ConversationFilter,
    ConversationStatus,
    ConversationUsage,
    ListedConversation,
)
from finassist.domain.conversations.message import Feedback, ListedMessage, Message
from finassist.domain.conversations.superseding import SupersededRun
from finassist.domain.retrieval.questions import Topic


class ConversationRepository(Protocol):
    """Conversations. New ones are made by ``MessageRepository.begin_turn``."""

    async def get(self, conversation_id: str) -> Conversation | None:
        """The conversation, deleted or not."""
        ...

    async def owner_of(self, conversation_id: str) -> str | None:
        """The owner of the conversation; None when it does not exist or is deleted."""
        ...

    async def list(
        self, owner_ids: Sequence[str], which: ConversationFilter, *, limit: int, offset: int
    ) -> Page[ListedConversation]:
        """The owners' conversations: pinned first, then by newest activity."""
        ...

    async def usage(self, owner_ids: Sequence[str]) -> ConversationUsage:
        """How many conversations the owners have, in each state."""
        ...

    async def any_owned_by(self, owner_id: str) -> bool:
        """Whether the owner has a conversation, in whatever state."""
        ...

    async def update(
        self, conversation_id: str, changes: ConversationChanges, now: datetime
    ) -> Conversation | None:
        """Store what ``Conversation.changed`` makes of the conversation; None when it is not found."""
        ...

    async def improve_title(self, conversation_id: str, title: str) -> bool:
        """Replace the title, unless the user has set it. False when it stays, or the conversation is deleted
        or does not exist."""
        ...

    async def change_status(
        self, conversation_id: str, *, expected: ConversationStatus, to: ConversationStatus, now: datetime
    ) -> Conversation | None:
        """Move from ``expected`` to ``to``; None when the status is no longer ``expected``."""
        ...

    async def set_instructions(self, conversation_id: str, preprompt_id: str) -> None:
        """Let this pre-prompt of the main catalog hold in the conversation from now on."""
        ...


class MessageRepository(Protocol):
    """Messages, and the turns that write them; ``domain/conversations/message.py`` says what a turn and its
    lease are. Messages that a later question replaced (``superseding``) are in no list that does not name
    them, and are not counted."""

    async def get(self, message_id: str) -> Message | None:
        """The message with this id."""
        ...

    async def list(self, conversation_id: str, *, limit: int, offset: int, descending: bool) -> Page[Message]:
        """A conversation's messages by creation, oldest first unless ``descending``."""
        ...

    async def show(
        self,
        conversation_id: str,
        *,
        limit: int,
        offset: int,
        descending: bool,
        with_superseded: bool = False,
    ) -> Page[ListedMessage]:
        """The same page as ``list``, with what a reader sees of each message. ``with_superseded`` adds the
        superseded messages; their status is ``superseded`` then."""
        ...

    async def latest(
        self, conversation_id: str, *, limit: int, before: str | None = None
    ) -> Sequence[Message]:
        """The newest ``limit`` messages of a conversation, oldest first, for the model's history; with
        ``before``, the newest of those before the message with this id."""
        ...

    async def superseded_in(self, conversation_id: str) -> Sequence[SupersededRun]:
        """Which of a conversation's messages are superseded."""
        ...

    async def running_turn(self, conversation_id: str) -> Message | None:
        """The reply that is being written in this conversation, if any."""
        ...

    async def begin_turn(
        self, question: Message, reply: Message, new_conversation: Conversation | None
    ) -> bool:
        """Store the user's message and the ``streaming`` reply, and the conversation when it is new.

        Also brings the conversation's preview, message count and times up to date. False, with nothing
        stored, when a turn is already running in the conversation or the conversation is deleted: at
        most one of many parallel calls returns True. Repeating a call whose answer was lost completes it,
        and changes nothing when it was complete.

        The write that stores a reply that ``replaces`` a message supersedes that message and all after it.
        False, when it is superseded already.
        """
        ...

    async def withdraw_turn(self, question: Message, reply: Message) -> bool:
        """Undo ``begin_turn``: delete question and reply, and the conversation when it has no other message;
        otherwise its preview, message count and times are those of what stays.

        Only while ``reply.lease.holder`` holds the lease: False, with nothing deleted, when it does not.
        """
        ...

    async def save_progress(self, reply: Message) -> bool:
        """Store the reply's text, tool calls and sources so far, and the new expiry of its lease.

        Only while ``reply.lease.holder`` holds the lease: False when the turn is no longer its own.
        """
        ...

    async def finish_turn(self, reply: Message, holder: str) -> bool:
        """Store the finished reply, if ``holder`` still holds the lease, and update the conversation.

        True for exactly one call per turn.
        """
        ...

    async def request_stop(self, message_id: str) -> bool:
        """Ask the process that runs the turn to stop. False when it is not running."""
        ...

    async def stop_requests(self, holder: str) -> Sequence[str]:
        """The ids of the turns held by ``holder`` that somebody asked to stop."""
        ...

    async def take_over_expired(self, *, holder: str, now: datetime, lease_until: datetime) -> Message | None:
        """Take the lease of one turn whose lease ran out before ``now``; None when there is none.

        A turn goes to exactly one of many parallel callers. One whose beginning a crash cut short is removed
        instead.
        """
        ...

    async def set_feedback(self, message_id: str, feedback: Feedback) -> bool:
        """Replace the message's feedback. False when there is no such message."""
        ...

    async def topics(self, owner_ids: Sequence[str]) -> Sequence[Topic]:
        """Each category that the owners' messages have, in any order; deleted conversations do not count."""
        ...
