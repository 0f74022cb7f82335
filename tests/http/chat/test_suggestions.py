"""Questions that a reply suggests, when the search finds only what is near (contract section 4)."""

import io
import json
from collections.abc import Sequence
from typing import Any
from zipfile import ZipFile

import pytest

from finassist.adapters.llm.offline.model import OfflineModel
from finassist.application.ports.language_model import LanguageModel
from finassist.domain.knowledge import Hit
from finassist.testing import InMemoryKnowledge, ScriptedModel
from http_service import DEVICE, Service, Start

QUESTION = "What is a reverse mortgage loan?"
TITLES = ["What is a mortgage?", "What is home equity?", "What is a loan?"]
NEAR = (*TITLES[:2], TITLES[0], TITLES[2], "What is APR?")
SUGGESTED = [{"title": title, "message": title} for title in TITLES]


class Scored(InMemoryKnowledge):
    """Finds the same titles, with these scores, for every question."""

    def __init__(self, titles: Sequence[str], *scores: float) -> None:
        super().__init__()
        self.hits = [
            Hit(article_id=text, title=title, url=None, snippet=text, score=score, quotable=True)
            for text, title, score in zip("abcde", titles, scores, strict=True)
        ]

    async def search(self, query: str, *, limit: int) -> Sequence[Hit]:
        return self.hits


async def with_hits(start: Start, *scores: float, model: LanguageModel | None = None) -> Service:
    return await start(
        {"rag_enabled": True},
        language_model=model or OfflineModel(),
        knowledge=Scored(NEAR, *scores),
        starter_articles=tuple,
    )


async def near(start: Start, model: LanguageModel | None = None) -> Service:
    return await with_hits(start, 0.4, 0.35, 0.34, 0.3, 0.2, model=model)


async def test_the_nearest_titles_are_suggested_when_nothing_answers(start: Start) -> None:
    service = await near(start)
    reply = await service.ask(QUESTION)
    assert reply["suggestions"] == reply["message"]["suggestions"] == SUGGESTED
    assert (reply["finishReason"], reply["freeThreshold"]["used"]) == ("fallback", 0)
    assert [source["title"] for source in reply["sources"] if source["cited"]] == ["What is a mortgage?"]
    shown, *others = TITLES
    assert f"**{shown}**" in reply["message"]["content"]
    assert all(f"- {title}" in reply["message"]["content"] for title in others)


async def test_suggestions_are_the_same_in_lists_streams_resumes_and_replays(start: Start) -> None:
    service = await near(start)
    headers = {**DEVICE, "Idempotency-Key": "once"}

    async def done_of(method: str, path: str, **request: Any) -> Any:
        response = await service.client.request(method, f"/api/v1/ai/chat{path}", **request)
        return json.loads(response.text.strip().splitlines()[-1].removeprefix("data: "))

    body = {"message": QUESTION}
    done = await done_of("POST", "", json=body, headers={**headers, "Stream": "true"})
    assert (done["type"], done["suggestions"]) == ("done", SUGGESTED)
    again = await done_of("POST", "", json=body, headers={**headers, "Stream": "true"})
    assert again["suggestions"] == SUGGESTED
    buffered = await done_of("POST", "", json=body, headers=headers)
    assert buffered["data"]["suggestions"] == SUGGESTED
    resumed = await done_of("GET", f"/{done['messageId']}/stream", headers=DEVICE)
    assert resumed["suggestions"] == SUGGESTED
    path = f"/api/v1/user/conversations/{done['conversationId']}/messages"
    page = (await service.client.get(path, headers=DEVICE)).json()["data"]
    assert [message["suggestions"] for message in page["messages"]] == [[], SUGGESTED]


async def test_suggestions_are_in_the_export(start: Start) -> None:
    service = await near(start)
    await service.ask(QUESTION)
    response = await service.client.get("/api/v1/auth/me/export", headers=DEVICE)
    messages = json.loads(ZipFile(io.BytesIO(response.content)).read("messages.json"))
    assert [message["suggestions"] for message in messages] == [[], SUGGESTED]


@pytest.mark.parametrize("scores", [(0.9, 0.4, 0.4, 0.4, 0.4), (0.1, 0.1, 0.1, 0.1, 0.1)])
async def test_an_answer_and_nothing_at_all_suggest_nothing(start: Start, scores: Sequence[float]) -> None:
    service = await with_hits(start, *scores)
    assert (await service.ask(QUESTION))["suggestions"] == []


async def test_a_calculation_suggests_nothing(start: Start) -> None:
    service = await near(start)
    reply = await service.ask("What is the monthly payment on a loan of 20,000 at 6% over 5 years?")
    assert (len(reply["toolCalls"]), reply["suggestions"]) == (1, [])


@pytest.mark.parametrize(
    ("said", "suggested"), [("I do not know that.", SUGGESTED), ("It is a loan [2].", []), ("", SUGGESTED)]
)
async def test_a_model_that_cites_nothing_of_what_is_near_suggests_it(
    start: Start, said: str, suggested: Sequence[Any]
) -> None:
    service = await near(start, ScriptedModel([said]))
    reply = await service.ask(QUESTION)
    assert reply["suggestions"] == suggested
