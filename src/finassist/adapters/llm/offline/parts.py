"""The parts of an entry: its sentences, items and rows, and what tells one from another."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from finassist.adapters.llm.offline.words import ASKING_STEMS, any_of, shipped_words, stems_of
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.questions import telling_part

_HEADING: Final = re.compile(r"\*\*[^\n]*\*\*")
_NUMBER: Final = re.compile(r"\d[\d.,]*\d|\d")
_TABLE_RULE: Final = re.compile(r"^\|[\s:|-]+\|$")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"(\u20b9\u20ac\u00a3$\d])")
_REASON: Final = re.compile(rf"\b{any_of('reasons')}|, (?:so|as) ", re.IGNORECASE)
_STEP: Final = re.compile(rf"{any_of('steps')}\b", re.IGNORECASE)
_NOT_TO_DO: Final = re.compile(rf"{any_of('notToDo')}\b", re.IGNORECASE)
_IN_QUOTES: Final = re.compile(r"[\"\u201c][^\"\u201c\u201d]{40,}[\"\u201d]")
"""Words to say or to send are quoted in an entry; shorter quotations are names and terms."""
_LACKS: Final = re.compile(r"\b(?:no|without|(?:have|has|got)(?:n'?t| not)(?: any)?)\s+(\w+)", re.IGNORECASE)
_NUMBERS_MIN: Final = 2
"""An example has so many numbers."""
_TELLING: Final = 4
"""Shorter words are mostly verbs that any sentence may have."""
_TELLING_NOTHING: Final = stems_of(" ".join(shipped_words("tellingNothing")))
_LITTLE: Final = 30
_PARTS_MAX: Final = 2
_COMMON: Final = 3
"""A word in more parts than this does not tell one of them."""


def parts_of(text: str) -> Sequence[str]:
    """The sentences, items and rows of a text; each row of a table with its head alone."""
    return list(_parts(text, rows=True))


def first_sentence(text: str) -> str:
    """The first sentence of a text below its heading, with the next one when it says little."""
    paragraphs = [each for each in text.strip().split("\n\n") if not _HEADING.fullmatch(each)]
    sentences = _SENTENCE_END.split(paragraphs[0] if paragraphs else text)
    short = len(sentences[0]) < _LITTLE
    return " ".join(sentences[: 1 + short])


def example_in(text: str) -> str:
    """The first part of a text that has the figures of an example; empty when none has."""
    return next(filter(has_figures, _parts(text, rows=False)), "")


def has_figures(part: str) -> bool:
    """Whether a part has the figures of an example."""
    return len(_NUMBER.findall(part)) >= _NUMBERS_MIN


def gives_reason(part: str) -> bool:
    """Whether a part says why."""
    return _REASON.search(part) is not None


def names_step(part: str) -> bool:
    """Whether a part is a sentence that begins by telling what to do."""
    return is_sentence(part) and _STEP.match(part) is not None


def advises(part: str) -> bool:
    """Whether a part says what to do or to leave."""
    return names_step(part) or _NOT_TO_DO.match(part) is not None


def is_sentence(part: str) -> bool:
    """Whether a part is no item of a list and no row of a table."""
    return _kind(part) == "text"


def has_wording(hit: Hit) -> bool:
    """Whether an entry has words that a reader can say or send."""
    return _IN_QUOTES.search(hit.snippet) is not None


def lacked_in(message: str) -> frozenset[str]:
    """What a message says that its writer does not have: "no debts"."""
    return frozenset(stem for word in _LACKS.findall(message) for stem in stems_of(word))


def part_asked_for(question: str, hit: Hit) -> str:
    """What of an answer a follow-up is about: the sentences, rows and items that have words of it which few
    others have, but not how the answer begins. Empty when none has."""
    words = stems_of(telling_part(question)) - ASKING_STEMS - _TELLING_NOTHING - lacked_in(question)
    asked = {stem for stem in words if len(stem) >= _TELLING}
    parts = [(part, stems_of(part)) for part in _parts(hit.snippet, rows=True)]
    telling = {stem for stem in asked if 0 < sum(stem in stems for _, stems in parts) <= _COMMON}
    weights = [len(telling & stems) for _, stems in parts]
    most = max(weights, default=0)
    chosen = [part for (part, _), weight in zip(parts, weights, strict=True) if most and weight == most]
    return "\n\n".join([part for part in chosen if part != parts[0][0]][:_PARTS_MAX])


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
