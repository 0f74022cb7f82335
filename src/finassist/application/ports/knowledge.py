"""The knowledge base, embedding models and indexes of vectors."""

from array import array
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from finassist.domain.knowledge import Article, Hit
from finassist.domain.retrieval.hybrid import Embedded, Near, Unembedded


class Search(Protocol):
    """Whatever finds articles."""

    async def search(self, query: str, *, limit: int) -> Sequence[Hit]:
        """The passages that answer the query best, best first, one hit an article."""
        ...


class KnowledgeBase(Search, Protocol):
    """The articles that answers are taken from, and their search index."""

    async def add(self, articles: Sequence[Article]) -> int:
        """Store the articles, replacing those with the same id. Returns how many were stored."""
        ...

    async def has_edition(self, edition: str) -> bool:
        """Whether this edition of the shipped articles is stored, and searched in the way of this version."""
        ...

    async def store_edition(self, articles: Sequence[Article], *, edition: str) -> bool:
        """Put this edition of the articles that the service ships in place of the earlier one.

        Articles that ``add`` stored stay, also under the id of a shipped one. All or nothing, and once:
        False when the edition is there already, and for all but one of many parallel calls.
        """
        ...

    async def list(self, *, limit: int, offset: int) -> Sequence[Article]:
        """Articles by id."""
        ...

    async def count(self) -> int:
        """How many articles there are."""
        ...


if TYPE_CHECKING:
    Vector = array[float]
else:  # before Python 3.12 an array could not be subscripted
    Vector = array
"""A text's place in the space of meanings: ``array("f")``, of length 1."""


class Embedder(Protocol):
    """Turns texts into vectors. Texts that mean the same are near each other."""

    @property
    def model(self) -> str:
        """The model's name. Vectors of different models cannot be compared."""
        ...

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """The vector of each text, all of one dimension; patient, for many texts.

        Raises EmbeddingError when the provider fails, also after what may be tried again was.
        """
        ...

    async def embed_query(self, text: str) -> Vector:
        """The vector of a question that somebody waits for. Raises EmbeddingError, within seconds."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


class VectorIndex(Protocol):
    """The vectors of the articles' passages, kept beside the articles.

    Whoever stores an article need not know of it: an article that is new or whose text was changed has no
    vectors. Vectors are kept by the text that they were made of, so a text that comes back has them at once.
    """

    async def status(self) -> Embedded:
        """The model that the vectors are of, and how many articles have them."""
        ...

    async def clear(self) -> None:
        """Forget all vectors, so that another model can make them anew."""
        ...

    async def take(self, *, limit: int, now: datetime, until: datetime) -> Sequence[Unembedded]:
        """Articles that have no vectors yet, none of which another caller gets before ``until``."""
        ...

    async def release(self, articles: Sequence[Unembedded]) -> None:
        """Give back what was taken and not stored, so that the next caller gets it."""
        ...

    async def store(self, embedded: Sequence[tuple[Unembedded, Sequence[Vector]]], *, model: str) -> None:
        """Store the vectors of articles that were taken, one for each of their texts.

        An article that was changed meanwhile stays without. Raises Conflict when the index holds vectors of
        another model or of another dimension.
        """
        ...

    async def nearest(
        self, vector: Vector, *, model: str, limit: int, including: Sequence[str] = ()
    ) -> Sequence[Near] | None:
        """The articles whose passages are nearest, nearest first, and those with the ids ``including``.

        None while there are articles without vectors, or vectors of another model.
        """
        ...


class VectorServer(Protocol):
    """A knowledge base on a server, which embeds what is added to it."""

    async def embed_anew(self) -> int:
        """Embed every article with this embedder's model, and use those vectors from then on.

        Answers how many were embedded: none when the vectors are of this model already.
        """
        ...
