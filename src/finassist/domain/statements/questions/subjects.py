"""The payments that a question is about, as it names them."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, Final

from finassist.data import shipped
from finassist.domain.retrieval.words import topic_words
from finassist.domain.statements.categories import by_words, names, plain_words
from finassist.domain.statements.ledger import Ledger

_LONG: Final = 4
_DATA: Final[Mapping[str, Any]] = shipped("statements/questions")
COMPARES: Final = re.compile(rf"\b(?:{_DATA['compares']})\b", re.IGNORECASE)
"""What tells that two months are compared."""
_ARTICLES: Final = frozenset(_DATA["articles"].split())
_BEFORE_OBJECT: Final = frozenset(_DATA["before_object"].split())


def subject_in(question: str, asking: frozenset[str]) -> str:
    """What payments a question names: its telling words besides those of asking."""
    aside = asking | _ARTICLES | _BEFORE_OBJECT
    return " ".join(
        word for word in topic_words(question) if not set(plain_words(word)) <= aside and not word.isdigit()
    )


def is_object(subject: str, question: str) -> bool:
    """Whether a question is about payments for or to its subject, by the word before it."""
    first = subject.partition(" ")[0]
    words = [word for word in plain_words(question) if word not in _ARTICLES]
    return any(word == first and before in _BEFORE_OBJECT for before, word in pairwise(words))


def in_ledger(subject: str, ledger: Ledger) -> str:
    """The words of a subject that transactions have: all of them, or the most that some have together."""
    return " ".join(ledger.index.longest(plain_words(subject)))


def category_named(subject: str) -> str:
    """The category that a subject names by its own name, or by a word for it that no shop has."""
    words = plain_words(subject)
    own = {_singular(word): name for name in names() for word in plain_words(name) if len(word) >= _LONG}
    for word in words:
        if _singular(word) in own:
            return own[_singular(word)]
    return next((category for word in words for category in _generic(word)), "")


def _generic(word: str) -> Sequence[str]:
    """The categories of a word that names things, not a company."""
    return (
        by_words(word)
        if word in things()
        else by_words(_singular(word))
        if _singular(word) in things()
        else ()
    )


@cache
def things() -> frozenset[str]:
    """Words for what is paid for, which are no names, in all languages."""
    languages = (shipped("statements/questions"), *shipped("statements/questions_by_language").values())
    return frozenset(word for language in languages for word in language["things"].split())


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and len(word) > _LONG else word
