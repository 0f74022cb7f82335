"""What the offline model says of an answer that it has just given: the part that a follow-up asks about, its
sources, an example in it, or its first sentence."""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import groupby
from typing import Final

from finassist.adapters.llm.offline_wishes import DOUBT, EXAMPLE, SHORTER
from finassist.adapters.llm.offline_words import ASKING_STEMS, stems_of
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.questions import telling_part

_CITED: Final = re.compile(r" \[\d+\]")
_CALCULATED: Final = "Formula: "
_HEADING: Final = re.compile(r"\*\*[^\n]*\*\*")
_NUMBER: Final = re.compile(r"\d[\d.,]*\d|\d")
_TABLE_RULE: Final = re.compile(r"^\|[\s:|-]+\|$")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"(\u20b9\u20ac\u00a3$\d])")
_NUMBERS_MIN: Final = 2
"""An example has so many numbers."""
_TELLING: Final = 4
"""Shorter words are mostly verbs that any sentence may have."""
_TELLING_NOTHING: Final = stems_of("already half money months need never sent things years")
_LITTLE: Final = 30
_PARTS_MAX: Final = 2
_COMMON: Final = 3
"""A word in more parts than this does not tell one of them."""

_IN_SHORT: Final = "In short: {}"
_NO_PART: Final = "I have nothing on just that beyond the answer above."
_PART: Final = "On that, the answer above says:\n\n{}"
_EXAMPLE: Final = "For example:\n\n{}"
_EXACT: Final = (
    "Yes, as far as the numbers go: I calculate exactly, and the formula and every step stand above. What it "
    "rests on are the numbers that you gave and the assumptions below them."
)
_SOURCE: Final = (
    "I quoted my article \u201c{title}\u201d{as_of}{url}.{place} Rules and amounts change, and I cannot see "
    "newer ones: before you decide something that counts, check it there."
)
_UNKNOWN_SOURCE: Final = (
    "I quoted an article of my knowledge base; its source is listed with the answer. Rules and amounts "
    "change, so check it there before you decide something that counts."
)
_AGAIN: Final = tuple(
    text.partition("{")[0].partition("\u201c")[0]
    for text in (_IN_SHORT, _PART, _NO_PART, _EXAMPLE, _EXACT, _SOURCE, _UNKNOWN_SOURCE)
)
"""How these replies begin."""


def said_again(wish: str, reply: str, references: Sequence[Hit]) -> str:
    """The last reply in the way that a message wishes; empty when it was neither quoted nor calculated, or
    has no example."""
    if _CALCULATED in reply:
        return {DOUBT: _EXACT, SHORTER: _IN_SHORT.format(reply.partition("\n\n")[0])}.get(wish, "")
    if not _CITED.search(reply):
        return ""
    place = place_of_quoted(references, reply)
    text = _CITED.sub("", reply) if place is None else references[place].snippet
    cited = "" if place is None else f" [{place + 1}]"
    if wish == SHORTER:
        return f"{_IN_SHORT.format(first_sentence(text))}{cited}"
    if wish == EXAMPLE:
        shown = next((part for part in _parts(text, rows=False) if _is_example(part)), "")
        return shown and f"{_EXAMPLE.format(shown)}\n\n{cited.strip()}".rstrip()
    return _UNKNOWN_SOURCE if place is None else _sourced(references[place], cited)


def is_calculated(reply: str) -> bool:
    """Whether a reply tells what was calculated."""
    return _CALCULATED in reply


def is_said_again(reply: str) -> bool:
    """Whether a reply says an earlier one once more."""
    return reply.startswith(_AGAIN)


def place_of_quoted(references: Sequence[Hit], reply: str) -> int | None:
    """Where among the references the entry is that a reply quotes."""
    for place, hit in enumerate(references):
        if is_quoted(hit, [reply]):
            return place
    return None


def is_quoted(hit: Hit, said: Sequence[str]) -> bool:
    """Whether one of these replies quotes the entry."""
    answer = hit.answer
    return bool(answer) and any(answer in reply for reply in said)


