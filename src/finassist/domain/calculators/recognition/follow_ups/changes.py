"""What a later message does to the calculation before it: gives the number that it lacks, changes or adds
one, or asks to see more of its result."""

from dataclasses import replace
from decimal import Decimal
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.asides import is_age
from finassist.domain.calculators.recognition.drafts import Draft, is_plausible
from finassist.domain.calculators.recognition.follow_ups.adjusted import (
    LATER,
    adjusted_input,
    doubled,
    put_off,
    scaled,
    without_later,
)
from finassist.domain.calculators.recognition.follow_ups.chains import (
    Continued,
    carried_over,
    chained,
    share_of_result,
    shared,
)
from finassist.domain.calculators.recognition.follow_ups.exchanging import has_same_numbers, with_numbers
from finassist.domain.calculators.recognition.follow_ups.linking import (
    corrects,
    is_marked,
    links,
    names_place,
)
from finassist.domain.calculators.recognition.follow_ups.meaning import (
    CHANGE,
    FIGURE,
    LEFT,
    MAYBE,
    PERIOD,
    TIME,
)
from finassist.domain.calculators.recognition.follow_ups.placing import with_plain_rates
from finassist.domain.calculators.recognition.follow_ups.switching import as_other, without_added
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading, read
from finassist.domain.calculators.recognition.views import (
    DIFFERENCE,
    INFLATED,
    figures_named,
    figures_wanted,
    kinds_wanted,
    period_asked,
    wants_table,
)
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))
_HINT: Final = late_pattern(rf"^\W*(?:{_DATA['hint']})\b|\b(?:{_DATA['instead']})\b")
_WITHOUT: Final = late_pattern(rf"\b(?:{_DATA['without']}) (?:the |a |any |an |my )?(?P<what>[^\W\d_]+)")
_BACK: Final = late_pattern(rf"\b(?:{_DATA['back']})\b")
_INFLATION: Final = late_pattern(rf"\b(?:{_DATA['inflation_told']})\b")
_WITHOUT_INTEREST: Final = late_pattern(rf"\b(?:{_DATA['without_interest']})\b")
_NUMBERS_MAX: Final = 3
_CHANGED_MAX: Final = 2
"""A message with more numbers that is a calculation by itself changes none."""
_WITHOUT_TABLE: Final = frozenset(("percentage", "arithmetic"))
_LEFT_FIGURES: Final = ("left", "rest", "pot_left", "net_interest", "net_gain", "net")


def gone_on(
    state: Continued | None, reading: Reading, found: Draft | None, meaning: str = ""
) -> Continued | None:
    """What a message asks to be calculated after the calculation before it; ``found`` is what it asks for by
    itself, ``meaning`` the kind of follow-up that it is most like. None when it asks for no calculation."""
    is_own = is_new(reading, found) and not (
        meaning == CHANGE and len(reading.quantities or ()) <= _CHANGED_MAX
    )
    is_other = is_own or (state is not None and _asks_for_percentage(state.draft, reading))
    followed = None if state is None or is_other else _followed(state, reading, found, meaning)
    if followed is None and found is not None:
        followed = Continued(found)
    return followed


def _asks_for_percentage(draft: Draft, reading: Reading) -> bool:
    """Whether a message asks what percentage its number is, after one that was given."""
    is_asked = bool(reading.quantities) and "rate" in kinds_wanted(reading.text)
    return is_asked and draft.calculator == "percentage"


def _followed(state: Continued, reading: Reading, found: Draft | None, meaning: str) -> Continued | None:
    """What a message makes of the calculation before it: a change, a view, or a number of another one."""
    linked = carried_over(state, reading, found) or chained(state, reading, found)
    linked = linked or shared(state, reading, found)
    if linked is not None:
        return linked
    if state.is_chained and state.before is not None:
        before = _changed_before(state.before, reading, meaning)
        if before is not None:
            return replace(state, before=before)
    changed = _changed(state, reading, meaning) or share_of_result(state, reading, found)
    if changed is None:
        return None
    if changed.is_chained:
        return changed
    if state.is_chained:
        return replace(changed, before=state.before, slot=state.slot)
    is_changed = changed.draft is not state.draft
    before = state.draft if is_changed else state.before
    has_before = before is not None and not before.missing and not changed.draft.missing
    is_compared = has_before and reading.says(DIFFERENCE)
    return replace(changed, before=before, is_compared=is_compared, slot="", is_changed=is_changed)


