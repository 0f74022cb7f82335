"""The shipped embedder for tests, which embeds a text once: in all tests of a process, and in all runs on a
machine, of any checkout, while the encoder stays as it is. To embed the ten thousand texts would take minutes
of each run."""

import atexit
import hashlib
import os
from array import array
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

import numpy as np

from finassist.adapters.embeddings import minilm
from finassist.adapters.embeddings.help import HelpOdds
from finassist.adapters.embeddings.minilm.embedder import MiniLmEmbedder
from finassist.adapters.embeddings.shipped import text_digest
from finassist.application.ports.knowledge import Vector
from finassist.domain.safety import Concern

_CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
_FOLDER: Final = _CACHE / "finassist-vectors"
"""Beside the engines, outside the checkout."""

_KEPT_MAX: Final = 20_000
_FOR_SEARCH: Final = "search: "
_FOR_HELP: Final = "help: "
"""Keep apart the vectors that passages are searched for with, and what is asked help for."""


class RememberedVectors:
    """``Embedder`` that all tests share; nobody closes it."""

    def __init__(self) -> None:
        self._embedder = MiniLmEmbedder(query_seconds=60.0)
        self._file = _FOLDER / f"{_encoder_digest()}.npz"
        self._known = _stored(self._file)
        self._new: dict[bytes, Vector] = {}
        self.model = self._embedder.model
        atexit.register(self._store)

    def understands(self, language: str) -> bool:
        return self._embedder.understands(language)

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        digests = [text_digest(text) for text in texts]
        unknown = {
            digest: text for digest, text in zip(digests, texts, strict=True) if digest not in self._known
        }
        if unknown:
            made = await self._embedder.embed([*unknown.values()])
            self._remember(dict(zip(unknown, made, strict=True)))
        return [self._known[digest] for digest in digests]

    async def embed_query(self, text: str) -> Vector:
        digest = text_digest(text)
        if digest not in self._known:
            self._remember({digest: await self._embedder.embed_query(text)})
        return self._known[digest]

    async def embed_search(self, text: str) -> Vector:
        digest = text_digest(f"{_FOR_SEARCH}{text}")
        if digest not in self._known:
            self._remember({digest: await self._embedder.embed_search(text)})
        return self._known[digest]

    async def help_odds(self, text: str) -> HelpOdds:
        """Kept in a row that is as long as a vector."""
        digest = text_digest(f"{_FOR_HELP}{text}")
        if digest not in self._known:
            odds = await self._embedder.help_odds(text)
            assert odds is not None
            row = array("f", bytes(len(await self.embed_query(text)) * 4))
            row[: len(odds)] = array("f", [odds[concern] for concern in Concern])
            self._remember({digest: row})
        return dict(zip(Concern, self._known[digest], strict=False))

    async def close(self) -> None:
        pass

    def _remember(self, made: dict[bytes, Vector]) -> None:
        self._known |= made
        self._new |= made

    def _store(self) -> None:
        """Keep what is new for the next run, beside what another process has kept meanwhile; without that,
        when it becomes too much: tests do not ask all of it any more."""
        if not self._new:
            return
        kept = {**_stored(self._file), **self._new}
        if len(kept) > _KEPT_MAX:
            kept = self._new
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=self._file.parent, delete=False) as new:
            np.savez(new, digests=[*map(np.void, kept)], vectors=np.array([*kept.values()], "f"))
        Path(new.name).replace(self._file)


def _stored(file: Path) -> dict[bytes, Vector]:
    if not file.exists():
        return {}
    with np.load(file) as stored:
        digests, rows = stored["digests"], stored["vectors"]
    return {digest.tobytes(): array("f", row.tobytes()) for digest, row in zip(digests, rows, strict=True)}


def _encoder_digest() -> str:
    """Of the weights and of the code that computes with them."""
    folders = (files(minilm), files("finassist.data") / "sentence_encoder")
    made_of = sorted((each for folder in folders for each in folder.iterdir() if each.is_file()), key=str)
    return hashlib.sha256(b"".join(each.read_bytes() for each in made_of)).hexdigest()[:16]


VECTORS: Final = RememberedVectors()
