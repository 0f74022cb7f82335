"""Several commands write one Weaviate at once: nothing acknowledged is lost, and nothing is there twice."""

import asyncio
from array import array
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

import pytest

from engines.weaviate import new_name, weaviate_url
from finassist.adapters.vectors.weaviate import WeaviateKnowledge
from finassist.adapters.vectors.weaviate_active import ActiveCollection
from finassist.adapters.vectors.weaviate_server import WeaviateServer
from finassist.application.ports.knowledge import Vector
from finassist.domain.errors import Conflict, KnowledgeError
from finassist.domain.knowledge import Article

LOAN = Article(id="loan", title="Loans", body="A mortgage is a loan that a house secures.")
FUND = Article(id="fund", title="Funds", body="A fund buys shares of many companies.")
BOND = Article(id="bond", title="Bonds", body="A bond is a debt that is traded.")
OWN_FUND = Article(id="fund", title="Funds", body="Our own words on shares of companies.")


class Interrupted:
    """An embedder for which all texts are alike, during whose first call something else happens."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.meanwhile: Callable[[], Awaitable[Any]] | None = None

    def understands(self, language: str) -> bool:
        return True

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            await meanwhile()
        return [array("f", (0.6, 0.8)) for _ in texts]

    async def embed_query(self, text: str) -> Vector:
        return array("f", (0.6, 0.8))

    async def embed_search(self, text: str) -> Vector:
        return await self.embed_query(text)

    async def close(self) -> None:
        """There are no connections."""


Make = Callable[[str], tuple[WeaviateKnowledge, Interrupted]]


@pytest.fixture
async def make() -> AsyncIterator[Make]:
    """Makes knowledge bases of one name with an embedder of that model."""
    name, made = new_name(), list[WeaviateKnowledge]()

    def make_one(model: str) -> tuple[WeaviateKnowledge, Interrupted]:
        embedder = Interrupted(model)
        made.append(WeaviateKnowledge(WeaviateServer(weaviate_url(), call_seconds=60), embedder, name=name))
        return made[-1], embedder

    yield make_one
    for knowledge in made:
        await knowledge.close()


async def everything(knowledge: WeaviateKnowledge) -> list[Article]:
    return list(await knowledge.list(limit=9, offset=0))


async def kill_once_decided(
    killed: WeaviateKnowledge, embedder: Interrupted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Begin to replace the vectors, and end once the others know that this command does it."""
    target = ActiveCollection.target

    async def kill(active: ActiveCollection, client: Any, *, fresh: bool = False) -> str:
        monkeypatch.setattr(ActiveCollection, "target", target)
        raise KnowledgeError("killed")

    async def kill_next() -> None:
        monkeypatch.setattr(ActiveCollection, "target", kill)

    embedder.meanwhile = kill_next
    with pytest.raises(KnowledgeError, match="killed"):
        await killed.replace_vectors()


async def test_of_commands_that_replace_the_vectors_at_once_one_does_it(make: Make) -> None:
    earlier, _ = make("one")
    await earlier.store_edition([FUND], edition="1")
    await earlier.add([LOAN])
    others = [make("other")[0] for _ in range(3)]

    assert sorted(await asyncio.gather(*(each.replace_vectors() for each in others))) == [0, 0, 2]

    for each in others:
        assert await each.replace_vectors() == 0
        await each.add([BOND])
    assert await everything(make("other")[0]) == [BOND, FUND, LOAN]
    assert len(await others[0].vectors()) == 3


async def test_what_is_added_while_the_vectors_are_replaced_comes_along(make: Make) -> None:
    earlier, _ = make("one")
    await earlier.store_edition([FUND], edition="1")
    await earlier.add([LOAN])
    other, embedder = make("other")
    embedder.meanwhile = lambda: earlier.add([BOND, OWN_FUND])

    await other.replace_vectors()

    assert await everything(other) == [BOND, OWN_FUND, LOAN]
    assert len(await other.vectors()) == 3


async def test_what_is_added_to_a_place_that_was_replaced_meanwhile_is_not_acknowledged(make: Make) -> None:
    earlier, embedder = make("one")
    await earlier.add([LOAN])
    other, _ = make("other")
    embedder.meanwhile = other.replace_vectors

    with pytest.raises((Conflict, KnowledgeError)):
        await earlier.add([BOND])

    assert await everything(other) == [LOAN]


