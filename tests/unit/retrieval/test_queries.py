"""The query for a question, and what of the finds goes to the model."""

import pytest

from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.queries import (
    SNIPPET_CHARACTERS_MAX,
    asking_clause,
    in_digits,
    in_full,
    is_bare,
    names_something,
    spelled_out,
    worth_injecting,
)
from finassist.domain.retrieval.spelling import corrected


def hit(snippet: str, score: float = 0.9, title: str = "") -> Hit:
    return Hit(article_id=snippet[:3], title=title, url=None, snippet=snippet, score=score)


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


@pytest.mark.parametrize(
    "written", ["whats a gic", "what's a gic", "wats a gic", "wat is a gic", "What\u2019s a gic"]
)
def test_a_contracted_question_is_spelled_out(written: str) -> None:
    assert spelled_out(written).casefold() == "what is a gic"


def test_other_words_are_not_spelled_out() -> None:
    assert spelled_out("the bank's fees and whatsapp") == "the bank's fees and whatsapp"


@pytest.mark.parametrize(
    ("message", "clause"),
    [
        ("how do i read my payslip, theres so many lines", "how do i read my payslip"),
        ("theres so many lines - how do i read my payslip?", "how do i read my payslip"),
        ("how do i read my payslip?", None),
        ("i have 300 left, why", None),
    ],
)
def test_what_asks_by_itself_is_told_from_what_surrounds_it(message: str, clause: str | None) -> None:
    assert asking_clause(message) == clause


@pytest.mark.parametrize("text", ["my niece is scared", "is my honey farm insured", "crashing markets"])
def test_english_words_that_no_entry_has_are_no_slips(text: str) -> None:
    assert corrected(text) == text


def test_a_slip_of_a_word_that_entries_have_is_mended() -> None:
    assert corrected("how does a mortgge work") == "how does a mortgage work"


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("what is a Co-pay", "what is a Copay"),
        ("whats a pre-nup", "whats a prenup"),
        ("over-draft fees", "overdraft fees"),
        ("a buy-to-let flat", "a buy-to-let flat"),
        ("interest-only", "interest-only"),
    ],
)
def test_two_words_with_a_hyphen_are_the_one_that_entries_make_of_them(text: str, joined: str) -> None:
    assert corrected(text) == joined


def test_a_question_inside_a_sentence_is_found() -> None:
    assert asking_clause("im dying to know what a bear market is") == "what a bear market is"


def test_abbreviations_of_the_field_are_written_in_full() -> None:
    assert in_full("BNPL for a sofa") == "buy now pay later for a sofa"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("how to save 3k fast", "how to save 3,000 fast"),
        ("got 2.5k from nan", "got 2,500 from nan"),
        ("10-K of a company", "10-K of a company"),
    ],
)
def test_thousands_are_written_in_digits(text: str, written: str) -> None:
    assert in_digits(text) == written


def test_a_pension_plan_with_a_k_is_no_sum_in_thousands() -> None:
    assert "401,000" not in in_digits("how much should i have in my 401k")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("my old work sent me a P45 who do i give it to", True),
        ("they gave me a P11D is it bad", True),
        ("who gets the V5C", True),
        ("do i send my W-2 to them", True),
        ("what does 1099-K mean", True),
        ("gr8 thx m8", False),
        ("see you on the 21st", False),
        ("they want it by friday", False),
    ],
)
def test_a_message_that_names_a_form_by_its_code_names_something(text: str, named: bool) -> None:
    assert names_something(text) is named


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("lien", True),
        ("breathing space", True),
        ("Good morning!", False),
        ("what is it", False),
        ("have a lovely weekend", False),
    ],
)
def test_a_term_and_nothing_else_is_told(text: str, bare: bool) -> None:
    assert is_bare(text) is bare
