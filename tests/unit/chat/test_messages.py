"""Messages: how a turn ends, where its stream stands, feedback and leases (contract sections 4 and 5)."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from finassist.domain.conversations.message import (
    LEASE_RENEWAL_SECONDS,
    LEASE_SECONDS,
    FinishReason,
    Message,
    MessageStatus,
    Role,
    Source,
    ToolCall,
    TurnLease,
    Usage,
)
from tables import each_row

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(seconds=3)
ENDS = sorted(set(MessageStatus) - {MessageStatus.STREAMING, MessageStatus.SUPERSEDED})


def lease() -> TurnLease:
    return TurnLease(
        holder="task-1",
        expires_at=TurnLease.expiry(NOW),
        user_message_id="c" * 24,
        quota_subject="d" * 24,
    )


def reply(status: MessageStatus = MessageStatus.STREAMING, content: str = "Hello") -> Message:
    return Message(
        id="a" * 24,
        conversation_id="b" * 24,
        role=Role.ASSISTANT,
        content=content,
        created_at=NOW,
        updated_at=NOW,
        status=status,
        lease=lease() if status is MessageStatus.STREAMING else None,
    )


# How a turn begins


def test_a_reply_begins_empty_under_a_lease_and_knows_its_question() -> None:
    question = Message.question(
        "What is an ETF?",
        message_id="c" * 24,
        conversation_id="b" * 24,
        now=NOW,
        preprompt_key="calm",
        category="investing",
    )
    begun = Message.reply_to(
        question, message_id="a" * 24, model="small", holder="task-1", quota_subject="d" * 24
    )

    assert (question.role, question.status, question.lease) == (Role.USER, MessageStatus.COMPLETED, None)
    assert (question.content, question.category) == ("What is an ETF?", "investing")
    assert begun == replace(
        reply(content=""), model="small", preprompt_key="calm", user_message_id=question.id
    )


# How a turn ends


@pytest.mark.parametrize("end", ENDS)
def test_a_running_turn_ends_in_any_other_status_and_loses_its_lease(end: MessageStatus) -> None:
    running = reply()

    ended = running.finished(end, LATER)

    assert ended == replace(running, status=end, updated_at=LATER, lease=None)
    assert not ended.is_running
    assert running.is_running


@each_row("status", ENDS)
@each_row("target", list(MessageStatus))
def test_an_ended_turn_never_changes_its_status(status: MessageStatus, target: MessageStatus) -> None:
    with pytest.raises(ValueError, match=f"from {status} to {target}"):
        reply(status).finished(target, LATER)


def test_a_running_turn_does_not_end_by_running() -> None:
    with pytest.raises(ValueError, match="from streaming to streaming"):
        reply().finished(MessageStatus.STREAMING, LATER)


def test_an_ended_turn_says_why_it_ended() -> None:
    stopped = reply().finished(MessageStatus.STOPPED, LATER, finish_reason=FinishReason.STOPPED)
    failed = reply().finished(MessageStatus.ERROR, LATER, error_code="LLM_ERROR")

    assert (stopped.finish_reason, stopped.error_code) == (FinishReason.STOPPED, None)
    assert (failed.finish_reason, failed.error_code) == (None, "LLM_ERROR")


def test_only_a_streaming_message_is_running() -> None:
    assert [status for status in MessageStatus if reply(status).is_running] == [MessageStatus.STREAMING]


def test_a_lease_lasts_15_seconds_and_outlives_two_missed_renewals() -> None:
    assert TurnLease.expiry(NOW) == NOW + timedelta(seconds=15)
    assert LEASE_RENEWAL_SECONDS * 3 <= LEASE_SECONDS


# Where the stream stands


def test_the_position_counts_code_points() -> None:
    assert reply(content="").position == 0
    assert reply(content="né 🙂").position == 4


def test_the_position_counts_each_tool_call_and_each_result() -> None:
    returned = ToolCall(id="1", name="loan", arguments={}, called_at=6, returned_at=7, result=1)
    running = ToolCall(id="2", name="loan", arguments={}, called_at=8)

    assert replace(reply(), tool_calls=(returned,)).position == 7
    assert replace(reply(), tool_calls=(returned, running)).position == 8


# Tokens


def test_usage_adds_up() -> None:
    usage = Usage(prompt_tokens=100, completion_tokens=20) + Usage(prompt_tokens=30, completion_tokens=4)

    assert usage == Usage(prompt_tokens=130, completion_tokens=24)
    assert usage.total_tokens == 154
    assert replace(reply(), usage=usage).token_count == 154


# What the reply cites


def test_sources_that_a_finished_reply_cites_come_first() -> None:
    found = [
        Source(index=index, id=str(index), title="", url=None, snippet="", score=0.9, cited=False)
        for index in range(1, 5)
    ]
    ended = replace(reply(content="As [3] says, and [1](https://a.test) [4][9]."), sources=tuple(found))

    for status in (MessageStatus.COMPLETED, MessageStatus.STOPPED):
        sources = ended.finished(status, LATER).sources
        assert [(source.index, source.cited) for source in sources] == [
            (3, True), (4, True), (1, False), (2, False),
        ]  # fmt: skip
