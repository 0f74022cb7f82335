"""What a message says that payments count as: "count Aldi as groceries", "Aldi is not groceries"."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from finassist.data import shipped
from finassist.domain.statements.categories import names, plain_words
from finassist.domain.statements.ledger import Ledger
from finassist.domain.statements.phrases import languages, phrases_in
from finassist.domain.statements.questions.subjects import category_named

_WORDS_MAX: Final = 14


def correction_in(message: str, ledger: Ledger) -> Mapping[str, Any] | None:
    """The arguments of the tool ``statement_category``; None for a message that corrects nothing.

    One that does names a payee of the statements, then what joins both, then a category; and nothing else but
    verbs, small words and negations.
    """
    words = plain_words(message)
    if "?" in message or not 2 < len(words) <= _WORDS_MAX:
        return None
    known = _vocabulary()
    for place in (place for place, word in enumerate(words) if word in known["markers"]):
        payee, named = _telling(words[:place]), _category(words[place + 1 :])
        if not payee or not named or not ledger.matching(payee):
            continue
        is_not = not known["negations"].isdisjoint(words)
        return {"match": " ".join(payee), "category": named, "is_not": is_not}
    return None


def _category(words: Sequence[str]) -> str:
    """The category that these words name: all of them together, or each of them by itself."""
    telling = _telling(words)
    own = _own_names()
    if named := own.get(tuple(words)) or own.get(tuple(telling)):
        return named
    return category_named(" ".join(telling)) if all(map(category_named, telling)) else ""


@cache
def _own_names() -> Mapping[Sequence[str], str]:
    """The categories by the words of their names in all languages, and by those of them that tell."""
    whole: dict[Sequence[str], str] = {}
    telling: dict[Sequence[str], str] = {}
    for language in languages():
        for name in names():
            words = plain_words(phrases_in(language).category(name))
            whole.setdefault(tuple(words), name)
            if told := _telling(words):
                telling.setdefault(tuple(told), name)
    return telling | whole


def _telling(words: Sequence[str]) -> Sequence[str]:
    known = _vocabulary()
    aside = known["verbs"] | known["small"] | known["negations"] | known["markers"]
    return [word for word in words if word not in aside]


@cache
def _vocabulary() -> Mapping[str, frozenset[str]]:
    texts: Mapping[str, str] = shipped("statements/questions")["corrections"]
    return {name: frozenset(words.split()) for name, words in texts.items()}
