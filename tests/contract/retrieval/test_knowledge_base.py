"""What every knowledge base keeps. Another one joins with its name in ``OPENERS``."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path

import pytest

from finassist.application.ports.knowledge import KnowledgeBase
from finassist.domain.knowledge import Article
from knowledge_bases import OPENERS

pytestmark = pytest.mark.xdist_group("weaviate")  # one such server is enough

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


Open = Callable[[str], AbstractAsyncContextManager[KnowledgeBase]]
"""Opens the knowledge base of that name; two of one name share what is stored."""


@pytest.fixture(params=OPENERS)
def open_knowledge(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    return partial(OPENERS[request.param], tmp_path)


@pytest.fixture
async def knowledge(open_knowledge: Open) -> AsyncIterator[KnowledgeBase]:
    async with open_knowledge("one") as opened:
        yield opened


async def ids_of(knowledge: KnowledgeBase, query: str) -> Sequence[str]:
    return [hit.article_id for hit in await knowledge.search(query, limit=10)]


def fillers(count: int) -> list[Article]:
    return [
        Article(id=f"filler-{number:04}", title=f"Topic {number}", body=f"Text about subject{number}.")
        for number in range(count)
    ]


async def test_an_article_comes_back_as_it_was_added(knowledge: KnowledgeBase) -> None:
    assert await knowledge.add([FUND]) == 1
    assert list(await knowledge.list(limit=10, offset=0)) == [FUND]
    assert await knowledge.count() == 1


async def test_an_article_with_the_same_id_replaces_the_earlier_one(knowledge: KnowledgeBase) -> None:
    await knowledge.add([FUND, LOAN])
    newer = Article(id="fund", title="Rainy days", body="Umbrellas keep rain away.")
    await knowledge.add([newer])
    assert await knowledge.count() == 2
    assert newer in await knowledge.list(limit=10, offset=0)
    assert await ids_of(knowledge, "emergency") == []
    assert await ids_of(knowledge, "umbrella") == ["fund"]


async def test_the_last_of_the_same_id_in_one_call_stays(knowledge: KnowledgeBase) -> None:
    await knowledge.add([LOAN, Article(id="loan", title="Later", body="Later text.")])
    assert [article.title for article in await knowledge.list(limit=10, offset=0)] == ["Later"]


async def test_articles_are_listed_by_id_in_pages(knowledge: KnowledgeBase) -> None:
    await knowledge.add([PLAN, FUND, LOAN])
    assert [a.id for a in await knowledge.list(limit=2, offset=0)] == ["fund", "loan"]
    assert [a.id for a in await knowledge.list(limit=2, offset=2)] == ["plan"]


async def test_more_articles_than_one_batch_are_all_stored(knowledge: KnowledgeBase) -> None:
    assert await knowledge.add(fillers(1203)) == 1203
    assert await knowledge.count() == 1203
    assert (await ids_of(knowledge, "subject1202"))[0] == "filler-1202"


async def test_a_hit_carries_what_a_reply_cites(knowledge: KnowledgeBase) -> None:
    await knowledge.add([FUND, LOAN])
    (hit,) = await knowledge.search("emergency fund", limit=5)
    assert (hit.article_id, hit.title, hit.url) == ("fund", FUND.title, FUND.url)
    assert "money set aside" in hit.snippet
    assert "#" not in hit.snippet
    assert 0 < hit.score <= 1


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


async def test_the_best_comes_first_and_no_more_than_the_limit(knowledge: KnowledgeBase) -> None:
    about = [Article(id=f"loan-{n}", title="", body="A loan. " + "Other words. " * n) for n in range(6)]
    await knowledge.add([*about, *fillers(20)])
    hits = await knowledge.search("loan", limit=3)
    assert [hit.article_id for hit in hits] == ["loan-0", "loan-1", "loan-2"]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


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


@pytest.mark.parametrize(
    "query",
    ["", " ", "?!", "what is it about", "unheard-of-word", '"', "* OR", "NEAR(a b)", "title:fund^2", "\x00",
     "\ud800", "基金", "a" * 2000, "zzz " * 500, "';--"],
)  # fmt: skip
async def test_a_query_is_never_syntax_and_never_an_error(knowledge: KnowledgeBase, query: str) -> None:
    await knowledge.add([LOAN])
    assert await ids_of(knowledge, query) == []


async def test_words_of_any_script_are_found(knowledge: KnowledgeBase) -> None:
    await knowledge.add([Article(id="other", title="Épargne", body="Накопления и сбережения.")])
    assert await ids_of(knowledge, "epargne") == ["other"]
    assert await ids_of(knowledge, "СБЕРЕЖЕНИЯ") == ["other"]


async def test_an_edition_is_stored_once(knowledge: KnowledgeBase) -> None:
    assert await knowledge.store_edition([FUND, LOAN], edition="1")
    assert not await knowledge.store_edition([FUND, LOAN], edition="1")
    assert await knowledge.count() == 2


async def test_an_edition_replaces_the_earlier_one_but_not_what_was_added(knowledge: KnowledgeBase) -> None:
    await knowledge.store_edition([FUND, LOAN], edition="1")
    own = Article(id="loan", title="Our own text on loans", body="We lend.")
    await knowledge.add([own, Article(id="extra", title="Extra", body="More.")])
    revised = Article(id="plan", title="Plans", body="Revised.")
    assert await knowledge.store_edition([LOAN, revised], edition="2")
    assert {article.id for article in await knowledge.list(limit=10, offset=0)} == {"loan", "extra", "plan"}
    assert own in await knowledge.list(limit=10, offset=0)
    assert await ids_of(knowledge, "emergency fund") == []


async def test_of_many_parallel_starts_one_stores_the_edition(open_knowledge: Open) -> None:
    async with open_knowledge("one") as one, open_knowledge("one") as other:
        stored = await asyncio.gather(
            *(base.store_edition(fillers(100), edition="1") for base in (one, other) for _ in range(10))
        )
        assert stored.count(True) == 1
        assert await one.count() == 100


async def test_searches_during_a_replacement_see_all_or_nothing_of_it(knowledge: KnowledgeBase) -> None:
    await knowledge.store_edition(fillers(50), edition="1")

    async def search() -> int:
        return len(await knowledge.search("text", limit=100))

    *found, _ = await asyncio.gather(
        *(search() for _ in range(20)), knowledge.store_edition(fillers(60), edition="2")
    )
    assert set(found) <= {50, 60}
    assert await search() == 60


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
    (answer,) = await knowledge.search("How large is an emergency fund?", limit=1)
    (stray,) = await knowledge.search("Which airline flew emergency medicine to Antarctica?", limit=1)
    assert answer.score > 0.9
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
