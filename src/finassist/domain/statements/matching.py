"""Which transactions have the words of a question."""

from collections.abc import Sequence
from typing import Final

from finassist.domain.statements.categories import plain_words
from finassist.domain.statements.ledger import Entry

_PREFIX_MIN: Final = 4
"""Letters from which on a word may be the beginning of another one: ``grocer`` of ``groceries``."""


def matches(entry: Entry, wanted: Sequence[str]) -> bool:
    """Whether a transaction has all these words, or words that begin with them."""
    words = plain_words(entry.transaction.said)
    return all(any(_is_word(word, each) for each in words) for word in wanted)


def _is_word(wanted: str, word: str) -> bool:
    if wanted == word:
        return True
    long = len(wanted) >= _PREFIX_MIN and word.startswith(wanted)
    plural = len(wanted) > _PREFIX_MIN and wanted.endswith("s") and wanted[:-1] == word
    return long or plural
