"""Names of people, where the text introduces them: "my name is …". Elsewhere a word with a capital letter is
too often a fund, a bank or a town."""

import re
from collections.abc import Iterator
from typing import Final, cast

from finassist.data import shipped

_WORDS: Final = cast("dict[str, str]", shipped("redaction/words"))
_INTRODUCED = re.compile(
    rf"(?:{_WORDS['my_name_is']}|\b(?P<greeting>(?:{_WORDS['greetings']})(?: there)?[ ,.!]*"
    r"\bi(?:['\u2019]m| am)))[ ]+(?=(?P<words>[^\n.,;:!?()\d]{1,60}))",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_WORDS_MAX: Final = 6
_LOWER_WORDS_MAX: Final = 2
_PART_MIN: Final = 3
_PARTICLES: Final = frozenset(_WORDS["particles"].split())
_NO_NAMES: Final = frozenset(shipped("redaction/nationalities")) | frozenset(_WORDS["no_names"].split())


def introduced(text: str) -> Iterator[tuple[int, int]]:
    """The positions of names after words that introduce them."""
    for match in _INTRODUCED.finditer(text):
        end = _end_of_name(match["words"], bool(match["call"] or match["greeting"]))
        if end:
            yield match.end(), match.end() + end


def parts_of(name: str) -> Iterator[str]:
    """The name and its words, which may occur alone elsewhere."""
    yield name
    for word in _WORD.findall(name):
        if len(word) >= _PART_MIN and word[0].isupper() and word.casefold() not in _NO_NAMES:
            yield word


def _end_of_name(words: str, needs_capital: bool) -> int:
    """How many of the characters are the name; 0 when the words are not a name.

    Capital letters show where it ends. Without any, it is one word, or two when nothing else follows;
    but "call me later" names nobody.
    """
    found = list(_WORD.finditer(words))
    if not found or found[0].start() > 0 or found[0][0].casefold() in _NO_NAMES:
        return 0
    if not found[0][0][0].isupper():
        return 0 if needs_capital else _end_of_lower_case_name(found)
    end = found[0].end()
    for word in found[1:_WORDS_MAX]:
        if word[0] in _PARTICLES:
            continue
        if word[0].casefold() in _NO_NAMES or not word[0][0].isupper():
            break
        end = word.end()
    return end


def _end_of_lower_case_name(found: list[re.Match[str]]) -> int:
    until = next((index for index, word in enumerate(found) if word[0].casefold() in _NO_NAMES), len(found))
    return found[until - 1].end() if until <= _LOWER_WORDS_MAX else found[0].end()
