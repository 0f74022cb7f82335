"""Questions in other languages are put into English word for word, as far as a glossary knows them."""

import pytest

from finassist.data import shipped
from finassist.domain.retrieval.glossary import in_english


@pytest.mark.parametrize(
    ("question", "language", "english"),
    [
        ("Was ist ein ETF?", "de", "what is ETF"),
        ("Welche Aktien soll ich kaufen?", "de", "which shares should I buy"),
        ("Lohnt sich Riester?", "de", "is it worth Riester pension"),
        ("l'impôt sur le revenu", "fr", "income tax France"),
        ("Wat is een spaarrekening?", "nl", "what is savings account"),
        ("Jak spłacić kredyt hipoteczny?", "pl", "how do I pay off debt mortgage"),
        ("ile wynosi emerytura w Polsce", "pl", "how much pension Poland"),
        ("jak splacic dlugi", "pl", "how do I pay off debt debt"),
        ("चक्रवृद्धि ब्याज क्या है?", "hi", "compound interest what is"),
    ],
)
def test_terms_are_put_into_english_in_their_order(question: str, language: str, english: str) -> None:
    assert in_english(question, language).text == english


def test_names_that_english_entries_use_stay() -> None:
    assert "Bausparvertrag" in in_english("Was ist ein Bausparvertrag?", "de").text


def test_the_longest_term_counts() -> None:
    assert in_english("Gemeinsames Konto", "de").text == "joint account"


def test_what_is_not_understood_lowers_the_share() -> None:
    assert in_english("Wie hoch ist der Zinssatz?", "de").understood == 1.0
    assert in_english("Mein Wellensittich pfeift Aktien", "de").understood < 0.5


def test_a_language_without_a_glossary_has_no_english() -> None:
    assert in_english("Vad är ränta?", "sv").text == ""


def test_every_term_can_be_found() -> None:
    for language, terms in shipped("retrieval/glossary").items():
        for term, english in terms.items():
            assert term == term.strip().casefold(), (language, term)
            assert in_english(term, language).understood == 1.0, (language, term, english)


def test_abbreviations_countries_and_numbers_of_forms_stay() -> None:
    assert in_english("Wie hoch ist in Österreich die KESt?", "de").text == "how much Austria KESt"
    assert "form 16" in in_english("form 16 kya hota hai", "hi-Latn").text
