"""Texts as they are compared with hidden texts: letters and digits alone, look-alikes as one.

White space, punctuation, symbols, invisible characters, accents and case do not count. Letters that look
alike (``data/redaction/lookalikes.json``, from Unicode's table of confusable characters) are the same letter.
"""

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

from finassist.data import shipped

_NAMED: Final = re.compile(r"(?:LETTER|LATIN LETTER SMALL CAPITAL) ([A-Z])$")
_LOOKALIKES: Final[Mapping[str, str]] = {
    each: first for first, group in shipped("redaction/lookalikes").items() for each in group
}
_LETTERED: Final = ("So", "Cf")
"""Letters in circles and squares, of which flags are made, and invisible ones (tags)."""
_CACHED_MAX: Final = 4096


def fold(text: str) -> str:
    """The text as it is compared."""
    return "".join(map(FOLDED.__getitem__, text))


def is_separator(character: str) -> bool:
    """Whether a character is white space, or invisible and no letter."""
    return character.isspace() or (unicodedata.category(character) == "Cf" and not FOLDED[character])


def letters_of(text: str) -> str:
    """The letters and digits of a text, in lower case and without accents."""
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(map(_letter_of, decomposed))


def _letter_of(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Nd":
        return str(unicodedata.decimal(character))
    named = None if character.isascii() else _NAMED.search(unicodedata.name(character, ""))
    if named is not None and (category in _LETTERED or named[0].startswith("LATIN")):
        return named[1].lower()
    return character if category[0] in "LN" else ""


class _Folded(dict[str, str]):
    """A cache of characters in the form in which they are compared."""

    def __missing__(self, character: str) -> str:
        folded = "".join(_LOOKALIKES.get(each, each) for each in letters_of(character))
        if len(self) < _CACHED_MAX:
            self[character] = folded
        return folded


FOLDED: Final[Mapping[str, str]] = _Folded()
"""Of each character, how it is compared: as no letter, one, or several."""
