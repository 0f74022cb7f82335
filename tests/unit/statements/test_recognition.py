"""Which messages ask the statements of a conversation: of those that ask something else none does."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from finassist.adapters.llm.offline.statements.corrections import correction_in
from finassist.adapters.llm.offline.statements.recognition import STATEMENT, StatementQuestions
from finassist.application.ports.language_model import ModelMessage, ModelRequest, ToolSpec
from finassist.domain.conversations.message import Role
from finassist.domain.statements.categories import names
from finassist.domain.statements.ledger import Ledger, Named, ledger_of
from finassist.domain.statements.phrases import languages, phrases_in
from finassist.entrypoints.http.web.pages import WORDS
from remembered_vectors import VECTORS
from unit.statements.exports import EXPORTS
from unit.statements.test_exports import read

MESSAGES = json.loads(Path(__file__).with_name("messages.json").read_text())
TOOL = ToolSpec(name=STATEMENT, description="", parameters={})


@pytest.fixture(scope="module")
def ledger() -> Ledger:
    export = next(each for each in EXPORTS if each.name == "uk-monzo")
    return ledger_of([Named(export.filename, read(export))])


@pytest.fixture(scope="module")
def questions() -> StatementQuestions:
    return StatementQuestions(VECTORS)


async def asked(
    questions: StatementQuestions, ledger: Ledger, text: str, language: str = "en"
) -> dict[str, Any]:
    request = ModelRequest(
        model="", system="", messages=[ModelMessage(role=Role.USER, content=text)], tools=[TOOL],
        ledger=ledger, language=language,
    )  # fmt: skip
    call = await questions.asked(request)
    return {} if call is None else dict(call.arguments)


async def test_what_asks_nothing_of_the_statements_gets_no_figures(
    questions: StatementQuestions, ledger: Ledger
) -> None:
    got = {text: await asked(questions, ledger, text) for text in MESSAGES["unrelated"]}
    assert {text: arguments for text, arguments in got.items() if arguments} == {}


async def test_what_asks_the_statements_is_understood(questions: StatementQuestions, ledger: Ledger) -> None:
    english = [(text, kind) for text, kind in MESSAGES["related"] if text.isascii() and text[0].islower()]
    got = [(await asked(questions, ledger, text)).get("kind") for text, _ in english]
    missed = [pair for pair, kind in zip(english, got, strict=True) if pair[1] not in ("*", kind)]
    assert len(missed) * 20 <= len(english), missed


@pytest.mark.parametrize(
    ("language", "question", "kind"),
    [
        ("de", "Wofür habe ich im Februar am meisten ausgegeben?", "by_category"),
        ("de", "Welche regelmäßigen Zahlungen habe ich?", "recurring"),
        ("fr", "Quelles sont mes dépenses les plus importantes ?", "largest"),
        ("fr", "Quel est le solde de mon compte ?", "balance"),
        ("es", "¿En qué se va mi dinero?", "by_category"),
        ("es", "¿Cuánto me gasté en comida?", "totals"),
        ("it", "Quanto ho speso in marzo?", "totals"),
        ("nl", "Hoeveel heb ik uitgegeven aan boodschappen?", "totals"),
        ("pl", "Ile wydałem w marcu?", "totals"),
        ("pl", "Na co wydaję najwięcej pieniędzy?", "by_category"),
        ("pl", "Jaki był mój największy wydatek?", "largest"),
        ("pl", "Jakie mam subskrypcje?", "recurring"),
        ("pl", "Co to jest kredyt hipoteczny?", None),
        ("nl", "Wat was mijn grootste uitgave?", "largest"),
        ("nl", "Wat is een hypotheek?", None),
        ("pt", "Qual foi a minha maior despesa?", "largest"),
        ("de", "Wie hoch sollte ein Notgroschen sein?", None),
        ("fr", "Comment réduire mes dépenses ?", None),
        ("es", "¿Qué es una hipoteca?", None),
    ],
)
async def test_other_languages_are_told_by_their_words(
    questions: StatementQuestions, ledger: Ledger, language: str, question: str, kind: str | None
) -> None:
    found = await asked(questions, ledger, question, language)
    assert found.get("kind") == kind
    assert not found or found["language"] == language


def test_payments_can_be_counted_as_every_category_by_its_name_in_every_language(ledger: Ledger) -> None:
    wrong = []
    for language in languages():
        for category in names():
            named = phrases_in(language).category(category)
            found = correction_in(f"Count Aldi as {named}", ledger)
            if found is None or found["category"] not in same_name(named):
                wrong.append((language, named, found and found["category"]))
    assert wrong == []


def same_name(named: str) -> set[str]:
    """The categories that have this name in a language: "rente" is interest in one, and income in none."""
    everywhere = {
        (phrases_in(each).category(name).casefold(), name) for each in languages() for name in names()
    }
    return {name for told, name in everywhere if told == named.casefold()}


@pytest.mark.parametrize("text", ["Aldi is out", "Count Aldi as eating somewhere", "Aldi is not far"])
def test_what_names_no_category_corrects_nothing(text: str, ledger: Ledger) -> None:
    assert correction_in(text, ledger) is None


OFFERED = {"ask_where": "by_category", "ask_subscriptions": "recurring", "ask_months": "by_month"}


@pytest.mark.parametrize("language", sorted(WORDS))
@pytest.mark.parametrize("key", OFFERED)
async def test_what_the_chat_page_offers_for_a_statement_is_understood(
    questions: StatementQuestions, ledger: Ledger, key: str, language: str
) -> None:
    got = await asked(questions, ledger, WORDS[language].texts[key], language)
    assert got.get("kind") == OFFERED[key]


@pytest.mark.parametrize(
    ("number", "counted"),
    [
        (1, "1 wiersz"),
        (3, "3 wiersze"),
        (5, "5 wierszy"),
        (12, "12 wierszy"),
        (22, "22 wiersze"),
        (112, "112 wierszy"),
    ],
)
def test_polish_counts_two_to_four_with_a_word_of_their_own(number: int, counted: str) -> None:
    assert phrases_in("pl").counted(number, "rows") == counted


def test_a_day_has_its_month_in_the_form_of_its_language() -> None:
    assert phrases_in("pl").day(date(2026, 3, 3)) == "3 marca 2026"
    assert phrases_in("pl").month("2026-03") == "marzec 2026"
    assert phrases_in("nl").day(date(2026, 3, 3)) == "3 maart 2026"