def _changed_before(before: Draft, reading: Reading, meaning: str) -> Draft | None:
    """The calculation whose result another one takes, with a number that is plainly meant for it: a raise
    of the pay that was taxed."""
    is_adjusted = bool(reading.quantities) and adjusted_input(before, reading) is not None
    if not is_adjusted and not (reading.quantities and names_place(before, reading)):
        return None
    changed = _changed(Continued(before), reading, meaning)
    return None if changed is None or changed.inflation is not None else changed.draft


def is_new(reading: Reading, found: Draft | None) -> bool:
    """Whether a message is a calculation of its own, whatever came before: one with several numbers that
    lacks none. "500 a month" alone may be an answer."""
    return found is not None and not found.missing and len(reading.quantities or ()) != 1


def _changed(state: Continued, reading: Reading, meaning: str) -> Continued | None:
    reading = with_plain_rates(state.draft, _without_ages(reading))
    quantities = reading.quantities
    if quantities is None or len(quantities) > _NUMBERS_MAX or not all(map(is_plausible, quantities)):
        return None
    restated = _restated(state, reading)
    if restated is not None:
        return restated
    if not quantities:
        return _without_numbers(state, reading, meaning)
    is_linking = links(state.draft, reading, False)
    later = put_off(state.draft, reading)
    if later is not None:
        is_meant = meaning == CHANGE or links(later, without_later(reading), False)
        return Continued(later, state.inflation) if is_meant else None
    if reading.says(LATER) and reading.all(Kind.TERM):
        return None
    is_meant = meaning == CHANGE and all(is_marked(state.draft, each) for each in quantities)
    switched = as_other(state.draft, reading)
    is_switched = switched is not state.draft and all(each.kind is Kind.RATE for each in quantities)
    is_meant = is_meant or (meaning == MAYBE and is_switched)
    if not (is_linking or is_meant or corrects(state.draft, reading, meaning)):
        return None
    adjusted = adjusted_input(state.draft, reading)
    if adjusted is not None:
        return Continued(adjusted, state.inflation)
    inflation = inflation_told(state.draft, reading)
    if inflation is not None:
        return replace(state, inflation=inflation)
    exchanged = with_numbers(switched, reading)
    is_named = reading.says(_BACK) or figures_wanted(reading.text)
    if exchanged is not None and has_same_numbers(state.draft, exchanged) and not is_named:
        return None
    return None if exchanged is None else Continued(exchanged, state.inflation)


def _without_ages(reading: Reading) -> Reading:
    """A message without the ages that it tells beside another number: "i am 63 so i get 0.5% more"."""
    numbers = reading.quantities or ()
    others = [each for each in numbers if not is_age(each)]
    return replace(reading, quantities=others) if 0 < len(others) < len(numbers) else reading


def _without_numbers(state: Continued, reading: Reading, meaning: str) -> Continued | None:
    """What a message without numbers makes of the calculation: it leaves something out, takes a part or a
    multiple, or asks for more of the result."""
    is_linking = links(state.draft, reading, False)
    if reading.says(_WITHOUT_INTEREST):
        return _without_interest(state, reading)
    without = _without(state, reading)
    if without is not None:
        return without
    taken = doubled(state.draft, reading) or scaled(state.draft, reading)
    if taken is not None and (meaning in (CHANGE, MAYBE) or is_linking):
        return Continued(taken, state.inflation)
    return _looked_at(state, reading, meaning)


