"""The query for a question, and what of the finds goes to the model."""

import pytest

from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.queries import SNIPPET_CHARACTERS_MAX, stands_alone, worth_injecting

LOAN = "What does a loan of 20,000 at 6 % cost over five years?"


def hit(snippet: str, score: float = 0.9, title: str = "") -> Hit:
    return Hit(article_id=snippet[:3], title=title, url=None, snippet=snippet, score=score)


def test_a_follow_up_is_searched_for_with_the_question_that_it_follows() -> None:
    assert (
        stands_alone("and for ten years?", ["What is a bond?", LOAN, "why?"]) == f"{LOAN} and for ten years?"
    )


@pytest.mark.parametrize(
    ("follow_up", "query"),
    [
        ("how big should it be?", f"{LOAN} how should it be?"),
        ("Which kind is best?", f"{LOAN} Which is"),
        ("How large?", f"{LOAN} How"),
        ("what are the risks?", f"{LOAN} what are the risks?"),
        ("example", LOAN),
    ],
)
def test_words_that_no_question_is_about_are_not_searched_for(follow_up: str, query: str) -> None:
    assert stands_alone(follow_up, [LOAN]) == query


@pytest.mark.parametrize("question", ["What is a bond fund and who should buy one?", LOAN])
def test_a_whole_question_is_searched_for_alone(question: str) -> None:
    assert stands_alone(question, [LOAN]) == question


def test_a_follow_up_to_nothing_is_searched_for_as_it_is() -> None:
    for earlier in ([], ["why?"], ["so what", "and?"]):
        assert stands_alone("and then?", earlier) == "and then?"


def test_what_scores_too_low_is_left_out() -> None:
    assert worth_injecting([hit("one", 0.5), hit("two", 0.49)], 0.5) == [hit("one", 0.5)]


def test_the_same_text_is_injected_once() -> None:
    assert worth_injecting([hit("A bond pays."), hit("a  bond\npays."), hit("Other.")], 0) == [
        hit("A bond pays."), hit("Other."),
    ]  # fmt: skip


def test_there_is_room_for_so_much_and_a_shorter_one_may_take_what_is_left() -> None:
    half = SNIPPET_CHARACTERS_MAX // 2
    found = worth_injecting([hit("a" * half, title="t"), hit("b" * half), hit("c" * (half - 1))], 0)
    assert [each.article_id for each in found] == ["aaa", "ccc"]
    assert sum(len(each.title) + len(each.snippet) for each in found) == SNIPPET_CHARACTERS_MAX
