"""The shipped vectors, so that the shipped articles need not be embedded on every machine."""

import hashlib
from array import array
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from typing import Final, TypeVar

import msgspec

from finassist.adapters.data_files.sharing import once_per_file
from finassist.adapters.embeddings.help import HelpOdds, HelpReader
from finassist.adapters.embeddings.likeness import ANSWERABLE, Likeness
from finassist.adapters.embeddings.stories import StoryReader
from finassist.application.ports.knowledge import Embedder, Vector
from finassist.domain.calculators.stories.scores import StoryScores
from finassist.domain.retrieval.judgement import Judgement, Meaning

_FILE: Final = files("finassist.data") / "retrieval" / "vectors" / "entries.npz"
_JUDGEMENT: Final = files("finassist.data") / "retrieval" / "judgement.json"
DIGEST: Final = 16
"""The bytes of a digest."""
_REMEMBERED: Final = 64
_STORIES_REMEMBERED: Final = 16
"""A turn reads up to seven messages, and what some of them tell together. The scores of a text with three
numbers take some 200 KB."""
_WEIGHT: Final = 0.9
"""Chosen on three sets of questions (docs/retrieval.md)."""

T = TypeVar("T")


def text_digest(text: str) -> bytes:
    """What a text's vector is found by."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:DIGEST]


def shipped_meaning() -> Meaning:
    """What the vectors of the shipped model are worth."""
    judgement = msgspec.json.decode(_JUDGEMENT.read_bytes(), type=Judgement)
    return Meaning(weight=_WEIGHT, judgement=judgement, likeness=Likeness(ANSWERABLE))


class ShippedVectors:
    """``Embedder`` that knows the vectors of shipped texts, and asks another one of the same model for the
    rest.

    Vectors are stored as float16, which changes a cosine by less than 0.001.
    """

    def __init__(self, embedder: Embedder, *, file: Traversable = _FILE) -> None:
        self._embedder = embedder
        self._file = file
        self._asked: dict[bytes, Vector] = {}
        self._searched: dict[bytes, Vector] = {}
        self._reader = embedder if isinstance(embedder, HelpReader) else None
        self._read: dict[bytes, HelpOdds | None] = {}
        self._told: dict[bytes, StoryScores | None] = {}

    @property
    def model(self) -> str:
        """The model's name."""
        return self._embedder.model

    def understands(self, language: str) -> bool:
        """Whether the embedder does."""
        return self._embedder.understands(language)

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """The vectors of passages; raises EmbeddingError."""
        known = _stored(self._file)
        digests = [text_digest(text) for text in texts]
        unknown = [text for text, digest in zip(texts, digests, strict=True) if digest not in known]
        made = iter(await self._embedder.embed(unknown) if unknown else ())
        return [known[digest] if digest in known else next(made) for digest in digests]

    async def embed_query(self, text: str) -> Vector:
        """The vector of a question; raises EmbeddingError. Those of the last questions are remembered: one
        message is judged in several ways."""
        return await _remembered(self._asked, text, partial(self._embedder.embed_query, text))

    async def embed_search(self, text: str) -> Vector:
        """The vector that passages are searched for with; raises EmbeddingError. The last are remembered."""
        return await _remembered(self._searched, text, partial(self._embedder.embed_search, text))

    async def help_odds(self, text: str) -> HelpOdds | None:
        """What a text asks help for; None where the embedder does not tell; raises EmbeddingError. The last
        are remembered."""
        reader = self._reader
        return await _remembered(self._read, text, partial(reader.help_odds, text)) if reader else None

    async def story_scores(self, text: str, starts: Sequence[int]) -> StoryScores | None:
        """Which story a text tells, and the roles of its numbers; None where the embedder does not tell;
        raises EmbeddingError. The last are remembered: each turn reads the messages before it again."""
        reader = self._embedder
        if not isinstance(reader, StoryReader):
            return None
        scores = partial(reader.story_scores, text, starts)
        return await _remembered(self._told, f"{[*starts]} {text}", scores, most=_STORIES_REMEMBERED)

    async def close(self) -> None:
        """Close the embedder."""
        await self._embedder.close()


async def _remembered(
    known: dict[bytes, T], key: str, make: Callable[[], Awaitable[T]], *, most: int = _REMEMBERED
) -> T:
    """What was made for a key before, or is made now; what was asked for longest ago is forgotten."""
    digest = text_digest(key)
    made = known.pop(digest) if digest in known else await make()
    while len(known) >= most:
        del known[next(iter(known))]
    known[digest] = made
    return made


@once_per_file()
def _stored(file: Traversable) -> Mapping[bytes, Vector]:
    import numpy as np  # it takes its time to import

    with np.load(BytesIO(file.read_bytes())) as stored:
        digests, rows = stored["digests"], stored["vectors"].astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return {digest.tobytes(): array("f", row.tobytes()) for digest, row in zip(digests, rows, strict=True)}
