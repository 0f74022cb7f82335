"""Messages that make sense only with what came before them."""

import json
from pathlib import Path

import pytest

from finassist.adapters.classifier.follow_ups import FollowUpsByWords
from finassist.adapters.embeddings.follow_ups import FollowUpsByMeaning
from finassist.adapters.embeddings.minilm.embedder import MiniLmEmbedder
from finassist.application.retrieval.follow_ups import CompleteQuestion
from remembered_vectors import VECTORS

DATA = Path(__file__).parents[2] / "data"
LOAN = "What does a loan from my bank cost over five years?"
CARD = "3200 on a credit card 22.9%, paying 100 a month. how long"

whole = CompleteQuestion(follow_up_classifier=FollowUpsByWords())


async def test_a_follow_up_is_searched_for_with_the_question_that_it_follows() -> None:
    assert (
        await whole("and for ten years?", ["What is a bond?", LOAN, "why?"]) == f"{LOAN} and for ten years?"
    )


@pytest.mark.parametrize(
    ("follow_up", "query"),
    [
        ("how big should it be?", f"{LOAN} how should be?"),
        ("Which kind is best?", f"{LOAN} Which is"),
        ("How large?", f"{LOAN} How"),
        ("what are the risks?", f"{LOAN} what are the risks?"),
        ("example", LOAN),
    ],
)
async def test_words_that_no_question_is_about_are_not_searched_for(follow_up: str, query: str) -> None:
    assert await whole(follow_up, [LOAN]) == query


async def test_of_a_question_to_calculate_only_its_subject_is_searched_for() -> None:
    assert await whole("what are the risks?", [CARD]) == "credit card what are the risks?"
    calculated = await whole("what are the risks?", [CARD, "and with 150?"], "paying off a debt")
    assert calculated == "credit card paying off a debt. what are the risks?"


@pytest.mark.parametrize("question", ["What is a bond fund and who should buy one?", LOAN])
async def test_a_whole_question_is_searched_for_alone(question: str) -> None:
    assert await whole(question, [LOAN]) is None


async def test_a_follow_up_to_nothing_is_searched_for_as_it_is() -> None:
    for earlier in ([], ["why?"], ["so what", "and?"]):
        assert await whole("and then?", earlier) is None


async def test_follow_ups_are_told_by_their_meaning() -> None:
    leans = FollowUpsByMeaning(VECTORS).leans_on_earlier
    follow_ups = (DATA / "follow_ups_in_full.jsonl").read_text("utf-8").splitlines()
    questions = (DATA / "plain_questions.jsonl").read_text("utf-8").splitlines()
    told = [await leans(json.loads(line)["second"]) for line in follow_ups]
    mistaken = [await leans(json.loads(line)["text"]) for line in questions]
    assert sum(told) >= 0.85 * len(told)
    assert sum(mistaken) <= 0.02 * len(mistaken)


async def test_follow_ups_are_told_by_their_words_when_the_embedder_fails() -> None:
    embedder = MiniLmEmbedder()
    await embedder.close()
    leans = FollowUpsByMeaning(embedder).leans_on_earlier
    assert await leans("and for ten years?")
    assert not await leans(LOAN)
