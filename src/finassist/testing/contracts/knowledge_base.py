"""The contract suite of every knowledge base."""

import asyncio
from collections.abc import Sequence

import pytest

from finassist.application.ports.knowledge import KnowledgeBase
from finassist.domain.knowledge import Article

FUND = Article(
    id="fund",
    title="What is an emergency fund?",
    body="An emergency fund is money set aside for unexpected costs.\n\n"
    "## How much is enough?\n\nThree to six months of essential expenses.",
    category="EmergencyFund",
    jurisdiction="general",
    as_of="2026-11-01",
    url="https://example.org/fund",
)
PLAN = Article(id="plan", title="Workplace pensions", body="A 401(k) is a plan that an employer offers.")
LOAN = Article(id="loan", title="Loans", body="A mortgage is a loan that a house secures.")


async def ids_of(knowledge: KnowledgeBase, query: str) -> Sequence[str]:
    return [hit.article_id for hit in await knowledge.search(query, limit=10)]


def fillers(count: int) -> list[Article]:
    return [
        Article(id=f"filler-{number:04}", title=f"Topic {number}", body=f"Text about subject{number}.")
        for number in range(count)
    ]


class KnowledgeBaseContract:
    """The suite of ``KnowledgeBase``. Subclass it and override the fixture ``knowledge``: an empty one."""

    @pytest.fixture
    def knowledge(self) -> KnowledgeBase:
        """The knowledge base under test."""
        raise NotImplementedError("override this fixture")

    async def test_an_article_comes_back_as_it_was_added(self, knowledge: KnowledgeBase) -> None:
        assert await knowledge.add([FUND]) == 1
        assert list(await knowledge.list(limit=10, offset=0)) == [FUND]
        assert await knowledge.count() == 1

    async def test_an_article_with_the_same_id_replaces_the_earlier_one(
        self, knowledge: KnowledgeBase
    ) -> None:
        await knowledge.add([FUND, LOAN])
        newer = Article(id="fund", title="Rainy days", body="Umbrellas keep rain away.")
        await knowledge.add([newer])
        assert await knowledge.count() == 2
        assert newer in await knowledge.list(limit=10, offset=0)
        assert await ids_of(knowledge, "emergency") == []
        assert await ids_of(knowledge, "umbrella") == ["fund"]

    async def test_the_last_of_the_same_id_in_one_call_stays(self, knowledge: KnowledgeBase) -> None:
        await knowledge.add([LOAN, Article(id="loan", title="Later", body="Later text.")])
        assert [article.title for article in await knowledge.list(limit=10, offset=0)] == ["Later"]

    async def test_articles_are_listed_by_id_in_pages(self, knowledge: KnowledgeBase) -> None:
        await knowledge.add([PLAN, FUND, LOAN])
        assert [a.id for a in await knowledge.list(limit=2, offset=0)] == ["fund", "loan"]
        assert [a.id for a in await knowledge.list(limit=2, offset=2)] == ["plan"]

    async def test_more_articles_than_one_batch_are_all_stored(self, knowledge: KnowledgeBase) -> None:
        assert await knowledge.add(fillers(1203)) == 1203
        assert await knowledge.count() == 1203
        assert (await ids_of(knowledge, "subject1202"))[0] == "filler-1202"

    async def test_a_hit_carries_what_a_reply_cites(self, knowledge: KnowledgeBase) -> None:
        await knowledge.add([FUND, LOAN])
        (hit,) = await knowledge.search("emergency fund", limit=5)
        assert (hit.article_id, hit.title, hit.url) == ("fund", FUND.title, FUND.url)
        assert "money set aside" in hit.snippet
        assert "#" not in hit.snippet
        assert 0 < hit.score <= 1

    async def test_the_best_comes_first_and_no_more_than_the_limit(self, knowledge: KnowledgeBase) -> None:
        about = [Article(id=f"loan-{n}", title="", body="A loan. " + "Other words. " * n) for n in range(6)]
        await knowledge.add([*about, *fillers(20)])
        hits = await knowledge.search("loan", limit=3)
        assert [hit.article_id for hit in hits] == ["loan-0", "loan-1", "loan-2"]
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)

    @pytest.mark.parametrize(
        "query",
        ["", " ", "?!", "what is it about", "unheard-of-word", '"', "* OR", "NEAR(a b)", "title:fund^2",
         "\x00", "\ud800", "基金", "a" * 2000, "zzz " * 500, "';--"],
    )  # fmt: skip
    async def test_a_query_is_never_syntax_and_never_an_error(
        self, knowledge: KnowledgeBase, query: str
    ) -> None:
        await knowledge.add([LOAN])
        assert await ids_of(knowledge, query) == []

    async def test_an_edition_is_stored_once(self, knowledge: KnowledgeBase) -> None:
        assert await knowledge.store_edition([FUND, LOAN], edition="1")
        assert not await knowledge.store_edition([FUND, LOAN], edition="1")
        assert await knowledge.count() == 2

    async def test_an_edition_replaces_the_earlier_one_but_not_what_was_added(
        self, knowledge: KnowledgeBase
    ) -> None:
        await knowledge.store_edition([FUND, LOAN], edition="1")
        own = Article(id="loan", title="Our own text on loans", body="We lend.")
        await knowledge.add([own, Article(id="extra", title="Extra", body="More.")])
        revised = Article(id="plan", title="Plans", body="Revised.")
        assert await knowledge.store_edition([LOAN, revised], edition="2")
        assert {article.id for article in await knowledge.list(limit=10, offset=0)} == {
            "loan",
            "extra",
            "plan",
        }
        assert own in await knowledge.list(limit=10, offset=0)
        assert await ids_of(knowledge, "emergency fund") == []

    async def test_searches_during_a_replacement_see_all_or_nothing_of_it(
        self, knowledge: KnowledgeBase
    ) -> None:
        await knowledge.store_edition(fillers(50), edition="1")

        async def search() -> int:
            return len(await knowledge.search("text", limit=100))

        *found, _ = await asyncio.gather(
            *(search() for _ in range(20)), knowledge.store_edition(fillers(60), edition="2")
        )
        assert set(found) <= {50, 60}
        assert await search() == 60

    async def test_of_many_parallel_calls_one_stores_the_edition(self, knowledge: KnowledgeBase) -> None:
        calls = (knowledge.store_edition(fillers(100), edition="1") for _ in range(20))
        assert (await asyncio.gather(*calls)).count(True) == 1
        assert await knowledge.count() == 100
