"""A result set against another amount: how they differ, what is left of an income, how long one takes."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final, cast

from finassist.domain.calculators.budgets import NamedAmount
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.ledger import PERIOD_NAMES, Entry, alternatives
from finassist.domain.calculators.recognition.follow_ups.relative import with_value
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading, Recognised
from finassist.domain.calculators.recognition.sums.roles import is_received
from finassist.domain.calculators.recognition.sums.terms import Term
from finassist.domain.calculators.recognition.sums.values import MONEY, Value, in_period, with_unit
from finassist.domain.calculators.recognition.sums.words import said
from finassist.domain.calculators.recognition.threads import words as say
from finassist.domain.calculators.recognition.threads.messages import period_step
from finassist.domain.calculators.recognition.threads.outcomes import (
    IN_ALL_PERIODS,
    MONEY_KINDS,
    Outcome,
    is_of_sum,
    outcome_of,
)
from finassist.domain.calculators.recognition.threads.standing import (
    Standing,
    Step,
    entry_with,
    in_cents,
    standing_of,
    told_standing,
)
from finassist.patterns import late_pattern

_COMPARISON: Final = "difference"
_PAIR: Final = 2
_AMOUNT_ALONE: Final = late_pattern(r"(?P<number>\d[\d,]*(?:\.\d+)?)(?: an? (?P<per>[a-z]+))?$")
"""How a result is named whose amount alone is another one."""
_PROPORTIONAL: Final = frozenset(
    ("pay_conversion", "percentage/of", "percentage/add", "percentage/subtract", "percentage/included")
)
_NEAR: Final = 3
"""An amount without a period is of that of a result that is at most so many times larger or smaller."""
_INCOME_MOST: Final = 20
_EXACTLY_COMPARED: Final = frozenset(("arithmetic", "recurring_cost"))
_COMPARED_FOR: Final = ("week", "fortnight", "month", "quarter", "year")
_TIMES_ASKED: Final = (said("how_long"), late_pattern(r"\bhow many (?:more )?(?:weeks|months|years)\b"))
_SHARED_BILL: Final = "tip_and_split"
_PAYS_ALONE: Final = say.right_before(say.PAYS_ALONE)
_RUNNING_COSTS: Final = frozenset(("fuel_cost", "energy_cost", "loan_instalment", "mortgage"))
_COSTS: Final = frozenset(("arithmetic", "recurring_cost", "loan_instalment", "mortgage"))


def compared_with(standing: Standing, other: Quantity) -> Outcome | None:
    """A result against an amount that was told; None when the two are not for the same time."""
    found = _in_the_unit_of(standing, other)
    if found is None or found.number < 0 or set(found.unit) - {MONEY, *_COMPARED_FOR}:
        return None
    was = NamedAmount(name="the result before", amount=in_cents(found.number))
    now = NamedAmount(name=f"the {other.value:,f}", amount=other.value)
    return Outcome([_difference((was, now), found)], None)


def share_of_change(reading: Reading, standing: Standing) -> Outcome | None:
    """How much the percentage of the last step is; None when there are several, and none is named."""
    shares = [step for step in standing.steps if step.sign.endswith("%")]
    if len(shares) > 1 or _tells_percentage(standing.draft):
        return None
    found = standing.share_alone()
    value = found.value
    period = None if value is None else period_step(reading.text, value)
    return outcome_of(found if period is None else found.after(period))


def change(before: Standing, standing: Standing) -> Outcome | None:
    """How a plain sum differs from the one before it, which another number made."""
    names = {each.name for each in (standing, before)}
    was, now = before.value, standing.value
    if len(names) != 1 or not names <= _EXACTLY_COMPARED or len(before.steps) != len(standing.steps):
        return None
    if was is None or now is None or was.unit != now.unit or set(now.unit) - {MONEY, *_COMPARED_FOR}:
        return None
    if was.number == now.number or min(was.number, now.number) < 0:
        return None
    named = (("the result before", was), ("this one", now))
    amounts = tuple(NamedAmount(name=name, amount=in_cents(each.number)) for name, each in named)
    return Outcome([_difference(amounts, now)], None)


def left_of_income(reading: Reading, standing: Standing) -> Outcome | None:
    """What a result that is a cost leaves of an income that the message tells."""
    numbers, costs = reading.quantities or (), standing.value
    if len(numbers) != 1 or not reading.says(say.LEFT) or numbers[0].kind not in MONEY_KINDS:
        return None
    if costs is None or standing.name not in _COSTS or costs.number <= 0:
        return None
    [income] = numbers
    if not is_received(Term(with_unit(income.value), income, 0)) or _tells_income(standing):
        return None
    told = told_standing(income).start
    if not told.periods and costs.periods == ["month"] and income.value < _INCOME_MOST * costs.number:
        told = told.for_each("month")
    turned = in_period(costs, told.periods[0]) if told.periods and costs.periods else costs
    if turned is None or (turned.periods != told.periods and turned.periods):
        return None
    exact = in_cents(turned.number)
    if exact == turned.number:
        turned = replace(turned, written=f"{exact:f}", rank=told.rank)
    return outcome_of(Standing(None, "", told, (Step("-", turned),)))


def flat_share(reading: Reading, standing: Standing) -> Outcome | None:
    """What each of the others pays when one of those who share a bill pays a flat amount: "jess just pays 40,
    the rest is split"."""
    numbers, draft = reading.quantities or (), standing.draft
    if len(numbers) != 1 or draft is None or draft.calculator != _SHARED_BILL or standing.entry is None:
        return None
    is_flat = _PAYS_ALONE.search(numbers[0].before) is not None
    if not is_flat and not (reading.says(say.LEFT) and reading.says(say.SHARED)):
        return None
    [people], [flat] = draft.filled.get("people", (None,)), numbers
    total = standing_of(standing.entry, ("total",))
    if people is None or total is None or flat.kind not in (*MONEY_KINDS, Kind.SMALL) or people.value <= 1:
        return None
    if not 0 < flat.value < total.start.number:
        return None
    steps = Step("-", with_unit(flat.value, **{MONEY: 1})), Step("/", with_unit(people.value - 1, person=1))
    return outcome_of(replace(total, steps=steps))


