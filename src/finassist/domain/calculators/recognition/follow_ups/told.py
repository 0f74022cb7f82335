"""Numbers that a calculation lacks and that an earlier message told, by the words beside them there."""

import re
from collections.abc import Iterator, Sequence

from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.quantities import Quantity
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.slots import Slot
from finassist.domain.calculators.recognition.sums.words import said

IS_SHARED = re.compile("|".join(said(name).pattern for name in ("each", "split_among", "added_percent")))
"""Words without which people do not share an amount: "how much for 3 of us" is three times as much."""
_NAMED = 2.0
"""How loudly words beside a number have to speak for it."""
_CLEARLY = 0.5
"""How much louder than for any other number."""


def completed(draft: Draft, earlier: Sequence[Reading]) -> Draft | None:
    """The calculation with what it lacks from earlier messages; None when they do not clearly tell it."""
    filled: dict[str, tuple[Quantity, ...]] = {}
    if draft.calculator == "tip_and_split" and not IS_SHARED.search(draft.said):
        return None
    for name in draft.missing:
        slot = draft.form.slots.get(name)
        number = None if slot is None or slot.takes_many else _told(slot, earlier)
        if number is None or any(number in taken for taken in filled.values()):
            return None
        filled[name] = (number,)
    whole = draft.with_numbers(filled, "") if filled else None
    return None if whole is None or whole.missing else whole


def _told(slot: Slot, earlier: Sequence[Reading]) -> Quantity | None:
    """The number that was told for a slot."""
    ranked = sorted(_favoured(slot, earlier), key=lambda each: -each[0])
    if not ranked or ranked[0][0] < _NAMED:
        return None
    others = [favour for favour, number in ranked[1:] if number.value != ranked[0][1].value]
    return ranked[0][1] if not others or ranked[0][0] - others[0] >= _CLEARLY else None


def _favoured(slot: Slot, earlier: Sequence[Reading]) -> Iterator[tuple[float, Quantity]]:
    for reading in earlier:
        quantities = reading.quantities or ()
        for place, quantity in enumerate(quantities):
            favour = slot.favour(quantity, is_first=not place, is_last=place == len(quantities) - 1)
            if favour is not None:
                yield favour, quantity
