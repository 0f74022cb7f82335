"""The result that a conversation has come to and what was told since, for a later message to go on from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.quantities import Kind, Quantity, without_quantities
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.sums.links import read_terms
from finassist.domain.calculators.recognition.sums.values import MONEY, plain
from finassist.domain.calculators.recognition.threads import words as say
from finassist.domain.calculators.recognition.threads.changing import (
    is_explicit,
    so_many,
    step_with_other,
    stepped,
    the_rest,
    with_other_number,
    without_number,
)
from finassist.domain.calculators.recognition.threads.comparing import (
    change,
    compared_with,
    flat_share,
    how_long,
    left_of_income,
    paid_back,
    share_of_change,
    taken_from,
)
from finassist.domain.calculators.recognition.threads.messages import (
    implied_step,
    named_beside,
    period_step,
    portion,
)
from finassist.domain.calculators.recognition.threads.outcomes import (
    MONEY_KINDS,
    Outcome,
    is_of_sum,
    is_own_step,
)
from finassist.domain.calculators.recognition.threads.standing import (
    Standing,
    Step,
    in_cents,
    told_standing,
)
from finassist.domain.calculators.recognition.views import DIFFERENCE, wants_table
from finassist.domain.retrieval.words import words_of

_WORDS_MAX: Final = 16
_STRANGE_MAX: Final = 1
_LABELLED_MAX: Final = 4
_SHARES_MAX: Final = 3
"""How many strange words there may be: in all, with those beside a number, and of those who share."""
_NUMBERS_MAX: Final = 3
_CHANGES: Final = (say.RISING, say.FALLING)
_PUT_AWAY: Final = ("part", "of%")
_REACHED: Final = "savings_goal/time"
_MONTHLY_SLOTS: Final = ("monthly", "monthly_only")
_WAYS: Final[Sequence[Callable[[Reading, Standing], Outcome | None]]] = (
    taken_from,
    left_of_income,
    how_long,
    paid_back,
    the_rest,
    step_with_other,
    stepped,
    with_other_number,
    so_many,
    without_number,
)
"""What a message may have done with a result, the surest first."""


@dataclass(slots=True)
class Thread:
    """The result that a conversation has come to, the one ``before`` it, and what was ``told`` since;
    ``known`` are all words said, and ``is_further`` says that the last result is of another thing that is
    the same: "the shoes are 84, same discount"."""

    standing: Standing | None = None
    before: Standing | None = None
    told: list[Reading] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    is_further: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether the result is one of plain sums, which have no roles for numbers, or was told."""
        standing = self.standing
        if standing is None:
            return bool(self.told)
        return is_of_sum(standing) or any(step.sign != "in" for step in standing.steps)

    @property
    def is_stepped(self) -> bool:
        """Whether anything was done with the result."""
        return self.standing is not None and bool(self.standing.steps)

    @property
    def is_of_own_step(self) -> bool:
        """Whether nothing was done with the result but what its calculation is."""
        return self.standing is not None and is_own_step(self.standing)

    def asked(self, reading: Reading) -> Outcome | None:
        """What a message has done with the result; None for nothing, and when in doubt."""
        if self.standing is None:
            return None
        return flat_share(reading, self.standing) or self._done_with(self.standing, reading)

    def asked_of_told(self, reading: Reading) -> Outcome | None:
        """What a message has done with the only amount that the last one told."""
        standing = None if self.standing is not None else self._amount_told(reading)
        return None if standing is None else self._done_with(standing, reading)

    def compared(self, reading: Reading) -> Outcome | None:
        """The result against an amount that was told since, or is told now; None when none was."""
        standing, numbers = self.standing, reading.quantities
        if standing is None or numbers is None or not self._goes_on(reading):
            return None
        if not reading.says(DIFFERENCE) or any(each.kind not in MONEY_KINDS for each in numbers):
            return None
        others = numbers or next((each.quantities for each in reversed(self.told) if each.quantities), ())
        if len(others) != 1 or others[0].kind not in MONEY_KINDS:
            return None
        return compared_with(standing.unspread(), others[0])

    def told_compared(self, reading: Reading) -> Outcome | None:
        """The only amount that was told against the one that a message supposes: "if i get it down to 850,
        what do we save"."""
        told = [
            each
            for before in self.told
            for each in before.quantities or ()
            if each.kind in MONEY_KINDS and each.per
        ]
        numbers = reading.quantities or ()
        if self.standing is not None or len(told) != 1 or len(numbers) != 1 or not reading.says(DIFFERENCE):
            return None
        is_near = numbers[0].kind in MONEY_KINDS and numbers[0].per in (None, told[0].per)
        return (
            compared_with(told_standing(told[0]), numbers[0]) if is_near and self._goes_on(reading) else None
        )

    def filling(self, reading: Reading, found: Draft | None) -> Draft | None:
        """A calculation that lacks an amount, which is a part of the result ("half of it in a sip at 12%") or
        what was put away of it every month ("so how long till i have 2000")."""
        standing = self.standing
        if standing is None or found is None or len(found.missing) != 1 or found.unclear:
            return None
        part = portion(without_quantities(reading.text)) if reading.says(say.REFERRING) else None
        if part is None and not self._is_saved_monthly(reading, found):
            return None
        slot = found.form.slots.get(found.missing[0])
        after = standing if part is None else standing.after(part)
        if after is not None and slot is not None and slot.kind in _MONTHLY_SLOTS:
            after = after.after(Step("in", plain(1), "month"))
        value = None if after is None else after.value
        if slot is None or value is None or MONEY not in value.unit or value.number <= 0:
            return None
        amount = in_cents(value.number)
        kind = Kind.MONTHLY_AMOUNT if value.periods == ["month"] else Kind.AMOUNT
        number = Quantity(kind=kind, value=amount, before="", after="", written=f"{amount:,}")
        fits = slot.favour(number, is_first=True, is_last=True) is not None
        return found.with_numbers({slot.name: (number,)}, "") if fits else None

    def _is_saved_monthly(self, reading: Reading, found: Draft) -> bool:
        """Whether a message asks how long what the last step put away of a month takes to reach an amount."""
        standing = self.standing
        slot = found.form.slots.get(found.missing[0])
        if standing is None or standing.value is None or slot is None or slot.kind not in _MONTHLY_SLOTS:
            return False
        is_put_away = bool(standing.steps) and standing.steps[-1].sign in _PUT_AWAY and not self.told
        is_asked = found.name == _REACHED and reading.says(say.TIME_ASKED)
        return is_put_away and is_asked and standing.value.periods == ["month"]

    def is_doubtful(self, reading: Reading) -> bool:
        """Whether a message asks for a difference of which steps leave open what it is between."""
        if reading.quantities or not reading.says(DIFFERENCE) or self.standing is None:
            return False
        return bool(self.standing.steps) and not is_own_step(self.standing)

    def tell(self, reading: Reading, standing: Standing | None, *, is_asked: bool) -> None:
        """Remember a message: the result that it came to, or what it told."""
        self.known |= set(words_of(reading.text))
        if is_asked:
            self.is_further = reading.says(say.SAME) and not reading.says(say.SUPPOSED)
            self.before, self.standing = self.standing, standing
            self.told.clear()
        elif reading.quantities and not reading.says(say.SUPPOSED):
            self.told.append(reading)

    def _done_with(self, standing: Standing, reading: Reading) -> Outcome | None:
        if reading.quantities is None or len(reading.quantities) > _NUMBERS_MAX or not self._goes_on(reading):
            return None
        if wants_table(say.PER_YEAR.sub(" ", reading.text)) and not reading.says(say.OVER_PERIOD):
            return None
        changed = self._changed(reading, standing)
        return changed or next(filter(None, (way(reading, standing) for way in _WAYS)), None)

    def _changed(self, reading: Reading, standing: Standing) -> Outcome | None:
        """How much the last step, or another number in the sum, has changed the result."""
        if reading.quantities or self.told or not reading.says(DIFFERENCE):
            return None
        if standing.steps and standing.steps[-1].sign in ("+%", "-%") and not reading.says(say.IN_ALL):
            return share_of_change(reading, standing)
        before = self.before
        period = None if standing.value is None else period_step(reading.text, standing.value)
        is_yearly = before is not None and before.value is not None and before.value.periods == ["year"]
        if before is not None and is_yearly and period is not None:
            before, standing = before.after(period), standing.after(period) or standing
        return None if before is None else change(before, standing)

    def _amount_told(self, reading: Reading) -> Standing | None:
        """The only amount that the last message told, for one that says what is done with it."""
        told = (self.told[-1].quantities or ()) if self.told else ()
        is_plain = len(told) == 1 and not (told[0].kind is Kind.SMALL and self.told[-1].says(say.HINT))
        terms = read_terms(told) if is_plain else None
        if not terms or not terms[0].is_money or say.OF_THAT.match(told[0].after):
            return None
        standing, numbers = told_standing(told[0]), reading.quantities or ()
        is_counted = bool(numbers) and implied_step(numbers[0], standing) is not None
        is_meant = reading.says(say.REFERRING) or is_explicit(reading) or any(map(reading.says, _CHANGES))
        return standing if is_meant or is_counted else None

    def _goes_on(self, reading: Reading) -> bool:
        """Whether a message says little more than what is done with a result."""
        if len(reading.text.split()) > _WORDS_MAX or any(map(reading.says, say.NO_SUMS)):
            return False
        if not self.is_plain and reading.says(say.STATES):
            return False
        strange = say.strange_words(without_quantities(reading.text), self.known)
        beside = set(named_beside(reading))
        others = [word for word in strange if word not in beside]
        is_part = reading.says(say.SHARED) or portion(reading.text) is not None
        most = _SHARES_MAX if is_part and reading.says(say.REFERRING) else _STRANGE_MAX
        return len(others) <= most and len(strange) <= _LABELLED_MAX
