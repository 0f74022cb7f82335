"""Copying an operator's own articles, with their vectors, to another knowledge base."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from finassist.application.ports.knowledge import Embedder, KnowledgeBase, Vector
from finassist.domain.errors import Conflict
from finassist.domain.knowledge import Article

_PAGE: Final = 200


@dataclass(frozen=True, slots=True)
class CarriedVectors:
    """``Embedder`` that knows the vectors which came along, and asks another one of the same model for the
    rest."""

    known: Mapping[str, Vector]
    embedder: Embedder

    @property
    def model(self) -> str:
        """The model's name."""
        return self.embedder.model

    def understands(self, language: str) -> bool:
        """Whether the embedder does."""
        return self.embedder.understands(language)

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """The vectors of passages; raises EmbeddingError."""
        unknown = [text for text in texts if text not in self.known]
        new = iter(await self.embedder.embed(unknown)) if unknown else iter(())
        return [self.known[text] if text in self.known else next(new) for text in texts]

    async def embed_query(self, text: str) -> Vector:
        """The vector of a question; raises EmbeddingError."""
        return await self.embedder.embed_query(text)

    async def embed_search(self, text: str) -> Vector:
        """The vector that passages are searched for with; raises EmbeddingError."""
        return await self.embedder.embed_search(text)

    async def close(self) -> None:
        """Close the embedder's connections."""
        await self.embedder.close()


@dataclass(frozen=True, slots=True)
class MoveKnowledge:
    """Copies the articles that an operator added. Those that ship come by themselves, and are left out."""

    source: KnowledgeBase
    target: KnowledgeBase
    shipped: Sequence[Article]

    async def __call__(self) -> int:
        """Returns how many there are. Raises Conflict when one is not at the target as it was."""
        own = await self._own(self.source)
        for start in range(0, len(own), _PAGE):
            await self.target.add(own[start : start + _PAGE])
        arrived = set(await self._own(self.target))
        if missing := [article.id for article in own if article not in arrived]:
            raise Conflict(f"{len(missing)} articles are not as they were, the first is {missing[0]}.")
        return len(own)

    async def _own(self, knowledge: KnowledgeBase) -> list[Article]:
        shipped = set(self.shipped)
        own: list[Article] = []
        offset = 0
        while page := await knowledge.list(limit=_PAGE, offset=offset):
            own += [article for article in page if article not in shipped]
            offset += len(page)
        return own
