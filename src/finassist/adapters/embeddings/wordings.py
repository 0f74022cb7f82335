"""The vectors of the ways in which each of the shipped entries is asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Final

from finassist.adapters.data_files.sharing import once_per_file
from finassist.adapters.embeddings.shipped import DIGEST, text_digest
from finassist.application.ports.knowledge import Embedder
from finassist.domain.retrieval.hybrid import asked_for

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TINY: Final = 1e-8
SHIPPED: Final = files("finassist.data") / "retrieval" / "vectors" / "wordings.safetensors"


@dataclass(frozen=True, slots=True)
class _Wordings:
    """``vectors`` has a row for each wording of an entry and for each message that it is known to answer, in
    fewer dimensions than the embedder, of length 1 as 8-bit integers times ``step``; ``projection`` brings a
    vector of the embedder there. ``places`` are the first row of each entry and the one after its last, by
    the digest of its title."""

    places: Mapping[bytes, tuple[int, int]]
    vectors: "NDArray[np.int8]"
    projection: "NDArray[np.float32]"
    step: float


class ShippedWordings:
    """``EntryWordings`` from the file that ``training/knowledge.py`` makes; its pages are mapped, so that all
    processes share them. The embedder is the one that ships."""

    def __init__(self, embedder: Embedder, *, file: Traversable = SHIPPED) -> None:
        self._embedder = embedder
        self._file = file

    async def nearness(self, question: str, titles: Sequence[str]) -> Sequence[float]:
        """The cosine to the nearest wording or message of each entry, no less than 0. Raises EmbeddingError
        when the question cannot be embedded, or the file is missing or damaged."""
        vector = await self._embedder.embed_search(asked_for(question))
        stored = _stored(self._file)
        import numpy as np  # it takes its time to import

        projected = np.asarray(vector, np.float32) @ stored.projection
        projected *= stored.step / max(float(np.linalg.norm(projected)), _TINY)
        places = [stored.places.get(text_digest(title)) for title in titles]
        known = [place for place in places if place]
        if not known:
            return [0.0] * len(titles)
        rows = np.concatenate([stored.vectors[begin:end] for begin, end in known])
        firsts = np.cumsum([0, *(end - begin for begin, end in known[:-1])])
        nearest = np.maximum.reduceat(rows.astype(np.float32) @ projected, firsts).clip(0.0)
        of_known = iter(nearest.tolist())
        return [next(of_known) if place else 0.0 for place in places]


@once_per_file(SHIPPED)
def _stored(file: Traversable) -> _Wordings:
    from finassist.adapters.embeddings.minilm.weights import read_weights

    arrays = read_weights(file)
    digests, ends = arrays["titles.digests"].tobytes(), arrays["titles.ends"].tolist()
    titles = (digests[place : place + DIGEST] for place in range(0, len(digests), DIGEST))
    places = dict(zip(titles, zip((0, *ends), ends, strict=False), strict=True))
    return _Wordings(places, arrays["vectors"], arrays["projection"], float(arrays["step"][0]))
