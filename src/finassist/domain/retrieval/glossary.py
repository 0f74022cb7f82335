"""Questions in other languages, word for word in English, so that an English encoder finds what they ask.

A glossary of general terms (``data/retrieval/glossary.json``) stands in for a translation: the terms that it
knows are put into English in their order, names and abbreviations that English articles use ("Riester",
"ETF") stay, and all other words are left out. Grammar is lost, and the search needs none.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from finassist.data import shipped
from finassist.domain.retrieval.jurisdictions import ELSEWHERE, countries_named, name_of
from finassist.domain.retrieval.languages import is_term
from finassist.domain.retrieval.romanised import ROMANISED_HINDI, is_english_word, term_of
from finassist.domain.retrieval.words import ENTRY_WORDS, STOP_WORDS, topic_words

_WORD: Final = re.compile(r"[^\s.,;:!?()\"«»„“”।¿¡/]+")
_ELIDED: Final = re.compile(r"\b\w{1,5}['\u2019](?=\w)")
"""An article or a preposition that has lost its vowel: "l'impôt", "dell'affitto"."""
_NAME_MIN: Final = 5
_INFLECTED_MIN: Final = 5
_TELLING_MIN: Final = 4
_ENDING_MAX: Final = 2
"""Letters that a longer word may have at its end besides the term: "Aktie", "Aktien"."""
_ACCENTS: Final = re.compile("[\u0300-\u036f]")
_PHRASE_MAX: Final = 5
_TERMS_FEW: Final = 2
_WORDS_FEW: Final = 4
_NUMBERED: Final = ("form", "section")


def _plain(text: str) -> str:
    """A text in small letters without accents, which many leave out: "inflacion"."""
    return _ACCENTS.sub("", unicodedata.normalize("NFD", text.casefold())).replace("\u0142", "l")


_TERMS: Final[Mapping[str, Mapping[str, str]]] = {
    language: {**{_plain(term): english for term, english in terms.items()}, **terms}
    for language, terms in shipped("retrieval/glossary").items()
}

HOME: Final[Mapping[str, str]] = {
    "de": "DE",
    "es": "ES",
    "fr": "FR",
    "hi": "IN",
    ROMANISED_HINDI: "IN",
    "it": "IT",
    "nl": "NL",
    "pl": "PL",
}
"""The country whose rules a question is probably about that names none."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """A question in English words. ``understood`` is the share of its longer words that the glossary knows,
    by their letters: what is missing may be what it is about."""

    text: str
    understood: float


def in_english(question: str, language: str) -> Rendering:
    """What a question asks in English words; no text when none of its terms is known."""
    is_romanised = language == ROMANISED_HINDI
    terms = _TERMS.get(language, {})
    words = _WORD.findall(question)
    english: list[str] = []
    known = told = place = 0
    while place < len(words):
        size, term = _longest_romanised(words[place:]) if is_romanised else _longest(words[place:], terms)
        if term is None and (_stays(words[place]) or (is_romanised and is_english_word(words[place]))):
            term = words[place]
        if term is None:
            term = words[place] if _is_number_of_form(words, place) else _country(words[place])
        letters = sum(len(word) for word in words[place : place + size] if len(word) >= _TELLING_MIN)
        told += letters
        if term is not None:
            known += letters
            english.append(term)
        place += size
    text = " ".join(dict.fromkeys(filter(None, english)))
    return Rendering(text, known / told if told else 1.0)


def last_in_english(texts: Sequence[str], language: str) -> str:
    """The last of the texts that has more than a few terms, in English words; or else the last with any."""
    every = [in_english(text, language).text for text in reversed(texts)]
    whole = (terms for terms in every if len(topic_words(terms)) > _TERMS_FEW)
    return next(whole, next(filter(None, every), ""))


def is_hardly_a_question(terms: str, said: str) -> bool:
    """Whether what was said, with so few terms, follows what was asked before it: "e o imposto?"."""
    return len(topic_words(terms)) <= _TERMS_FEW and len(said.split()) <= _WORDS_FEW


def _longest(words: Sequence[str], terms: Mapping[str, str]) -> tuple[int, str | None]:
    """How many words the longest term has that these begin with, and what it is in English: empty for what
    says nothing, None without any."""
    for size in range(min(_PHRASE_MAX, len(words)), 0, -1):
        phrase = " ".join(words[:size]).casefold()
        elided = (_ELIDED.sub("", phrase, count=1), _ELIDED.sub("", phrase))
        for written in (phrase, *elided, _plain(phrase), *map(_plain, elided)):
            for cut in range(_ENDING_MAX + 1 if len(written) > _INFLECTED_MIN else 1):
                term = terms.get(written[: len(written) - cut])
                if term is not None:
                    return size, term
    return 1, None


def _longest_romanised(words: Sequence[str]) -> tuple[int, str | None]:
    """The same for Hindi in Latin letters."""
    for size in range(min(_PHRASE_MAX, len(words)), 0, -1):
        term = term_of(" ".join(words[:size]))
        if term is not None:
            return size, term
    return 1, None


def _is_number_of_form(words: Sequence[str], place: int) -> bool:
    """Whether a word is the number in "Form 16", and no amount."""
    return place > 0 and words[place].isdecimal() and words[place - 1].casefold() in _NUMBERED


def _country(word: str) -> str | None:
    """The English name of a country that a word names."""
    return next((name_of(code) for code in countries_named(word) if code != ELSEWHERE), None)


def _stays(word: str) -> bool:
    folded = word.casefold()
    if sum(letter.isupper() for letter in word) > 1 and folded in ENTRY_WORDS:
        return True  # "KESt", "GmbH"
    return is_term(word) or (len(folded) >= _NAME_MIN and folded in ENTRY_WORDS and folded not in STOP_WORDS)
