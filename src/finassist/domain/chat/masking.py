"""Keeping hidden texts out of what a model says (contract section 4, ``preprompt_key``).

Texts are compared without white space, invisible characters and case. A run of 40 or more characters of a
hidden text is replaced by ``[hidden]``, unless one of the texts that may be repeated contains it. A hidden
text shorter than 40 characters is replaced as a whole, and one shorter than 12 is not replaced. Runs that
overlap or touch are replaced together, by one ``[hidden]``.

A ``Mask`` reads a text in pieces and returns what can be shown so far. It holds back only what could still
be the beginning of such a run, so the output does not depend on how the text is cut into pieces. The cost of
a character does not depend on the length of the texts.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from finassist.domain.chat.substrings import SuffixAutomaton

HIDDEN: Final = "[hidden]"
RUN: Final = 40
SHORTEST: Final = 12

_INVISIBLE: Final = "Cf"


@dataclass(frozen=True, slots=True)
class HiddenText:
    """A text that must not be repeated; ``allowed`` are texts that may be, also where they agree with it."""

    text: str = field(repr=False)
    allowed: Sequence[str] = field(repr=False)


class Mask:
    """Reads one text in pieces, and replaces what it repeats of the hidden texts."""

    __slots__ = ("_base", "_held", "_hidden_until", "_runs", "_spans")

    def __init__(self, hidden: Iterable[HiddenText]) -> None:
        self._runs = [run for each in hidden if (run := _run_of(each)) is not None]
        self._start()

    @property
    def is_idle(self) -> bool:
        """Whether there is no hidden text to look for."""
        return not self._runs

    def feed(self, piece: str) -> str:
        """Read a piece; returns what can be shown now."""
        if not self._runs:
            return piece
        for index, character in enumerate(piece, self._base + len(self._held)):
            for folded in _FOLDED[character]:
                for run in self._runs:
                    if (first := run.step(folded, index)) is not None:
                        self._hide(first, index)
        self._held += piece
        read = self._base + len(self._held)
        return self._show(min(run.held_from(read) for run in self._runs))

    def finish(self) -> str:
        """End the text; returns what was held back. What is fed afterwards is another text."""
        rest = self._show(self._base + len(self._held))
        self._start()
        return rest

    def redact(self, text: str) -> str:
        """Mask a whole text, independent of what was fed."""
        if not self._runs:
            return text
        other = Mask(())
        other._runs = [run.restarted() for run in self._runs]
        return other.feed(text) + other.finish()

    def redact_json(self, value: Any) -> Any:
        """Mask a value of JSON types: each of its texts and keys by itself, and all of them when they repeat
        a hidden text together."""
        if self.is_idle:
            return value
        redacted = _with_texts(value, self.redact)
        together = "".join(_texts(redacted))
        return redacted if self.redact(together) == together else _with_texts(value, lambda _: HIDDEN)

    def _start(self) -> None:
        for run in self._runs:
            run.start()
        self._held = ""  # what was read, and neither shown nor hidden yet
        self._base = 0  # the index of its first character in the text
        self._spans: list[tuple[int, int]] = []  # first and last character of what is to be hidden
        self._hidden_until = -2  # the last character that was hidden

    def _hide(self, first: int, last: int) -> None:
        """Hide these characters, together with what they overlap or touch."""
        while self._spans and self._spans[-1][1] >= first - 1:
            first = min(first, self._spans.pop()[0])
        self._spans.append((first, last))

    def _show(self, until: int) -> str:
        """The held text before that character: no run that is found later begins before it."""
        shown: list[str] = []
        while self._spans and self._spans[0][0] < until:
            first, last = self._spans.pop(0)
            if first > self._hidden_until + 1:
                shown += (self._take(first), HIDDEN)
            self._take(last + 1)
            self._hidden_until = last
        shown.append(self._take(until))
        return "".join(shown)

    def _take(self, end: int) -> str:
        """Take what is held before that character."""
        count = max(0, end - self._base)
        taken, self._held = self._held[:count], self._held[count:]
        self._base += len(taken)
        return taken


class _Run:
    """Looks for one hidden text in what is read, folded character by folded character."""

    __slots__ = ("_automaton", "_forbidden", "_last_start", "_length", "_matched", "_state", "_where")

    def __init__(self, automaton: SuffixAutomaton, length: int, forbidden: Sequence[bool]) -> None:
        self._automaton = automaton
        self._length = length
        self._forbidden = forbidden  # whether the run that ends at each character must be hidden
        self._last_start = len(forbidden) - length
        self.start()

    def restarted(self) -> "_Run":
        """A run for the same text that has read nothing."""
        return _Run(self._automaton, self._length, self._forbidden)

    def start(self) -> None:
        """Forget what was read."""
        self._state, self._matched = SuffixAutomaton.START, 0
        self._where: list[int] = []  # of the folded characters that are matched, which characters they are

    def step(self, folded: str, index: int) -> int | None:
        """Read one folded character, of the character ``index``. Returns the first character of the run that
        ends with it, when that must be hidden."""
        self._state, self._matched = self._automaton.step(self._state, self._matched, folded, self._length)
        self._where.append(index)
        if len(self._where) >= 4 * self._length:
            del self._where[: -self._length]
        if self._matched == self._length and self._forbidden[self._automaton.end[self._state]]:
            return self._where[-self._length]
        return None

    def held_from(self, read: int) -> int:
        """The first character of what could be the beginning of a run; ``read`` when there is none."""
        automaton = self._automaton
        state, matched = automaton.suffix(self._state, self._matched, self._length - 1)
        while matched and automaton.end[state] - matched + 1 > self._last_start:
            state = automaton.link[state]
            matched = automaton.length[state]
        return self._where[-matched] if matched else read


def _run_of(hidden: HiddenText) -> _Run | None:
    """The run that looks for the text; None when nothing of it has to be hidden."""
    text = fold(hidden.text)
    length = min(RUN, len(text))
    if length < SHORTEST:
        return None
    allowed = {run for each in hidden.allowed for run in _runs(fold(each), length)}
    ends = [run not in allowed for run in _runs(text, length)]
    return _Run(_automaton(text), length, [False] * (length - 1) + ends) if any(ends) else None


def fold(text: str) -> str:
    """The text as it is compared."""
    return "".join(_FOLDED[character] for character in text)


def _runs(text: str, length: int) -> Iterable[str]:
    return (text[start : start + length] for start in range(len(text) - length + 1))


@lru_cache(maxsize=16)
def _automaton(text: str) -> SuffixAutomaton:
    return SuffixAutomaton(text)


class _Folded(dict[str, str]):
    """A cache of characters in the form in which they are compared."""

    def __missing__(self, character: str) -> str:
        ignored = character.isspace() or unicodedata.category(character) == _INVISIBLE
        folded = "" if ignored else character.casefold()
        if len(self) < 4096:
            self[character] = folded
        return folded


_FOLDED: Final = _Folded()


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _with_texts(value: Any, change: Any) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(key): _with_texts(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_with_texts(item, change) for item in value]
    return value
