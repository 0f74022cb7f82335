"""Messages, and the turn that writes an assistant's message (contract sections 4 and 5).

A turn is one question and its reply. While the reply is being written, its message has the status
``streaming`` and carries a ``TurnLease``; only the holder of the lease writes the message.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from finassist.domain.conversations.citations import cited_in

LEASE_SECONDS = 15
LEASE_RENEWAL_SECONDS = 5
FEEDBACK_MAX = 1000
SUGGESTIONS_MAX = 3
REPLY_BYTES_MAX = 256 * 1024
"""What a model writes beyond this is cut off (``FinishReason.LENGTH``)."""
TOKENS_MAX = 10**9
"""No count of tokens that a model server reports is taken for more."""
SPOKEN_MAX = 2000
"""Limit for what counts as said in a message, in code points: as long as a message may be."""


class Role(StrEnum):
    """Who wrote a message."""

    USER = "user"
    ASSISTANT = "assistant"


class MessageStatus(StrEnum):
    """``streaming`` becomes exactly one of the others, once. ``superseded`` is never stored: lists show it of
    a message that a later question replaced (``superseding``)."""

    STREAMING = "streaming"
    COMPLETED = "completed"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"
    ERROR = "error"
    SUPERSEDED = "superseded"


class FinishReason(StrEnum):
    """Why a reply ended."""

    STOP = "stop"
    LENGTH = "length"
    STOPPED = "stopped"
    FALLBACK = "fallback"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one reply; estimated as characters / 4 where the model does not say."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    @classmethod
    def reported(cls, prompt_tokens: int, completion_tokens: int) -> "Usage":
        """What a model server reported, within what a reply can have: a server may report anything."""
        return cls(
            prompt_tokens=min(max(0, prompt_tokens), TOKENS_MAX),
            completion_tokens=min(max(0, completion_tokens), TOKENS_MAX),
        )

    @property
    def total_tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A tool that the model called while it wrote a reply.

    ``called_at`` and ``returned_at`` are event numbers of the stream (code points and tool events so
    far, each included), so that any process can replay the stream in order. ``returned_at`` is None
    while the tool runs.
    """

    id: str
    name: str
    arguments: dict[str, Any]
    called_at: int
    result: Any = None
    is_error: bool = False
    returned_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A passage that retrieval gave the model; ``index`` counts from 1, as cited in the text ``[1]``.

    ``cited`` tells whether the finished reply cites it. Sources that were stored without it count as cited.
    """

    index: int
    id: str
    title: str
    url: str | None
    snippet: str
    score: float
    cited: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A question that can be asked next: ``title`` is shown, ``message`` is what choosing it sends."""

    title: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file that was sent with a message; ``transcript`` is what is said in a recording, where that was
    found out. ``is_inline`` when it came in the request, and had not been uploaded before."""

    file_id: str
    filename: str
    mime_type: str
    size: int
    transcript: str | None = None
    is_inline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownQuoteImage:
    """A quote image that goes with a reply."""

    id: str
    category_key: str
    image_url: str
    quote_text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What the reader thinks of a message: ``rating`` is 1 (like) or -1 (dislike)."""

    rating: int
    feedback: str | None
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLease:
    """The right to write one reply.

    ``holder`` names the task that runs the turn; the lease is void at ``expires_at`` unless renewed.
    ``quota_subject`` is the subject that the message is charged to, ``idempotency_key`` the key of the
    request. ``stop_requested`` is how another process asks the holder to stop.
    """

    holder: str
    expires_at: datetime
    user_message_id: str
    quota_subject: str
    idempotency_key: str | None = None
    stop_requested: bool = False

    @staticmethod
    def expiry(now: datetime) -> datetime:
        """When a lease taken or renewed at ``now`` runs out."""
        return now + timedelta(seconds=LEASE_SECONDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation.

    ``lease`` is set while the status is ``streaming``. ``allowance_used`` and ``allowance_total`` are
    the free-message figures at the end of the reply, kept so that a replay returns the same figures.
    ``category`` is the finance category of a user's question, where it has one. ``card_id`` is the
    second-opinion card that the question stands for; it is never shown. ``replaces`` is set on a reply whose
    question takes the place of an earlier one: the id of that one (``superseding``).
    """

    id: str
    conversation_id: str
    role: Role
    content: str
    created_at: datetime
    updated_at: datetime
    status: MessageStatus = MessageStatus.COMPLETED
    attachments: tuple[Attachment, ...] = ()
    model: str | None = None
    preprompt_key: str | None = None
    usage: Usage = Usage()
    tool_calls: tuple[ToolCall, ...] = ()
    sources: tuple[Source, ...] = ()
    visual_embeds: tuple[ShownQuoteImage, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    finish_reason: FinishReason | None = None
    error_code: str | None = None
    feedback: Feedback | None = None
    allowance_used: int | None = None
    allowance_total: int | None = None
    user_message_id: str | None = None
    replaces: str | None = None
    category: str | None = None
    card_id: str | None = None
    lease: TurnLease | None = None

    @classmethod
    def question(
        cls,
        content: str,
        *,
        message_id: str,
        conversation_id: str,
        now: datetime,
        preprompt_key: str | None = None,
        category: str | None = None,
        card_id: str | None = None,
    ) -> "Message":
        """Return a user's message, which begins a turn."""
        return cls(
            id=message_id,
            conversation_id=conversation_id,
            role=Role.USER,
            content=content,
            created_at=now,
            updated_at=now,
            preprompt_key=preprompt_key,
            category=category,
            card_id=card_id,
        )

    @classmethod
    def reply_to(
        cls,
        question: "Message",
        *,
        message_id: str,
        model: str,
        holder: str,
        quota_subject: str,
        idempotency_key: str | None = None,
        replaces: str | None = None,
    ) -> "Message":
        """Return the empty reply to ``question``, which ``holder`` writes; see ``TurnLease``. ``replaces`` is
        the earlier question that this one takes the place of."""
        return cls(
            id=message_id,
            conversation_id=question.conversation_id,
            role=Role.ASSISTANT,
            content="",
            created_at=question.created_at,
            updated_at=question.created_at,
            status=MessageStatus.STREAMING,
            model=model,
            preprompt_key=question.preprompt_key,
            user_message_id=question.id,
            replaces=replaces,
            lease=TurnLease(
                holder=holder,
                expires_at=TurnLease.expiry(question.created_at),
                user_message_id=question.id,
                quota_subject=quota_subject,
                idempotency_key=idempotency_key,
            ),
        )

    @property
    def asked(self) -> str:
        """The text, and what its writer said in recordings (``with_spoken``)."""
        return with_spoken(self.content, [attachment.transcript for attachment in self.attachments])

    @property
    def token_count(self) -> int:
        """All tokens of the reply."""
        return self.usage.total_tokens

    @property
    def position(self) -> int:
        """The number of the last event so far: code points plus tool events."""
        events = sum(1 if call.returned_at is None else 2 for call in self.tool_calls)
        return len(self.content) + events

    @property
    def is_running(self) -> bool:
        """Whether a turn may still be writing it."""
        return self.status is MessageStatus.STREAMING

    def leased(self, now: datetime) -> "Message":
        """Return the reply with a lease that was taken or renewed at ``now``."""
        assert self.lease is not None
        return replace(self, lease=replace(self.lease, expires_at=TurnLease.expiry(now)))

    @property
    def is_charged(self) -> bool:
        """Whether this reply, once it is over, costs its caller a message: some of it was said, and it is
        more than that nothing was found."""
        return bool(self.content) and self.finish_reason is not FinishReason.FALLBACK

    def finished(
        self,
        status: MessageStatus,
        now: datetime,
        *,
        finish_reason: FinishReason | None = None,
        error_code: str | None = None,
    ) -> "Message":
        """End the turn: ``streaming`` becomes ``status``, and the lease is gone. Sources that the text cites
        come first.

        Raises ValueError when the message is not being written, or ``status`` is not a final one.
        """
        if not self.is_running or status in (MessageStatus.STREAMING, MessageStatus.SUPERSEDED):
            raise ValueError(f"a turn cannot go from {self.status} to {status}")
        return replace(
            self,
            status=status,
            finish_reason=finish_reason,
            error_code=error_code,
            updated_at=now,
            sources=_cited_first(self.sources, cited_in(self.content)),
            lease=None,
        )


def spoken(transcripts: Iterable[str | None]) -> str:
    """What the sender of these recordings says in them; empty when together they are longer than a message,
    because then they are material like other files."""
    said = "\n\n".join(filter(None, transcripts))
    return said if len(said) <= SPOKEN_MAX else ""


def with_spoken(text: str, transcripts: Iterable[str | None]) -> str:
    """A message's text, and what is said in its recordings."""
    said = spoken(transcripts)
    return f"{text}\n\n{said}" if said else text


def _cited_first(sources: Iterable[Source], cited: Collection[int]) -> tuple[Source, ...]:
    marked = [replace(source, cited=source.index in cited) for source in sources]
    return tuple(sorted(marked, key=lambda source: not source.cited))


class ListedMessage(NamedTuple):
    """A message as its reader sees it in a list: without its turn, its lease and its allowance.

    A tuple, because a list makes dozens of them for every request, and a tuple costs a tenth of an entity.
    Its own times are text already, RFC 3339 in UTC with milliseconds: to parse and to write a hundred of
    them would take a tenth of a page's time.

    ``replaces`` is never stored: a list of all has it, on a question that took the place of an earlier one.
    """

    id: str
    conversation_id: str
    role: Role
    content: str
    status: MessageStatus
    model: str | None
    preprompt_key: str | None
    token_count: int
    created_at: str
    updated_at: str
    attachments: tuple[Attachment, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    sources: tuple[Source, ...] = ()
    visual_embeds: tuple[ShownQuoteImage, ...] = ()
    feedback: Feedback | None = None
    suggestions: tuple[Suggestion, ...] = ()
    replaces: str | None = None
