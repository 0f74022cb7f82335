"""Keeping hidden texts out of what a model says (contract section 4, ``preprompt_key``).

Letters and digits are compared alone (``folding``). What a reply repeats of a hidden text is replaced by
``[hidden]`` when it is

- a run of 40 or more characters of the hidden text, white space not counted, unless one of the texts that may
  be repeated contains it; of a hidden text shorter than 40 characters, all of it, if it has 12 or more;
- pieces of 12 or more letters near each other, which repeat 40 letters of the hidden text together, with at
  most 12 others between one piece and the next.

The same holds for the hidden text read backwards, in rot13, and both. Places that overlap or touch are
replaced together, by one ``[hidden]``.

A ``Mask`` reads a text in pieces and returns what can be shown so far. It holds back only what could still
be the beginning of such a place, so the output does not depend on how the text is cut into pieces.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from finassist.domain.chat.folding import FOLDED
from finassist.domain.chat.repetitions import Repetitions, repetitions_of

HIDDEN: Final = "[hidden]"


@dataclass(frozen=True, slots=True)
class HiddenText:
    """A text that must not be repeated; ``allowed`` are texts that may be, also where they agree with it."""

    text: str = field(repr=False)
    allowed: Sequence[str] = field(repr=False)


class Mask:
    """Reads one text in pieces, and replaces what it repeats of the hidden texts."""

    __slots__ = (
        "_after",
        "_base",
        "_before",
        "_held",
        "_hidden_until",
        "_kept",
        "_letters",
        "_repetitions",
        "_spans",
        "_where",
    )

    def __init__(self, hidden: Iterable[HiddenText]) -> None:
        found = (repetitions_of(each.text, each.allowed) for each in hidden)
        self._look_for([each for each in found if each is not None])

    @property
    def is_idle(self) -> bool:
        """Whether there is no hidden text to look for."""
        return not self._repetitions

    def feed(self, piece: str) -> str:
        """Read a piece; returns what can be shown now."""
        if not self._repetitions:
            return piece
        self._read(piece)
        self._held += piece
        found = (each.held_from(self._letters, self._where, self._before) for each in self._repetitions)
        return self._show(min((index for index in found if index is not None), default=self._end))

    def finish(self) -> str:
        """End the text; returns what was held back. What is fed afterwards is another text."""
        rest = self._show(self._end)
        self._start()
        return rest

    def redact(self, text: str) -> str:
        """Mask a whole text, independent of what was fed."""
        if not self._repetitions:
            return text
        other = Mask(())
        other._look_for([each.restarted() for each in self._repetitions])
        return other.feed(text) + other.finish()

    def redact_json(self, value: Any) -> Any:
        """Mask a value of JSON types: each of its texts and keys by itself, and all of them when they repeat
        a hidden text together."""
        if self.is_idle:
            return value
        redacted = _with_texts(value, self.redact)
        together = "".join(_texts(redacted))
        return redacted if self.redact(together) == together else _with_texts(value, lambda _: HIDDEN)

    def _look_for(self, repetitions: Sequence[Repetitions]) -> None:
        self._repetitions = repetitions
        self._kept = max((each.longest for each in repetitions), default=0)
        self._start()

    @property
    def _end(self) -> int:
        return self._base + len(self._held)

    def _start(self) -> None:
        for each in self._repetitions:
            each.start()
        self._held = ""  # what was read, and neither shown nor hidden yet
        self._base = 0  # the index of its first character in the text
        self._letters = ""  # the last letters, as they are compared
        self._where: list[int] = []  # which characters they are
        self._before = 0  # how many letters there were before them
        self._after = ""  # punctuation that is hidden when it follows
        self._spans: list[tuple[int, int]] = []  # first and last character of what is to be hidden
        self._hidden_until = -2  # the last character that was hidden

    def _read(self, piece: str) -> None:
        """Find what must be hidden at the end of what was read, with this piece."""
        start = self._end
        folded = [*map(FOLDED.__getitem__, piece)]
        if self._after:
            self._hide_after(folded, piece, start)
        new = len(self._letters)
        self._letters += "".join(folded)
        self._where += [start + index for index, letters in enumerate(folded) for _ in letters]
        letters, where, before = self._letters, self._where, self._before
        found = [hit for each in self._repetitions for hit in each.read(letters, where, new, before)]
        for hit in sorted(found):
            last = where[hit.end - 1]
            self._hide(hit.first, last)
            self._after = hit.after
            self._hide_after(folded[last + 1 - start :], piece[last + 1 - start :], last + 1)
        if (known := len(letters) - self._kept) > 0:
            self._letters, self._where = letters[known:], where[known:]
            self._before += known

    def _hide_after(self, folded: Sequence[str], text: str, start: int) -> None:
        """Hide the punctuation at the beginning of the text that the hidden text has after what is hidden."""
        for index, character in enumerate(text, start):
            if not self._after.startswith(character) or folded[index - start]:
                self._after = ""
            if not self._after:
                return
            self._after = self._after[1:]
            self._hide(index, index)

    def _hide(self, first: int, last: int) -> None:
        """Hide these characters, together with what they overlap or touch."""
        while self._spans and self._spans[-1][1] >= first - 1:
            first = min(first, self._spans.pop()[0])
        self._spans.append((first, last))

    def _show(self, until: int) -> str:
        """The held text before that character: no place that is found later begins before it."""
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