def taken_from(reading: Reading, standing: Standing) -> Outcome | None:
    """What a result leaves of an amount that it is taken off: "take that off 720"."""
    numbers, value = reading.quantities or (), standing.value
    if len(numbers) != 1 or numbers[0].kind not in MONEY_KINDS or value is None:
        return None
    told = told_standing(numbers[0]).start
    if not say.TAKEN_FROM.search(numbers[0].before) or told.unit != value.unit:
        return None
    exact = in_cents(value.number)
    if exact == value.number:
        value = replace(value, written=f"{exact:f}", rank=told.rank)
    return outcome_of(Standing(None, "", told, (Step("-", value),)))


def how_long(reading: Reading, standing: Standing) -> Outcome | None:
    """How long an amount takes at so much a month: "so at 300 a month how long"."""
    numbers, value = reading.quantities or (), standing.value
    if len(numbers) != 1 or not any(map(reading.says, _TIMES_ASKED)) or value is None or value.periods:
        return None
    [paid] = numbers
    is_regular = paid.kind in MONEY_KINDS and paid.per in _COMPARED_FOR and paid.value > 0
    if not is_regular or MONEY not in value.unit or not is_of_sum(standing):
        return None
    found = value / with_unit(paid.value)
    return Outcome([Recognised("arithmetic", {"expression": found.written, "unit": f"{paid.per}s"})], None)


def compared_again(ledger: Sequence[Entry], reading: Reading) -> Sequence[Recognised]:
    """The last comparison with an amount of the message in the place of the one that was compared, which is
    nearer than what stands: "and if it was 47,000?" after 45,500 was compared with 42,000."""
    numbers, found = reading.quantities or (), [each.call for each in ledger if each.call.name == _COMPARISON]
    if len(numbers) != 1 or not found or not reading.says(say.SUPPOSED) or ledger[-1].draft is not None:
        return ()
    amounts = cast("Sequence[NamedAmount]", found[-1].arguments["amounts"])
    told = [match for match in map(_AMOUNT_ALONE.match, (each.name for each in amounts)) if match is not None]
    if len(amounts) != _PAIR or len(told) != _PAIR or told[1]["per"] not in (None, told[0]["per"]):
        return ()
    stood, compared = (Decimal(match["number"].replace(",", "")) for match in told)
    new = numbers[0].value
    if compared <= 0 or not abs(new - compared) < abs(new - stood) or not 1 / _NEAR < new / compared < _NEAR:
        return ()
    value = _with_amount(ledger, found[-1], stood, numbers[0])
    if value is None:
        return ()
    if ledger[-1].call.name == "percentage":
        named = {"amount": amounts[0].amount, "other_amount": value}
        return [Recognised("percentage", {"operation": "change", **named})]
    pair = (amounts[0], NamedAmount(name=f"{new:,f}", amount=value))
    return [Recognised(_COMPARISON, {**found[-1].arguments, "amounts": pair})]


