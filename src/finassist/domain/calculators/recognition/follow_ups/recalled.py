"""What a message asks to be calculated from numbers that earlier messages told beside other things."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.money import show_term
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.gathering import asks_for_figure
from finassist.domain.calculators.recognition.quantities import Kind
from finassist.domain.calculators.recognition.reading import Reading, read
from finassist.domain.calculators.recognition.sums.values import MONEY, Value
from finassist.domain.retrieval.words import topic_words
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))
_OWN: Final = late_pattern(rf"\b(?:{_DATA['own_case']})\b")
_COME_TO: Final = late_pattern(rf"\b(?:{_DATA['come_to']})\b")
_EXAMPLE: Final = late_pattern(
    rf"^\W*(?:\w+ ){{0,5}}(?:{_DATA['example']})(?: (?:with|of|for|mit|avec|con|com))?\b"
)
_RESULT: Final = late_pattern(rf"\b(?:{_DATA['result_in_place']})")
TAXED: Final = late_pattern(rf"\b(?:{_DATA['result_taxed']})\b")
"""How a message asks for the tax on the result before it."""
_AS_GOAL: Final = late_pattern(rf"\b(?:{_DATA['result_as_goal']})")
"""How a message means the result before it as what is saved for."""
_IT: Final = late_pattern(rf"\b(?:{_DATA['paid_it']})\b")
_LEFT: Final = late_pattern(rf"\b(?:{_DATA['what_is_left']})\b")
_SENTENCE_END: Final = late_pattern(r"(?<=[.?!;])\s+")
_CLAUSE_END: Final = late_pattern(r"[,;.?!] (?:and |und |et |y |e )?|(?: and| und| et| y| e) (?=\D{3})")
_MESSAGES_MAX: Final = 4
_AMOUNTS: Final = (Kind.AMOUNT, Kind.MONTHLY_AMOUNT, Kind.PAY)
_NUMBERS_MIN: Final = 2


def asks_of_what_was_told(reading: Reading) -> bool:
    """Whether a message asks for a figure that it does not give all numbers of: "what is that for me"."""
    return asks_for_figure(reading) or any(reading.says(each) for each in (_OWN, _COME_TO))


def recalled(told: Sequence[Reading], last: Reading) -> Iterator[Reading]:
    """The last message behind what an earlier one told with an amount, latest first: its sentences that have
    numbers, then each clause alone. What is left of something is no amount that was told."""
    if last.says(_LEFT):
        return
    for before in reversed(told[-_MESSAGES_MAX:]):
        parts = (part for part in _numbered(before.text) if read(part).all(*_AMOUNTS))
        yield from (read(f"{part}. {last.text}") for part in parts)


def in_place_of_it(told: Sequence[Reading], last: Reading) -> Reading | None:
    """The last message with the only amount that was told in the place of "it": "can I pay it in 4 parts"."""
    written = {each.written for before in told[-_MESSAGES_MAX:] for each in before.all(*_AMOUNTS)}
    if len(written) != 1 or len(_IT.findall(last.text)) != 1:
        return None
    return read(_IT.sub(lambda found: f"{found['verb']} {min(written)}", last.text))


def in_place_of_result(value: Value | None, last: Reading, draft: Draft | None = None) -> Reading | None:
    """The last message with the result before it in the place of "that": "if i invested that at 6% for 10
    years", "and the tax on it, 12.5% above 100,000", "how much a month for that at 11%", of which the time of
    the ``draft`` that came to it is the time."""
    if value is None or not last.quantities or value.number <= 0:
        return None
    if value.unit.get(MONEY) != 1 or len(value.periods) > 1:
        return None
    places = [place for place in (_RESULT, TAXED) if len(place.findall(last.text)) == 1]
    per = f" a {value.periods[0]}" if value.periods else ""
    amount = f"{value.number:.2f}{per}"
    if not places and not per and len(_AS_GOAL.findall(last.text)) == 1:
        [*term] = () if draft is None or last.all(Kind.TERM) else draft.filled.get("term", ())
        until = f" in {show_term(int(term[0].value))}" if len(term) == 1 else ""
        return read(_AS_GOAL.sub(lambda found: f"{found['verb']} {amount}{until}", last.text))
    return read(places[0].sub(lambda found: f"{found['verb']} {amount}", last.text)) if places else None


def example_asked(readings: Sequence[Reading]) -> Reading | None:
    """The numbers of a message that asks for an example, behind what was asked about before it."""
    *earlier, last = readings
    match = _EXAMPLE.search(last.text)
    if match is None or len(last.quantities or ()) < _NUMBERS_MIN:
        return None
    about = next((words for each in reversed(earlier) if (words := topic_words(each.text))), None)
    return None if about is None else read(f"{' '.join(about)} {last.text[match.end() :].strip()}")


def _numbered(text: str) -> Iterator[str]:
    """The parts of a text that have numbers, each once: the sentences together, and the clauses."""
    seen: set[str] = set()
    sentences = " ".join(each for each in _SENTENCE_END.split(text) if _has_digit(each))
    for part in (sentences, *_CLAUSE_END.split(text)):
        if _has_digit(part) and part.rstrip(" .?!,;") not in seen:
            seen.add(part.rstrip(" .?!,;"))
            yield part.rstrip(" .?!,;")


def _has_digit(text: str) -> bool:
    return any(letter.isdigit() for letter in text)
