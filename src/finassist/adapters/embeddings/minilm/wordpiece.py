"""WordPiece, the tokenizer of BERT's uncased models."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

TOKENS_MAX: Final = 256
"""Tokens of a sequence, including the two that begin and end it; the model was not trained on longer ones."""

_CHARACTERS_MAX: Final = 20_000
"""Characters that are read of a text; 254 tokens rarely take more than 2,000."""
_WORD_MAX: Final = 100
_CHARACTERS_CACHED: Final = 4096

_START: Final = 101
_END: Final = 102
_UNKNOWN: Final = 100
"""The ids of ``[CLS]``, ``[SEP]`` and ``[UNK]``, as in all of BERT's vocabularies."""

_IDEOGRAPHS: Final = (
    range(0x3400, 0x4DC0),
    range(0x4E00, 0xA000),
    range(0xF900, 0xFB00),
    range(0x20000, 0x2A6E0),
    range(0x2A700, 0x2B740),
    range(0x2B740, 0x2B820),
    range(0x2B920, 0x2CEB0),
    range(0x2F800, 0x2FA20),
)
"""The blocks whose characters the original tokenizer separates; 2B820 to 2B91F are missing there, too."""
_REMOVED: Final = frozenset({"Cc", "Cf", "Co", "Cs"})
_WORD: Final = re.compile("[^ ]+")
_SPACES: Final = frozenset({"Zl", "Zp", "Zs"})


class Vocabulary:
    """The tokens' ids, found by bisection in mapped arrays; a dictionary would take 4 MB of each process."""

    def __init__(self, text: memoryview, ends: memoryview, ids: memoryview, *, token_max: int) -> None:
        """``text``: the tokens in UTF-8, sorted by their bytes. ``ends``, ``ids``: a number per token.

        ``token_max``: the bytes, and so at most the characters, of the longest token.
        """
        self._text = text
        self._ends = ends
        self._ids = ids
        self._places = range(len(ids))
        self.token_max = token_max

    def find(self, token: str) -> int | None:
        """The id of a token, or None."""
        wanted = token.encode()
        place = bisect_left(self._places, wanted, key=self._token)
        return self._ids[place] if place < len(self._ids) and self._token(place) == wanted else None

    def _token(self, place: int) -> bytes:
        return bytes(self._text[self._ends[place - 1] if place else 0 : self._ends[place]])


class WordPiece:
    """Converts texts to the ids of a vocabulary: the longest known piece of each word, then of its rest.

    A text cannot contain BERT's own tokens: ``[SEP]`` in it is three tokens, not the one at the end.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary

    def ids(self, text: str) -> list[int]:
        """The ids of a text, 2 to 256 of them; the rest of a longer text is ignored."""
        return [_START, *islice(self._pieces(text), TOKENS_MAX - 2), _END]

    def places(self, text: str, starts: Sequence[int]) -> list[int | None]:
        """For some characters of a text, which of its ids, counted from 0, begins at each or is the last one
        that begins before it; None for those in the rest that is ignored."""
        text = text[:_CHARACTERS_MAX]
        spelled = [_spelled(character) for character in text]
        origins = [place for place, letters in enumerate(spelled) for _ in letters]
        begun: list[int] = []
        for word in _WORD.finditer("".join(spelled)):
            begun.extend(origins[word.start() + begin] for begin, _ in self._of_word(word[0]))
            if len(begun) > TOKENS_MAX:
                break
        found = [bisect_right(begun, start) for start in starts]
        return [place if 0 < place <= TOKENS_MAX - 2 else None for place in found]

    def _pieces(self, text: str) -> Iterator[int]:
        for word in _WORD.findall("".join(map(_spelled, text[:_CHARACTERS_MAX]))):
            yield from (piece for _, piece in self._of_word(word))

    def _of_word(self, word: str) -> Sequence[tuple[int, int]]:
        """The ids of a word's pieces and where each begins, or the id of ``[UNK]`` when a part of it is no
        known piece."""
        if len(word) > _WORD_MAX:
            return ((0, _UNKNOWN),)
        found: list[tuple[int, int]] = []
        begin, mark = 0, ""
        while begin < len(word):
            for end in range(min(len(word), begin + self._vocabulary.token_max), begin, -1):
                piece = self._vocabulary.find(mark + word[begin:end])
                if piece is not None:
                    break
            else:
                return ((0, _UNKNOWN),)
            found.append((begin, piece))
            begin, mark = end, "##"
        return found


@lru_cache(_CHARACTERS_CACHED)
def _spelled(character: str) -> str:
    """A character as the model reads it: lowercase, without accents, punctuation and ideographs set apart.

    Control characters and lone surrogates are left out.
    """
    category = unicodedata.category(character)
    if character in "\t\n\r" or category in _SPACES:
        return " "
    if character == "\ufffd" or category in _REMOVED:
        return ""
    letters = "".join(map(_letter, unicodedata.normalize("NFD", character)))
    return f" {letters} " if any(ord(character) in block for block in _IDEOGRAPHS) else letters


def _letter(character: str) -> str:
    if unicodedata.category(character) == "Mn":
        return ""
    return f" {character} " if _is_punctuation(character) else character.lower()


def _is_punctuation(character: str) -> bool:
    """Whether Unicode says so, or the character is ASCII and neither letter nor digit ($, +, <, …)."""
    if character.isascii():
        return not character.isalnum()
    return unicodedata.category(character).startswith("P")
