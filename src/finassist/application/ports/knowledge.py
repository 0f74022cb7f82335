"""Ports of the knowledge base, of embedding models and of vector indexes."""

from array import array
from collections.abc import Awaitable, Collection, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from finassist.domain.knowledge import Article, Hit
from finassist.domain.retrieval.hybrid import Embedded, Near, Unembedded


class Search(Protocol):
    """A search that finds articles."""

    async def search(self, query: str, *, limit: int) -> Sequence[Hit]:
        """The passages that answer the query best, best first, one hit an article."""
        ...


class EntriesByLanguage(Protocol):
    """The entries that are written in other languages than English; each is searched in its own."""

    async def search(
        self, query: str, *, language: str, countries: Collection[str], limit: int
    ) -> Sequence[Hit]:
        """The entries in a language that hold in one of the countries, or in any when none is given, best
        first; none of a language without entries. A hit's score says how likely it answers the query."""
        ...


class KnowledgeBase(Search, Protocol):
    """The articles that answers are taken from, and their search index."""

    async def add(self, articles: Sequence[Article]) -> int:
        """Store the articles, replacing those with the same id. Returns how many were stored."""
        ...

    async def has_edition(self, edition: str) -> bool:
        """Whether this edition of the shipped articles is stored, and indexed as this version does it."""
        ...

    async def store_edition(self, articles: Sequence[Article], *, edition: str) -> bool:
        """Replace the earlier edition of the shipped articles by this one.

        Articles that ``add`` stored stay, also under the id of a shipped one. All or nothing, and once:
        False when the edition is there already, and for all except one of many parallel calls.
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

    def understands(self, language: str) -> bool:
        """Whether a text in this language (ISO 639-1) is near English texts that mean the same."""
        ...

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """The vector of each text, all of one dimension. For many texts: failures are retried.

        Raises EmbeddingError when the provider still fails after the retries.
        """
        ...

    async def embed_query(self, text: str) -> Vector:
        """The vector of a text that a user waits for, as ``embed`` makes it. Raises EmbeddingError, within
        seconds."""
        ...

    async def embed_search(self, text: str) -> Vector:
        """The vector that passages are searched for with: that of ``embed_query``, or of an encoder that was
        trained to bring questions near to the passages that answer them. Raises EmbeddingError, within
        seconds."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


class EntryWordings(Protocol):
    """How entries are asked for: the vectors of their titles, of their other wordings, and of messages that
    they answer."""

    async def nearness(self, question: str, titles: Sequence[str]) -> Sequence[float]:
        """The cosine of a question to the nearest way of asking for the entry with each title; 0 for an entry
        of which none is known. Raises EmbeddingError, within seconds."""
        ...


class VectorIndex(Protocol):
    """The vectors of the articles' passages, kept beside the articles.

    Code that stores articles does not maintain it: an article that is new, or whose text was changed, has no
    vectors yet. Vectors are stored by the text that they were made of, so a restored text has them at once.
    """

    async def status(self) -> Embedded:
        """The model that made the vectors, and how many articles have them."""
        ...

    async def clear(self) -> None:
        """Delete all vectors, so that another model can make new ones."""
        ...

    async def take(self, *, limit: int, now: datetime, until: datetime) -> Sequence[Unembedded]:
        """Take articles without vectors, none of which another caller gets before ``until``."""
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
        self, vector: Vector, *, model: str, limit: int, including: Awaitable[Sequence[Hit]] | None = None
    ) -> Sequence[Near] | None:
        """The articles whose passages are nearest, nearest first, and those of the hits ``including``, which
        another search may still look for.

        None while there are articles without vectors, or vectors of another model.
        """
        ...


class VectorServer(Protocol):
    """A knowledge base on a server, which embeds what is added to it."""

    async def replace_vectors(self) -> int:
        """Embed every article with this embedder's model, and use those vectors from then on.

        Returns how many were embedded: 0 when the vectors are of this model already.
        """
        ...
