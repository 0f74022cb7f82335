"""Vectors beside the embedded articles: made once for a text by one process, searched exactly."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from finassist.adapters.embeddings.openai import OpenAiEmbedder
from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.sqlite.retrieval.knowledge import SqliteKnowledge
from finassist.adapters.sqlite.retrieval.vectors import SqliteVectors
from finassist.application.ports.knowledge import Vector
from finassist.application.retrieval.embedding import EmbedArticles
from finassist.domain.errors import Conflict, EmbeddingError
from finassist.domain.knowledge import Article, Hit
from finassist.testing import FakeClock
from knowledge_bases import database
from servers.embedding_server import EmbeddingServer, serve_embeddings

LETTERS = "abcdefgh"


def letters(texts: Sequence[str]) -> list[list[float]]:
    """How often each of eight letters is in a text: an embedder that a test can compute."""
    return [[1e-6 + text.count(letter) for letter in LETTERS] for text in texts]


@pytest.fixture
async def server() -> AsyncIterator[EmbeddingServer]:
    async with serve_embeddings(letters) as running:
        yield running


class Base:
    """A knowledge base, its vectors and who makes them; each opens the same file again."""

    def __init__(
        self,
        opened: Database,
        server: EmbeddingServer,
        model: str = "letters",
        *,
        folder: Path | None = None,
    ) -> None:
        self.articles = SqliteKnowledge(opened)
        self.vectors = SqliteVectors(opened, folder=folder)
        self.clock = FakeClock()
        self.embedder = OpenAiEmbedder(model=model, base_url=server.url, pause_seconds=0.001)
        self.embed = EmbedArticles(vector_index=self.vectors, embedder=self.embedder, clock=self.clock)

    async def add(self, **texts: str) -> None:
        await self.articles.add([Article(id=name, title="", body=text) for name, text in texts.items()])

    async def nearest(self, text: str, *including: str, limit: int = 3) -> list[str] | None:
        found = await self.vectors.nearest(
            await self.embedder.embed_query(text),
            model=self.embedder.model,
            limit=limit,
            including=asyncio.ensure_future(_found(including)),
        )
        return None if found is None else [near.hit.article_id for near in found]


async def _found(names: Sequence[str]) -> Sequence[Hit]:
    return [Hit(article_id=name, title="", url=None, snippet="", score=1.0) for name in names]


@pytest.fixture
async def base(tmp_path: Path, server: EmbeddingServer) -> AsyncIterator[Base]:
    async with database(tmp_path, "one") as opened:
        made = Base(opened, server, folder=tmp_path / "vectors")
        yield made
        await made.embedder.close()


async def test_the_nearest_passages_come_first(base: Base) -> None:
    await base.add(x="aaa b", y="aaa bbb", z="ccc")
    assert await base.embed() == 3
    assert await base.nearest("a") == ["x", "y", "z"]
    assert await base.nearest("c b", limit=1) == ["z"]
    assert await base.nearest("c b", "x", limit=1) == ["z", "x"]


async def test_an_article_is_as_near_as_its_nearest_passage_which_the_hit_shows(base: Base) -> None:
    ends = ["a " * 150, "b " * 150]
    await base.add(long="\n\n".join(ends), other="c")
    await base.embed()
    [near] = await base.vectors.nearest(await vector(base, "b"), model="letters", limit=1) or ()
    assert near.hit.article_id == "long"
    assert near.hit.snippet.startswith("b b")
    assert near.hit.score == pytest.approx(1, abs=1e-4)


async def vector(base: Base, text: str) -> Vector:
    return await base.embedder.embed_query(text)


async def test_a_text_is_embedded_once(base: Base, server: EmbeddingServer) -> None:
    await base.add(x="a", y="b")
    await base.embed()
    await base.add(x="a", y="c")
    assert await base.embed() == 1
    assert server.texts == ["a", "b", "c"]


async def test_a_text_that_comes_back_with_a_new_edition_keeps_its_vectors(
    base: Base, server: EmbeddingServer
) -> None:
    articles = [Article(id=text, title="", body=text) for text in "abc"]
    await base.articles.store_edition(articles, edition="1")
    await base.embed()
    await base.articles.store_edition([*articles[1:], Article(id="d", title="", body="d")], edition="2")
    assert await base.embed() == 1
    assert server.texts == ["a", "b", "c", "d"]
    assert await base.nearest("b", limit=1) == ["b"]


async def test_while_vectors_are_missing_there_is_no_answer(base: Base) -> None:
    await base.add(x="a")
    assert await base.nearest("a") is None
    await base.embed()
    assert await base.nearest("a") == ["x"]
    await base.add(y="b")
    assert await base.nearest("a") is None
    await base.add(x="b")
    await base.embed()
    assert sorted(await base.nearest("b") or ()) == ["x", "y"]


async def test_an_empty_base_has_nothing_near(base: Base) -> None:
    assert await base.nearest("a") == []
    assert await base.embed() == 0


async def test_what_was_embedded_before_a_failure_is_kept(base: Base, server: EmbeddingServer) -> None:
    await base.add(**{f"x{number}": f"a{'b' * number}" for number in range(40)})
    answers = iter([None, None])

    def fail_third(answer: dict[str, object]) -> None:
        if next(answers, "fail") == "fail":
            answer["data"] = []

    server.fail(change=fail_third)
    with pytest.raises(EmbeddingError):
        await base.embed()
    status = await base.vectors.status()
    assert (status.with_vectors, status.articles) == (32, 40)
    server.recover()
    assert await base.embed() == 8
    assert len(set(server.texts)) == 40


async def test_progress_is_told(base: Base) -> None:
    await base.add(**{f"x{number}": "a" * number for number in range(1, 21)})
    told: list[tuple[int, int]] = []
    await base.embed(lambda done, of: told.append((done, of)))
    assert told == [(16, 20), (20, 20), (20, 20)]


async def test_vectors_of_another_model_are_not_searched_and_are_replaced(
    base: Base, server: EmbeddingServer, tmp_path: Path
) -> None:
    await base.add(x="a")
    await base.embed()
    async with database(tmp_path, "one") as opened:
        other = Base(opened, server, "newer")
        assert await other.nearest("a") is None
        assert await base.nearest("a") == ["x"]
        assert await other.embed() == 1
        assert await other.nearest("a") == ["x"]
        assert await base.nearest("a") is None
        await other.embedder.close()


async def test_the_same_model_with_another_dimension_is_refused(
    base: Base, server: EmbeddingServer, tmp_path: Path
) -> None:
    await base.add(x="a")
    await base.embed()
    await base.add(y="b")
    server.embed = lambda texts: [[1.0, 2.0] for _ in texts]
    async with database(tmp_path, "one") as opened:
        other = Base(opened, server)
        with pytest.raises(Conflict, match="8 dimensions"):
            await other.embed()
        await other.embedder.close()


async def test_processes_share_the_file_of_the_matrix(
    base: Base, server: EmbeddingServer, tmp_path: Path
) -> None:
    await base.add(x="a", y="b")
    await base.embed()
    assert await base.nearest("a", limit=1) == ["x"]
    [file] = (tmp_path / "vectors").iterdir()
    written = file.stat().st_ino
    async with database(tmp_path, "one") as opened:
        other = Base(opened, server, folder=tmp_path / "vectors")
        assert await other.nearest("b", limit=1) == ["y"]
        await other.embedder.close()
    assert [each.stat().st_ino for each in (tmp_path / "vectors").iterdir()] == [written]


async def test_embedding_writes_nothing_when_every_article_has_its_vectors(base: Base) -> None:
    await base.add(x="a")
    await base.embed()
    version = "PRAGMA data_version"
    seen = base.articles.database.lookup(lambda connection: connection.execute(version).fetchone())
    assert await base.embed() == 0
    assert base.articles.database.lookup(lambda connection: connection.execute(version).fetchone()) == seen


async def test_what_another_process_adds_is_found(
    base: Base, server: EmbeddingServer, tmp_path: Path
) -> None:
    await base.add(x="a")
    await base.embed()
    assert await base.nearest("b") == ["x"]
    async with database(tmp_path, "one") as opened:
        other = Base(opened, server)
        await other.add(y="b")
        await other.embed()
        await other.embedder.close()
    assert await base.nearest("b") == ["y", "x"]


async def test_several_at_once_share_the_work(base: Base, server: EmbeddingServer, tmp_path: Path) -> None:
    await base.add(**{f"x{number}": f"text {number}" for number in range(100)})
    async with database(tmp_path, "one") as opened:
        other = Base(opened, server)
        counts = await asyncio.gather(*(each.embed(wait_for_others=True) for each in (base, other)))
        await other.embedder.close()
    assert sum(counts) == 100
    assert len(server.texts) == len(set(server.texts)) == 100


async def test_the_claim_of_one_who_died_ends(base: Base) -> None:
    await base.add(x="a")
    now = base.clock.now()
    until = now.replace(minute=10)
    assert len(await base.vectors.take(limit=9, now=now, until=until)) == 1
    assert await base.vectors.take(limit=9, now=now, until=until) == []
    base.clock.advance(600)
    assert await base.embed() == 1


async def test_an_article_that_changes_while_it_is_embedded_stays_without(base: Base) -> None:
    await base.add(x="a")
    now = base.clock.now()
    [taken] = await base.vectors.take(limit=9, now=now, until=now)
    await base.add(x="b")
    await base.vectors.store([(taken, [await vector(base, "a")])], model="letters")
    assert (await base.vectors.status()).with_vectors == 0
    assert await base.embed() == 1
    assert await base.nearest("b") == ["x"]


async def test_vectors_of_forgotten_texts_go(base: Base, tmp_path: Path) -> None:
    await base.articles.store_edition([Article(id="x", title="", body="a")], edition="1")
    await base.embed()
    await base.articles.store_edition([Article(id="y", title="", body="b")], edition="2")
    await base.embed()
    count = "SELECT count(*) FROM vectors"
    assert base.articles.database.lookup(lambda connection: connection.execute(count).fetchone()) == (1,)


async def test_a_matrix_too_large_for_the_event_loop_is_multiplied_in_a_thread(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("finassist.adapters.sqlite.retrieval.vectors._IN_PLACE_NUMBERS", 0)
    await base.add(x="a", y="b", z="c")
    await base.embed()
    found = await asyncio.gather(*(base.nearest(letter, limit=1) for letter in "abc"))
    assert found == [["x"], ["y"], ["z"]]
