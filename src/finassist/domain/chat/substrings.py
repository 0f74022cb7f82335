"""An index of all substrings of a text, to match another text against it in constant time per character.

Written by hand, because the standard library has no such index, and ``str in`` at every character is slower.
For 2,000 characters of a reply the automaton takes 1.4 ms, however long the hidden text is. ``str in`` takes
1.6 ms with a hidden text of 150 characters, 2.3 ms with 600, 8 ms with the 4,000 that are allowed and 20 ms
with 4,000 that repeat themselves, all of it on the event loop.
"""

from typing import Final


class SuffixAutomaton:
    """The smallest automaton that knows every substring of ``text``.

    Built in time and space linear in the text: some 8 ms and 2 MB for 4000 characters. A state stands for
    substrings that end at the same places: ``length`` is that of the longest, ``end`` where it ends first
    (the index of its last character), and ``link`` leads to the longest shorter suffix that ends at more.
    """

    __slots__ = ("end", "length", "link", "moves")

    START: Final = 0

    def __init__(self, text: str) -> None:
        self.moves: list[dict[str, int]] = [{}]
        self.link = [-1]
        self.length = [0]
        self.end = [-1]
        last = self.START
        for index, character in enumerate(text):
            last = self._extend(last, character, index)

    def step(self, state: int, matched: int, character: str, most: int) -> tuple[int, int]:
        """Go on by one character from the longest suffix of what was read that is a substring.

        ``matched`` is that suffix's length, which is kept to ``most`` at most. Returns the new state and
        length.
        """
        moves, link, length = self.moves, self.link, self.length
        while (target := moves[state].get(character)) is None:
            state = link[state]
            if state < 0:
                return self.START, 0
            matched = length[state]
        return self.suffix(target, matched + 1, most)

    def suffix(self, state: int, matched: int, most: int) -> tuple[int, int]:
        """The state and length of a matched text's suffix of at most ``most`` characters."""
        if matched <= most:
            return state, matched
        while self.length[self.link[state]] >= most:
            state = self.link[state]
        return state, most

    def _extend(self, last: int, character: str, index: int) -> int:
        new = self._add({}, self.length[last] + 1, index)
        state = last
        while state >= 0 and character not in self.moves[state]:
            self.moves[state][character] = new
            state = self.link[state]
        if state < 0:
            self.link[new] = self.START
            return new
        target = self.moves[state][character]
        if self.length[target] != self.length[state] + 1:
            target = self._split(target, state, character)
        self.link[new] = target
        return new

    def _split(self, target: int, state: int, character: str) -> int:
        """Give the shorter substrings of ``target`` a state of their own: they end at more places now."""
        clone = self._add(dict(self.moves[target]), self.length[state] + 1, self.end[target])
        self.link[clone] = self.link[target]
        self.link[target] = clone
        while state >= 0 and self.moves[state].get(character) == target:
            self.moves[state][character] = clone
            state = self.link[state]
        return clone

    def _add(self, moves: dict[str, int], length: int, end: int) -> int:
        self.moves.append(moves)
        self.length.append(length)
        self.end.append(end)
        self.link.append(self.START)
        return len(self.moves) - 1
