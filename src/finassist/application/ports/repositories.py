"""What is stored, as Protocols. Every one has an implementation in SQLite and in MongoDB.

Rules that all implementations keep:

* Domain objects go in and come out; a missing record is None, never an exception.
* What must be atomic is one method whose name says so. It has to be possible as one transaction in
  SQLite and as one guarded single-document update in MongoDB (docs/adr/0003-atomic-verbs.md).
* Times are aware UTC with millisecond precision and come from the caller: no repository has a clock.
* A database that cannot be reached raises ``ServiceUnavailable``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from finassist.domain.conversations import (
    Conversation,
    ConversationChanges,
    ConversationFilter,
    ConversationStatus,
    ConversationUsage,
    ListedConversation,
)
from finassist.domain.messages import Feedback, ListedMessage, Message
from finassist.domain.questions import Topic
from finassist.domain.quotas import RateDecision
from finassist.domain.users import Device, Identity, Platform, ProfileChanges, User

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a list: ``items`` from ``offset`` on, at most ``limit``, of ``total`` in all."""

    items: tuple[T, ...]
    total: int
    limit: int
    offset: int

    @property
    def has_more(self) -> bool:
        """Whether another page follows."""
        return self.offset + len(self.items) < self.total


class UserRepository(Protocol):
    """Registered users and guests."""

    async def get(self, user_id: str) -> User | None:
        """The user with this id."""
        ...

    async def find_by_identity(self, issuer: str, subject: str) -> User | None:
        """The registered user that this identity belongs to."""
        ...

    async def find_registered(self, *, email: str | None, phone: str | None) -> User | None:
        """A registered user with this email (ignoring case) or else this phone. Guests never match."""
        ...

    async def upsert_identity(
        self, identity: Identity, *, new_user_id: str, now: datetime, tokens_after: datetime | None = None
    ) -> User:
        """The identity's user, made under ``new_user_id`` when there is none: once, however many ask.

        A new identity joins an existing user when both have the same verified email. Whom it makes or
        joins takes tokens only that were issued after ``tokens_after``.
        """
        ...

    async def update_profile(self, user_id: str, changes: ProfileChanges, now: datetime) -> User | None:
        """Change only what ``changes`` names. Returns the user as it was BEFORE, so that of many parallel
        calls exactly one learns of each avatar that it took away; None when there is no such user."""
        ...

    async def keep_claims(
        self, user_id: str, *, email: str | None, phone: str | None, now: datetime
    ) -> User | None:
        """Keep unverified hints on a guest; None leaves the earlier claim. Returns the guest."""
        ...


class DeviceRepository(Protocol):
    """Devices, each with a guest of its own."""

    async def get(self, device_id: str) -> Device | None:
        """The device with this id."""
        ...

    async def get_or_create(
        self, device_id: str, platform: Platform, *, guest_user_id: str, guest_owner_id: str, now: datetime
    ) -> Device:
        """The device, made with its guest user when it is new: once, however many ask."""
        ...

    async def record_launch(
        self, device_id: str, platform: Platform, *, hinted_user_id: str | None, now: datetime
    ) -> Device | None:
        """Note the platform, the hinted user (None leaves the earlier one) and when the device was seen.
        Returns the device as it was BEFORE, so that the caller can tell how long it had been away."""
        ...

    async def bind(self, device_id: str, user_id: str, now: datetime) -> None:
        """Bind the device to the user whose bearer token it showed, whoever it was bound to before."""
        ...

    async def unbind(self, device_id: str) -> None:
        """Forget whom the device was bound to."""
        ...

    async def claim_guest(self, device_id: str, *, owner_id: str, new_owner_id: str, user_id: str) -> bool:
        """Hand the guest estate ``owner_id`` to ``user_id``; the guest goes on with ``new_owner_id``.

        All of the estate changes hands at once, as a reader sees it, and only while the device still
        holds ``owner_id``: exactly one of many parallel claims answers True. A claim that a crash cut
        short is completed by the next call for that device.
        """
        ...


