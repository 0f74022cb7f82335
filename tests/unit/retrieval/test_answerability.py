"""Whether a text answers a question, judged by its words."""

import pytest

from finassist.domain.retrieval.answerability import Asked, Judge, asks_elsewhere, named_in

RARITIES = {"zebra": 0.9, "fund": 0.2, "hold": 0.5}
TITLE = ("zebra", "fund")
EVERYTHING = {"zebra": 4.0, "fund": 4.0, "hold": 1.0}


def score(asked: Asked, counts: dict[str, float] = EVERYTHING) -> float:
    return Judge(RARITIES, asked).signs(TITLE, (), counts).score


def test_a_text_with_all_that_is_asked_for_answers() -> None:
    assert score(Asked()) > 0.9


def test_what_is_missing_counts_by_its_weight_and_hardly_when_it_says_little() -> None:
    without = {"zebra": 4.0, "fund": 4.0}
    assert score(Asked(), without) < min(score(Asked(passing={"hold"}), without), score(Asked()))


@pytest.mark.parametrize("asked", [Asked(aside={"hold"}), Asked(elsewhere=True)])
def test_a_question_for_something_aside_needs_it_in_the_title(asked: Asked) -> None:
    assert score(asked) < score(Asked())


def test_a_name_that_the_text_does_not_have_makes_a_question_stray() -> None:
    judge = Judge({**RARITIES, "germany": 1.0}, Asked(named={"germany"}))
    assert judge.signs(TITLE, (), EVERYTHING).stray
    assert not judge.signs(TITLE, (), {**EVERYTHING, "germany": 1.0}).stray


def test_nothing_is_asked_of_a_question_without_terms() -> None:
    assert Judge({}, Asked()).signs((), (), {}).score < 0.5


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("tax brackets in germany", {"germany"}),
        ("What does Vanguard charge for it?", {"vanguard"}),
        ("How do I get my Vanguard fund in Germany?", set()),
        ("What Is The Best Index Fund Of All?", set()),
        ("what is form 8865 about", {"8865"}),
    ],
)
def test_names_places_and_numbered_forms_are_named(question: str, named: set[str]) -> None:
    assert named_in(question) == named


@pytest.mark.parametrize(
    ("question", "elsewhere"),
    [
        ("Who was the first banker?", True),
        ("How do banks print checks?", True),
        ("what's my balance", True),
        ("which fund pays most this week", True),
        ("how much did I spend on food", True),
        ("How does a mortgage work?", False),
        ("How do I pay off my debts?", False),
        ("what should I do with my savings right now", False),
        ("Why was my claim rejected?", False),
    ],
)
def test_history_news_and_other_peoples_trades_are_found_elsewhere(question: str, elsewhere: bool) -> None:
    assert asks_elsewhere(question) is elsewhere
