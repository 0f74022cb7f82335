"""An earlier calculation that a message goes back to before it asks: "ok 60. what if ...", "back to the 25
with 150 extra, how much interest do i save"; and what was added to one and is left out again."""

from collections.abc import Sequence
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.changes import without_what_was_added
from finassist.domain.calculators.recognition.follow_ups.gathering import asks, asks_for_figure
from finassist.domain.calculators.recognition.follow_ups.ledger import FIRST, Entry
from finassist.domain.calculators.recognition.follow_ups.linking import links
from finassist.domain.calculators.recognition.reading import Reading, read
from finassist.domain.calculators.recognition.threads.standing import entry_with
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))
BACK: Final = late_pattern(rf"\b(?:{_DATA['back']})\b")
SUPPOSES: Final = late_pattern(rf"^\W*(?:{_DATA['hint']})\b|\b(?:{_DATA['instead']})\b")
_CLAUSE_END: Final = late_pattern(rf"[.,;!]\s+(?:(?:{_DATA['but']})\s+)?|\s+(?:{_DATA['but']})\s+")
_ABOUT: Final = late_pattern(r"^\W*(?:(?:and|ok|okay|so|but) )*(?:what|how) about ")
_HEAD_MAX: Final = 6
_REST_MIN: Final = 3
"""How many words the clause that names a calculation has at most, and the rest of the message at least."""


def gone_back(draft: Draft, ledger: Sequence[Entry], reading: Reading) -> tuple[Entry, Reading] | None:
    """The calculation that a message names before it asks, and the rest of the message; ``draft`` is the last
    one."""
    if draft.missing:
        return None
    told = _told_before(ledger, reading) if reading.quantities and reading.says(BACK) else None
    if told is not None:
        return told
    without = without_what_was_added(draft, reading) if reading.quantities else None
    if without is not None:
        entry = entry_with(without[0])
        return None if entry is None else (entry, without[1])
    head, rest = _picked(reading) or (None, None)
    entry = None if head is None else _told_in(head, ledger)
    if entry is None or rest is None or rest.quantities is None:
        return None
    is_asked = rest.quantities or asks(rest) or asks_for_figure(rest) or rest.says(SUPPOSES)
    return (entry, rest) if is_asked else None


def _told_before(ledger: Sequence[Entry], reading: Reading) -> tuple[Entry, Reading] | None:
    """The calculation whose numbers a message says again to go back to it, and what else it says."""
    numbers = reading.quantities or ()
    found = [entry for entry in ledger if entry.draft and all(map(entry.has, numbers))]
    match = _CLAUSE_END.search(reading.text, reading.text.rindex(numbers[-1].written) if numbers else 0)
    if not found or match is None:
        return None
    rest = read(reading.text[match.end() :])
    return (found[-1], rest) if not rest.quantities and asks_for_figure(rest) else None


def _picked(reading: Reading) -> tuple[Reading, Reading] | None:
    """The short clause with which a message begins and the rest, which goes on from what that one names."""
    end = _CLAUSE_END.search(reading.text)
    if end is None:
        return None
    head, rest = reading.text[: end.start()], reading.text[end.end() :]
    if len(head.split()) > _HEAD_MAX or len(rest.split()) < _REST_MIN:
        return None
    return read(_ABOUT.sub("", head)), read(rest)


def _told_in(head: Reading, ledger: Sequence[Entry]) -> Entry | None:
    """The calculation that has all numbers of a clause which says nothing else, the latest of several."""
    drafted = [entry for entry in ledger if entry.draft is not None]
    if not drafted or asks(head) or asks_for_figure(head):
        return None
    if not head.quantities:
        return drafted[0] if head.says(FIRST) else None
    having = [each for each in drafted if all(each.has(number) for number in head.quantities)]
    found = having[-1] if having else None
    return found if found is not None and found.draft and links(found.draft, head, False) else None
