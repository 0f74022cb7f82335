"""What the offline model compares texts by: their telling words, without endings."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from finassist.data import shipped
from finassist.domain.retrieval.queries import without_sizes
from finassist.domain.retrieval.words import topic_words

_SIDE_WORDS: Final = 2
_STEM_MIN: Final = 3
_DATA: Final[Mapping[str, Sequence[str]]] = shipped("chat/offline_words")


def shipped_words(name: str) -> Sequence[str]:
    """The words of ``data/chat/offline_words.json`` under a name."""
    return _DATA[name]


def any_of(name: str) -> str:
    """Any of these words, as a part of a pattern."""
    return f"(?:{'|'.join(shipped_words(name))})"


_ASKS_FIGURE: Final = re.compile(rf"\bhow {any_of('figures')}\b")
_COMPARES: Final = re.compile(
    r"\bbetween (?P<one>.+) and (?P<other>.+)"
    rf"|(?P<first>.+)\b{any_of('comparing')}\b(?P<second>.+)"
)


def stems_of(text: str) -> frozenset[str]:
    """The telling words of a text, without their endings, and what kind of figure it asks for."""
    figures = _ASKS_FIGURE.findall(without_sizes(text.casefold()))
    return frozenset((*map(_stem, topic_words(text)), *figures))


def asks_figure(text: str) -> bool:
    """Whether a number is asked for."""
    return _ASKS_FIGURE.search(text.casefold()) is not None


def sides_of(question: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """What a question compares, by the words nearest to "or" that only one side has; None when it does
    not compare."""
    found = _COMPARES.search(question.casefold())
    if found is None:
        return None
    one, other = (_telling(found[a] or found[b] or "") for a, b in (("one", "first"), ("other", "second")))
    left, right = frozenset(one[-_SIDE_WORDS:]), frozenset(other[:_SIDE_WORDS])
    return (left - right, right - left) if left - right and right - left else None


def _telling(text: str) -> list[str]:
    return [stem for stem in map(_stem, topic_words(text)) if stem not in ASKING_STEMS]


def _stem(word: str) -> str:
    for ending in shipped_words("endings"):
        if word.endswith(ending) and len(word) - len(ending) >= _STEM_MIN:
            return word[: -len(ending)]
    return word


ASKING_STEMS: Final = stems_of(" ".join(shipped_words("asking")))
"""What many questions have in common, whatever they are about."""
