"""The index of the entries in one language (docs/retrieval.md, "Other languages")."""

import numpy as np
import pytest

from finassist.adapters.languages.index import SIGNS, Index
from finassist.domain.knowledge import Article
from finassist.domain.retrieval.languages.folding import folded_words

ARTICLES = [
    Article(
        id="l-de-sparen.1",
        title="Wie hoch sollte mein Notgroschen sein?",
        body="Drei bis sechs Monatsausgaben reichen meist. Das Geld liegt auf einem Tagesgeldkonto.",
        variants=("wieviel rücklage brauche ich", "notfall reserve höhe", "geld für notfälle"),
        quotable=True,
        language="de",
    ),
    Article(
        id="l-de-sparen.2",
        title="Was ist ein Tagesgeldkonto?",
        body="Ein Tagesgeldkonto ist ein verzinstes Konto, von dem man täglich abheben kann.",
        variants=("tagesgeld erklärt", "was bringt tagesgeld", "konto mit zinsen täglich verfügbar"),
        quotable=True,
        language="de",
    ),
    Article(
        id="l-de-steuer.1",
        title="Was ist der Sparerpauschbetrag?",
        body="Bis 1.000 Euro im Jahr bleiben Zinsen in Deutschland steuerfrei (2026).",
        variants=("freibetrag zinsen", "zinsen versteuern ab wann", "1000"),
        quotable=True,
        language="de",
    ),
]
EVERY = list(range(len(ARTICLES)))


@pytest.fixture(scope="module")
def index() -> Index:
    return Index(ARTICLES, "de")


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("wie hoch soll der notgroschen sein", 0),
        ("notgrosschen höhe", 0),
        ("Wieviel Ruecklagen braucht man?", 0),
        ("lohnt sich ein tagesgeld-konto", 1),
        ("Was sind Tagesgeldkonten?", 1),
        ("sparerpauschbetrg", 2),
        ("Freibeträge für Zinsen", 2),
        ("steuerfrei bis wie viel", 2),
    ],
)
def test_slips_endings_umlauts_and_words_of_the_answer_find_an_entry(
    index: Index, question: str, place: int
) -> None:
    assert int(np.argmax(index.signs(question, EVERY)[:, 0])) == place


def test_what_no_entry_knows_has_no_signs(index: Index) -> None:
    assert not index.signs("???", EVERY).any()
    assert index.signs("", EVERY).shape == (len(ARTICLES), len(SIGNS))


def test_only_the_entries_asked_for_are_compared(index: Index) -> None:
    assert index.signs("notgroschen", [1, 2]).shape == (2, len(SIGNS))
    assert index.signs("notgroschen", []).shape == (0, len(SIGNS))


def test_a_question_has_more_in_common_with_its_own_entry_than_strays_have(index: Index) -> None:
    known, stray = (index.signs(text, EVERY)[:, 0].max() for text in ("notgroschen höhe", "rosen schneiden"))
    assert known > 2 * stray


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("Wie groß ist die Rücklage?", "de", ["wie", "gross", "ist", "die", "rucklage"]),
        ("Ruecklage 15000", "de", ["rucklage"]),
        ("¿Qué es la inflación?", "es", ["que", "es", "la", "inflacion"]),
        ("Jak spłacić długi?", "pl", ["jak", "splacic", "dlugi"]),
        ("én zo'n coëfficiënt", "nl", ["en", "zo", "n", "coefficient"]),
        ("modelo 730", "it", ["modelo", "730"]),
    ],
)
def test_words_are_compared_without_accents_and_amounts(text: str, language: str, words: list[str]) -> None:
    assert folded_words(text, language) == words


@pytest.mark.parametrize(
    ("devanagari", "latin"),
    [
        ("कितना", "kitna"),
        ("लोन", "loan"),
        ("क्रेडिट कार्ड", "credit card"),
        ("टैक्स", "tax"),
        ("पैसे", "paise"),
        ("सिबिल", "cibil"),
        ("पॉलिसी", "policy"),
    ],
)
def test_hindi_is_compared_across_its_scripts(devanagari: str, latin: str) -> None:
    assert folded_words(devanagari, "hi") == folded_words(latin, "hi-Latn")
