"""The calculations of a conversation, as its messages are read one after the other."""

from dataclasses import dataclass, field, replace
from typing import Final

from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.adjusted import telling
from finassist.domain.calculators.recognition.follow_ups.chains import Continued, with_same
from finassist.domain.calculators.recognition.follow_ups.changes import (
    gone_on,
    inflation_told,
    is_new,
    is_of_prices,
)
from finassist.domain.calculators.recognition.follow_ups.correcting import (
    corrected,
    is_lost,
    is_of_another,
)
from finassist.domain.calculators.recognition.follow_ups.gathering import (
    asks_for_figure,
    changes_subject,
    is_excepted,
    is_not_found,
)
from finassist.domain.calculators.recognition.follow_ups.ledger import (
    Entry,
    compares_known,
    entries_of,
    named_by,
)
from finassist.domain.calculators.recognition.follow_ups.linking import is_taken_off, names_place
from finassist.domain.calculators.recognition.follow_ups.meaning import FIGURE, LEFT
from finassist.domain.calculators.recognition.follow_ups.operations import operated
from finassist.domain.calculators.recognition.follow_ups.recalled import TAXED
from finassist.domain.calculators.recognition.follow_ups.requests import (
    likeness_least,
    paid_by_another,
    placed,
    request_of,
)
from finassist.domain.calculators.recognition.follow_ups.shared import shared_again
from finassist.domain.calculators.recognition.follow_ups.switching import other_of_same
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.sums.values import Value
from finassist.domain.calculators.recognition.threads.changing import again
from finassist.domain.calculators.recognition.threads.choosing import Choice, choice_of
from finassist.domain.calculators.recognition.threads.comparing import brings_nothing_in, compared_again
from finassist.domain.calculators.recognition.threads.going_back import BACK, SUPPOSES, gone_back
from finassist.domain.calculators.recognition.threads.offered import claim_checked
from finassist.domain.calculators.recognition.threads.outcomes import Outcome
from finassist.domain.calculators.recognition.threads.plain_operations import BEFORE_TAX, PlainOperations
from finassist.domain.calculators.recognition.threads.results import (
    TIME_SAVED,
    asks_time_saved,
    entry_asked,
    in_same_period,
    lacks_figure,
    left_of_income,
    names_figure,
    of_steps,
    result_meant,
    share_of_income,
    standing_after,
)
from finassist.domain.calculators.recognition.threads.retold import is_forgotten
from finassist.domain.calculators.recognition.threads.set_aside import prepared, taken_up
from finassist.domain.calculators.recognition.threads.standing import Standing, standing_of
from finassist.domain.calculators.recognition.threads.swaps import named_elsewhere
from finassist.domain.calculators.recognition.threads.table import Table
from finassist.domain.calculators.recognition.threads.thread import Thread
from finassist.domain.calculators.recognition.threads.words import FURTHER, HINT, OPERATION
from finassist.domain.calculators.recognition.views import DIFFERENCE
from finassist.domain.retrieval.questions import only_thanks

_SUM: Final = "arithmetic"
_DIFFERENCE: Final = "difference"
_REMEMBERED: Final = 2
"""A calculation is gone on with after so many messages that ask for none."""
_LEFT_MAX: Final = 3
"""A calculation that was left is taken up again after so many messages at most."""


