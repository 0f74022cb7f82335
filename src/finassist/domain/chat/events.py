"""The events of a turn (contract section 4).

Every turn is a sequence of ``Token``, ``ToolCalled`` and ``ToolReturned``, ended by exactly one
``Done`` or ``Failed``. The event stream encodes it, the buffered reply folds it, storage consumes it.
"""

from dataclasses import dataclass

from finassist.domain.conversations.message import Message, ToolCall

MESSAGE_MAX = 2000
ATTACHMENTS_MAX = 5
INLINE_BYTES_MAX = 24 * 2**20
"""Limit for all inline files of one request together."""

FALLBACK_REPLY = (
    "I could not find words for an answer to that. Please try asking it in another way, "
    "or with a little more detail about what you want to know."
)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the reply's text."""

    content: str


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """The model called a tool."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class ToolReturned:
    """A tool returned; ``call`` carries its result."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class Done:
    """The turn ended well; ``message`` is what was stored, ``title`` the conversation's title."""

    message: Message
    title: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The turn failed; ``message`` holds what was written before."""

    message: Message
    code: str
    reason: str
    retryable: bool


TurnEvent = Token | ToolCalled | ToolReturned | Done | Failed
"""One event of a turn."""
