"""What a question asks for: an amount, a share, a change, a number of something, and for what unit."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.values import A_YEAR
from finassist.domain.calculators.recognition.sums.words import (
    ADVERBS,
    after,
    is_for_each,
    is_unit,
    noun_of,
    said,
    told_for,
)
from finassist.domain.calculators.recognition.times.periods import AFTER_PERIOD
from finassist.domain.calculators.recognition.wording import CURRENCIES

_WORD: Final = r"[^\W\d_][^\W\d_'-]*"
_CLAUSE: Final = re.compile(r"[.;?!:]| - |, ")
_ASKS: Final = said("asks")
_OPINION: Final = said("opinion")
_PERCENT: Final = said("percent")
_SHARE: Final = said("share")
_CHANGE: Final = said("change")
_AVERAGE: Final = said("average")
_DIFFERENCE: Final = said("difference")
_HOW_MUCH: Final = said("how_much")
_LEFT: Final = said("left")
_LEFT_OVER: Final = said("left_over")
_EACH: Final = said("each")
_EACH_NEXT: Final = after("each")
_HOW_LONG: Final = said("how_long")
_ASKING: Final = (_ASKS, _AVERAGE)
_HOW_MANY: Final = re.compile(
    said("how_many").pattern
    + rf" ?(?P<more>(?:more|whole|extra|full|of (?:these|them|my)) )?(?P<noun>{_WORD})"
)
_WITHIN: Final = re.compile(
    r"\b(?:in|over|for|per|auf|für|en|em|sur|pour|su|in) 1 (?P<period>year|month)s?\b"
)
_ASKED_ALONE: Final = said("asked_alone")
_FIRST: Final = re.compile(said("first_period").pattern + rf" (?P<period>{_WORD})")


_OF_WHAT_IS_TOLD: Final = frozenset(
    (
        "to",
        "do",
        "must",
        "should",
        "until",
        "are",
        "can",
        "could",
        "will",
        "would",
        "kann",
        "puis",
        "puedo",
        "posso",
        "kan",
        "before",
        "muss",
        "müssen",
    )
)
"""Words behind "how many" when what is counted was named before."""
_PLURALS: Final = ("s", "n", "i", "e")


class Goal(Enum):
    """The kinds of sums."""

    AMOUNT = "amount"
    DIFFERENCE = "difference"
    SHARE = "share"
    CHANGE = "change"
    AVERAGE = "average"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class Asked:
    """``per`` is the unit that the result is for, empty for none; ``counted`` is what is counted; ``left``
    tells that what is spent comes off; ``text`` is the clause that asks, and ``rest`` what the question says
    beside its numbers."""

    goal: Goal
    per: str
    counted: str
    left: bool
    text: str
    rest: str


def read_asked(quantities: Sequence[Quantity], text: str) -> Asked | None:
    """What a worded question asks for; None when it does not ask for a figure."""
    rest = _beside(quantities)
    clauses = [clause for clause in _CLAUSE.split(rest) if clause.strip()]
    asking = [clause for clause in clauses if _asks(clause)]
    if not asking and not _EACH.search(rest) and not _per_alone(clauses) and not _is_noun_alone(clauses):
        return None
    clause = ", ".join(asking) or rest
    is_left = _LEFT.search(clause) is not None
    goal, counted = _goal(clause, rest)
    within = _WITHIN.search(text)
    per = str(within["period"]) if within else _per(clause) or _per_alone(clauses)
    asks = _HOW_MUCH.search(clause)
    return Asked(goal, per, counted, is_left, clause[asks.start() :] if asks else clause, rest)


def _asks(clause: str) -> bool:
    """Whether a clause asks for a figure, and not how others do or what somebody thinks."""
    left = _OPINION.sub(" ", clause)
    return any(words.search(left) for words in _ASKING)


def _beside(quantities: Sequence[Quantity]) -> str:
    """A text without its numbers and what they are told for."""
    rest = quantities[0].before if quantities else ""
    for quantity in quantities:
        later = quantity.after
        period = AFTER_PERIOD.match(later)
        if period is not None and quantity.per is not None:
            later = later[period.end() :]
        elif is_for_each(later):
            later = _EACH_NEXT.sub("", later)
        else:
            found = next((match for match, _ in told_for(later)), None)
            if found is not None and not later[: found.start()].strip():
                later = later[found.end() :]
        rest += f" {later}"
    return rest


def is_time_asked_for(quantity: Quantity) -> bool:
    """Whether a term is not given, but the time that is asked for: "how much in a year"."""
    return quantity.kind is Kind.TERM and _WITHIN.search(f"{quantity.before}{quantity.written}") is not None


def _goal(clause: str, rest: str) -> tuple[Goal, str]:
    if _SHARE.search(clause):
        return Goal.SHARE, ""
    if _PERCENT.search(rest):
        return (Goal.CHANGE if _CHANGE.search(rest) else Goal.SHARE), ""
    if _HOW_LONG.search(clause):
        return Goal.COUNT, "period"
    found = _HOW_MANY.search(clause)
    noun = noun_of(found["noun"]) if found else ""
    is_money = found is not None and found["noun"] in CURRENCIES
    if found and noun and not is_money and found["noun"].endswith(_PLURALS) | is_unit(found["noun"]):
        return Goal.COUNT, noun
    if found and found["noun"] in _OF_WHAT_IS_TOLD:
        return Goal.COUNT, "piece"
    if _AVERAGE.search(clause) and not _LEFT_OVER.search(clause):
        return Goal.AVERAGE, ""
    return (Goal.DIFFERENCE if _DIFFERENCE.search(clause) else Goal.AMOUNT), ""


def _per(clause: str) -> str:
    for period, adverb in ADVERBS.items():
        if adverb.search(clause):
            return period
    for found, noun in told_for(clause):
        if noun in _PAYDAYS:
            continue
        if is_unit(found["noun"]) or found["per"] in _STRONG:
            return noun
    first = _FIRST.search(clause)
    period = "" if first is None else noun_of(first["period"])
    if period in A_YEAR:
        return period
    return "each" if _EACH.search(clause) else ""


def _per_alone(clauses: Sequence[str]) -> str:
    """A unit that stands alone at the end: ", per person?"."""
    last = clauses[-1].strip() if clauses else ""
    return _per(last) if len(last.split()) <= 3 else ""


def _is_noun_alone(clauses: Sequence[str]) -> bool:
    """Whether a text ends with the name of a figure: "41 hours at 14.20. pay?"."""
    return bool(clauses) and _ASKED_ALONE.fullmatch(clauses[-1].strip()) is not None


_PAYDAYS: Final = frozenset(map(noun_of, ("check", "cheque", "paycheck", "paycheque", "payslip", "payday")))
"""What pay is told for whose period stands beside it."""
_STRONG: Final = frozenset(("/", "per", "pro"))
