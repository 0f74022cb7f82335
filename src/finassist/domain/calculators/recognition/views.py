"""What a message asks to see of a result: a table, a figure, another period, the difference."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.quantities import without_quantities
from finassist.domain.calculators.recognition.wording import worded
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))
DIFFERENCE: Final = late_pattern(rf"\b(?:{_DATA['views']['difference']})\b")
TABLE: Final = late_pattern(rf"\b(?:{_DATA['views']['table']})\b")
FIGURES: Final = {late_pattern(rf"\b(?:{said})\b"): tuple(names) for said, names in _DATA["figures"].items()}
_NAMED: Final = {late_pattern(rf"\b(?:{said})\b"): names for said, names in _DATA["figure_words"].items()}
PERIODS: Final = {name: late_pattern(rf"\b(?:{said})\b") for name, said in _DATA["period_asked"].items()}
_MONTHLY_FIGURES: Final[Sequence[str]] = _DATA["monthly_figures"]
_AMOUNT_FIGURES: Final[Mapping[str, str]] = _DATA["amount_figures"]
INFLATED: Final[Mapping[str, str]] = _DATA["inflated"]


def wants_table(text: str) -> bool:
    """Whether a message asks for the result by year or month."""
    return TABLE.search(text.casefold()) is not None


def figures_wanted(text: str) -> Sequence[str]:
    """The names of the figures that a message asks for, best first; of a message with numbers only interest
    and what is paid in all are told first, because the rest is what calculators answer with."""
    patterns = list(FIGURES.items())[: 3 if any(letter.isdigit() for letter in text) else None]
    return [name for pattern, names in patterns if pattern.search(text.casefold()) for name in names]


def figures_named(text: str) -> Sequence[str]:
    """The names of the figures of which a message that asks for a part of a result has a word."""
    return [name for said, names in _NAMED.items() if said.search(text) for name in names]


def figure_inflated(calculator: str) -> str | None:
    """The figure of a result that inflation is taken off, if a follow-up may ask for that."""
    return INFLATED.get(calculator)


def period_asked(text: str) -> str:
    """The period that a short message asks the amount for; empty for none, and for several."""
    return "" if wants_table(text) else period_named(text)


def period_named(text: str) -> str:
    """The only period that a text names, though it may be that of the rows of a table: "per year"."""
    found = [name for name, pattern in PERIODS.items() if pattern.search(text.casefold())]
    return found[0] if len(found) == 1 else ""


def period_wanted(text: str) -> str:
    """The period that a whole question asks an amount for; those that its own numbers have do not count, and
    of several that of the clause that asks."""
    said = worded(text)
    within = _WITHIN.search(said)
    if within is not None:
        return "yearly" if within["unit"] == "year" else "monthly"
    left = without_quantities(said)
    asked = (clause for clause in re.split(r"[.,;?!]", left) if _ASKING.search(clause))
    return period_named(left) or next(filter(None, map(period_named, asked)), "")


def period_told(text: str) -> str:
    """The period that a question tells beside what it asks: "all of it monthly"."""
    left = without_quantities(worded(text))
    told = (clause for clause in re.split(r"[.,;?!]", left) if not _ASKING.search(clause))
    return next(filter(None, map(period_named, told)), "")


_WITHIN: Final = late_pattern(rf"\b(?:{_DATA['first_period']}) (?P<unit>year|month)\b")
_ASKING: Final = late_pattern(rf"\b(?:{_DATA['asking_words']})\b")
_UNKNOWNS: Final = (
    (frozenset(("rate",)), late_pattern(rf"\b(?:{_DATA['unknown_rate']})")),
    (frozenset(("term",)), late_pattern(rf"\b(?:{_DATA['unknown_term']})\b")),
)


def kinds_wanted(text: str) -> frozenset[str]:
    """The kinds of slots that a question asks the number of: what is asked for is not an input."""
    return frozenset(kind for kinds, said in _UNKNOWNS if said.search(text) for kind in kinds)


def wants_difference(text: str) -> bool:
    """Whether a message asks how a result differs from the one before."""
    return DIFFERENCE.search(text.casefold()) is not None


def figure_for(calculator: str, slot: str) -> Sequence[str] | None:
    """The figures of a result that may fill a slot of another calculation, best first."""
    if "month" in slot or slot == "contribution":
        return _MONTHLY_FIGURES
    figure = _AMOUNT_FIGURES.get(calculator)
    return None if figure is None else (figure,)
