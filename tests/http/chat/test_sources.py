"""The sources of a reply: what it cites comes first (contract section 4)."""

from finassist.domain.knowledge import Article
from finassist.testing import InMemoryKnowledge, ScriptedModel
from http_service import DEVICE, Start

BONDS = [
    Article(id=f"bond-{name}", title=f"What is a {name} bond?", body=f"A {name} bond is a loan. {name}")
    for name in ("short", "long", "green")
]


async def test_what_a_reply_cites_comes_first_in_every_answer(start: Start) -> None:
    service = await start(
        {"rag_enabled": True},
        language_model=ScriptedModel(["It is a loan [3]."]),
        knowledge=InMemoryKnowledge(BONDS),
        starter_articles=tuple,
    )
    reply = await service.ask("bond loan")

    cited = [(source["index"], source["cited"]) for source in reply["sources"]]
    assert cited == [(3, True), (1, False), (2, False)]
    path = f"/api/v1/user/conversations/{reply['conversationId']}/messages"
    page = (await service.client.get(path, headers=DEVICE)).json()["data"]
    assert page["messages"][-1]["sources"] == reply["message"]["sources"] == reply["sources"]
