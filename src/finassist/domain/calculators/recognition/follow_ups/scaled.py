"""A calculation of which a message without numbers takes a part or a multiple: "what if I pay double", "if
rates fall to half", "my wife puts in the same"."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.adjusted import PAID, RATE_WORD, names_of, telling
from finassist.domain.calculators.recognition.follow_ups.relative import with_value
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.threads import words as say
from finassist.domain.calculators.recognition.threads.messages import portion
from finassist.patterns import late_pattern

_ALSO: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))["also"]
_PERSON: Final = late_pattern(rf"\b(?:{_ALSO['persons']})\b")
_AS_WELL: Final = late_pattern(rf"\b(?:{_ALSO['as_well']})\b")
_SCALING: Final = frozenset(_ALSO["calculators"])
"""Calculators whose result is twice as much for twice the amounts."""
_REGULAR: Final = frozenset(("monthly", "monthly_only", "saving", "recurring", "payment"))
_TWICE: Final = Decimal(2)
_Number = tuple[str, Quantity]


def scaled(draft: Draft, reading: Reading) -> Draft | None:
    """The calculation with a part or a multiple of one of its numbers; None when it is not plain of which."""
    step = portion(reading.text)
    if draft.missing or reading.quantities or step is None or reading.says(say.REFERRING):
        return None
    numbers = list(_scalable(draft, reading))
    return _with(draft, numbers, step.operand.number, reading) if len(numbers) == 1 else None


def doubled(draft: Draft, reading: Reading) -> Draft | None:
    """The calculation for another person as well, who pays or saves the same."""
    if draft.missing or reading.quantities or draft.calculator not in _SCALING:
        return None
    if not (reading.says(_PERSON) and reading.says(_AS_WELL)):
        return None
    amounts = [(name, each) for name, each in _numbers(draft) if each.kind in PAID]
    return _with(draft, amounts, _TWICE, reading) if amounts else None


def _scalable(draft: Draft, reading: Reading) -> Iterator[_Number]:
    """The numbers that a message may mean: those that it names, or else what is paid regularly."""
    numbers = list(_numbers(draft))
    if reading.says(RATE_WORD):
        yield from ((name, each) for name, each in numbers if each.kind is Kind.RATE)
        return
    words = telling(reading.text)
    amounts = [(name, each) for name, each in numbers if each.kind in PAID]
    named = [(name, each) for name, each in amounts if words & names_of(draft, name, each)]
    regular = [(name, each) for name, each in amounts if draft.form.slots[name].kind in _REGULAR]
    yield from named or regular or amounts


def _numbers(draft: Draft) -> Iterator[_Number]:
    for name, filled in draft.filled.items():
        for each in filled:
            yield name, each


def _with(draft: Draft, numbers: list[_Number], factor: Decimal, reading: Reading) -> Draft:
    times = {id(each): _times(each, factor) for _, each in numbers}
    changed = {
        name: tuple(times.get(id(each), each) for each in filled) for name, filled in draft.filled.items()
    }
    return draft.with_numbers(changed, reading.text)


def _times(number: Quantity, factor: Decimal) -> Quantity:
    return with_value(number, number.value * factor)
