"""The contract suite of every embedder."""

import asyncio
import math

import pytest

from finassist.application.ports.knowledge import Embedder, Vector


def closeness(one: Vector, other: Vector) -> float:
    """The cosine of the angle between two vectors of length 1."""
    return math.sumprod(one, other) if hasattr(math, "sumprod") else sum(map(float.__mul__, one, other))


class EmbedderContract:
    """The suite of ``Embedder``. Subclass it and override the fixture ``embedder``."""

    @pytest.fixture
    def embedder(self) -> Embedder:
        """The embedder under test."""
        raise NotImplementedError("override this fixture")

    async def test_every_text_gets_a_vector_of_length_one_and_of_one_dimension(
        self, embedder: Embedder
    ) -> None:
        vectors = await embedder.embed(["a bond", "an emergency fund for bad times", "a loan"])
        assert len(vectors) == 3
        assert {vector.typecode for vector in vectors} == {"f"}
        assert len({len(vector) for vector in vectors}) == 1
        assert all(math.isclose(math.hypot(*vector), 1, rel_tol=1e-5) for vector in vectors)

    async def test_a_question_is_a_point_in_the_same_space(self, embedder: Embedder) -> None:
        [vector] = await embedder.embed(["a bond"])
        for question in (await embedder.embed_query("a bond"), await embedder.embed_search("a bond")):
            assert len(question) == len(vector)
            assert math.isclose(math.hypot(*question), 1, rel_tol=1e-5)

    async def test_vectors_come_in_the_order_of_the_texts(self, embedder: Embedder) -> None:
        texts = ["a bond", "an emergency fund for bad times"]
        forwards, backwards = await embedder.embed(texts), await embedder.embed(texts[::-1])
        for one, other in zip(forwards, reversed(backwards), strict=True):
            assert closeness(one, other) > 0.999

    async def test_no_texts_have_no_vectors(self, embedder: Embedder) -> None:
        assert list(await embedder.embed([])) == []

    @pytest.mark.parametrize("text", ["", " ", "\x00", "a\ud800", "💶", "word " * 20_000])
    async def test_any_text_can_be_embedded(self, embedder: Embedder, text: str) -> None:
        [vector] = await embedder.embed([text])
        assert math.isclose(math.hypot(*vector), 1, rel_tol=1e-5)
        assert len(await embedder.embed_query(text)) == len(vector)
        assert len(await embedder.embed_search(text)) == len(vector)

    async def test_many_texts_and_parallel_calls_are_all_answered(self, embedder: Embedder) -> None:
        texts = [f"text number {number}" for number in range(130)]
        vectors, *others = await asyncio.gather(*(embedder.embed(texts) for _ in range(3)))
        assert [len(vectors), *map(len, others)] == [130] * 3

    async def test_the_model_has_a_name(self, embedder: Embedder) -> None:
        assert embedder.model
