"""Pre-prompts in the chat, and that what they stand for never leaves (contract section 4)."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import httpx2
import pytest
import structlog

from finassist.application.ports.language_model import ModelFinished, ModelRequest, ToolCallRequest
from finassist.config import Secret
from finassist.domain.chat.masking import HIDDEN
from finassist.testing import Gate, ScriptedModel, Step, model_failure
from http_service import DEVICE, Service, Start

ADMIN = {"X-Backend-Secret": "the-backend-secret-of-these-tests"}
MAIN = "/api/v1/preprompts"
SECOND = "/api/v1/second-opinion/preprompts"
CHAT = "/api/v1/ai/chat"

CANARY = "canary-7391 sings of the partner bank Zephyr & Sons, whose margin is 3.75 percent, to nobody"
CARD = "canary-2846 asks for a second opinion on the plan that the partner bank Zephyr & Sons has sold"
LABEL = "Build my emergency fund"

Script = Callable[[ModelRequest], Sequence[Step]]


def parrot(*around: str) -> Script:
    """A model that repeats all that it was told but the system prompt, a few characters at a time."""

    def script(request: ModelRequest) -> Sequence[Step]:
        told = f"{request.system[-200:]} | {request.messages[-1].content}"
        return [*around, *(told[start : start + 3] for start in range(0, len(told), 3))]

    return script


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture
async def service(start: Start, model: ScriptedModel) -> Service:
    return await start({"backend_secret": Secret(ADMIN["X-Backend-Secret"])}, language_model=model)


async def create(service: Service, path: str, key: str, text: str, **fields: Any) -> dict[str, Any]:
    record = {"key": key, "publicValue": LABEL, "maskedValue": text, **fields}
    response = await service.client.post(path, json=record, headers=ADMIN)
    assert response.status_code in (200, 201), response.text
    data: dict[str, Any] = response.json()["data"]
    return data


async def refusal(service: Service, **body: Any) -> tuple[int, str]:
    response = await service.client.post(CHAT, json={"message": "Hello", **body}, headers=DEVICE)
    return response.status_code, response.json()["error"]["code"]


async def conversation_of(service: Service, reply: dict[str, Any]) -> dict[str, Any]:
    address = f"/api/v1/user/conversations/{reply['conversationId']}"
    data: dict[str, Any] = (await service.client.get(address, headers=DEVICE)).json()["data"]
    return data


async def test_instructions_follow_the_system_prompt_and_hold_in_later_turns(
    service: Service, model: ScriptedModel
) -> None:
    await create(service, MAIN, "fund", CANARY)
    reply = await service.ask("How large?", preprompt_key="fund")
    await service.ask("And why?", conversation_id=reply["conversationId"])

    first, second = model.requests
    plain = service.finassist.adapters.system_prompt.split("{date}")[0]
    for request in (first, second):
        assert request.system.startswith(plain)
        assert request.system.endswith(f"\n\n{CANARY}")
    assert first.messages[-1].content == "How large?"
    assert reply["message"]["prepromptKey"] == "fund"
    conversation = await conversation_of(service, reply)
    assert (conversation["prepromptKey"], conversation["type"]) == ("fund", "chat")


async def test_a_later_message_may_name_other_instructions_which_hold_from_then_on(
    service: Service, model: ScriptedModel
) -> None:
    await create(service, MAIN, "fund", CANARY)
    await create(service, MAIN, "debt", "Speak of debts only.")
    reply = await service.ask("One", preprompt_key="fund")
    bodies: list[dict[str, Any]] = [{"preprompt_key": "debt"}, {}]
    for body in bodies:
        await service.ask("Two", conversation_id=reply["conversationId"], **body)
    assert all(request.system.endswith("Speak of debts only.") for request in model.requests[1:])
    assert all(CANARY not in request.system for request in model.requests[1:])
    assert (await conversation_of(service, reply))["prepromptKey"] == "fund", "the one used at creation"


async def test_a_conversation_that_began_without_can_take_instructions_up(
    service: Service, model: ScriptedModel
) -> None:
    await create(service, MAIN, "fund", CANARY)
    reply = await service.ask("One")
    bodies: list[dict[str, Any]] = [{"preprompt_key": "fund"}, {}]
    for body in bodies:
        await service.ask("Two", conversation_id=reply["conversationId"], **body)
    assert [CANARY in request.system for request in model.requests] == [False, True, True]


async def test_an_edit_counts_from_the_next_turn_on_and_deleted_instructions_hold_no_more(
    service: Service, model: ScriptedModel
) -> None:
    record = await create(service, MAIN, "fund", CANARY)
    reply = await service.ask("One", preprompt_key="fund")
    again = {"conversation_id": reply["conversationId"]}
    address = f"{MAIN}/{record['id']}"

    await service.client.put(address, json={"maskedValue": "Be kind.", "key": "other"}, headers=ADMIN)
    await service.ask("Two", **again)
    await service.client.delete(address, headers=ADMIN)
    await service.ask("Three", **again)
    await service.client.put(address, json={}, headers=ADMIN)
    await service.ask("Four", **again)
    assert [CANARY in request.system for request in model.requests] == [True, False, False, False]
    assert [request.system.endswith("Be kind.") for request in model.requests] == [False, True, False, True]


async def test_a_card_is_asked_in_place_of_the_message_which_is_stored_and_shown(
    service: Service, model: ScriptedModel
) -> None:
    await create(service, SECOND, "opinion", CARD)
    reply = await service.ask("🏦 Is my plan good?", preprompt_key="opinion")
    await service.ask("And the costs?", conversation_id=reply["conversationId"])

    first, second = model.requests
    assert first.messages[-1].content == CARD
    assert CARD not in first.system
    assert [message.content for message in second.messages] == [
        CARD, "Hello there.", "And the costs?",
    ]  # fmt: skip
    conversation = await conversation_of(service, reply)
    assert (conversation["type"], conversation["prepromptKey"]) == ("second_opinion", "opinion")
    assert conversation["title"] == "🏦 Is my plan good?"
    listed = await service.client.get("/api/v1/user/conversations?type=second_opinion", headers=DEVICE)
    assert listed.json()["data"]["total"] == 1
    address = f"/api/v1/user/conversations/{reply['conversationId']}/messages"
    messages = (await service.client.get(address, headers=DEVICE)).json()["data"]["messages"]
    assert [(each["content"], each["prepromptKey"]) for each in messages] == [
        ("🏦 Is my plan good?", "opinion"), ("Hello there.", "opinion"),
        ("And the costs?", None), ("Hello there.", None),
    ]  # fmt: skip


async def test_a_card_stays_in_the_models_history_while_its_label_is_shown(
    service: Service, model: ScriptedModel
) -> None:
    await create(service, SECOND, "opinion", CARD)
    first = await service.ask("One")
    again = {"conversation_id": first["conversationId"]}
    await service.ask("Two", preprompt_key="opinion", **again)
    for number in range(3):
        await service.ask(f"Follow-up {number}", **again)
    for request in model.requests[2:]:
        said = [message.content for message in request.messages]
        assert said[:4] == ["One", "Hello there.", CARD, "Hello there."]
    conversation = await conversation_of(service, first)
    assert (conversation["type"], conversation["prepromptKey"]) == ("chat", None), "fixed at creation"


async def test_an_edited_card_counts_with_its_new_text_and_a_deleted_one_stays_what_was_asked(
    service: Service, model: ScriptedModel
) -> None:
    await create(service, SECOND, "opinion", CARD)
    reply = await service.ask("My plan?", preprompt_key="opinion")
    again = {"conversation_id": reply["conversationId"]}
    await service.client.put(f"{SECOND}/opinion", json={"maskedValue": "Judge the plan."}, headers=ADMIN)
    await service.ask("Two", **again)
    await service.client.delete(f"{SECOND}/opinion", headers=ADMIN)
    await service.ask("Three", **again)
    assert [request.messages[0].content for request in model.requests] == [CARD] + ["Judge the plan."] * 2


async def test_what_a_later_reply_repeats_of_a_card_is_hidden(service: Service, model: ScriptedModel) -> None:
    await create(service, SECOND, "opinion", CARD)
    reply = await service.ask("My plan?", preprompt_key="opinion")
    model.script = lambda request: ["I was asked: ", request.messages[0].content]
    later = await service.ask("What were you asked?", conversation_id=reply["conversationId"])
    assert later["message"]["content"] == f"I was asked: {HIDDEN}"


async def test_a_conversation_without_a_card_can_be_a_second_opinion(service: Service) -> None:
    await create(service, MAIN, "fund", CANARY)
    bodies: list[tuple[dict[str, Any], str]] = [
        ({"type": "second_opinion"}, "second_opinion"),
        ({"type": "chat"}, "chat"),
        ({"type": "second_opinion", "preprompt_key": "fund"}, "chat"),
    ]
    for body, kind in bodies:
        reply = await service.ask("Is my plan good?", **body)
        assert (await conversation_of(service, reply))["type"] == kind


async def test_a_card_in_a_running_conversation_leaves_its_instructions_in_force(
    service: Service, model: ScriptedModel
) -> None:
    await create(service, MAIN, "fund", CANARY)
    await create(service, SECOND, "opinion", CARD)
    reply = await service.ask("One", preprompt_key="fund")
    await service.ask("Two", conversation_id=reply["conversationId"], preprompt_key="opinion")
    request = model.requests[-1]
    assert (CANARY in request.system, request.messages[-1].content) == (True, CARD)
    assert (await conversation_of(service, reply))["type"] == "chat", "fixed at creation"


@pytest.mark.parametrize(("kind", "asked"), [(None, "Hello"), ("chat", "Hello"), ("second_opinion", CARD)])
async def test_the_type_says_which_catalog_is_looked_into_first(
    service: Service, model: ScriptedModel, kind: str | None, asked: str
) -> None:
    await create(service, MAIN, "both", CANARY)
    await create(service, SECOND, "both", CARD)
    await service.ask("Hello", preprompt_key="both", type=kind)
    assert model.requests[0].messages[-1].content == asked


@pytest.mark.parametrize("kind", ["chat", "second_opinion"])
async def test_the_other_catalog_is_looked_into_next(
    service: Service, model: ScriptedModel, kind: str
) -> None:
    await create(service, MAIN, "main", CANARY)
    await create(service, SECOND, "second", CARD)
    await service.ask("Hello", preprompt_key="main", type=kind)
    await service.ask("Hello", preprompt_key="second", type=kind)
    assert CANARY in model.requests[0].system
    assert model.requests[1].messages[-1].content == CARD


async def test_unknown_and_deleted_keys_are_404_and_nothing_begins(
    service: Service, model: ScriptedModel
) -> None:
    record = await create(service, MAIN, "gone", CANARY)
    await service.client.delete(f"{MAIN}/{record['id']}", headers=ADMIN)
    for key in ("gone", "never-there", "no key!", ""):
        assert await refusal(service, preprompt_key=key) == (404, "NOT_FOUND")
    assert await refusal(service, preprompt_key=3) == (400, "VALIDATION_ERROR")
    await create(service, SECOND, "gone", CARD)
    await service.ask("Hello", prepromptKey="gone")
    assert len(model.requests) == 1
    streamed = await service.client.post(
        CHAT, json={"message": "Hi", "preprompt_key": "x"}, headers={**DEVICE, "Stream": "true"}
    )
    assert (streamed.status_code, streamed.json()["error"]["code"]) == (404, "NOT_FOUND")


async def test_a_key_and_a_type_are_part_of_what_an_idempotency_key_stands_for(service: Service) -> None:
    await create(service, MAIN, "both", CANARY)
    await create(service, SECOND, "both", CARD)
    headers = {**DEVICE, "Idempotency-Key": "k-1"}
    body = {"message": "Hello", "preprompt_key": "both"}
    first = await service.client.post(CHAT, json=body, headers=headers)
    again = await service.client.post(CHAT, json=body, headers=headers)
    assert first.json()["data"]["messageId"] == again.json()["data"]["messageId"]
    for other in ({"message": "Hello"}, {**body, "type": "second_opinion"}):
        assert (await service.client.post(CHAT, json=other, headers=headers)).status_code == 422


def every_text(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from every_text(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from every_text(item)
    else:
        yield str(value)


def leaks(text: str) -> bool:
    """Whether a run of 40 characters of a canary is in the text."""
    folded = "".join(text.split()).casefold()
    return any(
        secret[start : start + 40] in folded
        for secret in ("".join(each.split()).casefold() for each in (CANARY, CARD))
        for start in range(len(secret) - 39)
    )


async def walk(service: Service, reply: dict[str, Any]) -> list[httpx2.Response]:
    """Every public answer there is after a turn."""
    client = service.client
    routes = [route.path_format for route in service.app.litestar.routes if "GET" in route.methods]
    ids = {"conversationId": reply["conversationId"], "messageId": reply["messageId"]}
    answers = []
    for route in routes:
        if route.startswith(("/api/v1/preprompts", "/api/v1/second-opinion")):
            continue
        path = route
        for name, value in ids.items():
            path = path.replace(f"{{{name}}}", value)
        answers.append(await client.get(path, headers=DEVICE))
    answers.append(await client.get("/api/v1/user/conversations?q=canary", headers=DEVICE))
    return answers


@pytest.mark.parametrize("stream", ["true", "false"])
async def test_what_the_model_repeats_is_hidden_in_every_answer_log_and_figure(
    service: Service, model: ScriptedModel, stream: str, caplog: pytest.LogCaptureFixture
) -> None:
    await create(service, MAIN, "fund", CANARY)
    await create(service, SECOND, "opinion", CARD)
    tool = ToolCallRequest(id="1", name=CANARY, arguments={"words": CANARY.split(), CARD: [CARD.upper()]})

    def script(request: ModelRequest) -> Sequence[Step]:
        called: list[Step] = [] if request.rounds else [tool, ModelFinished("tool_calls")]
        return [*parrot("I was told: ")(request), *called]

    model.script = script
    with structlog.testing.capture_logs() as logs, caplog.at_level("DEBUG"):
        first = await service.ask("Hello", preprompt_key="fund")
        body = {"message": "More", "preprompt_key": "opinion", "conversation_id": first["conversationId"]}
        answer = await service.client.post(CHAT, json=body, headers={**DEVICE, "Stream": stream})
        answers = [answer, *await walk(service, first)]
    assert HIDDEN in answer.text
    assert CANARY in model.requests[-1].system, "the model was told"
    for response in answers:
        assert not leaks(response.text), response.url
        assert not leaks("".join(response.headers.values()))
    assert not leaks("".join(every_text([*logs]))), "the log"
    assert not leaks(caplog.text), "the log of libraries"
    if stream == "true":
        tokens = [part for part in answer.text.split('"content":"')[1:] if not part.startswith(HIDDEN * 2)]
        assert not leaks("".join(part.split('"')[0] for part in tokens))


async def test_the_tools_are_called_with_what_the_model_wrote(service: Service, model: ScriptedModel) -> None:
    await create(service, MAIN, "fund", CANARY)
    tool = ToolCallRequest(id="1", name="no_such_tool", arguments={"text": CANARY})
    model.script = lambda request: ["Done."] if request.rounds else [tool, ModelFinished("tool_calls")]
    reply = await service.ask("Hello", preprompt_key="fund")
    assert reply["toolCalls"][0]["arguments"] == {"text": HIDDEN}
    assert model.requests[1].rounds[0].answers[0].call.arguments == {"text": CANARY}


async def test_the_label_and_the_users_own_words_may_be_repeated(
    service: Service, model: ScriptedModel
) -> None:
    label = "How much money should I keep for emergencies when my income is irregular?"
    await create(service, SECOND, "opinion", f"{label} Never name the bank.", publicValue=f"💰 {label}")
    model.script = ["You ask: ", *label.split(" ")]
    reply = await service.ask("Hello", preprompt_key="opinion")
    assert reply["message"]["content"].startswith(f"You ask: {label.replace(' ', '')}")
    model.script = parrot()
    await create(service, MAIN, "fund", CANARY)
    reply = await service.ask(CANARY, preprompt_key="fund")
    assert HIDDEN not in reply["message"]["content"]


async def test_what_is_held_back_is_said_when_the_reply_ends_by_itself(
    service: Service, model: ScriptedModel
) -> None:
    await create(service, MAIN, "fund", CANARY)
    model.script = ["Listen: ", CANARY[:20], "\n", CANARY[20:38]]
    reply = await service.ask("Hello", preprompt_key="fund")
    assert reply["message"]["content"] == f"Listen: {CANARY[:20]}\n{CANARY[20:38]}"


async def test_what_is_held_back_is_said_when_the_model_fails(service: Service, model: ScriptedModel) -> None:
    await create(service, MAIN, "fund", CANARY)
    model.script = ["Listen: ", CANARY[:20], model_failure()]
    answer = await service.client.post(
        CHAT, json={"message": "Hi", "preprompt_key": "fund"}, headers={**DEVICE, "Stream": "true"}
    )
    tokens = [part.split('"')[0] for part in answer.text.split('"content":"')[1:]]
    assert "".join(tokens) == f"Listen: {CANARY[:20]}"
    assert answer.text.index(CANARY[:20]) < answer.text.index('"type":"error"')


async def test_what_is_held_back_is_said_when_the_turn_is_stopped(
    service: Service, model: ScriptedModel
) -> None:
    await create(service, MAIN, "fund", CANARY)
    gate = Gate()
    model.script = [CANARY[:20], gate]
    headers = {**DEVICE, "Idempotency-Key": "k-1"}
    asking = asyncio.create_task(
        service.client.post(CHAT, json={"message": "Hi", "preprompt_key": "fund"}, headers=headers)
    )
    await gate.reached.wait()
    await service.client.post(f"{CHAT}/stop", headers=headers)
    data = (await asking).json()["data"]
    assert (data["finishReason"], data["message"]["content"]) == ("stopped", CANARY[:20])


async def test_event_numbers_count_what_was_sent_so_that_anybody_can_go_on(
    service: Service, model: ScriptedModel
) -> None:
    await create(service, MAIN, "fund", CANARY)
    tool = ToolCallRequest(id="1", name="no_such_tool", arguments={})
    model.script = lambda request: (
        [CANARY[30:], " And that is all."]
        if request.rounds
        else ["Before. ", CANARY[:30], tool, ModelFinished("tool_calls")]
    )
    streamed = await service.client.post(
        CHAT, json={"message": "Hi", "preprompt_key": "fund"}, headers={**DEVICE, "Stream": "true"}
    )
    events = [event.split("\n") for event in streamed.text.split("\n\n") if event.startswith("id")]
    content = f"Before. {HIDDEN} And that is all."
    assert int(events[-1][0].removeprefix("id: ")) == len(content) + 2
    for event in events:
        number = event[0].removeprefix("id: ")
        address = f"{CHAT}/{streamed.headers['X-Message-Id']}/stream?after={number}"
        rest = (await service.client.get(address, headers=DEVICE)).text
        assert rest.count('"type":"done"') == 1
        assert f'"content":"{content}"' in rest


async def test_no_share_or_continued_copy_shows_what_was_hidden(
    service: Service, model: ScriptedModel
) -> None:
    await create(service, MAIN, "fund", CANARY)
    await create(service, SECOND, "opinion", CARD)
    model.script = parrot()
    alice = await service.token("alice")
    reply = await service.ask("Hello", alice, preprompt_key="fund")
    await service.ask("More", alice, preprompt_key="opinion", conversation_id=reply["conversationId"])
    client, body = service.client, {"conversationId": reply["conversationId"]}
    preview = await client.post("/api/v1/share/preview", json=body, headers=alice)
    shared = await client.post("/api/v1/share", json=body, headers=alice)
    assert (preview.status_code, shared.status_code) == (200, 201)
    address = f"/api/v1/public/share/{shared.json()['data']['shareId']}"
    shown = await client.get(address)
    continued = await client.post(f"{address}/continue", headers=DEVICE)
    assert continued.status_code == 201
    copy = continued.json()["data"]["conversationId"]
    messages = await client.get(f"/api/v1/user/conversations/{copy}/messages", headers=DEVICE)
    assert HIDDEN in shown.text
    assert HIDDEN in messages.text
    for answer in (preview, shared, shown, continued, messages):
        assert not leaks(answer.text), answer.url
    await service.ask("And now?", conversation_id=copy)
    assert CANARY not in model.requests[-1].system, "the copy begins without instructions"
