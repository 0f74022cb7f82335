"""Which language a question is in (docs/retrieval.md, "Other languages")."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from finassist.adapters.classifier.language import FastTextLanguages
from finassist.domain.retrieval.glossary import in_english
from finassist.domain.retrieval.languages import hardly_tells_language, shared_terms, shares_term
from finassist.domain.retrieval.romanised import ROMANISED_HINDI, spelling_key

HERE = Path(__file__).parent
DATA = HERE.parents[2] / "data"
FIELDS = ("text", "question", "first", "second", "about")

FOREIGN = {
    "fundo de pensões PPR benefits": "pt",
    "carte beue débit différé": "fr",
    "hipoteca fija mixta o variable en España ahora": "es",
    "Was bringt mir die Steuerklasse 3 und 5 als Ehepaar": "de",
    "detrazioni per la prima casa quali sono": "it",
    "Wie funktioniert die Vorabpauschale bei thesaurierenden ETFs?": "de",
    "qu'est-ce que le TAEG": "fr",
    "Ab wann lohnt sich eine private Krankenversicherung": "de",
    "¿cuánto se paga de IRPF por vender un fondo con ganancias?": "es",
    "PEA ou assurance vie pour débuter avec 100 euros par mois ?": "fr",
    "comment récupérer mon dépôt de garantie quand le proprio traîne": "fr",
}
"""Lines of the other files that are not in English."""


def english() -> Iterator[str]:
    """The questions of the tests, except those in other languages."""
    for file in sorted(DATA.glob("*.jsonl")):
        if not file.name.startswith("sentence_encoder"):
            lines = map(json.loads, file.read_text("utf-8").splitlines())
            texts = (line[field] for line in lines for field in FIELDS if isinstance(line.get(field), str))
            yield from (text for text in texts if text not in FOREIGN)


async def test_english_questions_are_taken_for_english() -> None:
    detector, texts = FastTextLanguages(), list(english())
    wrong = [text for text in texts if await detector.language_of(text) != "en"]
    assert len(texts) > 2500
    assert len(wrong) <= 0.005 * len(texts), wrong


@pytest.mark.parametrize(("text", "language"), FOREIGN.items())
async def test_questions_among_english_ones_are_recognised(text: str, language: str) -> None:
    assert await FastTextLanguages().language_of(text) == language


async def test_questions_of_five_words_in_other_languages_are_recognised() -> None:
    lines = [json.loads(line) for line in (HERE / "other_languages.jsonl").read_text("utf-8").splitlines()]
    detector = FastTextLanguages()
    for language in {line["language"] for line in lines}:
        texts = [line["text"] for line in lines if line["language"] == language]
        found = [await detector.language_of(text) for text in texts]
        assert len(texts) == 20
        assert found.count(language) >= (16 if language == "id" else 18), (language, found)


@pytest.mark.parametrize(
    "text",
    ["", "?", "ok", "help", "ta", "source?", "more", "ETF", "401k", "wtf is apr", "Roth IRA vs 401(k)",
     "etf vs mutual fund", "Riester", "20k 7% 5y",
     "HELOC", "emi on 20 lakh", "PPF or ELSS", "ISA or SIPP", "what's a lakh?"],
)  # fmt: skip
async def test_short_questions_full_of_jargon_are_english(text: str) -> None:
    assert await FastTextLanguages().language_of(text) == "en"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("kindergeld höhe 2026", "de"),
        ("Danke", "de"),
        ("fatura minima do cartao", "pt"),
        ("alquilar o comprar piso", "es"),
        ("impots locatifs comment declarer", "fr"),
        ("mutuo o affitto", "it"),
        ("huren of kopen", "nl"),
        ("hypotheek oversluiten boete", "nl"),
        ("zwrot kaucji za mieszkanie", "pl"),
        ("nadplata kredytu hipotecznego", "pl"),
        ("ile wynosi podatek belki", "pl"),
        ("ile to 23% z 1500 zł", "pl"),
        ("ciao", "it"),
        ("merci !", "fr"),
        ("Hoi", "nl"),
        ("dzięki", "pl"),
        ("dzieki", "pl"),
        ("ITR refund नहीं आया", "hi"),
        ("fd ya rd me kya accha hai", ROMANISED_HINDI),
    ],
)
async def test_a_few_words_on_money_without_accents_are_recognised(text: str, language: str) -> None:
    assert await FastTextLanguages().language_of(text) == language


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Was ist ein ETF?", ["ETF"]),
        ("ETFとは何ですか", ["ETF"]),
        ("Wie viele ETFs brauche ich?", ["ETF"]),
        ("¿Qué es un 401(k) o un IRA?", ["401(k)", "IRA"]),
        ("80C में कितनी छूट है?", ["80C"]),
        ("Lohnt sich Riester mit 35?", ["lohnt", "riester"]),
    ],
)
def test_abbreviations_and_names_are_what_languages_share(text: str, terms: list[str]) -> None:
    assert shared_terms(text) == terms


@pytest.mark.parametrize(
    ("text", "is_short"), [("a ile?", True), ("e i costi?", True), ("and in 2027?", False)]
)
def test_a_few_words_are_read_in_the_language_of_what_came_before(text: str, is_short: bool) -> None:
    assert hardly_tells_language(text) is is_short


def test_a_title_shares_a_term_as_a_word_alone() -> None:
    assert shares_term("What are ETFs?", ["ETF"])
    assert shares_term("What is a 401(k) plan?", ["401(k)"])
    assert not shares_term("What is a budget?", ["dge"])


@pytest.mark.parametrize(
    "text",
    [
        "health insurance lena zaroori hai kya",
        "mujhe apna loan kaise close karna chahiye",
        "fd me paise rakhna safe hai kya",
        "meri salary 40000 hai, kitni bachat karu",
    ],
)
async def test_hindi_in_latin_letters_is_a_language_of_its_own(text: str) -> None:
    assert await FastTextLanguages().language_of(text) == ROMANISED_HINDI


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Wie lege ich mein Geld an?", "de"),
        ("is a kisan vikas patra safe", "en"),
        ("come posso risparmiare per la pensione", "it"),
    ],
)
async def test_what_only_has_a_word_like_hindi_is_not(text: str, language: str) -> None:
    assert await FastTextLanguages().language_of(text) == language


@pytest.mark.parametrize(
    ("devanagari", "latin"), [("बचत", "bachat"), ("कितना", "kitna"), ("में", "mein"), ("चाहिए", "chahiye")]
)
def test_spellings_in_both_scripts_agree_in_their_key(devanagari: str, latin: str) -> None:
    assert spelling_key(devanagari) == spelling_key(latin)


def test_hindi_in_latin_letters_is_put_into_english() -> None:
    rendering = in_english("gold loan ka byaj kitna hota hai", ROMANISED_HINDI)
    assert rendering.text == "gold loan interest how much"
    assert rendering.understood == 1
