"""Whether a text answers a question, judged by its words."""

import pytest

from finassist.domain.retrieval.answerability import Judge, is_plain_number
from finassist.domain.retrieval.relevance import worded

RARITIES = {"zebra": 0.9, "fund": 0.2, "hold": 0.5}
TITLE = ("zebra", "fund")
EVERYTHING = {"zebra": 4.0, "fund": 4.0, "hold": 1.0}


def score(counts: dict[str, float], title: tuple[str, ...] = TITLE) -> float:
    return Judge(RARITIES).signs([title], (), counts).score


def test_a_text_with_all_that_is_asked_for_scores_above_one_that_lacks_some() -> None:
    assert score(EVERYTHING) > 0.5
    assert score(EVERYTHING) > score({"zebra": 4.0, "fund": 4.0}) > score({"fund": 4.0}, ("fund",))


def test_what_is_missing_counts_by_its_weight() -> None:
    assert score({"fund": 4.0, "hold": 4.0}, ("fund",)) < score({"zebra": 4.0, "fund": 4.0})


def test_nothing_is_asked_of_a_question_without_terms() -> None:
    assert Judge({}).signs([()], (), {}).score < 0.5


@pytest.mark.parametrize(
    ("word", "plain"),
    [
        ("35", True),
        ("9", True),
        ("10k", True),
        ("450k", True),
        ("25000", True),
        ("401k", False),
        ("529", False),
    ],
)
def test_ages_and_sums_are_plain_numbers_and_names_are_not(word: str, plain: bool) -> None:
    assert is_plain_number(word) is plain


FREQUENCIES = {"what": 4_000, "cost": 1_500, "fund": 300, "zebra": 2}


def of_wording(asked: set[str], *wordings: list[str]) -> float:
    return worded(wordings, asked, FREQUENCIES, 5_000)


def test_a_question_has_most_of_a_wording_whose_rare_words_it_has() -> None:
    assert (
        of_wording({"zebra"}, ["what", "zebra", "cost"])
        > 0.5
        > of_wording({"cost"}, ["what", "zebra", "cost"])
    )


def test_the_wording_counts_that_the_question_has_most_of() -> None:
    long, short = ["zebra", "herd", "stripe"], ["what", "zebra"]
    assert of_wording({"zebra"}, long, short) == of_wording({"zebra"}, short) > of_wording({"zebra"}, long)


def test_one_common_word_is_hardly_a_wording() -> None:
    assert of_wording({"cost"}, ["cost"]) < 0.5


def test_nothing_is_had_of_an_article_without_wordings() -> None:
    assert of_wording({"zebra"}) == of_wording({"zebra"}, []) == 0
