"""Titles that the model improves after the first reply (contract section 4, ``IMPROVE_TITLES``)."""

import asyncio
from collections.abc import Sequence

import pytest

from finassist.application.ports.language_model import ModelCapabilities, ModelRequest
from finassist.testing import Gate, ScriptedModel, Step, model_failure
from http_service import DEVICE, Service, Start
from waiting import until

QUESTION = "How large should my emergency fund be?"


def names_conversations(request: ModelRequest) -> bool:
    return request.system.startswith("You name conversations")


class Titled(ScriptedModel):
    """A model that replies as usual, and plays ``naming`` when it is asked for a title."""

    def __init__(self, *naming: Step) -> None:
        def script(request: ModelRequest) -> Sequence[Step]:
            return naming if names_conversations(request) else ["Three months of spending."]

        super().__init__(script)

    @property
    def asked_for_titles(self) -> list[ModelRequest]:
        return list(filter(names_conversations, self.requests))


async def title_of(service: Service, conversation_id: str) -> str:
    address = f"/api/v1/user/conversations/{conversation_id}"
    title: str = (await service.client.get(address, headers=DEVICE)).json()["data"]["title"]
    return title


async def settle() -> None:
    """Let the turn run to its end, and the task that names the conversation."""
    await until(
        lambda: not any(task.get_name().startswith(("turn-", "title-")) for task in asyncio.all_tasks())
    )


async def test_the_model_names_a_conversation_after_its_first_reply_alone(start: Start) -> None:
    model = Titled('Title: "Size of an emergency', ' fund".\nMore text')
    service = await start({"improve_titles": True}, language_model=model)
    reply = await service.ask(QUESTION)
    assert reply["title"] == QUESTION, "no reply waits for it"
    await settle()
    assert await title_of(service, reply["conversationId"]) == "Size of an emergency fund"
    found = await service.client.get("/api/v1/user/conversations?q=size of an", headers=DEVICE)
    assert found.json()["data"]["total"] == 1
    await service.ask("And why?", conversation_id=reply["conversationId"])
    await settle()
    [asked] = model.asked_for_titles
    assert asked.messages[0].content == f"Question: {QUESTION}\n\nReply: Three months of spending."
    assert asked.may_call_tools is False


async def test_a_title_of_the_users_stays(start: Start) -> None:
    gate = Gate()
    service = await start({"improve_titles": True}, language_model=Titled(gate, "Better"))
    conversation = (await service.ask(QUESTION))["conversationId"]
    await gate.reached.wait()
    await service.client.patch(
        f"/api/v1/user/conversations/{conversation}", json={"title": "Mine"}, headers=DEVICE
    )
    gate.set()
    await settle()
    assert await title_of(service, conversation) == "Mine"


@pytest.mark.parametrize("naming", [[model_failure()], [""], ["  \n"], [RuntimeError("broken")], ['"."']])
async def test_a_failing_or_silent_model_leaves_the_title(start: Start, naming: list[Step]) -> None:
    service = await start({"improve_titles": True}, language_model=Titled(*naming))
    reply = await service.ask(QUESTION)
    await settle()
    assert await title_of(service, reply["conversationId"]) == QUESTION


async def test_a_title_that_fails_unexpectedly_is_counted_as_a_failure(start: Start) -> None:
    service = await start({"improve_titles": True}, language_model=Titled(RuntimeError("broken")))
    await service.ask(QUESTION)
    await settle()
    metrics = (await service.client.get("/metrics")).text
    assert 'finassist_background_failures_total{job="improve a title"} 1.0' in metrics


async def test_a_long_title_is_cut_at_a_word(start: Start) -> None:
    service = await start({"improve_titles": True}, language_model=Titled("word " * 40))
    reply = await service.ask(QUESTION)
    await settle()
    assert len(await title_of(service, reply["conversationId"])) <= 80


async def test_neither_the_setting_switched_off_nor_a_model_that_quotes_names_anything(start: Start) -> None:
    quoting = Titled("Better")
    quoting.capabilities = ModelCapabilities(writes=False)
    switched_off = Titled("Better")
    for model, setting in ((quoting, True), (switched_off, False)):
        service = await start({"improve_titles": setting}, language_model=model)
        reply = await service.ask(QUESTION)
        await settle()
        assert model.asked_for_titles == []
        assert await title_of(service, reply["conversationId"]) == QUESTION
