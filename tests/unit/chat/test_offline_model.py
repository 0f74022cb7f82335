import re
from collections.abc import Sequence

import pytest

from finassist.adapters.llm.offline import OfflineModel, answer
from finassist.adapters.llm.offline_words import sides_of, stems_of
from finassist.application.ports.language_model import ModelFinished, ModelMessage, ModelRequest, TextDelta
from finassist.domain.conversations.message import Role
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.queries import without_sizes

FUND = (
    "An emergency fund is money set aside for unexpected costs. Rain is wet in most places.\n"
    "How much is enough?\n"
    "Three to six months of essential expenses are a common target. Some people like tea in the afternoon."
)
DEBT = "Expensive debt comes before investing. A credit card at 20% costs more than shares earn."


def hits(*snippets: str, title: str = "") -> list[Hit]:
    return [
        Hit(article_id=f"article-{n}", title=title, url=None, snippet=snippet, score=0.8)
        for n, snippet in enumerate(snippets)
    ]


def citations(text: str) -> Sequence[str]:
    return re.findall(r"\[(\d+)\]", text)


def test_the_sentence_that_answers_is_quoted_with_its_source() -> None:
    text = answer("What is an emergency fund?", hits(DEBT, FUND))
    assert "An emergency fund is money set aside for unexpected costs. [2]" in text
    assert "[1]" not in text


def test_a_question_for_a_figure_gets_the_sentence_with_the_figure() -> None:
    text = answer("How much should an emergency fund hold?", hits(FUND))
    assert "Three to six months of essential expenses are a common target. [1]" in text


def test_half_a_question_is_answered_as_the_whole_one_that_it_makes() -> None:
    snippet = (
        "An emergency fund is money set aside. A common fund for an emergency is six months of expenses."
    )
    text = answer("how big should it be?", hits(DEBT, snippet), ["What is an emergency fund?", "thanks"])
    assert text.startswith("A common fund for an emergency is six months of expenses. [2]")


def test_what_the_half_question_says_itself_counts_more() -> None:
    snippet = "An index fund holds shares. The yearly fees of such funds are low."
    text = answer("what are the fees?", hits(snippet), ["What is an index fund?"])
    assert "The yearly fees of such funds are low. [1]" in text


def test_a_heading_is_never_quoted() -> None:
    assert "How much is enough?" not in answer("How much is enough for an emergency fund?", hits(FUND))


def test_what_has_nothing_to_do_with_the_question_is_left_out() -> None:
    text = answer("What is an emergency fund?", hits(FUND))
    assert "tea" not in text
    assert "wet" not in text


def test_several_sources_are_quoted_in_their_order() -> None:
    text = answer("emergency fund or credit card debt first?", hits(FUND, DEBT))
    assert sorted(set(citations(text))) == ["1", "2"]
    assert list(citations(text)) == sorted(citations(text))


def test_only_given_sources_are_cited_and_every_quotation_has_one() -> None:
    text = answer("debt", hits(*[DEBT] * 8))
    assert set(citations(text)) <= {str(n) for n in range(1, 9)}
    assert len(set(citations(text))) <= 3
    assert all(paragraph.endswith("]") for paragraph in text.split("\n\n")[:-1])


def test_it_says_plainly_that_it_quotes() -> None:
    assert answer("debt", hits(DEBT)).endswith("(Quoted from the articles in my knowledge base.)")


def test_a_reference_that_shares_no_word_is_still_quoted_rather_than_nothing() -> None:
    assert citations(answer("unheard of", hits(DEBT)))


@pytest.mark.parametrize(
    "snippet", ["- Save a tenth\n- Spend the rest", "Have the check reissued", "Why not?\nBecause"]
)
def test_text_without_full_sentences_is_quoted_too(snippet: str) -> None:
    assert citations(answer("save check because", hits(snippet))) != []


@pytest.mark.parametrize("question", ["What is the capital of France?", "How do I bake bread", "", "?"])
def test_it_says_so_when_it_knows_nothing(question: str) -> None:
    text = answer(question, ())
    assert text.startswith("I have nothing on that in my knowledge base")
    assert citations(text) == []


@pytest.mark.parametrize("snippet", ["", "  \n ", "Is it?"])
def test_references_without_a_quotable_word_are_no_knowledge(snippet: str) -> None:
    assert answer("capital of France", hits(snippet)).startswith("I have nothing on that")


@pytest.mark.parametrize(
    "greeting", ["Hi", "hello there", "Who are you?", "good morning", "can you help me?"]
)
def test_a_greeting_is_answered_in_kind(greeting: str) -> None:
    text = answer(greeting, ())
    assert text.startswith("Hello!")
    assert "offline" in text


@pytest.mark.parametrize("thanks", ["Thanks!", "thank you so much", "ok bye"])
def test_thanks_are_answered_in_kind(thanks: str) -> None:
    assert answer(thanks, ()).startswith("You are welcome!")


async def test_the_stream_is_the_answer_in_words() -> None:
    question = "What is an emergency fund?"
    request = ModelRequest(
        model="offline-extractive",
        system="",
        messages=[ModelMessage(Role.USER, question)],
        references=hits(FUND, DEBT),
    )
    async with OfflineModel().stream(request) as events:
        *texts, end = [event async for event in events]
    pieces = [event.text for event in texts if isinstance(event, TextDelta)]
    assert "".join(pieces) == answer(question, request.references)
    assert all(len(piece.split()) == 1 for piece in pieces)
    assert end == ModelFinished("stop")


def test_the_same_question_gets_the_same_answer() -> None:
    assert len({answer("emergency fund or debt?", hits(FUND, DEBT)) for _ in range(20)}) == 1


def test_how_large_is_how_much() -> None:
    assert without_sizes("How large should it be, and how high is the tax?") == (
        "how much should it be, and how much is the tax?"
    )
    assert "how much" in stems_of("How large is it?")


def test_a_comparison_gets_a_sentence_on_each_side() -> None:
    snippet = (
        "A fixed rate keeps the same rate, and a fixed rate is certain for the whole fixed time. "
        "Some lenders ask for a fee. A tracker follows the market."
    )
    text = answer("fixed rate or tracker?", hits(snippet, title="A fixed rate"))
    assert "A fixed rate keeps the same rate" in text
    assert "A tracker follows the market. [1]" in text


def test_a_side_that_no_source_speaks_of_is_left_out() -> None:
    text = answer("fixed rate vs submarine?", hits("A fixed rate keeps the same rate."))
    assert text.startswith("A fixed rate keeps the same rate. [1]")


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("Roth or traditional?", ("roth", "traditional")),
        ("stocks vs bonds", ("stocks", "bonds")),
        ("What is the difference between term and whole life insurance?", ("term", "whole life")),
        ("What is an index fund?", None),
        ("What now, or what?", None),
    ],
)
def test_what_a_question_compares(question: str, sides: tuple[str, str] | None) -> None:
    assert sides_of(question) == (sides and tuple(map(stems_of, sides)))
