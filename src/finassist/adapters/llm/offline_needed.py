"""What the offline model says when a calculation lacks numbers."""

from collections.abc import Sequence
from typing import Final

from finassist.domain.calculators.recognition.follow_ups.chains import Continued
from finassist.domain.calculators.recognition.quantities import Quantity

_PAIR: Final = 2


def number_needed(asked: Continued) -> str:
    """What to say when a calculation lacks numbers: which, and what was given."""
    draft = asked.draft
    names = draft.needed
    given = [
        f"{' and '.join(map(_said, quantities))} ({draft.form.slots[name].says})"
        for name, quantities in draft.filled.items()
        if name not in draft.unclear and all(quantity.written for quantity in quantities)
    ]
    if not given:
        return f"I can calculate this for you. Tell me {_listed(names)}."
    needed = "one more number" if len(names) == 1 else f"{len(names)} more numbers"
    return (
        f"I can calculate that, but I need {needed}: {_listed(names)}. So far I have {_listed(given)}. "
        "Tell me just what is missing."
    )


def _said(quantity: Quantity) -> str:
    return f"{quantity.written} a {quantity.per}" if quantity.per else quantity.written


def _listed(names: Sequence[str]) -> str:
    separator = "; " if any(", " in name for name in names) and len(names) > _PAIR else ", "
    return names[0] if len(names) == 1 else f"{separator.join(names[:-1])} and {names[-1]}"
