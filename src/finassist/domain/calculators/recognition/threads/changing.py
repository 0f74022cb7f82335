"""A result that a message does something with: more steps, another number in one of them, another period."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.adjusted import PAID_DOWN
from finassist.domain.calculators.recognition.follow_ups.ledger import PERIOD_NAMES
from finassist.domain.calculators.recognition.follow_ups.placing import names_other_rate
from finassist.domain.calculators.recognition.quantities import Kind, Quantity, without_quantities
from finassist.domain.calculators.recognition.reading import Reading, Recognised
from finassist.domain.calculators.recognition.sums.values import MONEY, Value, with_unit
from finassist.domain.calculators.recognition.threads import words as say
from finassist.domain.calculators.recognition.threads.messages import (
    count_of,
    implied_step,
    period_step,
    portion,
    told_steps,
)
from finassist.domain.calculators.recognition.threads.outcomes import (
    IN_ALL_PERIODS,
    Outcome,
    is_of_sum,
    is_own_step,
    outcome_of,
)
from finassist.domain.calculators.recognition.threads.standing import (
    Standing,
    Step,
    entry_with,
    in_cents,
    standing_of,
)
from finassist.domain.calculators.recognition.threads.swaps import (
    counted_noun,
    dropped,
    has_alike,
    swapped,
    with_number,
    words_of_message,
)
from finassist.domain.calculators.recognition.views import DIFFERENCE

_FAR: Final = 8
"""A percentage that is so many times larger or smaller is hardly meant in the place of another."""
_SHORT: Final = 8
"""So many words say of what a part is taken, though they do not refer to it."""
_COUNTS: Final = (Kind.SMALL, Kind.PEOPLE, Kind.COUNT)


def the_rest(reading: Reading, standing: Standing) -> Outcome | None:
    """What the part that was taken last leaves of the whole, or what both come to."""
    if reading.says(say.THE_WHOLE):
        return outcome_of(standing.whole())
    return outcome_of(standing.rest()) if reading.says(say.THE_REST) else None


def step_with_other(reading: Reading, standing: Standing) -> Outcome | None:
    """The last step with another number of its kind: "and with 15%?" after a percentage."""
    numbers = reading.quantities or ()
    if len(numbers) != 1 or not standing.steps or is_explicit(reading) or not reading.says(say.HINT):
        return None
    [new], last = numbers, standing.steps[-1]
    if is_own_step(standing):
        return None
    steps = told_steps(reading, standing)
    if steps and steps[0].sign != last.sign:
        return None
    if last.sign in ("of%", "+%", "-%") and new.kind is Kind.RATE and new.per is None:
        if not last.operand.number < new.value * _FAR < last.operand.number * _FAR**2:
            return None
        return outcome_of(
            standing.with_other(replace(last.operand, number=new.value, written=f"{new.value:f}"))
        )
    is_alike = last.sign in ("*", "/") and counted_noun(new) == next(iter(last.operand.unit), "")
    is_count = is_alike and new.kind in _COUNTS and not new.symbol and new.value > 0
    if not is_count or (not steps and not last.operand.unit):
        return None
    return outcome_of(standing.with_other(with_unit(new.value, **last.operand.unit)))


def stepped(reading: Reading, standing: Standing) -> Outcome | None:
    """The operations that the words of a message name, and the period that it asks for."""
    numbers = reading.quantities or ()
    steps = None if reading.says(DIFFERENCE) else told_steps(reading, standing)
    if steps is None or (numbers and not is_explicit(reading) and _has_alike(standing, numbers)):
        return None
    text = without_quantities(reading.text) if any(each.per for each in numbers) else reading.text
    part = portion(text)
    if part is not None:
        if not (reading.says(say.OF_THAT_ANYWHERE) or (not numbers and _is_of_result(reading, text))):
            return None
        steps = [part, *steps]
    after = standing.after(*steps)
    value = None if after is None else after.value
    if after is None or value is None or (value.number < 0 and reading.says(say.HINT)):
        return None  # "and off 140?" after "20% off 85" takes another amount
    period = period_step(text, value)
    if not steps:
        return None if period is None else for_period(standing, period)
    return outcome_of(after if period is None else after.after(period))


def _is_of_result(reading: Reading, text: str) -> bool:
    """Whether a message without numbers speaks of the result, or says little else than what part of it."""
    return reading.says(say.REFERRING) or len(text.split()) <= _SHORT


def with_other_number(reading: Reading, standing: Standing) -> Outcome | None:
    """The same sum with another number, and the steps since then."""
    numbers, draft = reading.quantities or (), standing.draft
    if len(numbers) != 1 or draft is None or not reading.says(say.HINT) or reading.says(DIFFERENCE):
        return None
    is_stepped = any(step.sign != "in" for step in standing.steps)
    if not (is_of_sum(standing) or is_stepped) or say.OF_THAT.match(numbers[0].after):
        return None
    rates = [slot for slot in draft.form.slots.values() if slot.kind == "rate"]
    if numbers[0].kind is Kind.RATE and rates and names_other_rate(rates, reading):
        return None
    if PAID_DOWN.search(numbers[0].after):
        return again(_less(draft, numbers[0]), standing)
    return again(swapped(draft, numbers[0]), standing)


def _less(draft: Draft, paid: Quantity) -> Draft | None:
    """The sum with what is paid down first off its only amount; None when something was before."""
    places = [(name, at, each) for name, filled in draft.filled.items() for at, each in enumerate(filled)]
    owed = [place for place in places if place[2].kind is Kind.AMOUNT and not place[2].per]
    if len(owed) != 1 or owed[0][2].written not in draft.said or not 0 < paid.value < owed[0][2].value:
        return None
    left = owed[0][2].value - paid.value
    return with_number(draft, owed[0], replace(paid, value=left, written=f"{left:f}"))


def without_number(reading: Reading, standing: Standing) -> Outcome | None:
    """The same sum without one of its amounts: "and if i cancel netflix"."""
    draft = standing.draft
    if reading.quantities or draft is None or not reading.says(say.DROPPED) or not is_of_sum(standing):
        return None
    return again(dropped(draft, words_of_message(reading.text)), standing)


def so_many(reading: Reading, standing: Standing) -> Outcome | None:
    """So many of what the result is for: "and for two people"."""
    numbers = reading.quantities or ()
    step = implied_step(numbers[0], standing) if len(numbers) == 1 else None
    return None if step is None else outcome_of(standing.after(step))


def is_explicit(reading: Reading) -> bool:
    """Whether words say what is done with each number, whatever the sum before had."""
    numbers = reading.quantities or ()
    patterns = (say.MINUS, say.PLUS, say.TIMES, say.DIVIDE)
    signed = all(
        any(pattern.search(each.before) for pattern in patterns) or say.OF_THAT.match(each.after)
        for each in numbers
    )
    return bool(numbers) and (signed or reading.says(say.FURTHER))


def for_period(standing: Standing, period: Step) -> Outcome | None:
    """A result for another period: a figure of its own when it has one."""
    name = next((name for name, each in PERIOD_NAMES.items() if each == period.period), "")
    entry = None if standing.steps else standing.entry
    if entry is not None and name in entry.figures and entry.draft is not None:
        return Outcome([entry.call], standing_of(entry, (name,)), entry.draft, (name,))
    found = outcome_of(standing.after(period))
    paid = _paid_regularly(standing.value)
    return found if found is None or paid is None else Outcome([paid], found.standing, wanted=(name,))


def _paid_regularly(value: Value | None) -> Recognised | None:
    """An amount that is known to the cent, for all periods; None for another one."""
    if value is None or dict(value.unit) != {MONEY: 1, **dict.fromkeys(value.periods, -1)}:
        return None
    amount = in_cents(value.number)
    if value.number != amount or amount <= 0:
        return None
    return Recognised("recurring_cost", {"amount": amount, "per": value.periods[0]})


def _has_alike(standing: Standing, numbers: Sequence[Quantity]) -> bool:
    draft = standing.draft
    return draft is not None and any(has_alike(draft, each) for each in numbers)


def again(draft: Draft | None, standing: Standing) -> Outcome | None:
    """Another calculation of the same kind, with the steps that followed the last one."""
    entry = None if draft is None else entry_with(draft)
    start = standing_of(entry, (standing.figure,))
    if entry is None or start is None:
        return None
    own = tuple(replace(step, sign=old.sign) for step, old in zip(start.steps, standing.steps, strict=False))
    later = [_recounted(step, draft) for step in standing.steps[len(own) :]]
    found = replace(start, steps=(*own, *(step for step in later if step is not None)))
    if len(found.steps) != len(own) + len(later):
        return None
    if found == start:
        wanted = (found.figure,) if found.name in IN_ALL_PERIODS else ()
        return Outcome([entry.call], found, draft, wanted)
    call = found.call()
    return None if call is None else Outcome([entry.call, call], found)


def _recounted(step: Step, draft: Draft | None) -> Step | None:
    """A step whose amount is told for each of what a calculation counts, with the count of another one."""
    if not step.each:
        return step
    count = count_of(step.each, draft)
    return None if count is None else step.counted(count)


def only_percentage(standing: Standing) -> Outcome | None:
    """The only percentage of the calculation that a result is of."""
    entry = standing.entry
    names = [name for name in entry.figures if "percent" in name] if entry is not None else []
    if entry is None or entry.draft is None or len(names) != 1 or standing.steps:
        return None
    return Outcome([], standing, entry.draft, names)
