"""What a message says that payments count as: "count Aldi as groceries", "Aldi is not groceries"."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from finassist.data import shipped
from finassist.domain.statements.categories import plain_words
from finassist.domain.statements.ledger import Ledger
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
        payee, category = _telling(words[:place]), _telling(words[place + 1 :])
        if not payee or not category or not ledger.matching(payee):
            continue
        if any(not category_named(word) for word in category):
            continue
        named = category_named(" ".join(category))
        is_not = not known["negations"].isdisjoint(words)
        return {"match": " ".join(payee), "category": named, "is_not": is_not}
    return None


def _telling(words: Sequence[str]) -> Sequence[str]:
    known = _vocabulary()
    aside = known["verbs"] | known["small"] | known["negations"] | known["markers"]
    return [word for word in words if word not in aside]


@cache
def _vocabulary() -> Mapping[str, frozenset[str]]:
    texts: Mapping[str, str] = shipped("statements/questions")["corrections"]
    return {name: frozenset(words.split()) for name, words in texts.items()}