class ConversationRepository(Protocol):
    """Conversations. New ones are made by ``MessageRepository.begin_turn``."""

    async def get(self, conversation_id: str) -> Conversation | None:
        """The conversation, deleted or not."""
        ...

    async def owner_of(self, conversation_id: str) -> str | None:
        """Whose conversation it is; None when there is none, or it is deleted."""
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
        """Change only what ``changes`` names; a new title counts as the user's. None when deleted."""
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
    """Messages, and the turns that write them (domain/messages.py says what a turn and its lease are)."""

    async def get(self, message_id: str) -> Message | None:
        """The message with this id."""
        ...

    async def list(self, conversation_id: str, *, limit: int, offset: int, descending: bool) -> Page[Message]:
        """A conversation's messages by creation, oldest first unless ``descending``."""
        ...

    async def show(
        self, conversation_id: str, *, limit: int, offset: int, descending: bool
    ) -> Page[ListedMessage]:
        """The same page as ``list``, with what a reader sees of each message."""
        ...

    async def latest(self, conversation_id: str, *, limit: int) -> Sequence[Message]:
        """The newest ``limit`` messages of a conversation, oldest first, for the model's history."""
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
        most one of many parallel calls answers True.
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
        """Ask whoever runs the turn to stop. False when it is not running."""
        ...

    async def stop_requests(self, holder: str) -> Sequence[str]:
        """The ids of the turns held by ``holder`` that somebody asked to stop."""
        ...

    async def take_over_expired(self, *, holder: str, now: datetime, lease_until: datetime) -> Message | None:
        """Take the lease of one turn whose lease ran out before ``now``; None when there is none.

        A turn goes to exactly one of many parallel callers.
        """
        ...

    async def set_feedback(self, message_id: str, feedback: Feedback) -> bool:
        """Replace the message's feedback. False when there is no such message."""
        ...

    async def topics(self, owner_ids: Sequence[str]) -> Sequence[Topic]:
        """Each category that the owners' messages have, in any order; deleted conversations do not count."""
        ...


@dataclass(frozen=True, slots=True)
class QuotaUse:
    """What is stored of one allowance: messages ``used`` (reserved ones included) and ``granted`` on
    top of ``FREE_MESSAGE_THRESHOLD``."""

    used: int = 0
    granted: int = 0


@dataclass(frozen=True, slots=True)
class Reservation:
    """A message reserved for a turn and not yet settled."""

    subject: str
    turn_id: str
    reserved_at: datetime


class QuotaRepository(Protocol):
    """Free messages, counted per subject: a user's id, or the id of a device's guest."""

    async def get(self, subject: str) -> QuotaUse:
        """What the subject used and was granted; zeros when nothing is known."""
        ...

    async def reserve_message(
        self, subject: str, turn_id: str, *, threshold: int, now: datetime
    ) -> QuotaUse | None:
        """Reserve one message for the turn, if fewer than ``threshold`` + granted are used, else None.

        Exact under any concurrency. Reserving again for the same turn changes nothing.
        """
        ...

    async def commit_message(self, subject: str, turn_id: str) -> None:
        """Charge the reserved message. Without a reservation of that turn nothing changes."""
        ...

    async def release_message(self, subject: str, turn_id: str) -> None:
        """Give the reserved message back. Without a reservation of that turn nothing changes."""
        ...

    async def grant(self, subject: str, messages: int) -> QuotaUse:
        """Add ``messages`` (may be negative) to what the subject may use."""
        ...

    async def stale_reservations(self, before: datetime, *, limit: int) -> Sequence[Reservation]:
        """Reservations made before that time: what a crash may have left."""
        ...


class RateWindowRepository(Protocol):
    """Requests in a rolling window, exact over all processes that share the database."""

    async def hit(self, key: str, *, limit: int, window_seconds: int, now: datetime) -> RateDecision:
        """Count a request now, if fewer than ``limit`` were counted in the window that ends now.

        A refused request does not count.
        """
        ...

    async def take_back(self, key: str, counted_at: datetime) -> None:
        """Let one of the requests counted at that time count no more."""
        ...

    async def delete_expired(self, now: datetime) -> int:
        """Remove windows in which nothing counts any more; returns how many."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyRecord:
    """What an ``Idempotency-Key`` stands for: a request's fingerprint, and the reply that answers it."""

    owner: str
    key: str
    fingerprint: str
    message_id: str
    created_at: datetime
    expires_at: datetime


class IdempotencyRepository(Protocol):
    """``Idempotency-Key`` values, unique per owner until they expire."""

    async def claim(self, record: IdempotencyRecord) -> IdempotencyRecord | None:
        """Keep the record and answer None, or answer the unexpired one that has the key already.

        Exactly one of many parallel claims answers None.
        """
        ...

    async def find(self, owner: str, key: str, now: datetime) -> IdempotencyRecord | None:
        """The unexpired record with this key."""
        ...

    async def release(self, owner: str, key: str, message_id: str) -> None:
        """Free the key, if it still stands for ``message_id``."""
        ...

    async def delete_expired(self, now: datetime) -> int:
        """Remove what expired; returns how many."""
        ...


class DatabaseProbe(Protocol):
    """Whether the database answers."""

    async def ping(self) -> None:
        """Return at once when it does; raise ``ServiceUnavailable`` otherwise."""
        ...
