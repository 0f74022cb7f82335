"""The embedder that knows the vectors of what ships."""

import asyncio
from array import array
from collections.abc import Sequence

import pytest

from finassist.adapters.embeddings.shipped import ShippedVectors
from finassist.application.ports.knowledge import Vector
from finassist.domain.errors import EmbeddingError


class Counting:
    """An embedder that notes which queries it is asked for."""

    model = "counting"

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.fails = False

    def understands(self, language: str) -> bool:
        return language == "en"

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        raise AssertionError

    async def embed_query(self, text: str) -> Vector:
        self.asked.append(text)
        await self.may_answer.wait()
        if self.fails:
            raise EmbeddingError("The embedder failed.", kind="error", retryable=True)
        return array("f", [len(self.asked)])

    async def close(self) -> None:
        return None


async def test_a_message_that_is_classified_and_searched_for_is_embedded_once() -> None:
    counting = Counting()
    embedder = ShippedVectors(counting)
    assert await embedder.embed_query("I lost my job") == await embedder.embed_query("I lost my job")
    assert counting.asked == ["I lost my job"]


async def test_the_vectors_of_the_latest_queries_alone_are_kept() -> None:
    counting = Counting()
    embedder = ShippedVectors(counting)
    for number in range(100):
        await embedder.embed_query(f"question {number}")
    await embedder.embed_query("question 99")
    await embedder.embed_query("question 0")
    assert counting.asked[100:] == ["question 0"]


async def test_a_question_that_was_begun_is_embedded_once_for_all_who_ask_for_it_meanwhile() -> None:
    counting = Counting()
    counting.may_answer.clear()
    embedder = ShippedVectors(counting)
    embedder.begin("I lost my job")
    waiting = [asyncio.ensure_future(embedder.embed_query("I lost my job")) for _ in range(5)]
    while not counting.asked:
        await asyncio.sleep(0)
    waiting[0].cancel()
    counting.may_answer.set()
    answers = await asyncio.gather(*waiting, return_exceptions=True)
    assert isinstance(answers[0], asyncio.CancelledError)
    assert answers[1:] == [array("f", [1])] * 4
    assert counting.asked == ["I lost my job"]


async def test_a_question_that_could_not_be_embedded_ahead_is_tried_again() -> None:
    counting = Counting()
    counting.fails = True
    embedder = ShippedVectors(counting)
    embedder.begin("I lost my job")
    with pytest.raises(EmbeddingError):
        await embedder.embed_query("I lost my job")
    counting.fails = False
    assert await embedder.embed_query("I lost my job") == array("f", [2])
