"""A calculation that goes on from the one before it or takes a figure of its result, and a typed sum."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.drafts import Draft, is_by_the_hour
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading, Recognised
from finassist.domain.calculators.recognition.slots import Form
from finassist.domain.calculators.recognition.threads.standing import Standing
from finassist.domain.calculators.recognition.views import figure_for, period_asked
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))
_REFERRING: Final = late_pattern(rf"\b(?:{_DATA['referring']})\b")
_SET_ASIDE: Final = late_pattern(rf"\b(?:{_DATA['set_aside']})\b")
_SAME: Final = late_pattern(rf"\b(?:{_DATA['same']})\b")
_CARRIED: Final = {each["cue"]: late_pattern(rf"\b(?:{each['cue']})\b") for each in _DATA["carried_over"]}
_BEGUN_LATER: Final = late_pattern(rf" \| .*\b(?:{_DATA['starting']['said']})\b")
_REGULAR_RESULTS: Final[frozenset[str]] = frozenset(_DATA["regular_results"])
"""Calculators whose result is an amount that comes or goes every month or year."""
_IN_PERCENT: Final = frozenset(("percentage/change", "percentage/share", "percentage/of_income"))
"""Calculations of which no amount is the result."""
_OTHER_ROLES: Final = frozenset(("discount", "fee", "inflation", "tax", "tip"))
"""Words in the names of slots whose number is a rate of nothing else: a fee of 4 % is no yearly rate."""
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
    thread stands after an operation; ``is_changed`` says whether numbers of ``before`` were changed. Of a
    message that asks two things ``labels`` say what each call of the operation answers, and ``left_open`` is
    the one that is not answered. ``choice`` asks which number a new one takes the place of. Of a story
    that was learned ``understood`` says what its numbers were taken for, or ``lacking`` asks for the one that
    it lacks. ``supposed`` is the number of an earlier message that the last one supposes to be another."""

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
    is_changed: bool = False
    labels: Sequence[str] = ()
    left_open: str = ""
    choice: str = ""
    understood: str = ""
    lacking: str = ""
    supposed: str = ""

    @property
    def is_chained(self) -> bool:
        """Whether the result before is a number of this calculation."""
        return bool(self.slot) and self.before is not None

    def with_changed(self, draft: Draft) -> "Continued":
        """The same with numbers of its calculation changed."""
        return Continued(draft, self.inflation, before=self.draft, is_changed=True)


def as_typed(reading: Reading) -> Continued | None:
    """The sum that a message is, typed with its operators; None for any other message."""
    if not reading.expression:
        return None
    call = Recognised("arithmetic", {"expression": reading.expression})
    return Continued(Draft("arithmetic", {"numbers": ()}, reading.text), operation=[call])


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


def shared(state: Continued, reading: Reading, found: Draft | None) -> Continued | None:
    """Another calculation with the numbers of the one before that it lacks: "compare with 200 a month in a
    fund, same rate, same term"."""
    if found is None or state.draft.missing or not found.filled or found.unclear:
        return None
    told = {(each.kind, each.value) for filled in state.draft.filled.values() for each in filled}
    is_told = any((each.kind, each.value) in told for each in reading.quantities or ())
    if found.calculator == state.draft.calculator or not (is_told or reading.says(_SAME)):
        return None
    if "term" in found.missing and _BEGUN_LATER.search(state.draft.said):
        return None  # the time that is left to save is not the time until then
    kinds = {
        _kind(state.draft.form, name): numbers
        for name, numbers in state.draft.filled.items()
        if not _OTHER_ROLES.intersection(name.split("_"))
    }
    numbers = {}
    for name in found.missing:
        filling = state.draft.filled.get(name) or kinds.get(_kind(found.form, name), ())
        if len(filling) != 1:
            return None
        numbers[name] = filling
    return Continued(found.with_numbers(numbers, ""), before=state.draft) if numbers else None


def with_same(before: Draft, found: Draft, reading: Reading) -> Draft:
    """Another calculation with what it may do without and the one before has, when a message says that it is
    the same: "to reach 30,000 in the same time"."""
    carried = _carried(before, found) if reading.says(_SAME) and before.calculator != found.calculator else {}
    return found.with_numbers(carried, "") if carried else found


def carried_over(state: Continued, reading: Reading, found: Draft | None) -> Continued | None:
    """Another calculation of what the one before is about: a loan that pays a debt off, paid overtime."""
    before = state.draft
    if found is None or before.missing or state.is_chained or not found.filled:
        return None
    for each in _DATA["carried_over"]:
        if (each["from"], each["to"]) != (before.calculator, found.name) or not reading.says(
            _CARRIED[each["cue"]]
        ):
            continue
        names: Mapping[str, str] = each["named"]
        filled = {names.get(name, name): numbers for name, numbers in found.filled.items()}
        for name, other in each["slots"].items():
            amounts = [number for number in before.filled.get(other, ()) if number.kind is not Kind.RATE]
            if len(amounts) != 1:
                return None
            filled[name] = (amounts[0],)
        draft = Draft(each["as"], filled, found.said)
        if each.get("hourly") and filled["hourly"][0].per != "hour" and not is_by_the_hour(before.filled):
            return None
        is_less = all(filled[less][0].value < filled[more][0].value for less, more in each["smaller"])
        return Continued(draft, before=before) if is_less and not draft.missing else None
    return None


def _carried(before: Draft, found: Draft) -> dict[str, tuple[Quantity, ...]]:
    names: Mapping[str, Sequence[str]] = _DATA["carried"].get(found.name, {})
    told = {
        name: [before.filled[each] for each in others if each in before.filled]
        for name, others in names.items()
    }
    return {name: numbers[0] for name, numbers in told.items() if numbers and name not in found.filled}


def _kind(form: Form, name: str) -> str:
    """What a slot takes; empty for none."""
    return form.slots[name].kind if name in form.slots else ""


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