async def test_an_article_that_an_operator_adds_while_it_is_shipped_is_there_once(make: Make) -> None:
    host, embedder = make("one")
    operator, _ = make("one")
    await operator.add([LOAN])
    embedder.meanwhile = lambda: operator.add([OWN_FUND])

    await host.store_edition([FUND, BOND], edition="1")

    assert await everything(host) == [BOND, OWN_FUND, LOAN]


async def test_a_command_that_was_killed_as_it_replaced_the_vectors_is_finished_by_the_next(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier, _ = make("one")
    await earlier.add([LOAN])
    await kill_once_decided(*make("other"), monkeypatch)
    await earlier.add([BOND])

    other, _ = make("other")
    await other.replace_vectors()

    assert await everything(other) == [BOND, LOAN]
    assert len(await other.vectors()) == 2
    assert await make("other")[0].replace_vectors() == 0


async def test_a_command_of_another_model_waits_for_the_one_that_has_begun(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier, _ = make("one")
    await earlier.add([LOAN])
    await kill_once_decided(*make("other"), monkeypatch)
    third, _ = make("third")
    await earlier.add([BOND])

    with pytest.raises(Conflict, match="another EMBEDDINGS_MODEL has begun"):
        await third.replace_vectors()

    other, _ = make("other")
    await other.replace_vectors()
    assert len(await other.vectors()) == 2
    assert await third.replace_vectors() == 2
    assert len(await third.vectors()) == 2


async def test_an_article_of_an_operator_is_there_once_when_the_vectors_are_replaced_as_it_is_added(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier, _ = make("one")
    await earlier.store_edition([FUND, BOND], edition="1")
    other, _ = make("other")
    delete = WeaviateKnowledge._delete_shipped

    async def replace_before(knowledge: WeaviateKnowledge, articles: Sequence[Article]) -> None:
        monkeypatch.setattr(WeaviateKnowledge, "_delete_shipped", delete)
        await other.replace_vectors()
        with suppress(KnowledgeError):  # the collection is gone
            await delete(knowledge, articles)

    monkeypatch.setattr(WeaviateKnowledge, "_delete_shipped", replace_before)
    await earlier.add([OWN_FUND])

    assert await everything(other) == [BOND, OWN_FUND]


async def test_a_collection_that_another_command_has_deleted_meanwhile_is_no_failure(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier, _ = make("one")
    await earlier.add([LOAN])
    replace = ActiveCollection.replace

    async def replace_and_forget(active: ActiveCollection, client: Any, before: str, made: str) -> str | None:
        taken = await replace(active, client, before, made)
        await active.forget(client, before)
        return taken

    monkeypatch.setattr(ActiveCollection, "replace", replace_and_forget)
    other, _ = make("other")
    assert await other.replace_vectors() == 1
    assert await everything(other) == [LOAN]


async def test_a_copy_that_fails_leaves_no_collection(make: Make) -> None:
    earlier, _ = make("one")
    await earlier.add([LOAN])
    other, embedder = make("other")

    async def fail() -> None:
        raise KnowledgeError("out of reach")

    embedder.meanwhile = fail
    with pytest.raises(KnowledgeError, match="out of reach"):
        await other.replace_vectors()

    async with other._server.writing() as client:
        names = [name for name in await client.collections.list_all() if name.startswith(other._name)]
    assert len(names) == 1, names


async def test_what_was_added_before_a_command_was_killed_comes_along_with_the_next(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier, _ = make("one")
    await earlier.add([LOAN])
    killed, embedder = make("other")
    embedder.meanwhile = lambda: earlier.add([BOND])
    delete = WeaviateKnowledge._delete_replaced

    async def kill(knowledge: WeaviateKnowledge, *_: Any) -> None:
        raise KnowledgeError("killed")

    monkeypatch.setattr(WeaviateKnowledge, "_delete_replaced", kill)
    with pytest.raises(KnowledgeError, match="killed"):
        await killed.replace_vectors()
    monkeypatch.setattr(WeaviateKnowledge, "_delete_replaced", delete)
    other, _ = make("other")
    assert await everything(other) == [LOAN]

    assert await other.replace_vectors() == 0

    assert await everything(other) == [BOND, LOAN]
    async with other._server.writing() as client:
        names = [name for name in await client.collections.list_all() if name.startswith(f"{other._name}_")]
    assert len(names) == 1, names
