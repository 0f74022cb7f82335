"""Which language a question is in, and what questions in other languages share with English articles."""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from finassist.data import shipped
from finassist.domain.retrieval.words import ENTRY_WORDS, STOP_WORDS

ENGLISH: Final = "en"

_WORD: Final = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_SURE: Final = 0.35
"""The least probability of another language; questions of five words rarely get more than a half."""
_ENGLISH_LEFT: Final = 0.15
"""The probability that English may have besides."""
_ENGLISH_WORDS: Final = 0.3
"""The share of words that hold English sentences together from which a question is English."""
_WORDS_MIN: Final = 3
_CLEAR: Final = 0.92
_PLAIN: Final = 0.99
"""So likely, three words tell their language that English entries have, too: "tagesgeld oder festgeld"."""
_LIKELY: Final = 0.5
_AGREED: Final = 0.2
"""A language that our own classifier finds so clear is told, plain when English words hold the text
together and the other finds it likely, or so likely when the other agrees so much."""
_ELSEWHERE: Final = 0.4
"""The probability of a language without entries from which ours says nothing unless it is quite sure, as it
never is of such: it knows none. A few words in Polish sound Turkish to the other."""
_TOLD: Final = frozenset(shipped("languages/replies"))
"""The languages that there are replies in. A short text in Portuguese sounds like Galician."""
_WORDS_FEW: Final = 4
_KNOWN_SHARE: Final = 0.6
"""The share of words that English articles have from which a few words without a sentence are English."""
_BY_SCRIPT: Final = {"HIRAGANA": "ja", "KATAKANA": "ja", "HANGUL": "ko", "CJK": "zh"}
"""Scripts that say the language, the telling ones first: Japanese has Chinese signs, too."""

_TERM: Final = re.compile(
    r"\d{2,4}\([a-z]\)|\b\d{2,4}[A-Za-z]\b|\b[A-Z](?:-?[A-Z0-9&]){1,6}(?:s\b|\b|(?=[^\W\d_]))"
)
_NAME_MIN: Final = 5


def is_plainly_english(text: str) -> bool:
    """Whether the words alone say that a text is English, or say nothing at all."""
    words = _words(text)
    if any(not word.isascii() for word in words):
        return False
    joining = sum(word in STOP_WORDS for word in words)
    known = sum(word in STOP_WORDS or word in ENTRY_WORDS for word in words)
    return len(words) < _WORDS_MIN or joining >= len(words) / 2 or known >= _KNOWN_SHARE * len(words)


def hardly_tells_language(text: str) -> bool:
    """Whether a text is so short that what was said before it tells its language better: "e i costi?". A
    single letter, as in Polish "a ile?", is no English word."""
    words = _words(text)
    joining = sum(word in STOP_WORDS and len(word) > 1 for word in words)
    return len(words) <= _WORDS_FEW and joining < len(words) / 2


def language_written_in(
    text: str, probabilities: Mapping[str, float], others: Mapping[str, float]
) -> str | None:
    """The language other than English that entries are written in and that a text is in, by the
    ``probabilities`` of these languages; ``others`` are those of all languages by another classifier. None
    when it is in none of them, or says too little: a few words that English entries have, too."""
    best = max(probabilities, key=lambda language: probabilities[language], default=ENGLISH)
    words = _words(text)
    if best == ENGLISH or any(not _is_latin(letter) for word in words for letter in word):
        return None
    known = sum(word in ENTRY_WORDS or word in STOP_WORDS for word in words)
    least = _KNOWN_SHARE if any(word in STOP_WORDS for word in words) else 1
    joined = any(word in STOP_WORDS and len(word) > 1 for word in words)
    is_plain = probabilities[best] >= _PLAIN and len(words) >= _WORDS_MIN and not joined
    if len(words) <= _WORDS_FEW and known >= least * len(words) and not is_plain:
        return None
    elsewhere = {language: others.get(language, 0.0) for language in _TOLD.difference(probabilities)}
    if max(elsewhere.values(), default=0.0) >= _ELSEWHERE and probabilities[best] < _PLAIN:
        return None
    agreed = probabilities[best] >= _LIKELY and others.get(best, 0.0) >= _AGREED
    framed = sum(word in STOP_WORDS for word in words) >= _ENGLISH_WORDS * len(words)
    least_clear = _PLAIN if framed and others.get(ENGLISH, 0.0) >= _LIKELY else _CLEAR
    return best if agreed or probabilities[best] >= least_clear else None


def language_of(text: str, probabilities: Mapping[str, float]) -> str:
    """The language of a text (ISO 639-1), from what a classifier says of its words: English unless there is
    clear evidence of another. Questions full of jargon ("etf vs 401k roth") look like many languages."""
    words = _words(text)
    scripts = Counter(_script(letter) for word in words for letter in word)
    if scripts["DEVANAGARI"]:
        return "hi"  # a sentence in Hindi has as many English words as it likes
    for script, language in _BY_SCRIPT.items():
        if scripts[script] * 4 >= scripts.total() > 0:
            return language
    best = max(probabilities, key=lambda language: probabilities[language], default=ENGLISH)
    if scripts["LATIN"] * 2 >= scripts.total() and not _is_clear(words, best, probabilities):
        return ENGLISH
    return best


def _is_clear(words: Sequence[str], best: str, probabilities: Mapping[str, float]) -> bool:
    return (
        len(words) >= _WORDS_MIN
        and probabilities[best] >= _SURE
        and probabilities.get(ENGLISH, 0.0) <= _ENGLISH_LEFT
        and sum(word in STOP_WORDS for word in words) < _ENGLISH_WORDS * len(words)
    )


def _words(text: str) -> Sequence[str]:
    return _WORD.findall(text.casefold())


def _is_latin(letter: str) -> bool:
    return letter.isascii() or _script(letter) in ("LATIN", "COMBINING")


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


def shared_terms(text: str) -> Sequence[str]:
    """What a question in another language may share with English titles: abbreviations and forms ("ETF",
    "401(k)", "80C"), or else its longer words, of which some are names."""
    terms = [match[0].removesuffix("s") for match in _TERM.finditer(text)]
    names = [word for word in _words(text) if len(word) >= _NAME_MIN and word not in STOP_WORDS]
    return list(dict.fromkeys(terms or names))


def is_term(word: str) -> bool:
    """Whether a word is an abbreviation or the name of a form."""
    return _TERM.fullmatch(word) is not None


def shares_term(title: str, terms: Sequence[str]) -> bool:
    """Whether a title has one of the terms as a word."""
    folded = title.casefold()
    return any(re.search(rf"(?<!\w){re.escape(term.casefold())}s?(?!\w)", folded) for term in terms)
