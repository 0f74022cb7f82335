"""The calculations of a conversation, as its messages are read one after the other."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.arguments import recognised
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.chains import Continued
from finassist.domain.calculators.recognition.follow_ups.changes import gone_on, names_place
from finassist.domain.calculators.recognition.follow_ups.gathering import asks, asks_for_figure
from finassist.domain.calculators.recognition.follow_ups.ledger import (
    ONCE,
    Entry,
    entry_of,
    named_by,
)
from finassist.domain.calculators.recognition.follow_ups.meaning import LEFT
from finassist.domain.calculators.recognition.follow_ups.operations import operated
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.views import (
    DIFFERENCE,
    figure_for,
    figures_wanted,
    wants_table,
)
from finassist.domain.retrieval.questions import leans_on_earlier, only_thanks

_DATA: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))
_ORDERS: Final = re.compile(rf"^\W*(?:{_DATA['orders']})\b")
_GOES_ON: Final = re.compile(rf"^\W*(?:so|and|but|then|or)\b|\b(?:{_DATA['referring']})\b")
_BACK: Final = re.compile(rf"\b(?:{_DATA['back']})\b")
_SUPPOSES: Final = re.compile(rf"^\W*(?:{_DATA['hint']})\b|\b(?:{_DATA['instead']})\b")
_REMEMBERED: Final = 2
"""A calculation is gone on with after so many messages that ask for none."""
_TOLD_MAX: Final = 2
_LEFT_MAX: Final = 3
"""A calculation that was left is taken up again after so many messages at most."""


@dataclass(slots=True)
class Conversation:
    """``state`` is the calculation that a message may change, ``whole`` the last one that lacked nothing,
    ``since`` the place of the last message that asked for one, ``thanks`` how many have only thanked since,
    ``ledger`` what all have come to, ``left`` the calculation that another subject followed, ``counted`` the
    places of the messages that asked for one."""

    state: Continued | None = None
    whole: Continued | None = None
    since: int = 0
    thanks: int = 0
    ledger: list[Entry] = field(default_factory=list)
    left: Continued | None = None
    counted: set[int] = field(default_factory=set)

    def asked(self, place: int, reading: Reading, found: Draft | None, meaning: str) -> Continued | None:
        """What the message at a place asks to be calculated; ``found`` is what it asks for by itself."""
        is_idle = place - self.since - self.thanks > 1 and not reading.quantities
        state = None if is_idle else self.state
        if state is None:
            return self._taken_up(place, reading, found) or gone_on(None, reading, found)
        operation = operated(self.ledger, reading, meaning, found)
        if operation:
            return Continued(state.draft, operation=operation)
        asked = gone_on(self._meant(state, reading), reading, found, meaning)
        if asked is not None and _lacks_figure(asked, reading):
            asked = None
        if asked is None and meaning == LEFT and not reading.quantities:
            return self._left_of_income(reading)
        return asked

    def settle(self, place: int, reading: Reading, asked: Continued | None) -> None:
        """Remember what a message asked for; one about something else ends a calculation."""
        if asked is None and only_thanks(reading.text):
            self.thanks += 1
            return
        if asked is None:
            if place - self.since > _REMEMBERED or changes_subject(reading):
                self.left = self.whole or (self.left if place - self.since <= _LEFT_MAX else None)
                self.state, self.whole, self.since = None, None, place
                self.ledger.clear()
            return
        self.thanks = 0
        self.counted.add(place)
        if asked.operation:
            self.since = place
            self._note([entry_of(call) for call in asked.operation[:1]])
            return
        kept = replace(asked, wanted=(), period=asked.period if asked.is_chained else "")
        self.state = kept if asked.draft.filled or self.whole is None else self.whole
        if not asked.draft.missing or asked.is_chained:
            self.whole, self.since = kept, place
            self._note([_entry_asked(asked)])

    def _taken_up(self, place: int, reading: Reading, found: Draft | None) -> Continued | None:
        """The calculation that was left, with the numbers of a message that supposes others in it."""
        if self.left is None or place - self.since > _LEFT_MAX or not reading.says(_SUPPOSES):
            return None
        is_other = found is not None and not found.missing
        return (
            None
            if is_other or not names_place(self.left.draft, reading)
            else gone_on(self.left, reading, None)
        )

    def _left_of_income(self, reading: Reading) -> Continued | None:
        """What the costs that were summed up leave of an income, which is still to be told or was before."""
        last = self.ledger[-1]
        total = last.main() if last.call.name in _DATA["cost_results"] else None
        if total is None or total.value <= 0:
            return None
        costs = _number(total.value, "monthly", "month")
        return Continued(Draft("money_left", {"expenses": (costs,)}, reading.text))

    def _note(self, entries: Sequence[Entry | None]) -> None:
        self.ledger += [entry for entry in entries if entry is not None]

    def _meant(self, state: Continued, reading: Reading) -> Continued:
        """The calculation that a message goes on from: the last one, unless it names another."""
        named = named_by(reading, self.ledger, as_one=not reading.says(_BACK))
        if named is None or named.draft is None or named.draft is state.draft or state.draft.missing:
            return state
        return Continued(named.draft, before=state.draft)


def is_only_told(reading: Reading) -> bool:
    """Whether a message tells one or two amounts and asks for nothing: "company puts in 750 a year"."""
    quantities = reading.quantities or ()
    is_loose = 0 < len(quantities) <= _TOLD_MAX and not reading.all(Kind.RATE)
    return is_loose and not (asks(reading) or asks_for_figure(reading) or reading.says(_ORDERS))


def changes_subject(reading: Reading) -> bool:
    """Whether a message is a whole question without a number: what came before it is over."""
    is_question = not reading.quantities and asks(reading) and not leans_on_earlier(reading.text)
    return is_question and not reading.says(_GOES_ON)


def _lacks_figure(asked: Continued, reading: Reading) -> bool:
    """Whether a message without numbers asks for a figure that its calculation does not have."""
    if reading.quantities or wants_table(reading.text) or reading.says(DIFFERENCE):
        return False
    names = asked.wanted or figures_wanted(reading.text)
    if asked.period and not asked.is_chained:
        names = (asked.period, *(figure_for(asked.draft.calculator, "month") or ()))
    entry = _entry_asked(asked) if names else None
    return entry is not None and not any(name in entry.figures for name in names)


def _entry_asked(asked: Continued) -> Entry | None:
    """What a calculation comes to, with the figure of the one before it in its place."""
    draft = asked.draft
    if asked.is_chained and asked.before is not None:
        before = entry_of(recognised(asked.before), asked.before)
        names = (asked.period, *(figure_for(asked.before.calculator, asked.slot) or ()))
        found = [before.figure(name) for name in names if before is not None]
        figure = next(filter(None, found), None)
        if figure is None or figure.value <= 0:
            return None
        draft = draft.with_numbers({asked.slot: (_number(figure.value, asked.slot, figure.per),)}, "")
    return None if draft.missing else entry_of(recognised(draft), draft)


def _number(value: Decimal, slot: str, per: str) -> Quantity:
    is_monthly = "month" in slot or slot == "contribution"
    kind = Kind.MONTHLY_AMOUNT if is_monthly else Kind.AMOUNT
    told = "month" if is_monthly else per if per != ONCE else None
    return Quantity(kind=kind, value=value, before="", after="", written=f"{value:,}", per=told or None)
