"""The calculation that another subject followed, and a later message that takes it up again: "ok, and with 30
years?" after a question in between, "back to my plan: with 250 a month"."""

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Final

from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.chains import Continued
from finassist.domain.calculators.recognition.follow_ups.changes import gone_on
from finassist.domain.calculators.recognition.follow_ups.correcting import corrected
from finassist.domain.calculators.recognition.follow_ups.linking import names_place
from finassist.domain.calculators.recognition.follow_ups.requests import placed, request_of
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading, read
from finassist.domain.calculators.recognition.sums.words import PLAIN_CALCULATORS
from finassist.domain.calculators.recognition.threads.going_back import BACK, SUPPOSES
from finassist.domain.calculators.recognition.threads.words import HINT
from finassist.patterns import late_pattern

_HEAD_END: Final = late_pattern(r"[.,;:!]\s+|\s+-+\s+")
_OFTEN_MAX: Final = 100
_HEAD_MAX: Final = 7
_WORDS_MAX: Final = 16
"""How many words the clause that goes back has at most, and a message that supposes other numbers."""


def taken_up(left: Continued, reading: Reading, found: Draft | None, *, is_lost: bool) -> Continued | None:
    """The calculation with the numbers of a message that supposes others in it, or takes one of them back;
    ``is_lost``: only the latter."""
    right = corrected(left.draft, reading)
    told = [each for filled in left.draft.filled.values() for each in filled]
    request = request_of(reading, told)
    is_supposed = reading.says(SUPPOSES) or request.says(HINT)
    if right is not None or is_lost or not is_supposed:
        return None if right is None else left.with_changed(right)
    if found is not None and not found.missing:
        return None
    if names_place(left.draft, reading):
        return gone_on(left, reading, None)
    if (
        left.is_chained
        or left.draft.calculator in PLAIN_CALCULATORS
        or len(reading.text.split()) > _WORDS_MAX
    ):
        return None
    draft = placed(left.draft, reading, request, found)
    return None if draft is None else left.with_changed(draft)


def prepared(reading: Reading, whole: Continued | None, left: Continued | None) -> Reading:
    """A message as what may go on from a calculation: without the clause that only goes back to it, and with
    "3 a week" as so many times, where there are some."""
    return _as_often(without_way_back(reading, (whole, left)), whole)


def _as_often(reading: Reading, whole: Continued | None) -> Reading:
    filled = whole.draft.filled.values() if whole is not None else ()
    told = {each.per for numbers in filled for each in numbers if each.kind is Kind.TIMES}
    numbers = [
        replace(each, kind=Kind.TIMES, is_bare=False) if _is_as_often(each, told) else each
        for each in reading.quantities or ()
    ]
    return replace(reading, quantities=numbers) if numbers else reading


def _is_as_often(number: Quantity, told: Set[str | None]) -> bool:
    is_whole = number.value == number.value.to_integral_value() and not number.symbol
    return number.per is not None and number.per in told and is_whole and number.value < _OFTEN_MAX


def without_way_back(reading: Reading, known: Sequence[Continued | None]) -> Reading:
    """What a message supposes of a calculation that its first clause goes back to without a number."""
    end = _HEAD_END.search(reading.text) if any(known) and reading.quantities else None
    if end is None:
        return reading
    head, rest = read(reading.text[: end.start()]), reading.text[end.end() :]
    if head.quantities or not head.says(BACK) or len(head.text.split()) > _HEAD_MAX:
        return reading
    again = read(rest)
    return again if again.says(SUPPOSES) else read(f"what if {rest}")
