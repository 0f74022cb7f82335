"""Words: what a text is searched and compared by."""

import pytest

from finassist.domain.retrieval.words import topic_words, words_of


@pytest.mark.parametrize(
    "text",
    [
        "What is a bond?",
        "WHAT IS A BOND",
        "Ｗｈａｔ ｉｓ ａ ｂｏｎｄ？",
        "what is a bo\u200bnd",
        "\ufeffwhat is a bo\u00adnd",
    ],
)
def test_however_a_text_is_typed_or_copied_its_words_are_the_same(text: str) -> None:
    assert words_of(text) == ["what", "is", "a", "bond"]


def test_a_bracketed_letter_belongs_to_its_number() -> None:
    assert words_of("my 401(k), 403(b)") == ["my", "401k", "403b"]


@pytest.mark.parametrize("text", ["what's an ETF", "whats an etf", "dont i need an etf", "I don’t: ETF?"])
def test_contractions_say_nothing_with_or_without_their_apostrophe(text: str) -> None:
    assert topic_words(text) == ["etf"]
