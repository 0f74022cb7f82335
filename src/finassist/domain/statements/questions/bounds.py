"""The amounts that payments are to have, as a question names them: "over 100", "less than 20.50"."""

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from finassist.data import shipped
from finassist.domain.statements.dates import without_accents

_NUMBER = r"[€$£₹]?\s?(?P<number>\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,2})?)(?![\d.,]*\d)"


@dataclass(frozen=True, slots=True)
class Bounds:
    """The least and the greatest amount, and the question without them."""

    rest: str
    minimum: Decimal | None = None
    maximum: Decimal | None = None


def bounds_in(question: str) -> Bounds:
    """The amounts that a question names after a word like "over"; not "over 3 months"."""
    found: dict[str, Decimal] = {}
    rest = question
    for name in ("or_more", "or_less"):
        plain = without_accents(rest)
        match = _pattern(name).search(plain) if len(plain) == len(rest) else None
        if match is not None:
            found[name] = _amount(match["number"])
            rest = f"{rest[: match.start()]}{rest[match.end() :]}"
    return Bounds(rest.strip(), found.get("or_more"), found.get("or_less"))


def _amount(text: str) -> Decimal:
    whole, mark, cents = re.fullmatch(r"(.*?)(?:([.,])(\d{1,2}))?", text).groups()  # type: ignore[union-attr]
    digits = "".join(filter(str.isdigit, whole))
    return Decimal(f"{digits}.{cents}" if mark else digits)


@cache
def _pattern(name: str) -> re.Pattern[str]:
    words = shipped("statements/time_words")
    units = "|".join(words["units"].values()).replace(" ", "|")
    signs = rf"(?:\s*(?:[€$£₹]|(?:{words['signs']})\b))?"
    return re.compile(
        rf"\b(?:{words[name]})\s+{_NUMBER}{signs}(?!\s*(?:%|times|(?:{units})\b))", re.IGNORECASE
    )
