"""The first finds are put in order by the wordings in which they are asked for."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from finassist.application.retrieval.reranking import RerankedSearch
from finassist.domain.errors import EmbeddingError
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.hybrid import reranked


def hit(title: str, score: float, cosine: float = 0.5, language: str = "en", nearest: float = 0.0) -> Hit:
    return Hit(
        article_id=title,
        title=title,
        url=None,
        snippet="",
        score=score,
        quotable=True,
        cosine=cosine,
        language=language,
        nearest=nearest,
    )


FIRST, SECOND, THIRD = hit("tax on crypto", 0.9), hit("bitcoin, yes or no", 0.8), hit("own article", 0.7)
NEAR, FAR = 0.8, 0.4


def near(found: Hit, nearest: float) -> Hit:
    return replace(found, nearest=nearest)


class Base:
    """A knowledge base that finds these, whatever is asked."""

    def __init__(self, *hits: Hit) -> None:
        self._hits = hits

    async def search(self, query: str, *, limit: int) -> Sequence[Hit]:
        return self._hits[:limit]


class Wordings:
    """Knows how near each title is."""

    def __init__(self, near: dict[str, float]) -> None:
        self._near = near

    async def nearness(self, question: str, titles: Sequence[str]) -> Sequence[float]:
        return [self._near.get(title, 0.0) for title in titles]


class Failing:
    """Cannot embed the question."""

    async def nearness(self, question: str, titles: Sequence[str]) -> Sequence[float]:
        raise EmbeddingError("closed", kind="closed", retryable=False)


def test_the_entry_that_is_asked_for_so_comes_first_and_the_scores_fall_as_before() -> None:
    found = reranked([near(FIRST, FAR), near(SECOND, NEAR)], limit=3)
    assert [each.title for each in found] == [SECOND.title, FIRST.title]
    assert [each.score for each in found] == [0.9, 0.8]


def test_a_nearer_wording_does_not_lift_what_the_search_finds_far_behind() -> None:
    found = reranked([near(FIRST, FAR), hit("behind", 0.1, nearest=0.6)], limit=3)
    assert [each.title for each in found] == [FIRST.title, "behind"]


def test_what_each_counted_for_stands_beside_its_score() -> None:
    first, second = reranked([near(FIRST, FAR), near(SECOND, NEAR)], limit=3)
    assert first.worth > second.worth > 0


def test_an_article_whose_wordings_are_not_known_keeps_its_place() -> None:
    found = reranked([near(FIRST, FAR), THIRD, near(SECOND, NEAR)], limit=3)
    assert [each.title for each in found] == [SECOND.title, THIRD.title, FIRST.title]


def test_nothing_found_stays_nothing() -> None:
    assert reranked([], limit=3) == []


async def test_a_search_is_reranked_beyond_its_limit() -> None:
    search = RerankedSearch(
        knowledge=Base(FIRST, SECOND),
        entry_wordings=Wordings({FIRST.title: FAR, SECOND.title: NEAR}),
    )
    (found,) = await search.search("crypto yes or no", limit=1)
    assert found.title == SECOND.title


async def test_every_find_is_told_how_near_it_is_asked_for_and_the_first_twelve_are_put_in_order() -> None:
    hits = [hit(f"entry {number}", 0.9 - number / 100) for number in range(14)]
    wordings = Wordings({each.title: 0.5 + number / 100 for number, each in enumerate(hits)})
    found = await RerankedSearch(knowledge=Base(*hits), entry_wordings=wordings).search("tax", limit=20)
    assert [each.nearest for each in found[-2:]] == [0.62, 0.63]
    assert [each.title for each in found[-2:]] == ["entry 12", "entry 13"]
    assert found[0].title == "entry 11"


@pytest.mark.parametrize(
    ("hits", "wordings"),
    [
        ((FIRST, SECOND), None),
        ((FIRST, SECOND), Failing()),
        (
            (FIRST, hit("by words alone", 0.8, cosine=0.0)),
            Wordings({FIRST.title: FAR, "by words alone": NEAR}),
        ),
        ((FIRST, hit("auf Deutsch", 0.8, language="de")), Wordings({FIRST.title: FAR, "auf Deutsch": NEAR})),
    ],
    ids=["no wordings", "the query cannot be embedded", "no cosine is known", "another language"],
)
async def test_the_finds_stay_as_the_knowledge_base_found_them(
    hits: tuple[Hit, ...], wordings: Wordings | Failing | None
) -> None:
    search = RerankedSearch(knowledge=Base(*hits), entry_wordings=wordings)
    found = await search.search("crypto yes or no", limit=4)
    assert [replace(each, worth=0.0, nearest=0.0) for each in found] == list(hits)
