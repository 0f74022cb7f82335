"""What a message has done with numbers and results of a conversation, when its words say plainly what: a
part of one, another period, less or more, another number, the total of two."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups import meaning
from finassist.domain.calculators.recognition.follow_ups.adjusted import scaled, telling
from finassist.domain.calculators.recognition.follow_ups.ledger import alternatives
from finassist.domain.calculators.recognition.follow_ups.operations import operated
from finassist.domain.calculators.recognition.follow_ups.relative import with_value
from finassist.domain.calculators.recognition.quantities import Kind, Quantity, without_quantities
from finassist.domain.calculators.recognition.reading import Reading, read
from finassist.domain.calculators.recognition.sums.values import MONEY, plain
from finassist.domain.calculators.recognition.sums.words import said
from finassist.domain.calculators.recognition.threads import words as say
from finassist.domain.calculators.recognition.threads.changing import again, for_period, only_percentage
from finassist.domain.calculators.recognition.threads.inputs import changed
from finassist.domain.calculators.recognition.threads.messages import period_step, portion
from finassist.domain.calculators.recognition.threads.outcomes import Outcome, are_of_two_things, outcome_of
from finassist.domain.calculators.recognition.threads.standing import (
    PERIOD_OF_FIGURE,
    Standing,
    Step,
    amount_told,
    standing_of,
)
from finassist.domain.calculators.recognition.threads.table import WITHOUT_TAX, Table, is_gross
from finassist.domain.calculators.recognition.views import (
    DIFFERENCE,
    figures_named,
    period_named,
    wants_table,
)
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/table"))

_HOW_MUCH: Final = said("how_much")
_TAX: Final = said("pay_tax")
_PART: Final = late_pattern(rf"^ ?(?:{_DATA['part_after']})(?!\w)")
_OF: Final = late_pattern(rf"^ ?(?:tax |of tax )?(?:{_DATA['of']}) (?P<whole>[^.,;?!]+)")
_TAKEN: Final = late_pattern(rf"^ ?(?:{_DATA['taken_after']})(?!\w)")
_TAKEN_BEFORE: Final = say.right_before(_DATA["taken_before"])
_RAISE: Final = late_pattern(rf"^ ?(?:pay )?(?:{_DATA['raised_after']})(?!\w)")
_AFTER: Final = late_pattern(rf"{say.LEADS}(?:{_DATA['after']})(?!\w)")
BEFORE_TAX: Final = say.anywhere(_DATA["before_tax"])
_TODAY: Final = late_pattern(
    rf"(?<!\w)(?:{_DATA['todays_money']}|{shipped('calculators/follow_ups')['inflation_told']})(?!\w)"
)
_OF_BEFORE: Final = late_pattern(rf"(?<!\w)(?:{_DATA['of_before']}) $")
_OUT_OF: Final = say.anywhere(_DATA["out_of"])
_RATE: Final = say.anywhere(_DATA["rate"])
_RAISED: Final = say.anywhere(_DATA["raised"])
_KEPT: Final = say.anywhere(_DATA["kept"])
_OF_OTHER: Final = late_pattern(rf"^\W*(?:{_DATA['share_of_other']})\W*$")
_OF_ALL: Final = say.anywhere(_DATA["of_all"])
_OF_ONE: Final = say.anywhere(_DATA["of_one"])
_ONLY: Final = say.anywhere(_DATA["only"])
_PAY_PERIOD: Final = say.anywhere(_DATA["pay_period"])
_BOTH: Final = say.anywhere(_DATA["both"])
_TOGETHER: Final = say.anywhere(_DATA["together"])
_ADDED_TO: Final = say.anywhere(_DATA["added_to"])
_IN_ALL: Final = say.anywhere(_DATA["in_all"])
_IN_PERCENT: Final = late_pattern(r"(?:%|\bpercent\b)")
_THEN: Final = say.anywhere(_DATA["then"])
_EVERY_MONTH: Final = late_pattern(r"\b(?:every|each) month\b")
_BY_HOUR: Final = late_pattern(r"\b(?:hour|hourly)\b")
_NEUTRAL: Final = frozenset(_DATA["neutral"].split())
_WORDS_MAX: Final = 24
_STRANGE_MAX: Final = 1
_HOURLY: Final = "hourly"
_PAY: Final = "pay_conversion"
_PARTS: Final = ("of%", "part")
_FACTORS: Final = {"+%": 1, "-%": -1}
_AND_LEFT: Final = late_pattern(_DATA["how_much_and_left"])
_HUNDRED: Final = 100
_SUM: Final = "arithmetic"
_DIFFERENCE: Final = "difference"
_OF_TOTALS: Final = "difference in total interest and in total"
_TAXED: Final = "sales_tax/on"
_NEAR: Final = 3
_PAIR: Final = 2


@dataclass(frozen=True, slots=True)
class PlainOperations:
    """A message and what stood when it came; ``found`` is the calculation that it asks for by itself."""

    reading: Reading
    table: Table
    found: Draft | None
    known: frozenset[str]
    is_last: bool = False
    is_further: bool = False

    def asked(self) -> Outcome | None:
        """What the message has done with a result; None for nothing, and when in doubt."""
        return next(filter(None, (way(self) for way in _WAYS)), None) if self._is_sum() else None

    def supposed(self) -> Outcome | None:
        """A calculation with another number; None when it is not plain of which."""
        return (self._of_result() or self._with_other_number()) if self._is_sum() else None

    def _is_sum(self) -> bool:
        """Whether the message may be about the numbers of the conversation."""
        reading = self.reading
        is_short = reading.quantities is not None and len(reading.text.split()) <= _WORDS_MAX
        return is_short and bool(self.table.ledger) and not any(map(reading.says, say.NO_SUMS))

    def _filled(self) -> Outcome | None:
        """Another calculation with the numbers that it lacks from those that stand: the rate of the same tax,
        the time until "then"."""
        found, last = self.found, next(self.table.drafts(), None)
        if found is None or last is None or not found.missing or not found.filled or found.unclear:
            return None
        standing = self.table.standing
        is_further = standing is not None and standing.draft is None  # than the numbers that stand
        if found.name == last.name or (is_further and self.reading.says(say.OF_THAT_ANYWHERE)):
            return None
        is_then = self.reading.says(_THEN)
        numbers = {}
        for name in found.missing:
            slot = found.form.slots.get(name)
            is_akin = found.calculator == last.calculator
            if slot is None or not (is_akin or (is_then and slot.kind == "term")):
                return None
            numbers[name] = self.table.number(name, slot.kind, is_any=is_then)
            if not numbers[name]:
                return None
        whole = found.with_numbers(numbers, "")
        return None if whole.missing else Outcome([], None, whole)

    def _of_both(self) -> Outcome | None:
        """Two results together: "and the tax for both together"."""
        reading = self.reading
        is_short = len(reading.text.split()) < _PAIR + 1
        is_of_both = reading.says(_BOTH) and (is_short or reading.says(_TOGETHER))
        pair = alternatives(self.table.ledger)[-_PAIR:]
        is_of_more = self.is_further and are_of_two_things(pair) and reading.says(_IN_ALL)
        if reading.quantities or not (is_of_both or (is_of_more and self._is_little())):
            return None
        names = [name for name in figures_named(reading.text) if all(name in each.figures for each in pair)]
        found = [standing_of(each, names[:1]) for each in pair]
        values = [each.value for each in found if each is not None and each.value is not None]
        if len(values) != _PAIR or values[0].unit != values[1].unit:
            return None
        return outcome_of(Standing(None, "", values[0] + values[1]))

    def _difference_in_all(self) -> Outcome | None:
        """The last difference of two results in what they come to in all: "and in total over the 6 years"."""
        reading, standing = self.reading, self.table.standing
        if standing is None or standing.name != _DIFFERENCE or not reading.says(_IN_ALL):
            return None
        if not all(map(self.table.is_told, reading.quantities or ())):
            return None
        calls = operated(self.table.ledger, read(_OF_TOTALS), meaning.DIFFERENCE, None)
        return Outcome(calls, None) if calls else None

    def _paid_by_hours(self) -> Outcome | None:
        """Pay that stands, for an hour: "whats that an hour, 37.5 hrs week"."""
        numbers, standing = self.reading.quantities or (), self.table.standing
        hours = [each for each in numbers if each.kind in (Kind.HOURS, Kind.HOURS_IN_ALL)]
        value = None if standing is None else standing.value
        if len(numbers) != 1 or len(hours) != 1 or value is None or len(value.periods) != 1:
            return None
        if MONEY not in value.unit or not self.reading.says(_BY_HOUR):
            return None
        amount = value.number.quantize(plain(1).number / _HUNDRED)
        kind = Kind.MONTHLY_AMOUNT if value.periods == ["month"] else Kind.PAY
        pay = Quantity(
            kind=kind, value=amount, before="", after="", written=f"{amount:,}", per=value.periods[0]
        )
        week = replace(hours[0], kind=Kind.HOURS)
        draft = Draft(_PAY, {"amount": (pay,), "hours_per_week": (week,)}, self.reading.text)
        return None if draft.missing else Outcome([], standing, draft, (_HOURLY,))

    def _before_tax(self) -> Outcome | None:
        """The price so much higher or lower before its tax: "he'd knock 500 off before vat"."""
        numbers, draft = self.reading.quantities or (), next(self.table.drafts(), None)
        if len(numbers) != 1 or draft is None or draft.name != _TAXED or not self.reading.says(BEFORE_TAX):
            return None
        [number], [price] = numbers, draft.filled["amount"]
        is_less, is_more = self.reading.says(say.TAKING), self.reading.says(say.ADDING)
        if is_less == is_more:
            return None
        share = price.value / _HUNDRED if number.kind is Kind.RATE else plain(1).number
        value = price.value + share * (number.value if is_more else -number.value)
        made = draft.with_numbers({"amount": (with_value(price, value),)}, self.reading.text)
        return Outcome([], None, made) if value > 0 else None

    def _of_result(self) -> Outcome | None:
        """A part of what stands, what is left of it, or the same for another period."""
        reading, numbers = self.reading, self.reading.quantities or ()
        if (
            reading.says(_TODAY)
            or reading.says(DIFFERENCE)
            or wants_table(say.PER_YEAR.sub(" ", reading.text))
        ):
            return None
        base = self.table.meant(reading)
        if base is None or base.value is None or MONEY not in base.value.unit:
            return outcome_of(self._of_amount())
        if not numbers:
            return self._without_numbers(base)
        numbers = [each for each in numbers if not self.table.is_told(each)]
        if len(numbers) != 1 or numbers[0].kind is not Kind.RATE or numbers[0].per is not None:
            return None
        drawn = self._drawn(base, numbers[0])
        if drawn is not None:
            return outcome_of(drawn)
        sign = "" if reading.says(_RATE) else self._sign(numbers[0])
        if sign == "+%" and self.table.named(telling(reading.text)) is None and not self.is_last:
            return None  # a number that it came from may be meant
        if sign == "of%" and reading.says(say.STATES) and not self._asks():
            return None
        if not sign or (self.found is not None and not self.found.missing):
            return None
        if sign in _FACTORS and (other := self._with_raised(sign, numbers[0])) is not None:
            return Outcome([], None, other)
        part = base.after(Step(sign, plain(numbers[0].value)))
        return self._part_and_left(base, part) or self._told(part)

    def _of_amount(self) -> Standing | None:
        """A part of the only amount that was told, where the result is no amount: "4% of it" after how long
        a pot lasts."""
        numbers, draft = self.reading.quantities or (), next(self.table.drafts(), None)
        filled = () if draft is None else [each for slot in draft.filled.values() for each in slot]
        amounts = [each for each in filled if each.kind is Kind.AMOUNT and each.per is None]
        is_part = len(numbers) == 1 and numbers[0].kind is Kind.RATE and say.OF_THAT.match(numbers[0].after)
        if not is_part or len(amounts) != 1:
            return None
        base, [percentage] = Standing(None, "", amount_told(amounts[0])), numbers
        return self._drawn(base, percentage) or base.after(Step("of%", plain(percentage.value)))

    def _asks(self) -> bool:
        """Whether a statement asks for a part of the result: it says how much, or who pays it."""
        return any(map(self.reading.says, (_HOW_MUCH, say.SHARED, _ONLY)))

    def _drawn(self, base: Standing, percentage: Quantity) -> Standing | None:
        """What is taken out of an amount every year: "at 4% what do i get a year out of it"."""
        named = PERIOD_OF_FIGURE.get(period_named(self.reading.text), "")
        is_drawn = self.reading.says(_OUT_OF) or say.OF_THAT.match(percentage.after)
        if base.value is None or base.value.periods or not named or not is_drawn:
            return None
        yearly = base.after(Step("part", plain(percentage.value) / plain(_HUNDRED), "year"))
        return yearly if yearly is None or named == "year" else yearly.after(Step("in", plain(1), named))

    def _with_raised(self, sign: str, percentage: Quantity) -> Draft | None:
        """The last calculation with the amount so much higher or lower that the message names: "10% off the
        net"."""
        row = self.table.named(telling(self.reading.text))
        standing = self.table.standing
        if row is None or row.draft.calculator == _SUM or standing is None or standing.draft is not row.draft:
            return None
        value = row.number.value * (100 + _FACTORS[sign] * percentage.value) / 100
        filled = row.draft.filled[row.slot]
        numbers = tuple(with_value(each, value) if each is row.number else each for each in filled)
        return row.draft.with_numbers({row.slot: numbers}, self.reading.text) if value > 0 else None

    def _part_and_left(self, base: Standing, part: Standing | None) -> Outcome | None:
        """A part of a result and what it leaves of the last one: "how much and what's left in hand"."""
        standing = self.table.standing
        if part is None or standing is None or not self.reading.says(_AND_LEFT):
            return None
        taken = replace(part, steps=(*part.steps[:-1], replace(part.steps[-1], sign="of%")))
        value, own = taken.value, self._told(taken)
        left = None if value is None else outcome_of(standing.after(Step("-", value)))
        if own is None or left is None:
            return None
        return Outcome([*own.calls, *left.calls], own.standing)

    def _sign(self, percentage: Quantity) -> str:
        """What is done with a percentage of the result; empty when no word beside it says so."""
        reading = self.reading
        if _TAKEN.match(percentage.after):
            return "-%"
        is_part = _PART.match(percentage.after) or _OF_BEFORE.search(percentage.before)
        if is_part or self._is_of_what_stands(percentage):
            if reading.says(_AFTER):
                return "-%"
            return "-%" if reading.says(_KEPT) and not say.EACH.search(reading.text) else "of%"
        is_taken = _TAKEN_BEFORE.search(percentage.before) is not None
        if is_taken or (reading.says(_KEPT) and reading.says(_TAX)):
            return "-%"
        is_raised = _RAISE.match(percentage.after) or reading.says(_RAISED)
        return "+%" if is_raised else ""

    def _is_of_what_stands(self, percentage: Quantity) -> bool:
        """Whether a percentage is said to be of something that the conversation knows."""
        of = _OF.match(percentage.after)
        words = [] if of is None else of["whole"].split()[:_NEAR]
        named = {word for row in self.table.rows() for word in row.words} | self.table.own_words()
        is_named = bool(named & set(words)) or bool(figures_named(" ".join(words)))
        is_said = say.REFERRING.search(" ".join(words[:1])) is not None
        return bool(words) and (is_named or is_said or is_gross(" ".join(words)))

    def _without_numbers(self, base: Standing) -> Outcome | None:
        reading, standing = self.reading, self.table.standing
        if standing is not None and reading.says(_OF_OTHER):
            return self._told(standing.rest())
        is_named = reading.says(WITHOUT_TAX) or reading.says(say.HOW_MUCH_OF)
        if base is not standing and is_named and self._is_little():
            return self._of_figure(base)
        is_part = standing is not None and standing.steps and standing.steps[-1].sign in _PARTS
        if standing is not None and is_part and reading.says(_OF_ALL):
            return self._told(replace(standing, steps=standing.steps[:-1]))
        if standing is not None and reading.says(_KEPT) and standing.rest() is not None and self._is_little():
            return self._told(standing.rest())
        if standing is not None and reading.says(_IN_PERCENT) and self._is_little():
            return only_percentage(standing)
        part = portion(reading.text)
        if part is not None and reading.says(_ADDED_TO) and reading.says(_IN_ALL):
            whole = plain(1) + part.operand
            return self._told(base.after(Step("*", whole)))
        if part is not None:
            is_told = reading.says(say.STATES) and not reading.says(_ONLY)
            is_meant = reading.says(_OF_ONE) and not is_told and self._is_little()
            return self._told(base.after(part)) if is_meant else None
        return self._regular(base)

    def _of_figure(self, base: Standing) -> Outcome | None:
        """A figure of the last calculation, for the period that the message asks for if it does."""
        draft, value = base.draft, base.value
        if draft is None or value is None or base.steps:
            return None
        if self._period(base) is None and not self.reading.says(_EVERY_MONTH):
            return Outcome([], base, draft, (base.figure,))
        return self._regular(base)

    def _regular(self, base: Standing) -> Outcome | None:
        """A result for a period, which is for a month when the message tells that it comes every month."""
        value = base.value
        if value is not None and not value.periods and self.reading.says(_EVERY_MONTH):
            base = replace(base, start=base.start.for_each("month"))
        return self._told(base) if self._period(base) is not None and self._is_little() else None

    def _is_little(self) -> bool:
        """Whether the message has hardly a word that is neither said before nor about calculating."""
        text = without_quantities(self.reading.text)
        strange = [word for word in say.strange_words(text, self.known) if word not in _NEUTRAL]
        return len(strange) <= _STRANGE_MAX

    def _period(self, standing: Standing | None) -> Step | None:
        """The period that the message asks for; a pay period is the one that stands."""
        value = None if standing is None else standing.value
        if value is None:
            return None
        step = period_step(self.reading.text, value)
        if step is None and self.reading.says(_PAY_PERIOD) and len(value.periods) == 1:
            periods = [each.period for each in (standing.steps if standing else ()) if each.sign == "in"]
            return Step("in", plain(1), periods[-1]) if periods else None
        return step

    def _told(self, standing: Standing | None) -> Outcome | None:
        """A result, for the period that the message asks for if it does."""
        period = self._period(standing)
        if standing is None or period is None:
            return outcome_of(standing)
        if not standing.steps:
            return for_period(standing, period)
        return outcome_of(standing.after(period))

    def _with_other_number(self) -> Outcome | None:
        """A calculation that stands with another number, and what was done with its result since."""
        is_own = self.found is not None and not self.found.missing
        if is_own or self.reading.says(DIFFERENCE) or wants_table(say.PER_YEAR.sub(" ", self.reading.text)):
            return None
        told = list(self.table.numbers())
        for draft in self.table.drafts():
            other = changed(draft, self.reading, told)
            if other is not None and portion(self.reading.text) is not None:
                other = scaled(other, replace(self.reading, quantities=()))
            if other is not None:
                standing = self.table.standing
                is_stepped = standing is not None and any(step.sign != "in" for step in standing.steps)
                if standing is not None and standing.draft is draft and is_stepped:
                    return again(other, standing) or Outcome([], None, other)
                return Outcome([], None, other)
        return None


_WAYS: Final[Sequence[Callable[[PlainOperations], Outcome | None]]] = (
    PlainOperations._of_both,
    PlainOperations._difference_in_all,
    PlainOperations._filled,
    PlainOperations._paid_by_hours,
    PlainOperations._before_tax,
    PlainOperations._of_result,
)
"""What a message may have done with what stands, the surest first."""
