"""Whether a text answers a question, judged by its words."""

import pytest

from finassist.domain.retrieval.answerability import Judge, is_plain_number

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
