"""Spellings and abbreviations."""

import pytest

from finassist.adapters.data_files.vocabulary import vocabulary
from finassist.domain.retrieval.vocabulary import ABBREVIATION_WEIGHT, QueryWord, Vocabulary

WORDS = Vocabulary({"cheque": "check"}, {"ira": ("individual", "retirement", "account")})


def test_a_text_is_read_in_one_spelling() -> None:
    assert WORDS.words("My Cheque, please") == ["my", "check", "please"]


def test_a_query_has_the_words_that_say_what_it_is_about_once() -> None:
    assert WORDS.query("What is a check, and what is a CHEQUE book?") == [
        QueryWord("check"),
        QueryWord("book"),
    ]


def test_an_abbreviation_brings_its_full_form() -> None:
    assert WORDS.query("an IRA") == [QueryWord("ira", ("individual", "retirement", "account"))]


def test_a_full_form_implies_its_abbreviation_for_less() -> None:
    words = WORDS.query("my individual retirement account")
    assert words[-1] == QueryWord("ira", weight=ABBREVIATION_WEIGHT)
    assert QueryWord("ira", weight=ABBREVIATION_WEIGHT) not in WORDS.query("retirement individual account")


@pytest.mark.parametrize(
    ("text", "word"),
    [("cheque", "check"), ("instalments", "installments"), ("amortisation", "amortization"),
     ("401(k)", "401k"), ("programme", "program")],
)  # fmt: skip
def test_the_spellings_of_the_field_are_known(text: str, word: str) -> None:
    assert vocabulary().words(text) == [word]


@pytest.mark.parametrize("short", ["ira", "etf", "emi", "apr", "hsa", "nps", "isa", "reit", "ppf", "sip"])
def test_the_abbreviations_of_the_field_are_known(short: str) -> None:
    (word,) = vocabulary().query(short.upper())
    assert len(word.phrase) > 1


def test_no_spelling_leads_to_another() -> None:
    spellings = vocabulary().spellings
    assert not set(spellings.values()) & set(spellings)
    assert all(spelling != standard for spelling, standard in spellings.items())


@pytest.mark.parametrize(
    ("question", "searched"),
    [
        ("what is a will", ["will"]),
        ("how do I make a will", ["will"]),
        ("who can see my will trust", ["see", "will", "trust"]),
        ("will it pay", ["pay"]),
        ("what is it", []),
    ],
)
def test_a_modal_verb_behind_an_article_is_a_noun_and_searched_for(
    question: str, searched: list[str]
) -> None:
    assert [each.word for each in WORDS.query(question)] == searched
