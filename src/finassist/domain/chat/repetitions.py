"""Finding what a text repeats of a hidden text, letter by letter (``masking`` says what that is).

Everything about a hidden text is computed once and kept for the next replies. A letter of a reply costs one
look-up of the last ``SHINGLE`` letters among those of the hidden text, which in ordinary replies are hardly
ever there, whatever the length of the hidden text.
"""

import codecs
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from finassist.domain.chat.folding import FOLDED, fold, is_separator

RUN: Final = 40
SHORTEST: Final = 12
_LETTERS_MIN: Final = 8
"""So few letters and digits are met by chance, whatever punctuation stands between them."""

SHINGLE: Final = 12
GAP: Final = 12
_CHAIN_MAX: Final = 160
"""Letters in which the pieces have to be, so that no more than these are held back."""

_ROT13: Final = "rot13"
_BETWEEN: Final = "\0"


class Found(NamedTuple):
    """What must be hidden: from the character ``first`` to that of the letter before ``end``, and ``after``,
    the punctuation that the hidden text has there, if it follows."""

    end: int
    first: int
    after: str


class _Places(NamedTuple):
    """A hidden text in all the forms it is looked for.

    ``forms`` are its letters in each, ``runs`` the shortest runs that must be hidden, with the punctuation
    that the text has after them, and ``lengths`` how long those are. ``shingles`` are the pieces of
    ``shingle`` letters and where each ends first in ``forms``. ``beginnings`` are sorted: every piece of
    ``SHINGLE`` letters or fewer begins one of them. ``has_pieces`` says that the text is long enough to be
    hidden in pieces.
    """

    forms: str
    runs: dict[str, str]
    lengths: Sequence[int]
    shingle: int
    shingles: dict[str, int]
    beginnings: Sequence[str]
    has_pieces: bool


class Repetitions:
    """Looks for one hidden text in the letters of a reply."""

    __slots__ = ("_allowed", "_chain", "_places", "longest")

    def __init__(self, places: _Places, allowed: str) -> None:
        self._places = places
        self._allowed = allowed
        self.longest = places.lengths[-1]
        self.start()

    def restarted(self) -> "Repetitions":
        """The same for another text."""
        return Repetitions(self._places, self._allowed)

    def start(self) -> None:
        """Forget what was read."""
        self._chain: _Chain | None = None

    def read(self, letters: str, where: Sequence[int], new: int, count: int) -> Iterator[Found]:
        """Read the letters from ``new`` on. Before them are the last ones that were read, ``longest`` at
        least; ``where`` are the characters that the letters are of, and ``count`` is how many were read
        before ``letters``."""
        shingle, shingles = self._places.shingle, self._places.shingles
        ends = range(max(new + 1, shingle), len(letters) + 1)
        for end in [end for end in ends if letters[end - shingle : end] in shingles]:
            firsts = [] if (first := self._pieces(letters, where, end, count)) is None else [first]
            length, after = self._run(letters, end)
            if length:
                firsts.append(where[end - length])
                if self._chain is not None:
                    self._chain.open_from = where[end - 1]
            if firsts:
                yield Found(end, min(firsts), after)

    def held_from(self, letters: str, where: Sequence[int], count: int) -> int | None:
        """The first character of what could become a place to hide; None when there is none."""
        matched = self._matched(letters)
        held = where[-matched] if matched else None
        if self._chain is not None:
            if count + len(letters) - matched - self._chain.end > GAP:
                self._chain = None
            else:
                held = self._chain.open_from if held is None else min(held, self._chain.open_from)
        return held

    def _run(self, letters: str, end: int) -> tuple[int, str]:
        """The length of a run that ends there and must be hidden, 0 for none, and what is after it."""
        for length in self._places.lengths:
            run = letters[end - length : end] if length <= end else ""
            after = self._places.runs.get(run)
            if after is not None and run not in self._allowed:
                return length, after
        return 0, ""

    def _pieces(self, letters: str, where: Sequence[int], end: int, count: int) -> int | None:
        """Note a piece that ends there. Returns the first character of the pieces when they are enough to be
        hidden."""
        piece = letters[end - SHINGLE : end]
        if not self._places.has_pieces or piece in self._allowed:
            return None
        begin, chain = count + end - SHINGLE, self._chain
        if chain is None or begin - chain.end > GAP or chain.is_too_thin(count + end):
            chain = self._chain = _Chain(begin, where[end - SHINGLE])
        chain.end = count + end
        place = self._places.shingles[piece]
        chain.repeated.update(range(place - SHINGLE, place))
        if not chain.is_to_be_hidden:
            return None
        first, chain.open_from = chain.open_from, where[end - 1]
        return first

    def _matched(self, letters: str) -> int:
        """How many of the last letters, in this order, are in the hidden text, but no whole run."""
        beginnings, low = self._places.beginnings, 0
        most = min(len(letters), self.longest - 1)
        while low < min(most, SHINGLE):
            tail = letters[-low - 1 :]
            place = bisect_left(beginnings, tail)
            if place == len(beginnings) or not beginnings[place].startswith(tail):
                return low
            low += 1
        while low < most:
            middle = (low + most + 1) // 2
            if letters[-middle:] in self._places.forms:
                low = middle
            else:
                most = middle - 1
        return low


