"""What the shipped sentence encoder makes of texts, kept in a file that git ignores."""

import hashlib
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from finassist.adapters.embeddings.minilm.embedder import SEARCH
from finassist.adapters.embeddings.minilm.encoder import Encoder
from finassist.adapters.embeddings.minilm.weights import Arrays, read_weights, vocabulary
from finassist.adapters.embeddings.minilm.wordpiece import WordPiece
from finassist.adapters.embeddings.shipped import text_digest

ENCODED = Path(__file__).parent / ".encoded.npz"
WEIGHTS = files("finassist.data") / "sentence_encoder"
AT_ONCE = 16
KEPT_FROM = 200
"""So many new vectors at once are worth writing the file again."""


def shipped_arrays() -> Arrays:
    """The weights of the sentence encoder."""
    return read_weights(WEIGHTS / "tiles.safetensors")


class Encoded:
    """The vectors of texts. Each text is encoded once, and what was encoded is kept. ``for_search`` they are
    made by the layers that were tuned for what is searched for."""

    def __init__(self, *, for_search: bool = False) -> None:
        arrays = shipped_arrays()
        layers = WEIGHTS / "search_layers.safetensors"
        search_layers = {SEARCH: read_weights(layers)} if for_search else {}
        self._pieces, self._encoder = WordPiece(vocabulary(arrays)), Encoder(arrays, search_layers)
        self._purpose = SEARCH if for_search else ""
        self._file = ENCODED
        if for_search:  # other layers, other vectors
            self._file = ENCODED.with_suffix(f".{hashlib.sha256(layers.read_bytes()).hexdigest()[:8]}.npz")
        self._vectors: dict[bytes, NDArray[np.float32]] = {}
        if self._file.exists():
            with np.load(self._file) as stored:
                rows = stored["vectors"].astype(np.float32)
                self._vectors = {key.tobytes(): row for key, row in zip(stored["digests"], rows, strict=True)}

    def of(self, texts: Iterable[str]) -> NDArray[np.float32]:
        """The vectors of texts, a row each."""
        wanted = list(texts)
        missing = [text for text in set(wanted) if text_digest(text) not in self._vectors]
        missing.sort(key=lambda text: (len(text), text))
        for start in range(0, len(missing), AT_ONCE):
            some = missing[start : start + AT_ONCE]
            rows = self._encoder.encode([self._pieces.ids(text) for text in some], purpose=self._purpose)
            rows = rows.astype(np.float16).astype(np.float32)  # the same in whatever company it is encoded
            self._vectors.update(zip(map(text_digest, some), rows, strict=True))
            print(f"{start + len(some)} of {len(missing)} texts", end="\r", flush=True)
        if len(missing) > KEPT_FROM:
            self.keep()
        return np.array([self._vectors[text_digest(text)] for text in wanted])

    def keep(self) -> None:
        """Write what was encoded to the file."""
        vectors = np.array(list(self._vectors.values()), np.float16)
        digests = np.array([list(digest) for digest in self._vectors], np.uint8)
        np.savez(self._file, digests=digests, vectors=vectors)
