"""How the offline model answers from files: it quotes the lines that share most with the question, each with
its page or sheet."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from finassist.adapters.llm.offline.words import ASKING_STEMS, any_of, asks_figure, shipped_words, stems_of
from finassist.application.ports.language_model import FilePart, ModelMessage
from finassist.domain.conversations.message import Role
from finassist.domain.retrieval.questions import leans_on_earlier

_LINES_MAX: Final = 6
_WORTH_QUOTING: Final = 0.6
"""Share of the best line's weight that another one needs to be quoted as well."""
_ENOUGH: Final = 0.25
"""Share of the question's words that a line of a file that came with it has to hold."""
_ENOUGH_EARLIER: Final = 0.51
"""The same, for a file that came with an earlier message, if the question seems to be about it."""
_FIGURE_BONUS: Final = 1.25
_OPENING_LINES: Final = 3

_DIGIT: Final = re.compile(r"\d")
_ENDED: Final = re.compile(r"[.!?:;…][\"”)]*$")
_BLANKS: Final = re.compile(r"\s+")
_ONES_OWN: Final = re.compile(rf"\b{any_of('onesOwn')}\b", re.IGNORECASE)
_ABOUT_THE_FILE: Final = stems_of(" ".join(shipped_words("aboutTheFile")))
_CLOSING: Final = "(Quoted from the attached file.)"


@dataclass(frozen=True, slots=True)
class _Line:
    """A line, or a sentence that runs over several, and where it stands."""

    text: str
    source: str
    words: frozenset[str]


def answer_from_files(question: str, messages: Sequence[ModelMessage]) -> str | None:
    """The lines that answer the question, from the files that came with it or, failing that, with earlier
    messages. None when no file says anything about it."""
    attached = _lines(messages[-1])
    if attached:
        found = _find(question, attached, _ENOUGH)
        if found or not _topic(question):
            return _quote(found or _openings(attached))
    topic = _topic(question)
    about_the_file = _ONES_OWN.search(question) or stems_of(question) & _ABOUT_THE_FILE
    if len(topic) > 1 or about_the_file or _goes_on(question, messages):
        for message in reversed(messages[:-1]):
            if found := _find(question, _lines(message), _ENOUGH_EARLIER):
                return _quote(found)
    return None


def _goes_on(question: str, messages: Sequence[ModelMessage]) -> bool:
    """Whether half a question follows an answer from a file: "and the rent?"."""
    replies = (each.content for each in reversed(messages[:-1]) if each.role is Role.ASSISTANT)
    return _CLOSING in next(replies, "") and leans_on_earlier(question)


def _topic(question: str) -> frozenset[str]:
    """What the question is about, besides the file itself."""
    words = stems_of(question) - ASKING_STEMS - _ABOUT_THE_FILE
    return frozenset(word for word in words if " " not in word)


def _lines(message: ModelMessage) -> list[_Line]:
    return [
        _Line(text, f"{part.filename}, {label}" if label else part.filename, stems_of(text))
        for part in message.parts
        if isinstance(part, FilePart)
        for content, label in zip_longest(part.pages, part.labels, fillvalue="")
        for text in _joined(content)
    ]


def _joined(page: str) -> Iterator[str]:
    """The lines of a page; one that goes on in small letters is put together with the next."""
    current = ""
    for line in (_BLANKS.sub(" ", line).strip() for line in page.splitlines()):
        if current and line[:1].islower() and not _ENDED.search(current):
            current = f"{current} {line}"
            continue
        if current:
            yield current
        current = line
    if current:
        yield current


def _find(question: str, lines: Sequence[_Line], enough: float) -> list[_Line]:
    asked = _topic(question)
    frequency = Counter(word for line in lines for word in line.words & asked)
    rarities = {word: math.log(1 + len(lines) / (1 + frequency[word])) for word in asked}
    wants_figure = asks_figure(question)

    def weight(line: _Line) -> float:
        found = line.words & asked
        if len(found) < enough * len(asked):
            return 0.0
        bonus = _FIGURE_BONUS if wants_figure and _DIGIT.search(line.text) else 1.0
        return bonus * sum(rarities[word] for word in found)

    weighed = [(weight(line), line) for line in lines]
    best = max((weight for weight, _ in weighed), default=0.0)
    if not best:
        return []
    worth = sorted((pair for pair in weighed if pair[0] >= best * _WORTH_QUOTING), key=lambda pair: -pair[0])
    chosen = {id(line) for _, line in worth[:_LINES_MAX]}
    return [line for line in lines if id(line) in chosen]


def _openings(lines: Sequence[_Line]) -> list[_Line]:
    """How each page begins, as many as can be quoted."""
    seen: Counter[str] = Counter()
    chosen: list[_Line] = []
    for line in lines:
        seen[line.source] += 1
        if seen[line.source] <= _OPENING_LINES and len(chosen) < _LINES_MAX:
            chosen.append(line)
    return chosen


def _quote(lines: Sequence[_Line]) -> str:
    quoted = "\n".join(f"{line.text} [{line.source}]" for line in lines)
    return f"{quoted}\n\n{_CLOSING}"
