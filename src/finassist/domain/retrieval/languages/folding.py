"""Words of other languages as they are compared: without accents, and Hindi without its script."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from finassist.domain.retrieval.romanised import ROMANISED_HINDI, spelling_key

HINDI: Final = "hi"

_WORD: Final = re.compile(r"(?:[^\W_]|[\u0900-\u0963\u0966-\u096f])+")
"""The vowel signs of Devanagari belong to their words; Python takes them for punctuation."""
_AMOUNT: Final = re.compile(r"\d{4,}")
"""A number of four digits and more is an amount or a year; a shorter one may be a form or a section."""
_UMLAUTS: Final = (("ae", "a"), ("oe", "o"), ("ue", "u"))
_STROKE: Final = ("\u0142", "l")
"""The one accent that Unicode takes for a part of its letter, in Polish."""
_WORDS_CACHED: Final = 4096
_RESPELLED: Final = tuple(
    (re.compile(written), meant)
    for written, meant in (
        ("ck", "k"),
        ("c(?=[eiy])", "s"),
        ("c(?!h)|q", "k"),
        ("x", "ks"),
        ("y$", "i"),
        ("ai|\u0948", ""),
    )
)
"""English words as Hindi spells them: "credit", "policy" and "tax" sound so in Devanagari."""


def language_written(language: str) -> str:
    """The language whose entries a question in this one is answered from: Hindi in either script is one."""
    return HINDI if language == ROMANISED_HINDI else language


def folded_words(text: str, language: str) -> Sequence[str]:
    """The words of a text without accents, umlauts written out and amounts; those of Hindi in what their
    spellings in both scripts agree in."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    words = (_folded(word, language_written(language)) for word in _WORD.findall(plain))
    return [word for word in words if word and not _AMOUNT.fullmatch(word)]


@lru_cache(_WORDS_CACHED)
def _folded(word: str, language: str) -> str:
    if language == HINDI:
        return _spoken(unicodedata.normalize("NFD", word)) or word
    letters = unicodedata.normalize("NFKD", word)
    folded = "".join(letter for letter in letters if not unicodedata.combining(letter)).replace(*_STROKE)
    if language == "de":
        for written, meant in _UMLAUTS:
            folded = folded.replace(written, meant)
    return folded


def _spoken(word: str) -> str:
    for written, meant in _RESPELLED:
        word = written.sub(meant, word)
    return spelling_key(word)