def _with_amount(
    ledger: Sequence[Entry], comparison: Recognised, stood: Decimal, new: Quantity
) -> Decimal | None:
    """The figure that was compared, with another amount in the place of the one that stood, which it is
    proportional to."""
    figure = str(comparison.arguments["what"]).replace(" ", "_")
    [first, _] = cast("Sequence[NamedAmount]", comparison.arguments["amounts"])
    drafts = [each.draft for each in alternatives(ledger) if each.figures.get(figure) == first.amount]
    places = [
        (draft, slot, filled[0])
        for draft in drafts
        if draft is not None and draft.name in _PROPORTIONAL
        for slot, filled in draft.filled.items()
        if len(filled) == 1 and filled[0].value == stood and filled[0].kind in MONEY_KINDS
    ]
    if len(places) != 1 or new.kind not in MONEY_KINDS or new.per not in (None, places[0][-1].per):
        return None
    [(draft, slot, old)] = places
    other = entry_with(draft.with_numbers({slot: (with_value(old, new.value),)}, ""))
    return None if other is None else other.figures.get(figure)


def paid_back(reading: Reading, standing: Standing) -> Outcome | None:
    """How long a result that comes again and again takes to bring an amount back: "it costs 499, after how
    many years have i got that back"."""
    numbers, value = reading.quantities or (), _brought_in(standing)
    if len(numbers) != 1 or value is None or len(value.periods) != 1 or not _asks_back(reading, standing):
        return None
    [price], [period] = numbers, value.periods
    is_price = price.kind in MONEY_KINDS and price.per is None
    if not is_price or set(value.unit) != {MONEY, period} or value.number <= 0 or period not in _COMPARED_FOR:
        return None
    found = with_unit(price.value) / with_unit(in_cents(value.number))
    return Outcome([Recognised("arithmetic", {"expression": found.written, "unit": f"{period}s"})], None)


def brings_nothing_in(reading: Reading, standing: Standing | None) -> bool:
    """Whether a message asks when a price is back, after a result that is only spent."""
    is_asked = bool(reading.quantities) and reading.says(say.PAID_BACK)
    return is_asked and standing is not None and _brought_in(standing) is None


def _brought_in(standing: Standing) -> Value | None:
    """What a result brings in again and again: of what two things cost to run the difference, of one
    nothing."""
    value, entry = standing.value, standing.entry
    if entry is None or value is None or standing.name not in _RUNNING_COSTS:
        return value
    saved = None if standing.steps else entry.figures.get("saved")
    return None if saved is None or saved <= 0 else with_unit(saved, **value.unit)


def _asks_back(reading: Reading, standing: Standing) -> bool:
    """Whether a message asks when a price is back; one that is paid off may be a debt, unless all says so."""
    is_timed, is_saved = reading.says(say.TIME_ASKED), _is_saved(standing)
    if reading.says(say.PAID_BACK):
        return is_timed or is_saved
    return reading.says(say.PAID_OFF) and is_timed and is_saved


def _is_saved(standing: Standing) -> bool:
    """Whether a result is the difference of two, or what was said to be saved."""
    is_said = standing.draft is not None and say.SAVES.search(standing.draft.said) is not None
    return standing.name == _COMPARISON or is_said


def _difference(amounts: tuple[NamedAmount, ...], value: Value) -> Recognised:
    per = value.periods[0] if value.periods else "once"
    return Recognised("difference", {"amounts": amounts, "per": per, "what": ""})


def _tells_percentage(draft: Draft | None) -> bool:
    filled = draft.filled.values() if draft is not None else ()
    return any(each.kind is Kind.RATE for numbers in filled for each in numbers)


def _tells_income(standing: Standing) -> bool:
    """Whether an income is already among the numbers of a result."""
    filled = standing.draft.filled.values() if standing.draft is not None else ()
    return any(is_received(Term(with_unit(each.value), each, 0)) for numbers in filled for each in numbers)


def _in_the_unit_of(standing: Standing, other: Quantity) -> Value | None:
    """The result for the period that another amount is told for; None when the two cannot be compared."""
    value = standing.value
    if value is None or MONEY not in value.unit:
        return None
    if other.per is None:
        is_near = bool(value.number > 0) and 1 / _NEAR < other.value / value.number < _NEAR
        return value if not value.periods or is_near else None
    name = next((name for name, each in PERIOD_NAMES.items() if each == other.per), "")
    entry = standing.entry if standing.name in IN_ALL_PERIODS and not standing.steps else None
    if entry is not None and name in entry.figures:
        return with_unit(entry.figures[name], **{MONEY: 1, other.per: -1})
    return in_period(value, other.per)
