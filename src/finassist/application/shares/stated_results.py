"""Calculations that a public text states the result of.

A share never shows what a tool returned (contract section 6). A chart of a loan or of savings can be drawn
all the same, of nothing but what is public: the question is read, everything that its numbers fit is
calculated, and the result is the one whose figures the reply states. Who reads the share could do as much.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, NamedTuple

from finassist.domain.calculators.calculation import Calculation, CalculationError
from finassist.domain.calculators.recognition.arguments import recognised
from finassist.domain.calculators.recognition.drafts import draft
from finassist.domain.calculators.recognition.reading import read
from finassist.domain.calculators.recognition.slots import forms
from finassist.domain.calculators.recognition.threads.words import with_digits
from finassist.domain.calculators.registry import CALCULATORS
from finassist.domain.calculators.series import Series

_QUESTION_MAX: Final = 500
_NUMBER: Final = re.compile(r"\d[\d,]*(?:\.\d+)?")
_EXACT: Final = re.compile(r"\d[\d,]*\.\d\d")


class StatedResult(NamedTuple):
    """The calculator, and the course of its result."""

    calculator: str
    series: Series


@lru_cache(maxsize=512)
def stated_result(question: str, reply: str) -> StatedResult | None:
    """The calculation that a question asks for and whose result the reply states, when it has a course."""
    stated = frozenset(map(_value, _NUMBER.findall(reply)))
    if len(question) > _QUESTION_MAX or not _EXACT.search(reply):
        return None
    found = [each for each in _possible(question) if _is_stated(each[1].answer, stated)]
    best = max(
        found, key=lambda each: (each[1].answer in reply, len(_NUMBER.findall(each[1].answer))), default=None
    )
    return None if best is None or best[1].series is None else StatedResult(best[0], best[1].series)


def _possible(question: str) -> Iterator[tuple[str, Calculation[Any]]]:
    """Every calculation that has a place for each number of a question, with its result."""
    reading = read(with_digits(question))
    if not reading.quantities:
        return
    for name in forms():
        drafted = draft(name, reading)
        if drafted is None or drafted.missing:
            continue
        call = recognised(drafted)
        try:
            result = CALCULATORS[call.name].function(**call.arguments)
        except (CalculationError, ValueError):
            continue
        if result.series is not None:
            yield call.name, result


def _is_stated(answer: str, stated: frozenset[Decimal]) -> bool:
    """Whether a text has all numbers of an answer, an amount to the cent among them."""
    return _EXACT.search(answer) is not None and stated.issuperset(map(_value, _NUMBER.findall(answer)))


def _value(number: str) -> Decimal:
    return Decimal(number.replace(",", ""))