class _Chain:
    """Pieces of the hidden text near each other: from letter ``begin`` on, to ``end``. ``repeated`` is what
    they repeat of it; from the character ``open_from`` on they are not hidden yet."""

    __slots__ = ("begin", "end", "open_from", "repeated")

    def __init__(self, begin: int, open_from: int) -> None:
        self.begin = begin
        self.end = begin
        self.open_from = open_from
        self.repeated: set[int] = set()

    @property
    def is_to_be_hidden(self) -> bool:
        """Whether the pieces repeat enough together."""
        return len(self.repeated) >= RUN

    def is_too_thin(self, count: int) -> bool:
        """Whether the pieces are spread over so many letters that no more can be held back."""
        return not self.is_to_be_hidden and count - self.begin > _CHAIN_MAX


def repetitions_of(text: str, allowed: Sequence[str]) -> Repetitions | None:
    """What looks for a hidden text; None when nothing of it has to be hidden."""
    places = _places_of(text)
    if places is None or any(fold(text) in fold(each) for each in allowed):
        return None
    return Repetitions(places, _BETWEEN.join(form for each in allowed for form in forms_of(each)))


def forms_of(text: str) -> list[str]:
    """The letters of a text and of its rot13, forwards and backwards."""
    letters, turned = fold(text), fold(codecs.encode(text, _ROT13))
    return [letters, turned, letters[::-1], turned[::-1]]


@lru_cache(maxsize=16)
def _places_of(text: str) -> _Places | None:
    solid = [character for character in text if not is_separator(character)]
    places = [place for place, character in enumerate(solid) for _ in FOLDED[character]]
    if len(solid) < SHORTEST or len(places) < _LETTERS_MIN:
        return None
    forms = forms_of(text)
    runs: dict[str, str] = {}
    for begin, end in _shortest_runs(places, len(solid)):
        after = "".join(solid[places[end - 1] + 1 : places[end] if end < len(places) else None])
        for form in forms[:2]:
            runs.setdefault(form[begin:end], after)
            runs.setdefault(form[begin:end][::-1], "")
    lengths = sorted({len(run) for run in runs})
    shingle = min(SHINGLE, lengths[0])
    joined = _BETWEEN.join(forms)
    return _Places(
        forms=joined,
        runs=runs,
        lengths=lengths,
        shingle=shingle,
        shingles=_shingles(joined, shingle),
        beginnings=sorted({form[at : at + SHINGLE] for form in forms for at in range(len(form))}),
        has_pieces=len(solid) >= RUN and shingle == SHINGLE,
    )


def _shortest_runs(places: Sequence[int], length: int) -> Iterator[tuple[int, int]]:
    """Of each letter that ends a run, where the shortest one begins and ends, as a slice of the letters. The
    punctuation around a run counts as well; ``places`` are those of the letters with it."""
    needed, begin = min(RUN, length), 0
    starts = [0, *(place + 1 for place in places)]
    for end in range(1, len(places) + 1):
        stop = places[end] if end < len(places) else length
        while begin + 1 < end and stop - starts[begin + 1] >= needed:
            begin += 1
        if stop - starts[begin] >= needed and end >= _LETTERS_MIN:
            yield min(begin, end - _LETTERS_MIN), end


def _shingles(forms: str, size: int) -> dict[str, int]:
    """The pieces of that size, with the end of each where it is first."""
    ends = range(len(forms), size - 1, -1)
    return {piece: end for end in ends if _BETWEEN not in (piece := forms[end - size : end])}
