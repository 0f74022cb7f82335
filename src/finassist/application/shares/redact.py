"""Redacting a conversation, beside the event loop: a long one takes seconds (contract section 6)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from finassist.application.concurrency.places import FairPlaces
from finassist.domain.conversations.conversation import Conversation, first_title
from finassist.domain.errors import InvalidState
from finassist.domain.redaction import PersonalDataKind, Redactor
from finassist.domain.shares import RedactedText, SharedMessage
from finassist.domain.users import Caller

REDACTED_CHARACTERS_MAX: Final = 500_000
"""Some hundred turns, for which the search takes about a second."""

AT_ONCE: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundInMessage:
    """Personal data that was found in a message, or (without an id) in the conversation's title."""

    message_id: str | None
    kind: PersonalDataKind
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactedConversation:
    """A conversation without personal data: its title, and the texts of the messages that had some.
    ``findings`` is what was found."""

    title: str
    texts: Sequence[RedactedText]
    findings: Sequence[FoundInMessage]


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactConversation:
    """Find personal data in a conversation and replace it; one conversation of a caller at a time.

    Raises InvalidState for a conversation of more than 500,000 characters, and ServiceUnavailable when too
    many wait.
    """

    _places: FairPlaces = field(default_factory=lambda: FairPlaces(AT_ONCE))

    async def __call__(
        self, caller: Caller, conversation: Conversation, messages: Sequence[SharedMessage]
    ) -> RedactedConversation:
        if sum(len(message.content) for message in messages) > REDACTED_CHARACTERS_MAX:
            raise InvalidState(
                f"A conversation of more than {REDACTED_CHARACTERS_MAX:,} characters cannot be searched for "
                "personal data; share it without redaction."
            )
        async with self._places.hold(caller):
            return await asyncio.to_thread(_redacted, conversation, messages)


def _redacted(conversation: Conversation, messages: Sequence[SharedMessage]) -> RedactedConversation:
    # Names that are introduced anywhere in the conversation are known everywhere in it.
    redactor = Redactor.knowing_names_in((conversation.title, *(message.content for message in messages)))
    texts = (_redacted_text(message, redactor) for message in messages)
    return RedactedConversation(
        title=_redacted_title(conversation, messages, redactor),
        texts=[
            text for text, message in zip(texts, messages, strict=True) if text.put_over(message) != message
        ],
        findings=_findings(conversation, messages, redactor),
    )


def _redacted_text(message: SharedMessage, redactor: Redactor) -> RedactedText:
    return RedactedText(
        message_id=message.id,
        content=redactor.redact(message.content),
        filenames=tuple(redactor.redact(attachment.filename) for attachment in message.attachments),
    )


def _redacted_title(conversation: Conversation, messages: Sequence[SharedMessage], redactor: Redactor) -> str:
    # A title made of the first message may be cut in the middle of a number, which is then not recognised.
    asked = messages[0].content
    if conversation.title == first_title(asked):
        return first_title(redactor.redact(asked))
    return redactor.redact(conversation.title)


def _findings(
    conversation: Conversation, messages: Sequence[SharedMessage], redactor: Redactor
) -> Sequence[FoundInMessage]:
    texts: list[tuple[str | None, str]] = [(None, conversation.title)]
    for message in messages:
        texts.append((message.id, message.content))
        texts += [(message.id, attachment.filename) for attachment in message.attachments]
    return [
        FoundInMessage(message_id=message_id, kind=finding.kind, text=finding.text)
        for message_id, text in texts
        for finding in redactor.find(text)
    ]
