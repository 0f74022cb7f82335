"""An embedder that really embeds, made on the spot: latent semantic analysis of a set of articles.

No weights can be had without a download, so the tests bring their own. The passages of a set of articles
are weighted by TF-IDF and decomposed (SVD); the first directions, which hold what words mean by the company
they keep, are the space that any text is projected into. It has seen none of the texts that it is measured
with. Beside a neural embedder it is a weak one: docs/retrieval.md has its figures.
"""

import math
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from finassist.adapters.data_files.articles import read
from finassist.adapters.sqlite.retrieval.stems import Stemmer
from finassist.domain.retrieval.hybrid import texts_to_embed
from finassist.domain.retrieval.words import STOP_WORDS, words_of

ARTICLES = Path(__file__).parents[1] / "data" / "articles"
DIMENSIONS = 75

_TEXTS_MIN = 2


class LatentSemantics:
    """``embed`` gives a vector for each text; ``dimensions`` is how many directions are kept."""

    def __init__(self, texts: Sequence[str], dimensions: int = DIMENSIONS) -> None:
        self._stemmer = Stemmer()
        counts = [self._terms(text) for text in texts]
        frequencies = Counter(term for count in counts for term in count)
        known = [term for term, found in frequencies.items() if found >= _TEXTS_MIN]
        self._columns = {term: column for column, term in enumerate(known)}
        self._rarities = np.array([math.log((1 + len(texts)) / (1 + frequencies[t])) + 1 for t in known])
        weighted = self._weighted(counts)
        values, directions = np.linalg.eigh(weighted @ weighted.T)
        values, directions = values[-dimensions:], directions[:, -dimensions:]
        self._space = weighted.T @ directions / np.sqrt(values)
        self._known: dict[str, list[float]] = {}

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector of each text; a text of unknown words alone gets one that is near to none. They are
        kept: several tests embed the same articles."""
        unknown = [text for text in dict.fromkeys(texts) if text not in self._known]
        if unknown:
            vectors = self._weighted([self._terms(text) for text in unknown]) @ self._space
            vectors[~vectors.any(axis=1), 0] = 1e-9
            self._known.update(zip(unknown, vectors.tolist(), strict=True))
        return [self._known[text] for text in texts]

    def _terms(self, text: str) -> Counter[str]:
        words = [word for word in words_of(text) if word not in STOP_WORDS]
        stems = self._stemmer.stems_of(words)
        return Counter(stems[word] for word in words)

    def _weighted(self, counts: Sequence[Counter[str]]) -> NDArray[np.float64]:
        matrix = np.zeros((len(counts), len(self._columns)))
        for row, count in enumerate(counts):
            for term, times in count.items():
                if (column := self._columns.get(term)) is not None:
                    matrix[row, column] = (1 + math.log(times)) * self._rarities[column]
        unit: NDArray[np.float64] = matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)
        return unit


@cache
def latent_semantics() -> LatentSemantics:
    """The embedder of the shipped articles, made once."""
    articles = [article for file in sorted(ARTICLES.glob("*.jsonl")) for article in read(file)]
    return LatentSemantics([text for a in articles for text in texts_to_embed(a.title, a.body)])
