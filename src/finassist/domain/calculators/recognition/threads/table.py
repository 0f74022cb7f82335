"""The numbers of a conversation: every result and every number told, with the words that it is known by."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.adjusted import PAID, names_of, telling
from finassist.domain.calculators.recognition.follow_ups.ledger import Entry, alternatives
from finassist.domain.calculators.recognition.quantities import Quantity
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.threads.inputs import is_said_again
from finassist.domain.calculators.recognition.threads.standing import Standing, standing_of, told_standing
from finassist.domain.calculators.recognition.threads.swaps import labels
from finassist.domain.calculators.recognition.threads.words import SHARED, anywhere
from finassist.domain.calculators.recognition.views import figures_named
from finassist.domain.retrieval.words import topic_words
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/table"))
_GROSS: Final = anywhere(_DATA["gross"])
WITHOUT_TAX: Final = anywhere(_DATA["without_tax"])
_PAID: Final = late_pattern(
    rf"{SHARED.pattern}|(?<!\w)(?:{shipped('calculators/follow_ups')['paying']})(?!\w)"
)
_NET: Final = "net"
_PAIR: Final = 2
_DIFFERENCE: Final = "difference"
_LATER_ONE: Final = anywhere(_DATA["later_one"])
_EARLIER_ONE: Final = anywhere(_DATA["earlier_one"])
_DEDUCTED: Final = ("-%", "of%", "part")


@dataclass(frozen=True, slots=True)
class Row:
    """A result or an amount that was told, and the words beside it or of its name."""

    words: frozenset[str]
    standing: Standing
    draft: Draft
    slot: str
    number: Quantity


@dataclass(frozen=True, slots=True)
class Table:
    """The calculations of a conversation, oldest first, and the result that it has come to."""

    ledger: Sequence[Entry]
    standing: Standing | None

    def meant(self, reading: Reading) -> Standing | None:
        """What the words of a message name: the result before deductions, a figure, an amount that was told
        beside the same words; or else the last result. Nobody pays a part of a difference."""
        if self.standing is not None and self.standing.name == _DIFFERENCE and reading.says(_PAID):
            drafted = [entry for entry in self.ledger if entry.draft is not None]
            return standing_of(drafted[-1]) if drafted else None
        if self.standing is not None and reading.says(_GROSS):
            return _before_deductions(self.standing)
        words = telling(reading.text)
        figure = self._figure(reading)
        if figure is not None:
            return figure
        found = self.named(words)
        return self.standing if found is None or self.own_words() & words else found.standing

    def one(self, reading: Reading) -> Standing | None:
        """The one of two results that a message means, or its figure: "the interest on the second one"."""
        pair = alternatives(self.ledger)
        later, earlier = reading.says(_LATER_ONE), reading.says(_EARLIER_ONE)
        if later == earlier or len(pair) < _PAIR:
            return None
        meant = pair[-1] if later else pair[0]
        return standing_of(meant, [name for name in figures_named(reading.text) if name in meant.figures])

    def named(self, words: set[str]) -> Row | None:
        """The only amount told that is known by words of a message."""
        rows = list(self.rows())
        most = max((len(words & row.words) for row in rows), default=0)
        found = [row for row in rows if most and len(words & row.words) == most]
        values = {row.number.value for row in found}
        return found[0] if len(values) == 1 else None

    def rows(self) -> Iterator[Row]:
        """The amounts that were told, latest first."""
        for draft in self.drafts():
            for name, filled in draft.filled.items():
                for each in filled:
                    if each.kind in PAID:
                        words = names_of(draft, name, each) | labels(each)
                        yield Row(frozenset(words), told_standing(each), draft, name, each)

    def drafts(self) -> Iterator[Draft]:
        """The calculations with their numbers, latest first."""
        seen: list[Draft] = []
        for entry in reversed(self.ledger):
            if entry.draft is not None and entry.draft not in seen:
                seen.append(entry.draft)
                yield entry.draft

    def number(self, slot: str, kind: str, *, is_any: bool) -> tuple[Quantity, ...]:
        """What was told last for a slot of this name, or of this kind when a message refers to ``any``."""
        for draft in self.drafts():
            if slot in draft.filled and len(draft.filled[slot]) == 1:
                return draft.filled[slot]
            alike = [
                filled
                for name, filled in draft.filled.items()
                if is_any and name in draft.form.slots and draft.form.slots[name].kind == kind
            ]
            if len(alike) == 1 and len(alike[0]) == 1:
                return alike[0]
        return ()

    def is_told(self, number: Quantity) -> bool:
        """Whether a message only says a number again that stands."""
        return any(is_said_again(each, number) for each in self.numbers())

    def numbers(self) -> Iterator[Quantity]:
        """Every number of the calculations, latest first."""
        for draft in self.drafts():
            for filled in draft.filled.values():
                yield from filled

    def _figure(self, reading: Reading) -> Standing | None:
        """A figure of the last calculation by its name: the interest, the tax, what it is without tax."""
        entry = None if self.standing is None else self.standing.entry
        if entry is None or self.standing is None or self.standing.steps:
            return None
        names = (_NET,) if reading.says(WITHOUT_TAX) else figures_named(reading.text)
        found = [name for name in names if name in entry.figures]
        return standing_of(entry, found[:1]) if found and found[0] != self.standing.figure else None

    def own_words(self) -> set[str]:
        """The words of the name of the last result."""
        return set() if self.standing is None else set(topic_words(self.standing.figure.replace("_", " ")))


def is_gross(text: str) -> bool:
    """Whether words name what there is before deductions."""
    return _GROSS.search(text) is not None


def _before_deductions(standing: Standing) -> Standing:
    """A result without what was taken off it, or the part that was taken of it."""
    at = next((place for place, step in enumerate(standing.steps) if step.sign in _DEDUCTED), None)
    return (
        standing
        if at is None
        else Standing(standing.entry, standing.figure, standing.start, standing.steps[:at])
    )
