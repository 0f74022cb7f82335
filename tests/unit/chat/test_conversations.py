"""Conversations: the state machine, first titles and previews (contract section 5)."""

from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from datetime import UTC, datetime, timedelta

import pytest

from finassist.domain.conversations.conversation import (
    Conversation,
    ConversationStatus,
    first_title,
    preview_of,
)
from finassist.domain.errors import NotFound

CREATED = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
LATER = CREATED + timedelta(hours=1)
Verb = Callable[[Conversation, datetime], Conversation]

ACTIVE, ARCHIVED, DELETED = ConversationStatus


def conversation(status: ConversationStatus) -> Conversation:
    return Conversation(
        id="a" * 24,
        owner_id="b" * 24,
        title="Emergency fund",
        created_at=CREATED,
        updated_at=CREATED,
        last_message_at=CREATED,
        pinned=True,
        tags=("savings",),
        message_count=2,
        status=status,
    )


# Every state and every verb


@pytest.mark.parametrize(
    ("status", "verb", "following"),
    [
        (ACTIVE, Conversation.archive, ARCHIVED),
        (ACTIVE, Conversation.delete, DELETED),
        (ARCHIVED, Conversation.restore, ACTIVE),
        (ARCHIVED, Conversation.delete, DELETED),
    ],
)
def test_a_verb_moves_the_conversation_and_changes_nothing_else(
    status: ConversationStatus, verb: Verb, following: ConversationStatus
) -> None:
    before = conversation(status)

    after = verb(before, LATER)

    assert after == replace(before, status=following, updated_at=LATER)
    assert before == conversation(status)


@pytest.mark.parametrize(
    ("status", "verb"), [(ACTIVE, Conversation.restore), (ARCHIVED, Conversation.archive)]
)
def test_a_verb_that_was_done_before_changes_nothing(status: ConversationStatus, verb: Verb) -> None:
    before = conversation(status)

    assert verb(before, LATER) is before


@pytest.mark.parametrize("verb", [Conversation.archive, Conversation.restore, Conversation.delete])
def test_a_deleted_conversation_is_not_found_by_any_verb(verb: Verb) -> None:
    with pytest.raises(NotFound) as refusal:
        verb(conversation(DELETED), LATER)

    assert refusal.value.message == "There is no such conversation."


def test_nobody_sets_the_status_from_outside() -> None:
    with pytest.raises(FrozenInstanceError):
        conversation(ACTIVE).status = DELETED  # type: ignore[misc]


# Titles and previews


def test_a_short_first_message_is_the_title() -> None:
    assert first_title("How do I start an emergency fund?") == "How do I start an emergency fund?"


def test_white_space_in_a_title_is_one_blank() -> None:
    assert first_title("  How do\n\n\tI   start? \n") == "How do I start?"


def test_a_message_of_80_characters_is_its_own_title() -> None:
    assert first_title("x" * 80) == "x" * 80


def test_a_long_title_is_cut_at_a_word() -> None:
    title = first_title("Should I pay off my mortgage early " * 5)

    assert title == "Should I pay off my mortgage early Should I pay off my mortgage early Should I…"


def test_a_long_first_word_is_cut_within_it() -> None:
    assert first_title("a " + "x" * 200) == "a " + "x" * 77 + "…"


@pytest.mark.parametrize(
    "message",
    [
        "x" * 2000,
        "word " * 400,
        "x" * 79 + " y",
        "x" * 80 + " y",
        "x" * 81,
        "é 🙂" * 500,
        "x" * 39 + " " + "y" * 99,
    ],
)
def test_a_title_has_at_most_80_characters(message: str) -> None:
    title = first_title(message)

    assert 0 < len(title) <= 80
    assert title == title.strip()


def test_a_preview_is_the_first_140_characters() -> None:
    assert preview_of("short") == "short"
    assert preview_of("🙂" * 200) == "🙂" * 140
