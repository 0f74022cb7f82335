"""The index of the entries in one language: which of them a question asks for.

A text counts by its words, pairs of neighbouring words and runs of three and four letters, each as a
32-bit hash, so that slips, endings and the parts of compounds do little harm. What many entries have, as
"how much is", counts little, in any language and without a list of such words.

Which texts belong to an entry is learnt by a ridge regression on how alike they are: beside the wordings of
its question the sentences of its answer count, for less. A question gets from each text what it has in common
with it, times what that text says for each entry. To learn it from thousands of texts takes seconds; for the
entries that ship it was learnt beforehand.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt

from finassist.domain.knowledge import Article
from finassist.domain.retrieval.languages.folding import folded_words

Numbers = npt.NDArray[np.float32]
Hashes = npt.NDArray[np.uint32]
Places = npt.NDArray[np.int32]

SIGNS: Final = ("fit", "lead", "told", "known", "words")
"""What speaks for an entry: how well it fits; by how much better than the next; the share of the question
that its texts have, and the share that any text has; and the share of its words."""

_GRAM_LENGTHS: Final = (3, 4)
_RIDGE: Final = 0.7
_ANSWER_WEIGHT: Final = 0.5
"""What a sentence of an answer counts beside a wording of the question."""
_WORDS_CACHED: Final = 4096
_SENTENCE_END: Final = re.compile(r"(?<=[.!?\u0964])\s+")


class Texts(NamedTuple):
    """For each gram, by its place, the texts that have it: ``owners[starts[place]:starts[place + 1]]``."""

    starts: Places
    owners: npt.NDArray[np.uint16]
    size: int

    def weighed(self, places: Places, weights: Numbers) -> Numbers:
        """The sum of the weights of the grams at these places that each text has."""
        sizes = self.starts[places + 1] - self.starts[places]
        offsets = np.repeat(self.starts[places] - np.cumsum(sizes) + sizes, sizes)
        found = self.owners[offsets + np.arange(sizes.sum())]
        return np.bincount(found, np.repeat(weights, sizes), minlength=self.size).astype(np.float32)


class Index:
    """The entries of one language, by the grams of their questions and answers. ``says`` is what each of
    their texts says for each of them, when it was learnt before."""

    def __init__(self, articles: Sequence[Article], language: str, says: Numbers | None = None) -> None:
        self.articles: Final = articles
        self._language: Final = language
        asked = [_all_grams((each.title, *each.variants), language) for each in articles]
        told = [_all_grams(_sentences(each), language) for each in articles]
        grams = [*(each for texts in asked for each in texts), *(each for texts in told for each in texts)]
        entries = [
            np.unique(np.concatenate(both)) for both in ((*a, *t) for a, t in zip(asked, told, strict=True))
        ]
        self._known: Final[Hashes] = np.unique(np.concatenate(grams))
        self._texts: Final = _texts(grams, self._known)
        self._entries: Final = _texts(entries, self._known)
        self._wordings: Final = sum(map(len, asked))
        owners = [number for texts in (asked, told) for number, each in enumerate(texts) for _ in each]
        self._rarity: Final[Numbers] = _rarity(np.diff(self._entries.starts), len(articles))
        self._unknown: Final[float] = float(_rarity(np.zeros(1), len(articles))[0])
        self._sizes: Final[Numbers] = np.sqrt(
            np.array([(self._rarity[self._places(each)] ** 2).sum() for each in grams], np.float32)
        )
        self.says: Final[Numbers] = self._learnt(grams, np.array(owners)) if says is None else says

    def signs(self, question: str, among: Sequence[int]) -> Numbers:
        """The ``SIGNS`` for a question of the entries at these places, a row for each."""
        grams = _grams(question, self._language)
        places = self._places(grams)
        if not len(places) or not among:
            return np.zeros((len(among), len(SIGNS)), np.float32)
        weights = self._rarity[places] ** 2
        whole = float(weights.sum()) + (len(grams) - len(places)) * self._unknown**2
        alike = self._texts.weighed(places, weights) / (self._sizes * whole**0.5)
        fits = (alike @ self.says)[among]
        best, second = np.sort(fits)[::-1][[0, min(1, len(fits) - 1)]]
        leads = fits - np.where(fits == best, second, best)
        told = self._entries.weighed(places, weights)[among] / whole
        known = np.full(len(fits), weights.sum() / whole)
        signs = (fits, leads, told, known, self._words(question)[among])
        return np.stack(signs, axis=1).astype(np.float32)

    def _words(self, question: str) -> Numbers:
        """The share of the words of a question that each entry has; a word that it has in part counts for
        less."""
        whole, shared = 0.0, np.zeros(len(self.articles), np.float32)
        for word in set(folded_words(question, self._language)):
            grams = np.unique(np.array(_of_word(word), np.uint32))
            places = self._places(grams)
            weights = self._rarity[places] ** 2
            total = float(weights.sum()) + (len(grams) - len(places)) * self._unknown**2
            telling = (total / len(grams)) ** 0.5
            whole += telling
            shared += telling * (self._entries.weighed(places, weights) / total) ** 2
        return shared / whole

    def _learnt(self, grams: Sequence[Hashes], owners: Places) -> Numbers:
        """What each text says for each entry."""
        alike = np.empty((len(grams), len(grams)), np.float32)
        for row, each in zip(alike, grams, strict=True):
            places = self._places(each)
            row[:] = self._texts.weighed(places, self._rarity[places] ** 2)
        alike /= self._sizes[:, None] * self._sizes
        penalty = np.where(np.arange(len(grams)) < self._wordings, _RIDGE, _RIDGE / _ANSWER_WEIGHT)
        alike[np.diag_indices(len(grams))] += penalty
        owned = (owners[:, None] == np.arange(len(self.articles))).astype(np.float32)
        return np.linalg.solve(alike, owned)

    def _places(self, grams: Hashes) -> Places:
        """The places of those grams that are known."""
        places = np.minimum(np.searchsorted(self._known, grams), len(self._known) - 1)
        known: Places = places[self._known[places] == grams].astype(np.int32)
        return known


def _rarity(counts: npt.NDArray[np.generic], of: int) -> Numbers:
    """How telling a gram is that so many of the entries have."""
    return np.log1p((of + 1) / (np.asarray(counts, np.float32) + 0.5)).astype(np.float32)


def _texts(texts: Sequence[Hashes], known: Hashes) -> Texts:
    places = np.searchsorted(known, np.concatenate(texts))
    owners = np.repeat(np.arange(len(texts), dtype=np.uint16), list(map(len, texts)))
    order = np.argsort(places, kind="stable")
    starts = np.searchsorted(places[order], np.arange(len(known) + 1)).astype(np.int32)
    return Texts(starts, owners[order], len(texts))


def _sentences(article: Article) -> Sequence[str]:
    return _SENTENCE_END.split(article.body.partition("\n\n")[0])


def _all_grams(texts: Sequence[str], language: str) -> Sequence[Hashes]:
    """The grams of those texts that have some: one of figures alone has none."""
    return [grams for text in texts if len(grams := _grams(text, language))]


def _grams(text: str, language: str) -> Hashes:
    words = folded_words(text, language)
    pairs = [crc32(f"{first} {second}".encode()) for first, second in pairwise(words)]
    return np.unique(np.array([*pairs, *(gram for word in words for gram in _of_word(word))], np.uint32))


@lru_cache(_WORDS_CACHED)
def _of_word(word: str) -> tuple[int, ...]:
    marked = f"<{word}>"
    runs = {
        marked[start : start + length]
        for length in _GRAM_LENGTHS
        for start in range(len(marked) - length + 1)
    }
    return tuple(crc32(run.encode()) for run in {*runs, f"{word}_"})
