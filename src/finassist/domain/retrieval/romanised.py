"""Hindi in Latin letters, "mujhe loan lena hai": told and read by the glossary of Hindi.

Everybody spells it in another way. So the terms of the glossary are put into Latin letters, and of both only
what spellings agree in is compared: the vowel "a" comes and goes, and so do doubled letters and nasals.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from finassist.data import shipped
from finassist.domain.retrieval.languages.latin import CONSONANTS
from finassist.domain.retrieval.words import ENTRY_WORDS, ORDINARY_WORDS, STOP_WORDS

ROMANISED_HINDI: Final = "hi-Latn"

_VOWELS: Final = dict(
    zip("अआइईउऊऋएऐऑओऔािीुूृेैॉोौ", "a a i i u u ri e ai o o au a i i u u ri e ai o o au".split(), strict=True)
)
_NASALS: Final = dict.fromkeys("ंँ", "n")
_LATIN: Final = str.maketrans({**CONSONANTS, **_VOWELS, **_NASALS, "़": "", "्": ""})
_RESPELLED: Final = (
    ("ee", "i"),
    ("oo", "u"),
    ("ei", "e"),
    ("iy", "i"),
    ("ph", "f"),
    ("w", "v"),
    ("z", "j"),
    ("a", ""),
)
_NASAL: Final = re.compile(r"([aeiou])n\b")
_REPEATED: Final = re.compile(r"(.)\1+")
_WORD: Final = re.compile(r"[^\W\d_]+")
_LETTERS_MIN: Final = 3
_WORDS_MIN: Final = 2
_SHARE: Final = 0.3
"""The least share of words that are Hindi, beside the English ones that such sentences are full of."""
_STRANGE: Final = 0.4
"""The share of words that may be neither: names, and Hindi that the glossary has not."""


def spelling_key(text: str) -> str:
    """What the spellings of a text in Latin letters have in common; of Devanagari the same."""
    latin = text.casefold().translate(_LATIN)
    latin = _NASAL.sub(r"\1", latin)
    for written, meant in _RESPELLED:
        latin = latin.replace(written, meant)
    return _REPEATED.sub(r"\1", latin)


@cache
def _terms() -> Mapping[str, str]:
    return {spelling_key(term): english for term, english in shipped("retrieval/glossary")["hi"].items()}


def is_romanised_hindi(text: str) -> bool:
    """Whether words of the glossary of Hindi hold a text in Latin letters together."""
    words = _WORD.findall(text.casefold())
    terms = {word: term_of(word) for word in words}
    hindi = [word for word in words if word.isascii() and terms[word] is not None]
    strange = [word for word in words if terms[word] is None and not is_english_word(word)]
    telling = sum(len(word) >= _LETTERS_MIN for word in hindi)
    return telling >= max(_WORDS_MIN, _SHARE * len(words)) and len(strange) <= _STRANGE * len(words)


def is_english_word(word: str) -> bool:
    """Whether a word is English, as half of the words in such sentences are."""
    word = word.casefold()
    return any(word in words for words in (STOP_WORDS, ENTRY_WORDS, ORDINARY_WORDS))


def term_of(phrase: str) -> str | None:
    """What a phrase is in English: empty for what says nothing, None for one that is not known or is English
    already."""
    return None if is_english_word(phrase) else _terms().get(spelling_key(phrase))
