"""A question as recognition sees it: its words, its numbers, and what it says with a placeholder for each."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise
from typing import Final

from finassist.domain.calculators.annuities import Compounding
from finassist.domain.calculators.budgets import NamedAmount
from finassist.domain.calculators.debts import Debt
from finassist.domain.calculators.everyday.taxes import TaxBand
from finassist.domain.calculators.recognition.quantities import Kind, Quantity, read_quantities
from finassist.domain.calculators.recognition.spellings import QUANTITY
from finassist.domain.calculators.recognition.sums.told.typed import typed_sum
from finassist.domain.calculators.recognition.wording import worded
from finassist.patterns import late_pattern

Value = Decimal | int | str | bool | tuple[Debt, ...] | tuple[TaxBand, ...] | tuple[NamedAmount, ...]

_SKETCHED: Final = {
    Kind.AMOUNT: "$1,000",
    Kind.MONTHLY_AMOUNT: "$1,000",
    Kind.PAY: "$1,000",
    Kind.RATE: "5%",
    Kind.TERM: "10 years",
    Kind.DAYS: "90 days",
    Kind.PEOPLE: "4 people",
    Kind.HOURS: "40 hours a week",
    Kind.SMALL: "40",
    Kind.HOURS_A_DAY: "8 hours a day",
    Kind.HOURS_IN_ALL: "40 hours",
    Kind.WEEKS: "50 weeks",
    Kind.TIMES: "5 times a week",
    Kind.COUNT: "10 items",
    Kind.PRICE: "$2",
    Kind.ASIDE: "2",
}
_WORD: Final = late_pattern(r"<\w+>|[^\W_]+(?:'[^\W_]+)?|%")
_SEVERAL: Final = 3
_MAX_LENGTH: Final = 400

_FREQUENCIES: Final[Mapping[str, Compounding]] = {
    r"daily|(?:every|each) day": "daily",
    r"weekly|(?:every|each) week": "weekly",
    r"monthly|(?:every|each|per) month": "monthly",
    r"quarterly|(?:every|each|per) quarter": "quarterly",
    r"half[- ]?yearly|semi[- ]?annual(?:ly)?|bi-?annually|twice a year": "half-yearly",
    r"(?<!half )(?<!half-)yearly|(?<!semi)(?<!semi[ -])(?<!bi)(?<!bi-)annual(?:ly)?|once a year"
    r"|(?:every|each|per) year": "yearly",
    r"continuous(?:ly)?": "continuously",
}
_COMPOUNDED: Final = {
    late_pattern(
        rf"\bcompound(?:s|ed|ing)?(?: interest)?(?: is)?(?: added| paid| credited)? (?:{said})\b"
        rf"|\b(?:{said})[- ]compound(?:ed|ing)\b"
        rf"|(?:%|\binterest) (?:is )?(?:paid|credited|added) (?:{said})\b"
        rf"|% (?:{said})$"
    ): frequency
    for said, frequency in _FREQUENCIES.items()
}
_OTHER_COMPOUNDING: Final = late_pattern(r"\bcompound(?:ed|ing|s) (?:every|each|per|\w+ly\b|\w+ times)")


@dataclass(frozen=True, slots=True)
class Recognised:
    """A calculator of the registry and the arguments to call it with."""

    name: str
    arguments: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Reading:
    """A question in small letters with its numbers; ``quantities`` is None when one of them is unclear."""

    text: str
    quantities: Sequence[Quantity] | None
    sketch: str
    """The text with the same number for every number of a kind: what it means does not hang on them."""
    signs: frozenset[str] = field(repr=False)
    """The words and pairs of words, and how many numbers of each kind there are."""
    expression: str = ""
    """The sum, when the question is nothing but one that is typed with its operators."""

    def says(self, pattern: re.Pattern[str]) -> bool:
        """Whether a pattern is in the text."""
        return pattern.search(self.text) is not None

    def all(self, *kinds: Kind) -> list[Quantity]:
        """The numbers of some kinds, in order."""
        return [quantity for quantity in self.quantities or () if quantity.kind in kinds]

    def compoundings(self) -> list[Compounding]:
        """How often interest is compounded, as far as the text says."""
        return [frequency for pattern, frequency in _COMPOUNDED.items() if pattern.search(self.text)]

    @property
    def has_one_compounding(self) -> bool:
        """Whether interest is compounded in one way at most, and in one that the calculators know."""
        found = self.compoundings()
        return len(found) <= 1 and bool(found or not self.says(_OTHER_COMPOUNDING))


def read(question: str) -> Reading:
    """Read a question; the numbers of a long text are not read."""
    text = worded(question)
    quantities = read_quantities(text) if len(question) <= _MAX_LENGTH else None
    kinds = iter([quantity.kind for quantity in quantities or ()])
    sketch, marked, edge = "", "", 0
    for match in QUANTITY.finditer(text):
        kind = next(kinds, Kind.SMALL)
        between = text[edge : match.start()]
        sketch += between + _SKETCHED.get(kind, match[0])
        marked += f"{between} <{kind.name.lower()}> "
        edge = match.end()
    sketch, marked = sketch + text[edge:], marked + text[edge:]
    taken = None if quantities is None else [each for each in quantities if each.kind is not Kind.ASIDE]
    return Reading(text, taken, sketch, _signs(marked, taken), typed_sum(question))


def split_term(months: Decimal) -> dict[str, int]:
    """A term as the arguments ``years`` and ``months``, without zeros."""
    years, rest = divmod(int(months), 12)
    return {unit: count for unit, count in (("years", years), ("months", rest)) if count}


def _signs(marked: str, quantities: Sequence[Quantity] | None) -> frozenset[str]:
    words = ["^", *_WORD.findall(marked), "$"]
    counts = Counter(quantity.kind for quantity in quantities or ())
    kinds = [f"#{kind.name}={min(counts[kind], _SEVERAL)}" for kind in Kind if counts[kind]]
    if quantities is None:
        kinds = ["#unclear"]
    return frozenset([*words, *map(" ".join, pairwise(words)), *kinds, "#" + "".join(kinds)])
