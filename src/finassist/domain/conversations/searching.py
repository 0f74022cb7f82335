"""The search of the list of conversations: what counts as found, and what is shown (contract section 5).

A query is literal and ignores case. Titles, previews and questions are stored folded (``str.casefold``) and
compared so. Replies, and the names and texts of files, are not stored twice: ``spelled`` tells how the query
may be written in them, for a database to look for.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final, NamedTuple

FILES_SEARCHED: Final = 1000
"""The newest files of a caller whose texts are looked through."""

_BEFORE: Final = 60
_AFTER: Final = 140
_LONGEST_FOLD: Final = 3
_WITH_CASE: Final = (range(0x3000), range(0xA000, 0xAC00), range(0xFB00, 0xFF60), range(0x10400, 0x1E944))
"""The parts of Unicode that have letters with case."""


class FoundIn(StrEnum):
    """Where a query was found, the first of these in this order. ``preview`` is told where none of the others
    is any more."""

    TITLE = "title"
    QUESTION = "question"
    FILE = "file"
    REPLY = "reply"
    PREVIEW = "preview"


@dataclass(frozen=True, slots=True)
class Found:
    """Where in a conversation a query was found. ``text`` is a piece of what it was found in: of a file its
    name, and a piece of its text where that has it. ``message_id`` is the message that has it; None for a
    title, a preview, and a file that was only uploaded."""

    place: FoundIn
    text: str
    message_id: str | None = None


class Part(NamedTuple):
    """A part of a query, as it may be written. ``letters`` has for each letter of the folded part all that
    fold to it; ``joined`` are the single letters that fold to the whole part (``ß`` to ``ss``)."""

    folded: str
    letters: Sequence[str]
    joined: str = ""


def spelled(query: str) -> Iterator[Part]:
    """The parts of a query, with all ways to write them in upper and lower case."""
    folded = query.casefold()
    at = 0
    while at < len(folded):
        parts = (folded[at : at + length] for length in range(_LONGEST_FOLD, 1, -1))
        part = next((part for part in parts if len(part) > 1 and part in _alike()), folded[at])
        letters = [_alike().get(letter, letter) for letter in part]
        yield Part(part, letters, _alike()[part] if len(part) > 1 else "")
        at += len(part)


@cache
def _alike() -> dict[str, str]:
    """What folds to a text, itself among it when it is one character."""
    alike: dict[str, str] = {}
    for letter in map(chr, (code for part in _WITH_CASE for code in part)):
        if (folded := letter.casefold()) != letter:
            alike[folded] = alike.get(folded, folded if len(folded) == 1 else "") + letter
    return alike


def excerpt(text: str, query: str) -> str:
    """The part of a text around the first place that has the query, in one line."""
    at = _position(text, query.casefold())
    start, end = max(0, at - _BEFORE), at + len(query) + _AFTER
    before, rest = text[start:at], text[at:end]
    if start > 0:
        before = before.partition(" ")[2] if " " in before else before
    if end < len(text) and rest.rfind(" ") > len(query):
        rest = rest[: rest.rfind(" ")]
    line = " ".join((before + rest).split())
    return f"{'…' if start > 0 else ''}{line}{'…' if end < len(text) else ''}"


def excerpt_of_file(filename: str, text: str, query: str) -> str:
    """The name of a file, and the part of its text around the first place that has the query."""
    return f"{filename}: {excerpt(text, query)}"


def _position(text: str, folded: str) -> int:
    """Where in a text the folded query begins; 0 when it is nowhere."""
    whole = text.casefold()
    found = max(0, whole.find(folded))
    if len(whole) == len(text):
        return found
    passed = 0
    for at, letter in enumerate(text):
        passed += len(letter.casefold())
        if passed > found:
            return at
    return 0
