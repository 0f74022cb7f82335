"""What every knowledge base keeps. Another one joins with its name in ``OPENERS``."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path

import pytest

from finassist.application.ports.knowledge import KnowledgeBase
from finassist.domain.knowledge import Article
from finassist.testing import InMemoryKnowledge
from finassist.testing.contracts import KnowledgeBaseContract
from finassist.testing.contracts.knowledge_base import FUND, LOAN, PLAN, fillers, ids_of
from knowledge_bases import OPENERS

Open = Callable[[str], AbstractAsyncContextManager[KnowledgeBase]]
"""Opens the knowledge base of that name; two of one name share what is stored."""


@pytest.fixture(params=OPENERS)
def open_knowledge(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    return partial(OPENERS[request.param], tmp_path)


@pytest.fixture
async def knowledge(open_knowledge: Open) -> AsyncIterator[KnowledgeBase]:
    async with open_knowledge("one") as opened:
        yield opened


class TestEveryKnowledgeBase(KnowledgeBaseContract):
    @pytest.fixture
    def knowledge(self, knowledge: KnowledgeBase) -> KnowledgeBase:
        return knowledge


class TestTheFake(KnowledgeBaseContract):
    @pytest.fixture
    def knowledge(self) -> KnowledgeBase:
        return InMemoryKnowledge()


async def test_other_forms_of_a_word_match(knowledge: KnowledgeBase) -> None:
    await knowledge.add([FUND, LOAN])
    assert await ids_of(knowledge, "mortgages and houses") == ["loan"]


@pytest.mark.parametrize("query", ["401k", "401(k)", "My 401K?"])
async def test_a_name_is_found_however_it_is_written(knowledge: KnowledgeBase, query: str) -> None:
    await knowledge.add(
        [FUND, PLAN, Article(id="glued", title="Limits", body="Limits of the 401k this year.")]
    )
    assert sorted(await ids_of(knowledge, query)) == ["glued", "plan"]


async def test_the_best_passage_of_a_long_article_is_shown_once(knowledge: KnowledgeBase) -> None:
    chapter = " ".join(["Plain words about money in general."] * 15)
    body = (
        f"{chapter}\n\n## Annuities\n\nAn annuity pays an income for life. {chapter}\n\n## Rest\n\n{chapter}"
    )
    await knowledge.add([Article(id="long", title="Handbook", body=body), *fillers(20)])
    (hit,) = await knowledge.search("annuity income", limit=5)
    assert hit.snippet.startswith("Annuities\nAn annuity pays an income for life.")
    assert len(hit.snippet.split()) <= 200


async def test_a_title_weighs_more_than_the_body(knowledge: KnowledgeBase) -> None:
    titled = Article(id="titled", title="Dividends", body="Companies pay them from profit, if there is any.")
    passing = Article(id="passing", title="Profit", body="Companies pay dividends from it, if there is any.")
    await knowledge.add([passing, titled, *fillers(20)])
    assert await ids_of(knowledge, "dividends") == ["titled", "passing"]


async def test_a_score_does_not_depend_on_the_size_of_the_base(open_knowledge: Open) -> None:
    scores = []
    for size in (0, 50, 2500):
        async with open_knowledge(str(size)) as knowledge:
            await knowledge.add([FUND, *fillers(size)])
            scores.append((await knowledge.search("emergency fund", limit=1))[0].score)
    assert max(scores) - min(scores) < 0.05


async def test_words_of_any_script_are_found(knowledge: KnowledgeBase) -> None:
    await knowledge.add([Article(id="other", title="Épargne", body="Накопления и сбережения.")])
    assert await ids_of(knowledge, "epargne") == ["other"]
    assert await ids_of(knowledge, "СБЕРЕЖЕНИЯ") == ["other"]


async def test_of_many_parallel_starts_one_stores_the_edition(open_knowledge: Open) -> None:
    async with open_knowledge("one") as one, open_knowledge("one") as other:
        stored = await asyncio.gather(
            *(base.store_edition(fillers(100), edition="1") for base in (one, other) for _ in range(10))
        )
        assert stored.count(True) == 1
        assert await one.count() == 100


async def test_spellings_are_one_word(knowledge: KnowledgeBase) -> None:
    bank = Article(id="bank", title="Cheques", body="A cheque is amortised by instalments of the programme.")
    await knowledge.add([bank, FUND, LOAN])
    for query in ("check", "cheques", "installment", "amortization", "amortized program"):
        assert await ids_of(knowledge, query) == ["bank"], query


async def test_an_abbreviation_finds_its_full_form_and_the_other_way_round(knowledge: KnowledgeBase) -> None:
    short = Article(id="short", title="Saving", body="An IRA has limits.")
    full = Article(id="full", title="Plans", body="An individual retirement account has limits.")
    await knowledge.add([short, full, FUND, LOAN])
    assert await ids_of(knowledge, "IRA") == ["short", "full"]
    assert await ids_of(knowledge, "individual retirement account") == ["full", "short"]


async def test_what_stands_at_the_beginning_comes_before_what_is_said_in_passing(
    knowledge: KnowledgeBase,
) -> None:
    rest = "It was a rainy day and nobody had any money left for lunch in town so they walked home. "
    early = Article(id="early", title="", body=f"An annuity pays for life. {rest * 3}")
    late = Article(id="late", title="", body=f"{rest * 3}An annuity pays for life.")
    await knowledge.add([late, early, *fillers(20)])
    assert await ids_of(knowledge, "annuity") == ["early", "late"]


async def test_each_part_of_a_long_article_is_found_with_its_own_passage(knowledge: KnowledgeBase) -> None:
    chapters = [f"## Chapter {n}\n\n" + f"Theme{n} is what this chapter tells. " * 40 for n in range(30)]
    await knowledge.add([Article(id="handbook", title="Handbook", body="\n\n".join(chapters)), *fillers(20)])
    for n in (0, 7, 15, 29):
        (hit,) = await knowledge.search(f"chapter theme{n}", limit=5)
        assert hit.article_id == "handbook"
        assert f"Theme{n} is" in hit.snippet


async def test_a_question_that_the_base_cannot_answer_scores_low(knowledge: KnowledgeBase) -> None:
    await knowledge.add([FUND, LOAN, *fillers(20)])
    (answer,) = await knowledge.search("What is an emergency fund?", limit=1)
    (stray,) = await knowledge.search("Which airline flew emergency medicine to Antarctica?", limit=1)
    assert answer.score > 0.7
    assert stray.score < 0.3


async def test_a_large_base_is_searched_by_the_rare_words_and_ranked_by_all(knowledge: KnowledgeBase) -> None:
    common = [
        Article(id=f"c-{n:05}", title="", body="Common words about money and funds.") for n in range(5000)
    ]
    wanted = Article(id="wanted", title="", body="Common words about the zebra and money and funds.")
    passing = Article(id="passing", title="", body="A zebra in a zoo eats grass, leaves and hay.")
    await knowledge.add([*common, passing, wanted])
    hits = await knowledge.search("common money about the zebra", limit=3)
    assert [hit.article_id for hit in hits][:2] == ["wanted", "passing"]
    assert len(await knowledge.search("common money", limit=3)) == 3
