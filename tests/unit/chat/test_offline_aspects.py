"""What a follow-up is about, when the embedder fails."""

from array import array
from collections.abc import Sequence

from finassist.adapters.embeddings.minilm.embedder import MODEL
from finassist.adapters.llm.offline.aspects import Aspects
from finassist.adapters.llm.offline.nearness import Nearness
from finassist.application.ports.knowledge import Vector
from finassist.domain.errors import EmbeddingError
from finassist.domain.knowledge import Hit


class FailingSecondTime:
    """An embedder that gives the vectors of texts, and that of one question."""

    model = MODEL

    def __init__(self) -> None:
        self.asked = 0

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        return [array("f", [1.0]) for _ in texts]

    async def embed_query(self, text: str) -> Vector:
        self.asked += 1
        if self.asked > 1:
            raise EmbeddingError("The embedder is out of reach.", kind="timeout", retryable=True)
        return array("f", [1.0])

    async def embed_search(self, text: str) -> Vector:
        return await self.embed_query(text)

    def understands(self, language: str) -> bool:
        return language == "en"

    async def close(self) -> None:
        pass


def hit(name: str) -> Hit:
    return Hit(article_id=name, title=name, url=None, snippet="It is so.", score=0.9, quotable=True)


async def test_it_cannot_be_told_when_the_embedder_fails_in_between() -> None:
    aspects = Aspects(Nearness(FailingSecondTime()))
    assert await aspects.of("and the fee?", [hit("Loans")], [hit("Fees")], goes_on=False) is None
