"""What payments are for: by the words of a rule file, and by meaning where no word tells."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final

from finassist.data import shipped
from finassist.domain.statements.dates import without_accents
from finassist.domain.statements.record import Transaction

ENCODER: Final = "all-MiniLM-L6-v2"
"""The embedding model that likeness was measured with; with another one words decide."""

OTHER: Final = "Other"
TRANSFERS: Final = "Transfers"
_PHRASE_WORDS_MAX: Final = 3


def names() -> Sequence[str]:
    """All categories."""
    return (*shipped("statements/categories"), OTHER)


@cache
def meanings() -> Mapping[str, str]:
    """What each category is, in a few words."""
    return {name: rule["meaning"] for name, rule in shipped("statements/categories").items()}


def comes_again_as(category: str) -> str:
    """What payments of a category are when they come again: a ``subscription``; a ``membership`` when the
    amount stays the same, else a ``habit``; a ``habit`` that is no contract; ``contract`` for all others."""
    return str(shipped("statements/categories").get(category, {}).get("again", "contract"))


def fits(category: str, transaction: Transaction) -> bool:
    """Whether a transaction may be of a category by the way that its money goes."""
    side = shipped("statements/categories").get(category, {}).get("side")
    return side is None or (side == "in") == (transaction.amount > 0)


def category_of(transaction: Transaction, by_meaning: Mapping[str, str]) -> str:
    """The category of a transaction. ``by_meaning`` gives those of texts without a telling word."""
    for category in by_words(transaction.said):
        if fits(category, transaction):
            return category
    meant = by_meaning.get(transaction.said, "")
    return meant if meant and fits(meant, transaction) else OTHER


@lru_cache(maxsize=8192)
def by_words(said: str) -> Sequence[str]:
    """The categories whose words a text has, the longest phrase first; transfers come last, because how a
    payment is made says less than what it is for."""
    words = plain_words(said)
    found: dict[str, int] = {}
    for length in range(_PHRASE_WORDS_MAX, 0, -1):
        for start in range(len(words) - length + 1):
            for category in _rules().get(" ".join(words[start : start + length]), ()):
                found.setdefault(category, length)
    return sorted(found, key=lambda category: (category == TRANSFERS, -found[category]))


def plain_words(text: str) -> list[str]:
    """The words of a text in plain small letters. Marks inside a word split it."""
    plain = without_accents(text.casefold())
    return "".join(letter if letter.isalnum() else " " for letter in plain).split()


@cache
def _rules() -> Mapping[str, Sequence[str]]:
    rules: dict[str, list[str]] = {}
    for category, rule in shipped("statements/categories").items():
        for phrase in rule["words"]:
            rules.setdefault(" ".join(plain_words(phrase)), []).append(category)
    return rules


def unexplained(transactions: Iterable[Transaction], limit: int) -> Sequence[str]:
    """The texts without a telling word, those with the most money first."""
    money: dict[str, int] = {}
    for transaction in transactions:
        if transaction.said and not any(fits(name, transaction) for name in by_words(transaction.said)):
            money[transaction.said] = money.get(transaction.said, 0) + int(abs(transaction.amount))
    return sorted(money, key=lambda said: -money[said])[:limit]