@dataclass(slots=True)
class Conversation:
    """``state`` is the calculation that a message may change, ``whole`` the last one that lacked nothing,
    ``since`` the place of the last message that asked for one, ``thanks`` how many have only thanked since,
    ``ledger`` what all have come to, ``left`` the calculation that another subject followed, ``counted`` the
    places of the messages that asked for one, ``thread`` the last result and what was done with it,
    ``choice`` a number whose place was asked for. ``is_lost``: only a correction takes up ``left``, and
    ``set_aside`` is what all had come to by then."""

    state: Continued | None = None
    whole: Continued | None = None
    since: int = 0
    thanks: int = 0
    ledger: list[Entry] = field(default_factory=list)
    left: Continued | None = None
    counted: set[int] = field(default_factory=set)
    thread: Thread = field(default_factory=Thread)
    choice: Choice | None = None
    is_lost: bool = False
    set_aside: list[Entry] = field(default_factory=list)

    def chosen(self, reading: Reading) -> Continued | None:
        """The calculation with the number of the message before in the place that was asked for."""
        draft = None if self.choice is None else self.choice.answered(reading)
        return None if draft is None or self.state is None else self.state.with_changed(draft)

    def changes_nothing(self, reading: Reading) -> bool:
        """Whether a message tells what the last result knows nothing of, or what was left out of it."""
        is_whole = self.state is not None and not self.state.draft.missing
        is_more = is_whole and is_forgotten(reading)
        is_spent = brings_nothing_in(reading, self.thread.standing)
        return is_more or is_spent or is_excepted(reading) or is_of_prices(self.state, reading)

    def open(self, reading: Reading) -> Continued | None:
        """The last calculation with the question in the place of which number a new one is meant."""
        if self.state is None or self.state.is_chained:
            return None
        self.choice = choice_of(self.state.draft, reading)
        return None if self.choice is None else replace(self.state, choice=self.choice.question)

    def asked(self, place: int, reading: Reading, found: Draft | None, meaning: str) -> Continued | None:
        """What the message at a place asks to be calculated; ``found`` is what it asks for by itself."""
        silent = place - self.since - self.thanks - len(self.thread.told)
        is_idle = silent > 1 and not reading.quantities and not reading.says(BACK)
        is_idle = is_idle and not (meaning == FIGURE and names_figure(self.ledger, reading))
        state = None if is_idle else self.state
        filled = None if is_idle else self.thread.filling(reading, found)
        if filled is not None:
            return Continued(filled)
        if state is None:
            told = self._threaded(self.thread.told_compared(reading))
            own = told or self._taken_up(place, reading, found) or gone_on(None, reading, found)
        elif state.draft.missing and not state.is_chained and reading.quantities and reading.says(OPERATION):
            return None  # no answer to what was asked for
        elif (right := corrected(state.draft, reading)) is not None:
            return state.with_changed(right)
        elif is_new(reading, found) and not compares_known(self.ledger, reading):
            return self._changed(state, reading, found, meaning)
        elif (other := named_elsewhere(state.draft, self.ledger, reading)) is not None:
            own = gone_on(Continued(other, before=state.draft), reading, found, meaning)
        else:
            own = self._threaded(self.thread.asked(reading)) if self.thread.is_plain else None
            is_doubtful = self.thread.is_plain and self.thread.is_doubtful(reading)
            own = own or (None if is_doubtful else self._changed(state, reading, found, meaning))
        if own is not None and own.is_chained and silent > 1:
            own = None  # the message between may be what it refers to
        if is_idle or (own is not None and (own.operation or own.is_chained or not own.draft.missing)):
            return own
        threaded = self._threaded(self.thread.asked(reading)) or self._threaded(self.thread.compared(reading))
        return threaded or (None if self._is_unclear(reading) else own)

    def picked(self, reading: Reading) -> Reading:
        """The rest of a message that first names an earlier calculation, which is gone back to."""
        last, reading = self.whole, prepared(reading, self.whole, self.left)
        found = None if last is None or last.is_chained else gone_back(last.draft, self.ledger, reading)
        if last is None or found is None or found[0].draft is None:
            return reading
        entry, rest = found
        if entry.draft is not None and entry.draft is not last.draft:
            self.state = self.whole = Continued(entry.draft, before=last.draft)
            self.ledger += filter(None, [entry])
            self.thread.tell(reading, standing_of(entry), is_asked=True)
        return rest

    def in_same_period(self, asked: Continued | None, reading: Reading) -> Continued | None:
        """What a message asks for, for the period of the result before it when it asks for no other."""
        return None if asked is None else in_same_period(asked, reading, self.thread.standing)

    def asked_with(self, reading: Reading) -> Continued | None:
        """Another calculation of the same numbers that a message asks for, or with one more in its story."""
        draft = self.state.draft if self.state else None
        if self.state is not None and self.state.is_chained and self.ledger:
            draft = self.ledger[-1].draft or draft  # with the figure that it takes
        self._point_at(reading)
        if draft and (of_shared := shared_again(draft, self.ledger, reading)):
            return of_shared
        claimed = claim_checked(draft, reading) if draft else None
        if draft and (calls := [claimed] if claimed else compared_again(self.ledger, reading)):
            return Continued(draft, operation=calls)
        other = other_of_same(draft, reading, is_stepped=self.thread.is_stepped) if draft else None
        return None if other is None else Continued(other, before=draft)

    def _point_at(self, reading: Reading) -> None:
        """Go on from the one of two results that a message names, or compare with it."""
        one = Table(self.ledger, self.thread.standing).one(reading)
        if one is not None and not reading.says(DIFFERENCE):
            self.thread.standing = one
        elif one is not None and self.thread.standing is not None and one.start != self.thread.standing.start:
            self.thread.before = one

    def request(self, reading: Reading) -> Reading | None:
        """What of a message may change the last calculation; None when nothing may."""
        draft = None if self.state is None else self.state.draft
        if draft is None or draft.missing or draft.calculator == _SUM or not reading.quantities:
            return None
        if inflation_told(draft, reading) is not None or reading.says(BEFORE_TAX):
            return None
        return request_of(reading, [each for filled in draft.filled.values() for each in filled])

    def placed(
        self,
        reading: Reading,
        request: Reading,
        found: Draft | None,
        likeness: float | None,
        *,
        is_last: bool,
    ) -> Continued | None:
        """The last calculation with the numbers that a message places; ``likeness`` is how much its request
        is like a change, None in a language of which no vector tells. Numbers of plain sums have hardly a
        name: unless one is named all else comes before."""
        if self.state is None:
            return None
        covered = paid_by_another(self.state.draft, request)
        if covered is not None:
            return Continued(covered, before=self.state.draft, is_changed=True)
        is_like = (
            reading.says(HINT) if likeness is None else likeness > likeness_least(self.state.draft, request)
        )
        if not is_like or corrected(self.state.draft, reading) is not None:
            return None
        if is_of_another(self.state.draft, reading, self.ledger):
            return None
        draft = placed(self.state.draft, reading, request, found)
        if draft is None:
            return None
        standing, is_step = self.thread.standing, self.thread.is_plain or self.thread.is_stepped
        if standing is not None and is_step and standing.name != _DIFFERENCE:
            is_named = is_last or names_place(self.state.draft, request)
            return self._threaded(again(draft, standing)) if is_named else None
        if self.state.is_chained:
            return replace(self.state, draft=draft)
        return self.state.with_changed(draft)

    def repeats(self, asked: Continued | None, reading: Reading) -> bool:
        """Whether nothing was found but the last calculation, for a message that asks how results differ."""
        if asked is None or self.whole is None or reading.quantities or not reading.says(DIFFERENCE):
            return False
        is_more = asked.operation or asked.wanted or asked.is_compared or asked.is_chained or asked.choice
        return not is_more and asked.draft.filled == self.whole.draft.filled

    def _is_unclear(self, reading: Reading) -> bool:
        """Whether a message has something done with a result, and nothing tells with which."""
        return bool(self.ledger and reading.quantities) and reading.says(OPERATION)

    def _is_lost(self, reading: Reading) -> bool:
        """Whether a message tells another number of the last calculation, and it was not understood which."""
        draft = self.whole.draft if self.whole else None
        return is_lost(draft, reading, is_plain=self.thread.is_plain)

    def result(self, reading: Reading) -> Value | None:
        """What the thread has come to, or the figure of it that a message has taxed by its name."""
        return result_meant(self.thread.standing, self.ledger, reading)

    def goes_further(self, reading: Reading) -> bool:
        """Whether a message takes the result further, and changes no number that it came from."""
        numbers = reading.quantities or ()
        is_open = self.state is not None and not self.state.draft.missing
        is_difference = self.thread.standing is not None and self.thread.standing.name == _DIFFERENCE
        is_further = self.thread.is_plain or is_difference or reading.says(FURTHER) or reading.says(TAXED)
        return is_open and len(numbers) > 1 and is_further

    def on_table(self, reading: Reading, found: Draft | None, *, is_last: bool = False) -> Continued | None:
        """What a message plainly has done with the numbers and results of the conversation."""
        if self.state is None or corrected(self.state.draft, reading) is not None:
            return None
        if not is_last and is_taken_off(self.state.draft, reading):
            return self._threaded(self.thread.asked(reading))
        table = Table(self.ledger, self.thread.standing)
        plain = PlainOperations(
            reading, table, found, frozenset(self.thread.known), is_last, self.thread.is_further
        )
        outcome = plain.supposed() if is_last else plain.asked()
        if outcome is not None and outcome.draft is not None:
            outcome = replace(outcome, draft=with_same(self.state.draft, outcome.draft, reading))
        return self._threaded(outcome)

    def on_told(self, reading: Reading) -> Continued | None:
        """What a message has done with the only amount that was told."""
        return self._threaded(self.thread.asked_of_told(reading))

    def _threaded(self, outcome: Outcome | None) -> Continued | None:
        if outcome is None:
            return None
        before = None if self.state is None else self.state.draft
        if outcome.draft is not None:
            return Continued(
                outcome.draft,
                before=before,
                wanted=outcome.wanted,
                standing=outcome.standing,
                is_changed=outcome.draft is not before,
            )
        draft = before or Draft(_SUM, {"numbers": ()}, "")
        return Continued(draft, operation=outcome.calls, wanted=outcome.wanted, standing=outcome.standing)

    def _changed(
        self, state: Continued, reading: Reading, found: Draft | None, meaning: str
    ) -> Continued | None:
        """What a message makes of the results so far, or of the numbers of the last calculation."""
        if is_of_another(state.draft, reading, self.ledger):
            return None
        if asks_time_saved(self.ledger, state.draft, reading):
            return Continued(state.draft, wanted=(TIME_SAVED,))
        share = share_of_income(self.ledger[-1], reading) if self.ledger else None
        if share is not None:
            return share
        operation = operated(self.ledger, reading, meaning, found)
        if operation:
            return Continued(state.draft, operation=operation)
        asked = gone_on(self._meant(state, reading), reading, found, meaning)
        is_inflated = asked is not None and asked.inflation != state.inflation and self.thread.is_stepped
        is_inflated = is_inflated and not telling(reading.text) & telling(state.draft.said)
        asked = None if asked and (is_inflated or lacks_figure(asked, reading)) else asked
        if asked is None and meaning == LEFT and not reading.quantities:
            return left_of_income(self.ledger[-1], reading)
        is_linked = asked is not None and asked.is_chained and not state.is_chained
        is_of_steps = self.thread.is_stepped and not self.thread.is_of_own_step
        return of_steps(asked, self.thread.standing) if asked and is_linked and is_of_steps else asked

    def settle(self, place: int, reading: Reading, asked: Continued | None) -> None:
        """Remember what a message asked for; one about something else ends a calculation."""
        if asked is not None and asked.choice:
            return
        self.choice = None
        self._remember(place, reading, asked)
        if asked is None and only_thanks(reading.text):
            self.thanks += 1
            return
        if asked is None and (self._is_unclear(reading) or is_not_found(reading) or self._is_lost(reading)):
            self.left, self.is_lost = self.whole or self.left, True
            self.state, self.whole, self.since, self.set_aside = None, None, place + 1, []  # all is unclear
            self.counted |= set(range(place + 1))
            self.thread = Thread(known=self.thread.known)
            return
        if asked is None:
            if place - self.since > _REMEMBERED or changes_subject(reading):
                self.left = self.whole or (self.left if place - self.since <= _LEFT_MAX else None)
                self.is_lost = False
                self.state, self.whole, self.since = None, None, place
                self.set_aside, self.ledger = self.ledger or self.set_aside, []
            return
        self.thanks, self.is_lost = 0, False
        self.counted.add(place)
        if asked.operation:
            self.since = place
            made = None if asked.standing is None else asked.standing.entry
            self.ledger += entries_of(asked.operation[: None if asked.standing else 1], made)
            self._go_on_from(asked.standing)
            return
        kept = replace(
            asked, wanted=(), standing=None, is_changed=False, period=asked.period if asked.is_chained else ""
        )
        self.state = kept if asked.draft.filled or self.whole is None else self.whole
        if not asked.draft.missing or asked.is_chained:
            self.whole, self.since = kept, place
            self.ledger += filter(None, [entry_asked(asked)])

    def _go_on_from(self, standing: Standing | None) -> None:
        """Let later messages change the numbers that an operation was made with."""
        draft = None if standing is None else standing.draft
        if draft is None or self.state is None or self.state.is_chained or draft is self.state.draft:
            return
        if draft.name == self.state.draft.name:
            self.state = self.whole = self.state.with_changed(draft)

    def _remember(self, place: int, reading: Reading, asked: Continued | None) -> None:
        """Where the thread stands after a message."""
        if asked is None or (asked.draft.missing and not asked.operation and not asked.is_chained):
            is_over = asked is not None or place - self.since > _REMEMBERED or changes_subject(reading)
            if is_over or asks_for_figure(reading) or (reading.quantities and reading.says(SUPPOSES)):
                self.thread.standing = None
            self.thread.tell(reading, None, is_asked=False)
            return
        standing = asked.standing or standing_after(asked, reading)
        self.thread.tell(reading, standing, is_asked=True)

    def _taken_up(self, place: int, reading: Reading, found: Draft | None) -> Continued | None:
        """The calculation that was left, with the numbers of a message that supposes others in it."""
        if self.left is None or place - self.since > _LEFT_MAX:
            return None
        resumed = taken_up(self.left, reading, found, is_lost=self.is_lost)
        if resumed is not None:
            self.ledger, self.set_aside = [*self.set_aside, *self.ledger], []
        return resumed

    def _meant(self, state: Continued, reading: Reading) -> Continued:
        """The calculation that a message goes on from: the last one, unless it names another."""
        if reading.says(BACK) and not reading.quantities and state.before is not None and not state.slot:
            return Continued(state.before)
        named = named_by(reading, self.ledger, as_one=not reading.says(BACK))
        if named is None or named.draft is None or named.draft is state.draft or state.draft.missing:
            return state
        return Continued(named.draft, before=state.draft)
