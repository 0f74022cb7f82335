"""The question classifier that ships: right often enough on questions that it never saw, never at a loss."""

import random

import pytest

from finassist.adapters.classifier.linear import LinearQuestionClassifier
from finassist.adapters.data_files.articles import starter_articles
from tables import json_lines

LOAN = "What is the monthly instalment on a loan of 20,000 at 6 % over five years?"


def share(hits: list[bool]) -> float:
    return sum(hits) / len(hits)


@pytest.fixture(scope="module")
def classifier() -> LinearQuestionClassifier:
    return LinearQuestionClassifier()


def found(classifier: LinearQuestionClassifier, name: str, kind: str) -> float:
    """The share of a kind's lines that are taken for what they are."""
    return share(
        [
            classifier.classify(line["text"], line.get("history", ())).is_finance == (kind == "finance")
            for line in json_lines(name)
            if line["kind"] == kind
        ]
    )


def test_questions_about_money_are_hardly_ever_taken_for_small_talk(
    classifier: LinearQuestionClassifier,
) -> None:
    assert found(classifier, "questions.jsonl", "finance") >= 0.97


def test_small_talk_is_recognised(classifier: LinearQuestionClassifier) -> None:
    assert found(classifier, "questions.jsonl", "small_talk") >= 0.9


def test_questions_about_something_else_are_mostly_recognised(classifier: LinearQuestionClassifier) -> None:
    assert found(classifier, "questions.jsonl", "other_topic") >= 0.7


@pytest.mark.parametrize("kind", ["finance", "small_talk", "other_topic"])
def test_what_came_before_is_taken_into_account(classifier: LinearQuestionClassifier, kind: str) -> None:
    assert found(classifier, "follow_ups.jsonl", kind) >= 0.95


def test_a_category_is_given_to_most_questions_and_is_nearly_always_right(
    classifier: LinearQuestionClassifier,
) -> None:
    questions = [line for line in json_lines("questions.jsonl") if line["kind"] == "finance"]
    answers = [(classifier.classify(line["text"]).category, line["category"]) for line in questions]
    assert share([answer == category for answer, category in answers if category]) >= 0.8
    assert share([answer == category for answer, category in answers if answer]) >= 0.9
    assert share([answer is None for answer, category in answers if not category]) >= 0.9


def test_the_categories_are_those_of_the_articles(classifier: LinearQuestionClassifier) -> None:
    given = {classifier.classify(line["text"]).category for line in json_lines("questions.jsonl")}
    assert given - {None} == {article.category for article in starter_articles()}


def test_a_follow_up_to_a_loan_question_is_finance_and_thanks_is_not(
    classifier: LinearQuestionClassifier,
) -> None:
    assert classifier.classify("and for ten years?", [LOAN]).is_finance
    assert classifier.classify("why?", [LOAN]).is_finance
    assert not classifier.classify("thanks!", [LOAN]).is_finance
    assert not classifier.classify("what is your name?", [LOAN]).is_finance


def test_a_follow_up_has_the_category_of_what_it_follows(classifier: LinearQuestionClassifier) -> None:
    assert classifier.classify("why is that").category is None
    for question, category in (
        ("what is a roth ira", "Retirement_Planning"),
        ("does renters insurance cover theft", "Insurance"),
    ):
        assert classifier.classify("why is that", ["hello", question, "thanks"]).category == category


def test_a_question_of_its_own_does_not_depend_on_what_came_before(
    classifier: LinearQuestionClassifier,
) -> None:
    question = "how much income tax do I pay on a bonus"
    alone = classifier.classify(question)
    assert alone.is_finance
    assert alone.category == "Tax_Planning"
    assert classifier.classify(question, ["tell me a joke"]) == alone
    assert classifier.classify(question, [LOAN]) == alone