def _looked_at(state: Continued, reading: Reading, meaning: str) -> Continued | None:
    """The same calculation, of which a message asks for a figure, a table or another period."""
    is_whole = not state.draft.missing
    period = period_asked(reading.text)
    is_linking = links(state.draft, reading, True)
    if period and (state.is_chained or is_whole) and (meaning == PERIOD or is_linking):
        return replace(state, period=period)
    figures = _LEFT_FIGURES if meaning == LEFT else figures_named(reading.text)
    if meaning in (FIGURE, LEFT) and figures and is_whole:
        return replace(state, wanted=figures, period="")
    is_about_it = (
        (wants_table(reading.text) and state.draft.calculator not in _WITHOUT_TABLE)
        or figures_wanted(reading.text)
        or (state.before is not None and reading.says(DIFFERENCE))
    )
    is_time = meaning == TIME and state.draft.calculator in _DATA["time_results"]
    is_meant = meaning == FIGURE or is_time or is_linking
    return state if is_about_it and is_whole and is_meant else None


def _without(state: Continued, reading: Reading) -> Continued | None:
    """The calculation without a number that it can do without: the deposit, the tip, the fee."""
    match = _WITHOUT.search(reading.text)
    if match is None or reading.quantities or state.draft.missing:
        return None
    dropped = [
        name
        for name in state.draft.filled
        if state.draft.form.slots[name].is_optional and match["what"] in state.draft.form.slots[name].says_of
    ]
    if not dropped and (other := without_added(state.draft, match["what"])) is not None:
        return replace(state, draft=other, period="", wanted=figures_wanted(reading.text))
    if len(dropped) != 1 or not links(state.draft, reading, False):
        return None
    left = {name: filled for name, filled in state.draft.filled.items() if name not in dropped}
    draft = replace(state.draft, filled=left, said=f"{state.draft.said} | {reading.text}")
    return None if draft.missing else replace(state, draft=draft, period="")


def without_what_was_added(draft: Draft, reading: Reading) -> tuple[Draft, Reading] | None:
    """The calculation without what was added to it, and the message without the words that say so: "over 30
    instead without the extra"."""
    match = _WITHOUT.search(reading.text)
    other = None if match is None else without_added(draft, match["what"])
    return None if match is None or other is None else (other, read(_WITHOUT.sub("", reading.text).strip()))


def _restated(state: Continued, reading: Reading) -> Continued | None:
    """The calculation as another one of the same numbers: interest without compounding."""
    other = _DATA["restated"].get(state.draft.name)
    draft = state.draft
    if other is None or reading.quantities or draft.missing or draft.filled.keys() - set(other["slots"]):
        return None
    cue = late_pattern(rf"\b(?:{other['cue']})\b")
    if not reading.says(cue) or not links(draft, replace(reading, text=cue.sub(" ", reading.text)), False):
        return None
    return Continued(Draft(other["to"], draft.filled, f"{draft.said} | {reading.text}"), before=draft)


def _without_interest(state: Continued, reading: Reading) -> Continued | None:
    """The calculation with a rate of nothing, when it has one rate."""
    draft = state.draft
    rates = [
        name
        for name, slot in draft.form.slots.items()
        if slot.kind == "rate" and not slot.needs_cue and name.startswith("yearly_")
    ]
    if len(rates) != 1 or not links(draft, reading, False):
        return None
    nothing = Quantity(kind=Kind.RATE, value=Decimal(0), before="", after="", written="0 %")
    return replace(state, draft=draft.with_numbers({rates[0]: (nothing,)}, reading.text))


def inflation_told(draft: Draft, reading: Reading) -> Decimal | None:
    """The inflation to state a result after, when the calculator has no place for it."""
    quantities = reading.quantities or ()
    is_alone = len(quantities) == 1 and quantities[0].kind is Kind.RATE and not draft.missing
    if is_alone and reading.says(_INFLATION) and draft.calculator in INFLATED:
        return quantities[0].value
    return None


def is_of_prices(state: Continued | None, reading: Reading) -> bool:
    """Whether the only number of a message tells how prices rise, which the last result knows nothing of."""
    [*numbers] = reading.quantities or ()
    is_rate = len(numbers) == 1 and numbers[0].kind is Kind.RATE and reading.says(_INFLATION)
    return is_rate and state is not None and state.draft.calculator in _NO_PRICES


_NO_PRICES: Final = frozenset(("simple_interest", "interest_after_tax", "percentage", "debt_payoff"))
"""What a rise of prices is no step of."""
