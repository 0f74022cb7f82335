"""Puts the numbers of a question into the slots of a calculator, by their kind, the words beside them and
their order."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from finassist.domain.calculators.recognition.quantities import Quantity
from finassist.domain.calculators.recognition.slots import Form, Slot

_IN_ORDER: Final = 0.4
_CLOSE: Final = 0.15
"""Two ways to fill a form that are nearer than this are the same to the reader: it has to be asked."""
_QUANTITIES_MAX: Final = 8
_CUED: Final = 0.31
"""More than a number gets that fits by its kind alone."""

Filled = Mapping[str, tuple[Quantity, ...]]
"""The numbers of each slot; a slot has one, unless it takes many."""


@dataclass(frozen=True, slots=True)
class Filling:
    """The best way to fill a form. ``unclear`` are slots whose numbers could as well be each other's."""

    filled: Filled
    favour: float
    unclear: frozenset[str]


def fill(form: Form, quantities: Sequence[Quantity]) -> Filling | None:
    """Every number in a slot, or None when one of them fits nowhere."""
    if len(quantities) > _QUANTITIES_MAX:
        return None
    ways = sorted(_ways(form, quantities), key=lambda way: -way[0])
    if not ways:
        return None
    favour, best = ways[0]
    unclear = {
        name
        for other, way in ways[1:]
        if favour - other < _CLOSE
        for name, mine, theirs in zip((slot.name for slot in best), best, way, strict=True)
        if mine != theirs
    }
    filled: dict[str, tuple[Quantity, ...]] = {}
    for slot, quantity in zip(best, quantities, strict=True):
        filled[slot.name] = (*filled.get(slot.name, ()), quantity)
    return Filling(filled, favour, frozenset(unclear))


def _ways(form: Form, quantities: Sequence[Quantity]) -> Iterator[tuple[float, tuple[Slot, ...]]]:
    last = len(quantities) - 1
    choices = [
        [
            (favour, slot)
            for slot in form.slots.values()
            if (favour := slot.favour(quantity, is_first=not place, is_last=place == last)) is not None
        ]
        for place, quantity in enumerate(quantities)
    ]

    def go(place: int, taken: tuple[Slot, ...], favour: float) -> Iterator[tuple[float, tuple[Slot, ...]]]:
        if place == len(choices):
            if _is_in_order(form, taken, quantities):
                yield favour + _ordered(taken), taken
            return
        for more, slot in choices[place]:
            if _may_take(slot, taken, more):
                yield from go(place + 1, (*taken, slot), favour + more)

    return go(0, (), 0.0)


def _may_take(slot: Slot, taken: Sequence[Slot], favour: float) -> bool:
    """Whether a slot takes one more number beside those of others."""
    if slot not in taken:
        return True
    return slot.takes_many and (not slot.sums_cued or favour > _CUED)


def _is_in_order(form: Form, taken: Sequence[Slot], quantities: Sequence[Quantity]) -> bool:
    """Whether what has to be smaller than another number is."""
    values = {slot.name: quantity.value for slot, quantity in zip(taken, quantities, strict=True)}
    return all(
        values[first] < values[second]
        for first, second in form.smaller
        if first in values and second in values
    )


def _ordered(taken: Sequence[Slot]) -> float:
    orders = [slot.order for slot in taken if slot.order]
    return _IN_ORDER if orders == sorted(orders) and len(orders) > 1 else 0.0
