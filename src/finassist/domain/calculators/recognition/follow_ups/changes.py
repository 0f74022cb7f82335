"""What a later message does to the calculation before it: gives the number that it lacks, changes or adds
one, or asks to see more of its result."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.calculation import MAX_MONTHS
from finassist.domain.calculators.recognition.drafts import Draft, is_plausible
from finassist.domain.calculators.recognition.follow_ups.adjusted import (
    LATER,
    adjusted_input,
    started_later,
    without_later,
)
from finassist.domain.calculators.recognition.follow_ups.chains import Continued, chained, share_of_result
from finassist.domain.calculators.recognition.follow_ups.meaning import CHANGE, FIGURE, LEFT, PERIOD, TIME
from finassist.domain.calculators.recognition.follow_ups.placing import (
    CUED,
    DEBTS,
    distance,
    fits,
    place_of,
    ways_of,
)
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.slots import Slot, form_of
from finassist.domain.calculators.recognition.spellings import QUANTITY
from finassist.domain.calculators.recognition.views import (
    DIFFERENCE,
    FIGURES,
    INFLATED,
    PERIODS,
    TABLE,
    figures_named,
    figures_wanted,
    kinds_wanted,
    period_asked,
    wants_table,
)
from finassist.domain.retrieval.words import topic_words
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))
_LINKING: Final = frozenset(_DATA["linking"].split())
_HINTED: Final = frozenset(_DATA["hinted"].split())
_HINT: Final = late_pattern(rf"^\W*(?:{_DATA['hint']})\b|\b(?:{_DATA['instead']})\b")
_RELATIVE: Final = {
    sign: late_pattern(rf"\b(?:{said})(?: .*?\b(?:by|um|de|of|di))? $")
    for sign, said in _DATA["relative"].items()
}
_WITHOUT: Final = late_pattern(rf"\b(?:{_DATA['without']}) (?:the |a |any |an |my )?(?P<what>[^\W\d_]+)")
_SUPPOSED: Final = late_pattern(r"^\W*(?:(?:so|ok|okay|hmm|and|but) )*(?:what if|if)\b")
_STRANGE_MAX: Final = 1
"""How many words that it does not know a message may have that supposes another number."""
_INFLATION: Final = late_pattern(r"\binflation\b")
_WITHOUT_INTEREST: Final = late_pattern(rf"\b(?:{_DATA['without_interest']})\b")
_MORE: Final = late_pattern(r"\b(?:more|extra|additional)\b")
_EXTRA: Final = "extra_monthly"
_WORD: Final = late_pattern(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_WORDS_MAX: Final = 12
_NUMBERS_MAX: Final = 3
_CHANGED_MAX: Final = 2
"""A message with more numbers that is a calculation by itself changes none."""
_WITHOUT_TABLE: Final = frozenset(("percentage", "arithmetic"))
_LEFT_FIGURES: Final = ("left", "rest", "pot_left")
_AMOUNTS: Final = (Kind.AMOUNT, Kind.MONTHLY_AMOUNT)
_FAR: Final = math.log(8)
_RATE_WORD: Final = late_pattern(rf"\b(?:{_DATA['rate_words']})\b")
_BESIDE: Final = 2
_NOISE: Final = 2
"""Words of so many letters say nothing of their own."""


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
    linked = chained(state, reading, found)
    if linked is not None:
        return linked
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
    return replace(changed, before=before, is_compared=is_compared, slot="")


def is_new(reading: Reading, found: Draft | None) -> bool:
    """Whether a message is a calculation of its own, whatever came before: one with several numbers that
    lacks none. "500 a month" alone may be an answer."""
    return found is not None and not found.missing and len(reading.quantities or ()) != 1


def _changed(state: Continued, reading: Reading, meaning: str) -> Continued | None:
    quantities = reading.quantities
    if quantities is None or len(quantities) > _NUMBERS_MAX or not all(map(is_plausible, quantities)):
        return None
    restated = _restated(state, reading)
    if restated is not None:
        return restated
    if not quantities and reading.says(_WITHOUT_INTEREST):
        return _without_interest(state, reading)
    without = _without(state, reading)
    if without is not None:
        return without
    if not quantities:
        return _looked_at(state, reading, meaning)
    if reading.says(LATER) and len(quantities) == 1 and quantities[0].kind is Kind.TERM:
        later = started_later(state.draft, reading, quantities[0])
        is_meant = later is not None and (
            meaning == CHANGE or _is_linking(later, without_later(reading), False)
        )
        return Continued(later, state.inflation) if later is not None and is_meant else None
    if not _is_linking(state.draft, reading, False) and (
        meaning != CHANGE or not all(_is_marked(state.draft, each) for each in quantities)
    ):
        return None
    adjusted = adjusted_input(state.draft, reading)
    if adjusted is not None:
        return Continued(adjusted, state.inflation)
    inflation = _inflation(state.draft, reading)
    if inflation is not None:
        return replace(state, inflation=inflation)
    return _with_numbers(_switched(state.draft, reading), reading, state.inflation)


def _looked_at(state: Continued, reading: Reading, meaning: str) -> Continued | None:
    """The same calculation, of which a message asks for a figure, a table or another period."""
    is_whole = not state.draft.missing
    period = period_asked(reading.text)
    is_linking = _is_linking(state.draft, reading, True)
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
    if len(dropped) != 1 or not _is_linking(state.draft, reading, False):
        return None
    left = {name: filled for name, filled in state.draft.filled.items() if name not in dropped}
    draft = replace(state.draft, filled=left, said=f"{state.draft.said} | {reading.text}")
    return None if draft.missing else replace(state, draft=draft, period="")


def _restated(state: Continued, reading: Reading) -> Continued | None:
    """The calculation as another one of the same numbers: interest without compounding."""
    other = _DATA["restated"].get(state.draft.name)
    draft = state.draft
    if other is None or reading.quantities or draft.missing or draft.filled.keys() - set(other["slots"]):
        return None
    cue = late_pattern(rf"\b(?:{other['cue']})\b")
    if not reading.says(cue) or not _is_linking(
        draft, replace(reading, text=cue.sub(" ", reading.text)), False
    ):
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
    if len(rates) != 1 or not _is_linking(draft, reading, False):
        return None
    nothing = Quantity(kind=Kind.RATE, value=Decimal(0), before="", after="", written="0 %")
    return replace(state, draft=draft.with_numbers({rates[0]: (nothing,)}, reading.text))


def _with_numbers(draft: Draft, reading: Reading, inflation: Decimal | None) -> Continued | None:
    given: set[str] = set()
    for place, quantity in enumerate(_said_of_rate(reading)):
        found = place_of(draft, quantity, len(reading.quantities or ()), place)
        if found is None or found[0].name in given:
            return None
        slot, number = found
        given |= {slot.name} - {DEBTS}
        if slot.kind == DEBTS:
            draft = draft.with_numbers({slot.name: (*draft.filled[slot.name], number)}, reading.text)
            continue
        if (
            reading.says(_MORE)
            and slot.name in draft.filled
            and number.kind in _AMOUNTS
            and slot.name != _EXTRA
        ):
            number = replace(number, value=draft.filled[slot.name][0].value + number.value, written="")
        numbers = _in_place(draft.filled.get(slot.name, ()), _related(draft, slot, number))
        if not numbers:
            return None
        draft = draft.with_numbers({slot.name: numbers}, reading.text)
    return Continued(draft, inflation)


def _in_place(filled: Sequence[Quantity], new: Quantity) -> tuple[Quantity, ...]:
    """The numbers of a slot with a new one: of several it takes the place of the one that the same words
    stand beside ("and if rent goes up to 1250"), and of none when that is not plain."""
    if len(filled) <= 1:
        return (new,)
    said = set(topic_words(new.before))
    same = [place for place, old in enumerate(filled) if said & set(topic_words(old.before)[-_BESIDE:])]
    if len(same) != 1:
        return ()
    return tuple(new if place == same[0] else old for place, old in enumerate(filled))


def _said_of_rate(reading: Reading) -> Sequence[Quantity]:
    """The numbers of a message; one by which a rate is said to change is a rate."""
    return [
        replace(quantity, kind=Kind.RATE, is_bare=False)
        if quantity.is_bare
        and reading.says(_RATE_WORD)
        and any(pattern.search(quantity.before) for pattern in _RELATIVE.values())
        else quantity
        for quantity in reading.quantities or ()
    ]


def _related(draft: Draft, slot: Slot, number: Quantity) -> Quantity:
    """A number that is told by how much it changes: "if the rate drops by 0.5"."""
    old = draft.filled.get(slot.name)
    if old and number.kind is Kind.RATE and number.per is None and old[0].per == "month":
        number = _for_a_month(old[0], number)
    sign = next((name for name, pattern in _RELATIVE.items() if pattern.search(number.before)), None)
    if sign is None or not old or old[0].kind is not number.kind:
        return number
    value = old[0].value + (number.value if sign == "up" else -number.value)
    return replace(number, value=value, written=f"{value:f}") if value > 0 else number


def _for_a_month(old: Quantity, new: Quantity) -> Quantity:
    """A rate in the place of one that was told for a month, where it is nearer to that one."""
    monthly = replace(new, value=12 * new.value, per="month")
    return monthly if distance(old, monthly) < distance(old, new) else new


def _inflation(draft: Draft, reading: Reading) -> Decimal | None:
    """The inflation to state a result after, when the calculator has no place for it."""
    quantities = reading.quantities or ()
    is_alone = len(quantities) == 1 and quantities[0].kind is Kind.RATE and not draft.missing
    if is_alone and reading.says(_INFLATION) and draft.calculator in INFLATED:
        return quantities[0].value
    return None


def _switched(draft: Draft, reading: Reading) -> Draft:
    """The calculation as another one, when the message adds what only that one takes."""
    if draft.missing or not reading.quantities:
        return draft
    *_, quantity = sorted(reading.quantities, key=lambda each: each.kind in (*_AMOUNTS, Kind.RATE))
    for switch in _DATA["switches"].get(draft.calculator, ()):
        is_cued = re.search(rf"\b(?:{switch['cue']})\b", reading.text) is not None
        if (is_cued or _is_payment(switch, draft, quantity)) and fits(
            form_of(switch["to"]).slots[switch["slot"]], quantity
        ):
            filled: dict[str, tuple[Quantity, ...]] = {}
            for name, other in switch["slots"].items():
                filled[other] = (*filled.get(other, ()), *draft.filled.get(name, ()))
            return Draft(switch["to"], filled, draft.said)
    return draft


def _is_payment(switch: Mapping[str, Any], draft: Draft, quantity: Quantity) -> bool:
    """Whether a number can only be the payment that the other calculation takes, so small it is."""
    compared = switch.get("below")
    if compared is None or quantity.kind not in (Kind.AMOUNT, Kind.MONTHLY_AMOUNT):
        return False
    owed = draft.filled[compared][0]
    if quantity.value * MAX_MONTHS < owed.value:
        return False
    return quantity.kind is Kind.MONTHLY_AMOUNT or distance(owed, quantity) > _FAR


def _is_linking(draft: Draft, reading: Reading, is_view: bool) -> bool:
    """Whether a message says little more than its numbers: words that link, and those of the calculation."""
    text = QUANTITY.sub(" ", reading.text)
    if is_view:
        text = TABLE.sub(" ", text)
        for pattern in (*FIGURES, *PERIODS.values()):
            text = pattern.sub(" ", text)
    text = DIFFERENCE.sub(" ", text)
    words = _WORD.findall(_WITHOUT_INTEREST.sub(" ", text))
    is_supposed = not is_view and reading.says(_SUPPOSED) and _is_one_number(reading)
    is_hinted = reading.says(_HINT) or reading.says(_WITHOUT_INTEREST)
    known = (
        _LINKING | (_HINTED if is_hinted else frozenset()) | set(_WORD.findall(draft.said)) | _words_of(draft)
    )
    strange = {word for word in words if len(word) > _NOISE} - known
    return len(words) <= _WORDS_MAX and len(strange) <= (_STRANGE_MAX if is_supposed else 0)


def _is_marked(draft: Draft, quantity: Quantity) -> bool:
    """Whether something tells what a small number is: words beside it, or that it was told before."""
    if not quantity.is_bare or quantity.kind is not Kind.SMALL:
        return True
    told = {each.value for filled in draft.filled.values() for each in filled}
    if told & {quantity.value, 12 * quantity.value}:
        return True
    return any(way[0] >= CUED for way in ways_of(draft, quantity, is_first=True, is_last=True))


def names_place(draft: Draft, reading: Reading) -> bool:
    """Whether words beside each number of a message tell what it is in a calculation, or were said of it."""
    placed, said = _switched(draft, reading), set(topic_words(draft.said))
    return bool(reading.quantities) and all(
        said & set(topic_words(each.before)[-_BESIDE:])
        or any(way[0] >= CUED for way in ways_of(placed, each, is_first=True, is_last=True))
        for each in reading.quantities or ()
    )


def _is_one_number(reading: Reading) -> bool:
    """Whether a message has one number, and not that of years: "what if I died in 5 years"."""
    return len(reading.quantities or ()) == 1 and not reading.all(Kind.TERM, Kind.DAYS, Kind.WEEKS)


def _words_of(draft: Draft) -> set[str]:
    """What the slots of a calculator are called."""
    words = {"inflation", "down", "deposit", "extra", "overpay"}
    for slot in draft.form.slots.values():
        words |= slot.says_of
    for switch in _DATA["switches"].get(draft.calculator, ()):
        words |= form_of(switch["to"]).slots[switch["slot"]].says_of
    return words
