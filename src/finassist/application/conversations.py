"""Conversations and their messages: reading, naming, archiving, deleting, rating (contract section 5)."""

from dataclasses import dataclass

from finassist.application.ports.conversations import ConversationRepository, MessageRepository
from finassist.application.ports.database import Page
from finassist.application.ports.shares import ShareRepository
from finassist.application.ports.system import Clock
from finassist.domain.conversations.conversation import (
    Conversation,
    ConversationChanges,
    ConversationFilter,
    ConversationStatus,
    ListedConversation,
)
from finassist.domain.conversations.message import Feedback, ListedMessage
from finassist.domain.errors import NotFound
from finassist.domain.users import Caller


async def load_conversation(
    conversations: ConversationRepository, caller: Caller, conversation_id: str
) -> Conversation:
    """One of the caller's conversations. A deleted one is not found, somebody else's is forbidden."""
    conversation = await conversations.get(conversation_id)
    if conversation is None or conversation.status is ConversationStatus.DELETED:
        raise NotFound("conversation")
    caller.require_owner(conversation.owner_id)
    return conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class ListConversations:
    """The caller's conversations: pinned first, then by newest activity."""

    conversations: ConversationRepository

    async def __call__(
        self, caller: Caller, which: ConversationFilter, *, limit: int, offset: int
    ) -> Page[ListedConversation]:
        return await self.conversations.list(caller.owner_ids, which, limit=limit, offset=offset)


@dataclass(frozen=True, slots=True, kw_only=True)
class GetConversation:
    """The metadata of one of the caller's conversations."""

    conversations: ConversationRepository

    async def __call__(self, caller: Caller, conversation_id: str) -> Conversation:
        return await load_conversation(self.conversations, caller, conversation_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListMessages:
    """The messages of one of the caller's conversations, oldest first unless asked otherwise, and superseded
    ones only when they are wanted."""

    conversations: ConversationRepository
    messages: MessageRepository

    async def __call__(
        self,
        caller: Caller,
        conversation_id: str,
        *,
        limit: int,
        offset: int,
        descending: bool,
        with_superseded: bool = False,
    ) -> Page[ListedMessage]:
        owner_id = await self.conversations.owner_of(conversation_id)
        if owner_id is None:
            raise NotFound("conversation")
        caller.require_owner(owner_id)
        return await self.messages.show(
            conversation_id,
            limit=limit,
            offset=offset,
            descending=descending,
            with_superseded=with_superseded,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateConversation:
    """Rename, pin or retag one of the caller's conversations; only what is named changes."""

    conversations: ConversationRepository
    clock: Clock

    async def __call__(
        self, caller: Caller, conversation_id: str, changes: ConversationChanges
    ) -> Conversation:
        conversation = await load_conversation(self.conversations, caller, conversation_id)
        if changes == ConversationChanges():
            return conversation
        updated = await self.conversations.update(conversation_id, changes, self.clock.now())
        if updated is None:
            raise NotFound("conversation")
        return updated


@dataclass(frozen=True, slots=True, kw_only=True)
class _Transition:
    """Move one of the caller's conversations through its state machine, retrying after concurrent changes."""

    conversations: ConversationRepository
    clock: Clock

    def _next(self, conversation: Conversation) -> Conversation:
        raise NotImplementedError

    async def __call__(self, caller: Caller, conversation_id: str) -> Conversation:
        return await self._move(caller, conversation_id)

    async def _move(self, caller: Caller, conversation_id: str) -> Conversation:
        while True:
            before = await load_conversation(self.conversations, caller, conversation_id)
            after = self._next(before)
            if after is before:
                return before
            moved = await self.conversations.change_status(
                before.id, expected=before.status, to=after.status, now=after.updated_at
            )
            if moved is not None:
                return moved


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveConversation(_Transition):
    """Archive one of the caller's conversations; archiving twice changes nothing."""

    def _next(self, conversation: Conversation) -> Conversation:
        return conversation.archive(self.clock.now())


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreConversation(_Transition):
    """Bring one of the caller's conversations back from the archive; an active one stays as it is."""

    def _next(self, conversation: Conversation) -> Conversation:
        return conversation.restore(self.clock.now())


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteConversation(_Transition):
    """Delete one of the caller's conversations. It is gone for its owner, cannot be restored, and its shares
    are revoked."""

    shares: ShareRepository

    async def __call__(self, caller: Caller, conversation_id: str) -> Conversation:
        # Before as well as after: neither a crash in between nor a request that shares it meanwhile
        # leaves a share of a deleted conversation.
        conversation = await load_conversation(self.conversations, caller, conversation_id)
        await self.shares.revoke_all_of(conversation.id, self.clock.now())
        deleted = await self._move(caller, conversation_id)
        await self.shares.revoke_all_of(conversation.id, self.clock.now())
        return deleted

    def _next(self, conversation: Conversation) -> Conversation:
        return conversation.delete(self.clock.now())


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveFeedback:
    """Like (1) or dislike (-1) a message of the caller's conversations, a question as well as a reply;
    later feedback replaces it."""

    conversations: ConversationRepository
    messages: MessageRepository
    clock: Clock

    async def __call__(self, caller: Caller, message_id: str, rating: int, feedback: str | None) -> Feedback:
        message = await self.messages.get(message_id)
        if message is None:
            raise NotFound("message")
        owner_id = await self.conversations.owner_of(message.conversation_id)
        if owner_id is None:
            raise NotFound("message")
        caller.require_owner(owner_id)
        given = Feedback(rating=rating, feedback=feedback, updated_at=self.clock.now())
        if not await self.messages.set_feedback(message_id, given):
            raise NotFound("message")
        return given
