"""What a number is by the words of the clause that it stands in."""

import re
from collections.abc import Mapping
from typing import Final

from finassist.domain.calculators.recognition.quantities import Quantity
from finassist.domain.calculators.recognition.sums.words import said

_CLAUSE: Final = re.compile(
    rf"[.;:?!](?= |$)|, | \(|\)| - |(?<= )(?:{said('clause_links').pattern})(?= )", re.IGNORECASE
)


def earlier(quantity: Quantity) -> str:
    """The words of its clause before a number."""
    return _CLAUSE.split(quantity.before)[-1]


def later(quantity: Quantity) -> str:
    """The words of its clause behind a number."""
    return _CLAUSE.split(quantity.after)[0]


def around(quantity: Quantity) -> str:
    """The words of the clause that a number stands in."""
    return f"{earlier(quantity)} | {later(quantity)}"


def role_of(quantity: Quantity, roles: Mapping[str, re.Pattern[str]]) -> str:
    """The role whose word is the nearest one before a number in its clause, else the first one behind it;
    empty when no word tells it."""
    text = earlier(quantity)
    before = [(match.end(), role) for role, words in roles.items() for match in words.finditer(text)]
    if before:
        return max(before)[1]
    text = later(quantity)
    behind = [(match.start(), role) for role, words in roles.items() for match in words.finditer(text)]
    return min(behind)[1] if behind else ""
