"""A figure is told to who asks for one: people tell amounts and rates beside most of what they ask."""

from collections.abc import Sequence

import pytest

from finassist.application.ports.language_model import ModelMessage, TextDelta, ToolCallRequest
from finassist.domain.conversations.message import Role
from recognised_calculations import events_of


async def calls(*said: str) -> Sequence[ToolCallRequest]:
    """The tools that the last of some messages calls; the user's and the replies take turns."""
    roles = (Role.USER, Role.ASSISTANT)
    messages = [ModelMessage(roles[place % 2], text) for place, text in enumerate(said)]
    return [event for event in await events_of(messages) if isinstance(event, ToolCallRequest)]


@pytest.mark.parametrize(
    ("first", "later"),
    [
        (
            "what would each of us pay of 1,400 rent if I earn 44k and he earns 31k",
            "He has about 5k on store cards that he won't talk about. Would that be my problem if we marry?",
        ),
        (
            "is a fund better than a savings account for 150 a month",
            "my cousin says just buy Tesla, and my bank has something with a 1.1% fee. whats a boring choice",
        ),
        (
            "can i pay off my flat early, 38 lakh left at 8.4%, 15 years",
            "But my brother says put it in shares, that gives 14%. He is very sure",
        ),
    ],
)
async def test_a_later_message_with_numbers_that_asks_for_no_figure_gets_none(first: str, later: str) -> None:
    assert await calls(first, "All right.", later) == []


async def test_a_later_message_without_numbers_that_asks_for_no_figure_gets_none() -> None:
    first = "16% for 24 months on 2.4 lakh, what is that a month"
    assert (
        await calls(first, "All right.", "what do I say when they call, they want to sell insurance too")
        == []
    )


async def test_a_first_message_with_numbers_that_asks_for_no_figure_gets_none() -> None:
    story = (
        "I drive in Riyadh and send home 1300 riyal monthly since 12 years, age is 46, no savings. What now?"
    )
    assert await calls(story) == []


async def test_a_number_that_was_asked_for_is_taken_whatever_the_message_sounds_like() -> None:
    first = "what would be the monthly payment on a loan of 12,000 over 4 years"
    messages = [ModelMessage(Role.USER, first)]
    asked = "".join(each.text for each in await events_of(messages) if isinstance(each, TextDelta))
    [call] = await calls(first, asked, "my credit union said 7.5%, she was nice about it")
    assert call.arguments == {"principal": 12000, "yearly_rate": 7.5, "years": 4}


async def test_a_change_of_the_calculation_before_is_calculated() -> None:
    first = "what would be the monthly payment on a loan of 12,000 at 7% over 4 years"
    [call] = await calls(first, "All right.", "and if I take 5 years instead?")
    assert call.arguments == {"principal": 12000, "yearly_rate": 7, "years": 5}
