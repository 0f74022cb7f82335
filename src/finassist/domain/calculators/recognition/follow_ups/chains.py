"""A calculation that goes on from the one before it, and one that takes a figure of its result."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.quantities import Kind
from finassist.domain.calculators.recognition.reading import Reading, Recognised
from finassist.domain.calculators.recognition.threads.standing import Standing
from finassist.domain.calculators.recognition.views import figure_for, period_asked

_DATA: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))
_REFERRING: Final = re.compile(rf"\b(?:{_DATA['referring']})\b")
_SET_ASIDE: Final = re.compile(rf"\b(?:{_DATA['set_aside']})\b")
_REGULAR_RESULTS: Final[frozenset[str]] = frozenset(_DATA["regular_results"])
"""Calculators whose result is an amount that comes or goes every month or year."""
_IN_PERCENT: Final = frozenset(("percentage/change", "percentage/share", "percentage/of_income"))
"""Calculations of which no amount is the result."""
_AMOUNT_SLOTS: Final = frozenset(
    ("amount", "loan", "any_amount", "monthly", "saving", "income", "yearly", "taxed", "regular_yearly")
)


@dataclass(frozen=True, slots=True)
class Continued:
    """The last calculation of a conversation as the last message leaves it. ``inflation`` is a yearly rate
    that the result is to be stated after; ``before`` the calculation as it was until then; ``is_compared``
    says whether the message asks for the difference; ``figure`` is the one of the result of ``before`` that
    fills the ``slot`` of the draft; ``period`` is the one that a monthly figure is asked for. ``operation``
    is what the message has done with figures of results instead, in one call or more; ``wanted`` are names of
    the figure that it asks for; ``is_checked`` says that it doubts the result; ``standing`` is where the
    thread stands after an operation."""

    draft: Draft
    inflation: Decimal | None = None
    before: Draft | None = None
    is_compared: bool = False
    slot: str = ""
    period: str = ""
    operation: Sequence[Recognised] = ()
    wanted: Sequence[str] = ()
    is_checked: bool = False
    standing: Standing | None = None

    @property
    def is_chained(self) -> bool:
        """Whether the result before is a number of this calculation."""
        return bool(self.slot) and self.before is not None


def chained(state: Continued, reading: Reading, found: Draft | None) -> Continued | None:
    """A calculation that lacks one amount, which is the result of the one before: "what would that grow to".

    A missing term is that of the one before as well."""
    if found is None or state.draft.missing or state.is_chained or not reading.says(_REFERRING):
        return None
    if state.draft.calculator in _REGULAR_RESULTS:
        found = _grown_regularly(found)
    if found.name == state.draft.name:
        return None
    term = state.draft.filled.get("term")
    if "term" in found.missing and term:
        found = found.with_numbers({"term": term}, "")
    if len(found.missing) != 1 or found.unclear or not found.filled:
        return None
    [slot] = found.missing
    if found.form.slots[slot].kind not in _AMOUNT_SLOTS or figure_for(state.draft.calculator, slot) is None:
        return None
    return Continued(found, before=state.draft, slot=slot)


def _grown_regularly(found: Draft) -> Draft:
    """What a result grows to that is put away again and again, where it was read as put away once."""
    if found.name != "compound_interest" or found.filled.keys() - {"yearly_rate", "term"}:
        return found
    names = {"yearly_rate": "yearly_return", "term": "term"}
    return Draft("regular_investment", {names[name]: read for name, read in found.filled.items()}, found.said)


def share_of_result(state: Continued, reading: Reading, found: Draft | None) -> Continued | None:
    """A percentage of a result that knows no rates: "and if I put 28% aside for taxes"."""
    quantities = reading.quantities or ()
    if found is not None or len(quantities) != 1 or quantities[0].kind is not Kind.RATE:
        return None
    if state.draft.missing or state.is_chained or not reading.says(_SET_ASIDE):
        return None
    if state.draft.name in _IN_PERCENT:
        return None
    if any(slot.kind == "rate" for slot in state.draft.form.slots.values()):
        return None
    if figure_for(state.draft.calculator, "amount") is None:
        return None
    part = Draft("percentage/subtract", {"percent": tuple(quantities)}, reading.text)
    return Continued(part, before=state.draft, slot="amount", period=period_asked(reading.text))
