from pathlib import Path

import pytest

from finassist.domain.chat.notice import (
    NOTICE,
    NOTICES,
    notice_in,
    touches_individual_advice,
    without_notice,
)
from tables import each_row

HERE = Path(__file__).parent
TOUCHED = (HERE / "advice_touched.txt").read_text("utf-8").splitlines()
GENERAL = (HERE / "advice_general.txt").read_text("utf-8").splitlines()


@each_row(
    "question",
    [
        *TOUCHED,
        "Should I pay off my mortgage early?",
        "What should I do with 10k?",
        "Where can I invest 500 a month?",
        "Can I afford a house for 300k?",
        "Am I saving enough for retirement?",
        "Which fund would you recommend to me?",
        "What is the best account for my emergency fund?",
        "Is it a good idea to lease my car?",
        "I am 35 and have 20k in savings, what would be better: bonds or stocks?",
        "Any advice?",
    ],
)
def test_a_question_on_ones_own_money_touches_individual_advice(question: str) -> None:
    assert touches_individual_advice(question, "An answer.")


@each_row(
    "question",
    [
        *GENERAL,
        "what do you think the purpose of life is",
        "given a choice would you take a dog or a cat",
        "What is an ETF?",
        "How does compound interest work?",
        "What is the monthly payment on a 20k loan at 7% for 5 years?",
        "hello, how are you?",
        "how is it going my friend",
        "Explain dollar-cost averaging.",
        "What is a good credit score?",
        "How do I open a brokerage account?",
    ],
)
def test_a_general_question_does_not(question: str) -> None:
    assert not touches_individual_advice(question, "An ETF is a fund that you should understand first.")


@pytest.mark.parametrize("reply", ["I'd recommend an index fund.", "In your situation, bonds fit better."])
def test_a_reply_that_advises_does_too(reply: str) -> None:
    assert touches_individual_advice("What is an ETF?", reply)


@pytest.mark.parametrize(
    ("question", "language", "is_advice"),
    [
        ("Soll ich mein Geld in ETFs stecken?", "de", True),
        ("Was ist ein ETF?", "de", False),
        ("me conviene amortizar la hipoteca", "es", True),
        ("¿Cómo se amortiza una hipoteca?", "es", False),
        ("Dois-je rembourser mon prêt ?", "fr", True),
        ("dovrei vendere le azioni", "it", True),
        ("Moet ik mijn hypotheek aflossen?", "nl", True),
        ("Wat is een hypotheek?", "nl", False),
        ("Czy powinienem nadpłacać kredyt?", "pl", True),
        ("Jak działa lokata?", "pl", False),
        ("Devia vender as ações?", "pt", True),
        ("kya mujhe SIP band karna chahiye", "hi-Latn", True),
        ("क्या मुझे SIP बंद करनी चाहिए?", "hi", True),
        ("SIP क्या है?", "hi", False),
    ],
)
def test_advice_is_asked_for_in_other_languages(question: str, language: str, is_advice: bool) -> None:
    assert touches_individual_advice(question, "", language) is is_advice


def test_the_notice_is_in_the_language_of_the_reply_and_can_be_taken_off() -> None:
    assert len(set(NOTICES)) == 10
    assert notice_in("sv") == NOTICE
    for language in ("de", "es", "fr", "hi", "hi-Latn", "it", "nl", "pl", "pt"):
        assert without_notice(f"Text.\n\n{notice_in(language)}") == "Text.\n\n"