def first_sentence(text: str) -> str:
    """The first sentence of a text below its heading, with the next one when it says little."""
    paragraphs = [each for each in text.strip().split("\n\n") if not _HEADING.fullmatch(each)]
    sentences = _SENTENCE_END.split(paragraphs[0] if paragraphs else text)
    short = len(sentences[0]) < _LITTLE
    return " ".join(sentences[: 1 + short])


def in_part(question: str, hit: Hit, place: int, said: Sequence[str]) -> str:
    """What else there is to say from an entry that was quoted: its details, if they were not; the part that
    is asked for; or that there is no more, or the first sentence when the message names nothing."""
    details = hit.details
    if details and not any(details in reply for reply in said):
        return f"{details}\n\n[{place + 1}]"
    part = part_asked_for(question, hit)
    if part:
        return f"{part}\n\n[{place + 1}]"
    names_one = stems_of(telling_part(question)) - ASKING_STEMS
    return f"{_NO_PART if names_one else _IN_SHORT.format(first_sentence(hit.answer))} [{place + 1}]"


def told_in_part(hit: Hit, part: str, place: int) -> str:
    """A part of an entry that was quoted, once more; of a sentence the next one, too."""
    sentences = parts_of(hit.answer)
    start = sentences.index(part) if part in sentences else len(sentences)
    text = " ".join(sentences[start : start + 2]) or part
    return f"{_PART.format(text)}\n\n[{place + 1}]"


def parts_of(text: str) -> Sequence[str]:
    """The sentences, items and rows of a text."""
    return list(_parts(text, rows=True))


def part_asked_for(question: str, hit: Hit) -> str:
    """What of an answer a follow-up is about: the sentences, rows and items that have words of it which few
    others have. Empty when none has, and when all that is found is how the answer begins."""
    words = stems_of(telling_part(question)) - ASKING_STEMS - _TELLING_NOTHING
    asked = {stem for stem in words if len(stem) >= _TELLING}
    parts = [(part, stems_of(part)) for part in _parts(hit.snippet, rows=True)]
    telling = {stem for stem in asked if 0 < sum(stem in stems for _, stems in parts) <= _COMMON}
    weights = [len(telling & stems) for _, stems in parts]
    most = max(weights, default=0)
    chosen = [part for (part, _), weight in zip(parts, weights, strict=True) if most and weight == most]
    if chosen == [parts[0][0]]:
        return ""
    return _PART.format("\n\n".join(chosen[:_PARTS_MAX])) if chosen else ""


def _sourced(hit: Hit, cited: str) -> str:
    as_of = "" if hit.as_of is None else f", as of {_day(hit.as_of)}"
    url = "" if hit.url is None else f", which rests on {hit.url}"
    return _SOURCE.format(title=hit.title, as_of=as_of, url=url, place=cited)


def _day(written: str) -> str:
    day = date.fromisoformat(written)
    return f"{day.day} {day:%B %Y}"


def _is_example(part: str) -> bool:
    return len(_NUMBER.findall(part)) >= _NUMBERS_MIN


def _parts(text: str, *, rows: bool) -> Iterator[str]:
    """The sentences, items and tables of a text; each row of a table with its head alone, or the whole."""
    lines = [line.strip() for line in text.splitlines()]
    for kind, group in groupby(lines, key=_kind):
        if kind == "|":
            yield from _table(list(group), rows=rows)
        elif kind == "-":
            yield from group
        elif kind:
            yield from _SENTENCE_END.split(" ".join(group))


def _kind(line: str) -> str:
    if line.startswith("|"):
        return "|"
    return "-" if re.match(r"(?:[-*]|\d+\.) ", line) else "text" if line else ""


def _table(lines: Sequence[str], *, rows: bool) -> Iterator[str]:
    has_head = len(lines) > 1 and _TABLE_RULE.match(lines[1])
    if not rows or not has_head:
        yield "\n".join(lines)
        return
    for line in lines[2:]:
        yield "\n".join((*lines[:2], line))
