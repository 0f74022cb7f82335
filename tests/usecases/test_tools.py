"""Tool calls within a turn: their events, their numbers, and what a failure costs (contract section 4)."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from finassist.adapters.telemetry.prometheus import PrometheusTelemetry
from finassist.application.chat.turns.replay import Numbered
from finassist.application.ports.language_model import ModelFinished, ModelRequest, ToolCallRequest
from finassist.composition.application import Finassist
from finassist.config import Settings
from finassist.domain.calculators import CALCULATORS
from finassist.domain.chat.events import FALLBACK_REPLY, Done, Failed, Token, ToolCalled, ToolReturned
from finassist.domain.conversations.message import FinishReason, MessageStatus, Usage
from finassist.domain.users import Caller
from finassist.testing import ScriptedModel, Step, model_failure, model_of
from usecases.conftest import guest_of, opened
from usecases.test_chat import abandon, ask, collect, send, used

LOAN = ToolCallRequest("call_1", "loan_instalment", {"principal": 20000, "yearly_rate": 7, "years": 5})
RATE = ToolCallRequest("call_2", "effective_annual_rate", {"yearly_rate": 12, "compounding": "monthly"})


def in_turn(*rounds: Sequence[Step]) -> Any:
    """A script that says one thing after the other, by how many rounds of tools there were."""
    return lambda request: rounds[min(len(request.rounds), len(rounds) - 1)]


def told(events: Sequence[Numbered]) -> list[tuple[int, str]]:
    """The events by number and kind, with the text of tokens."""
    return [
        (number, event.content if isinstance(event, Token) else type(event).__name__)
        for number, event in events
    ]


async def test_a_tool_call_is_shown_answered_and_stored(service: Finassist, guest: Caller) -> None:
    model_of(service).script = in_turn((LOAN,), ("It is 396.02.",))
    turn = await send(service, guest)

    events = await collect(turn.batches)

    assert told(events) == [(1, "ToolCalled"), (2, "ToolReturned"), (15, "It is 396.02."), (15, "Done")]
    done = events[-1][1]
    assert isinstance(done, Done)
    stored = await service.adapters.messages.get(turn.message_id)
    assert stored is not None
    [call] = stored.tool_calls
    assert (call,) == done.message.tool_calls
    assert (call.id, call.name, call.arguments) == ("call_1", "loan_instalment", LOAN.arguments)
    assert (call.called_at, call.returned_at, call.is_error) == (1, 2, False)
    assert call.result["figures"]["instalment"] == "396.02"
    assert {"answer", "formula", "steps", "assumptions"} < call.result.keys()


async def test_the_model_gets_the_tools_and_then_their_results(service: Finassist, guest: Caller) -> None:
    model = model_of(service)
    model.script = in_turn(("Let me see.", LOAN, RATE), ("Done.",))
    await ask(service, guest)

    first, second = model.requests
    assert LOAN.name in {tool.name for tool in first.tools}
    assert len(first.tools) < len(CALCULATORS)
    assert second.tools == first.tools
    assert first.may_call_tools
    assert first.rounds == ()
    [earlier] = second.rounds
    assert earlier.text == "Let me see."
    assert [answer.call for answer in earlier.answers] == [LOAN, RATE]
    assert [answer.outcome.is_error for answer in earlier.answers] == [False, False]
    assert second.messages == first.messages


async def test_a_model_that_cannot_call_tools_is_offered_none(service: Finassist, guest: Caller) -> None:
    model = model_of(service)
    model.capabilities = replace(model.capabilities, tools=False)
    await ask(service, guest)
    assert model.requests[0].tools == ()


async def test_text_before_and_after_a_tool_is_two_paragraphs(service: Finassist, guest: Caller) -> None:
    model_of(service).script = in_turn(("Let me see.", LOAN), ("It is 396.02.",))
    assert (await ask(service, guest)).message.content == "Let me see.\n\nIt is 396.02."


@pytest.mark.parametrize(
    "wrong",
    [
        replace(LOAN, arguments={"principal": "20000", "yearly_rate": 7, "years": 5}),
        replace(LOAN, arguments={"principal": 20000, "yearly_rate": 7}),
        replace(LOAN, arguments={**LOAN.arguments, "currency": "EUR"}),
        replace(LOAN, name="print_money"),
        replace(LOAN, arguments={}, problem="The arguments must be one JSON object."),
    ],
)
async def test_wrong_arguments_are_given_back_to_the_model_which_may_try_again(
    service: Finassist, guest: Caller, wrong: ToolCallRequest
) -> None:
    model = model_of(service)
    model.script = in_turn((wrong,), (LOAN,), ("It is 396.02.",))

    ending = await ask(service, guest)

    assert isinstance(ending, Done)
    refused, accepted = ending.message.tool_calls
    assert (refused.is_error, accepted.is_error) == (True, False)
    assert refused.result["error"]
    assert model.requests[1].rounds[0].answers[0].outcome.is_error


async def test_servers_that_number_the_calls_of_each_round_from_1_do_not_mix_them_up(
    service: Finassist, guest: Caller
) -> None:
    model = model_of(service)
    model.script = in_turn((LOAN, LOAN), (replace(RATE, id="call_1"),), ("Done.",))

    ending = await ask(service, guest)

    calls = ending.message.tool_calls
    assert [call.id for call in calls] == ["call_1", "call_1-2", "call_1-3"]
    assert [(call.called_at, call.returned_at) for call in calls] == [(1, 2), (3, 4), (5, 6)]
    assert [answer.call.id for answer in model.requests[1].rounds[0].answers] == ["call_1", "call_1-2"]


async def test_after_four_rounds_the_model_has_to_answer(service: Finassist, guest: Caller) -> None:
    def stubborn(request: ModelRequest) -> Sequence[Step]:
        return (LOAN,) if request.may_call_tools else ("Enough.",)

    model = model_of(service)
    model.script = stubborn
    ending = await ask(service, guest)

    assert [request.may_call_tools for request in model.requests] == [True] * 4 + [False]
    assert len(ending.message.tool_calls) == 4
    assert ending.message.content == "Enough."


async def test_a_model_that_never_stops_calling_gets_a_fallback_message(
    service: Finassist, guest: Caller
) -> None:
    model = model_of(service)
    model.script = (LOAN,)
    ending = await ask(service, guest)

    assert len(model.requests) == 5
    assert len(ending.message.tool_calls) == 4
    assert ending.message.content == FALLBACK_REPLY
    assert ending.message.finish_reason is FinishReason.FALLBACK


async def test_the_tokens_of_all_rounds_are_added_up(service: Finassist, guest: Caller) -> None:
    def counted(prompt: int, completion: int) -> ModelFinished:
        return ModelFinished("stop", Usage(prompt_tokens=prompt, completion_tokens=completion))

    model_of(service).script = in_turn((LOAN, counted(100, 20)), ("Done.", counted(150, 30)))
    ending = await ask(service, guest)
    assert ending.message.usage == Usage(prompt_tokens=250, completion_tokens=50)


async def test_tokens_that_nobody_counts_are_estimated_with_the_results_of_tools(
    service: Finassist, guest: Caller
) -> None:
    silent = ModelFinished("stop")
    model_of(service).script = in_turn(("Hello there.", silent))
    plain = (await ask(service, guest)).message.usage
    model_of(service).script = in_turn((LOAN, silent), ("Hello there.", silent))
    with_tools = (await ask(service, guest)).message.usage
    assert plain.completion_tokens == with_tools.completion_tokens == 3
    assert with_tools.prompt_tokens > 2 * plain.prompt_tokens


async def test_a_failed_round_is_estimated_on_top_of_what_the_earlier_ones_took(
    service: Finassist, guest: Caller
) -> None:
    counted = ModelFinished("tool_calls", Usage(prompt_tokens=100_000, completion_tokens=200))
    model_of(service).script = in_turn((LOAN, counted), ("half an ans", model_failure()))
    usage = (await ask(service, guest)).message.usage
    assert 100_000 < usage.prompt_tokens < 150_000
    assert usage.completion_tokens == 200 + 3


async def test_a_turn_that_calls_tools_says_its_first_word_once(service: Finassist, guest: Caller) -> None:
    model_of(service).script = in_turn(("Let me see.", LOAN), ("It is ", "396.02."))
    await ask(service, guest)
    telemetry = service.adapters.telemetry
    assert isinstance(telemetry, PrometheusTelemetry)
    assert b"finassist_chat_first_token_seconds_count 1.0" in telemetry.render()


async def test_a_turn_is_replayed_in_order_from_every_number(service: Finassist, guest: Caller) -> None:
    model_of(service).script = in_turn(("Grüße 💶", LOAN, RATE), (LOAN,), ("It is ", "so."))
    turn = await send(service, guest)
    live = await collect(turn.batches)
    text = live[-1][1].message.content  # type: ignore[union-attr]
    end = live[-1][0]
    tools = [number for number, event in live if isinstance(event, ToolCalled | ToolReturned)]
    assert end == len(text) + 6
    assert tools == [8, 9, 10, 11, 12, 13]

    for after in range(end + 1):
        again = await collect((await service.follow_turn(guest, turn.message_id, after=after)).batches)
        *events, (number, done) = again
        assert (number, isinstance(done, Done)) == (end, True)
        assert [n for n, e in events if not isinstance(e, Token)] == [n for n in tools if n > after]
        seen = sum(number <= after for number in tools)
        assert "".join(e.content for _, e in events if isinstance(e, Token)) == text[after - seen :]
        assert [n for n, _ in events] == sorted(n for n, _ in events)


async def test_a_running_turn_is_followed_from_between_its_tool_events(
    service: Finassist, guest: Caller
) -> None:
    gate = asyncio.Event()
    model_of(service).script = in_turn(("ab", LOAN), (gate, "cd"))
    turn = await send(service, guest)
    seen: list[Numbered] = []
    while not seen or not isinstance(seen[-1][1], ToolReturned):
        seen += await anext(turn.batches)

    again = await service.follow_turn(guest, turn.message_id, after=3)
    gate.set()

    assert told(await collect(again.batches)) == [
        (4, "ToolReturned"),
        (6, "\n\n"),
        (8, "cd"),
        (8, "Done"),
    ]


async def test_a_failure_after_a_tool_and_before_any_text_gives_the_message_back(
    service: Finassist, guest: Caller
) -> None:
    model_of(service).script = in_turn((LOAN,), (model_failure(),))
    turn = await send(service, guest)

    events = await collect(turn.batches)

    assert told(events) == [(1, "ToolCalled"), (2, "ToolReturned"), (2, "Failed")]
    stored = await service.adapters.messages.get(turn.message_id)
    assert stored is not None
    assert (stored.status, stored.content, len(stored.tool_calls)) == (MessageStatus.ERROR, "", 1)
    assert stored.allowance_used == 0
    assert await used(service, guest) == 0


async def test_a_failure_after_a_tool_and_some_text_is_charged(service: Finassist, guest: Caller) -> None:
    model_of(service).script = in_turn(("Well,", LOAN), (model_failure(),))
    assert isinstance(await ask(service, guest), Failed)
    assert await used(service, guest) == 1


async def test_stopping_after_a_tool_and_before_any_text_gives_the_message_back(
    service: Finassist, guest: Caller
) -> None:
    model_of(service).script = in_turn((LOAN,), (asyncio.Event(),))
    turn = await send(service, guest)
    await anext(turn.batches)

    stopped = await service.stop_turn(guest, turn.message_id)

    assert (stopped.status, stopped.content) == (MessageStatus.STOPPED, "")
    assert await used(service, guest) == 0


async def test_an_orphaned_turn_with_nothing_but_tool_events_gives_the_message_back(
    service: Finassist, guest: Caller
) -> None:
    model_of(service).script = in_turn((LOAN,), (asyncio.Event(),))
    turn = await send(service, guest)
    await anext(turn.batches)
    await abandon(service, turn.message_id)

    assert await service.workers.collect_orphans() == 1

    replayed = await collect((await service.follow_turn(guest, turn.message_id, after=0)).batches)
    assert told(replayed)[0] == (1, "ToolCalled")
    assert await used(service, guest) == 0


async def test_all_rounds_together_have_the_total_timeout(settings: Settings, model: ScriptedModel) -> None:
    async with opened(replace(settings, llm_total_timeout_seconds=0.05), language_model=model) as service:
        model.script = in_turn(("Well,", LOAN), (asyncio.Event(),))
        guest = await guest_of(service, "device-1")
        ending = await ask(service, guest)
    assert isinstance(ending, Failed)
    assert (ending.code, ending.message.content) == ("LLM_ERROR", "Well,")


async def test_fifty_turns_calculate_at_once(service: Finassist, guest: Caller) -> None:
    await service.grant_quota(guest.user_id, 50)
    model_of(service).script = in_turn((LOAN, RATE), ("Done.",))
    endings = await asyncio.gather(*(ask(service, guest) for _ in range(50)))
    assert {len(ending.message.tool_calls) for ending in endings} == {2}
    assert {ending.message.tool_calls[0].result["figures"]["instalment"] for ending in endings} == {"396.02"}
