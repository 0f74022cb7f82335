"""What the listeners of a running turn hear."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from finassist.application.chat.turns.live import HEARTBEAT_SECONDS, LiveTurn
from finassist.domain.chat.events import Done, Token, ToolCalled, ToolReturned
from finassist.domain.conversations.message import (
    LEASE_SECONDS,
    Message,
    MessageStatus,
    Role,
    ShownQuoteImage,
    Source,
    ToolCall,
    Usage,
)

NOW = datetime(2026, 11, 21, tzinfo=UTC)


def new_turn() -> LiveTurn:
    return LiveTurn(
        Message(
            id="b" * 24,
            conversation_id="c" * 24,
            role=Role.ASSISTANT,
            content="",
            created_at=NOW,
            updated_at=NOW,
            status=MessageStatus.STREAMING,
        )
    )


async def test_every_listener_hears_the_same_numbers() -> None:
    turn = new_turn()
    call = ToolCall(id="call", name="cagr", arguments={}, called_at=0)
    turn.say("Hello")
    turn.call_tool(call)
    turn.return_tool(call)
    turn.say(" you")
    turn.end(Done(turn.snapshot(), "title"))
    heard = [numbered async for batch in turn.follow(0) for numbered in batch]
    assert [(number, type(event)) for number, event in heard] == [
        (5, Token),
        (6, ToolCalled),
        (7, ToolReturned),
        (11, Token),
        (11, Done),
    ]
    late = [numbered async for batch in turn.follow(8) for numbered in batch]
    assert late[0] == (11, Token("you"))


def test_what_is_noted_of_a_reply_outlasts_the_renewal_of_its_lease() -> None:
    question = Message.question("Why?", message_id="a" * 24, conversation_id="c" * 24, now=NOW)
    turn = LiveTurn(
        Message.reply_to(question, message_id="b" * 24, model="small", holder="task", quota_subject="d" * 24)
    )
    later = NOW + timedelta(seconds=20)
    source = Source(index=1, id="etf", title="ETF", url=None, snippet="A fund.", score=0.9)
    quote_image = ShownQuoteImage(id="e" * 24, category_key="calm", image_url="/image")
    turn.say("Hello")
    renewed = turn.renew_lease(later)
    turn.cite([source])
    turn.count_tokens(Usage(prompt_tokens=3))
    turn.show_quote_image(quote_image)

    expiry = later + timedelta(seconds=LEASE_SECONDS)
    assert (renewed.content, renewed.lease and renewed.lease.expires_at) == ("Hello", expiry)
    assert turn.snapshot() == replace(
        renewed, sources=(source,), usage=Usage(prompt_tokens=3), visual_embeds=(quote_image,)
    )


async def test_a_listener_of_a_silent_turn_hears_that_it_lives() -> None:
    turn = new_turn()
    listener = turn.follow(0)
    turn.say("Hello")
    assert await anext(listener) == [(5, Token("Hello"))]
    waiting = asyncio.ensure_future(anext(listener))
    await asyncio.sleep(0)
    turn.beat(100.0)
    turn.beat(100.0 + HEARTBEAT_SECONDS - 1)
    await asyncio.sleep(0)
    assert not waiting.done()
    turn.beat(100.0 + HEARTBEAT_SECONDS)
    assert await waiting == []
    await listener.aclose()


async def test_what_is_said_puts_the_heartbeat_off() -> None:
    turn = new_turn()
    listener = turn.follow(0)
    turn.beat(100.0)
    turn.say("Hello")
    turn.beat(100.0 + HEARTBEAT_SECONDS)
    assert await anext(listener) == [(5, Token("Hello"))]
    waiting = asyncio.ensure_future(anext(listener))
    turn.beat(100.0 + 2 * HEARTBEAT_SECONDS - 1)
    await asyncio.sleep(0)
    assert not waiting.done()
    turn.say("!")
    assert await waiting == [(6, Token("!"))]
    await listener.aclose()