@pytest.mark.parametrize("asked", ["what is a {}", "what's a {}?", "Whats an {}", "{}", "explain {}"])
def test_a_question_what_a_word_of_the_field_means_is_about_money(
    classifier: LinearQuestionClassifier, asked: str
) -> None:
    words = "ETF|IRA|APR|REIT|HELOC|LLC|EMI|SIP|401(k)|529 plan|bond|dividend|premium|credit score|Roth IRA"
    assert [word for word in words.split("|") if not classifier.classify(asked.format(word)).is_finance] == []


@pytest.mark.parametrize(
    "message",
    ["what's up?", "whats new", "What's your name?", "what's a haiku", "whats a dog", "What's an igloo?"],
)
def test_a_question_what_another_word_means_is_not(
    classifier: LinearQuestionClassifier, message: str
) -> None:
    assert not classifier.classify(message).is_finance


@pytest.mark.parametrize(
    "message",
    ["Hi, what is a bond?", "Thanks, and what about tax?", "Good morning! My name is Tom. Pension?"],
)
def test_courtesies_around_a_question_do_not_hide_it(
    classifier: LinearQuestionClassifier, message: str
) -> None:
    assert classifier.classify(message).is_finance


@pytest.mark.parametrize("message", ["", "   ", "?!", "👍", "🙏🏽🙏🏽", "\ud800", "\x00", "_", "…"])
def test_a_message_without_a_word_is_small_talk(classifier: LinearQuestionClassifier, message: str) -> None:
    for history in ((), (LOAN,), (message, "", LOAN)):
        result = classifier.classify(message, history)
        assert not result.is_finance
        assert result.category is None


@pytest.mark.parametrize("message", ["什么是债券", "ऋण क्या है", "zxqw vbnm", "ǅǆﬃ ①②③"])
def test_in_doubt_a_message_is_about_money(classifier: LinearQuestionClassifier, message: str) -> None:
    assert classifier.classify(message).is_finance


def test_a_long_message_is_judged_by_its_ends(classifier: LinearQuestionClassifier) -> None:
    padding = "lorem ipsum dolor sit amet " * 80
    assert classifier.classify(f"{padding} so which mortgage can I afford?").category == "Real_Estate"
    assert classifier.classify(f"Which mortgage can I afford? {padding}").is_finance
    assert classifier.classify("a" * 2_000).is_finance


def test_any_text_is_classified_the_same_way_each_time(classifier: LinearQuestionClassifier) -> None:
    chance = random.Random(6)
    for _ in range(300):
        text = "".join(chr(chance.randrange(0x110000)) for _ in range(chance.randrange(60)))
        result = classifier.classify(text, [text[::-1]])
        assert 0.5 <= result.confidence <= 1
        assert 0 <= result.category_confidence <= 1
        assert (result.category is None) or result.is_finance
        assert result == LinearQuestionClassifier.classify(classifier, text, [text[::-1]])


def test_a_question_shouted_or_typographically_quoted_is_the_same_question(
    classifier: LinearQuestionClassifier,
) -> None:
    plain = classifier.classify("what's my mortgage rate?")
    assert classifier.classify("WHAT’S MY MORTGAGE RATE?") == plain
    assert classifier.classify("what's my ｍｏｒｔｇａｇｅ rate?") == plain


def test_very_short_questions_about_money_are_not_taken_for_small_talk(
    classifier: LinearQuestionClassifier,
) -> None:
    assert found(classifier, "short_questions.jsonl", "finance") >= 0.95
    for question in ("what is interest?", "stocks?", "explain inflation", "bonds vs gold", "tax?"):
        assert classifier.classify(question).is_finance


def test_very_short_small_talk_is_mostly_recognised(classifier: LinearQuestionClassifier) -> None:
    assert found(classifier, "short_questions.jsonl", "small_talk") >= 0.7
    for greeting in ("hi", "hello?", "thanks", "ok", "sup", "lol", "your name?"):
        assert not classifier.classify(greeting).is_finance
