"""What the offline model compares texts by: their telling words, without endings."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from finassist.data import shipped
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.queries import without_sizes
from finassist.domain.retrieval.words import topic_words, words_of

_SIDE_WORDS: Final = 2
_AS_GOOD: Final = 0.9
_NOT_FAR: Final = 0.6
"""The least share of the best score of an entry on both sides of a comparison, and of one on a side."""
_COMPARED_TWICE: Final = 2
"""A text that compares two things speaks of each so often at least."""
_SHORT_WORDS: Final = 12
"""In a longer message "or" seldom compares what is asked for."""
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


def compared_in(question: str, hits: Sequence[Hit]) -> Sequence[int]:
    """The places of what to quote for a question that compares: of the best hit whose title names both sides
    and more of the question than the first one's, or of the best for each side of a short question, when the
    first says too little of one; empty for any other question, and where the first suffices."""
    sides = _sides(question)
    if sides is None:
        return ()
    first, both = hits[0], {sides[0][-1], sides[1][0]}
    asked = stems_of(question)
    shared = [len(asked & stems_of(hit.title)) for hit in hits]
    for place, hit in enumerate(hits):
        names_more = place == 0 or shared[place] > shared[0]
        if hit.score >= _AS_GOOD * first.score and both <= stems_of(hit.title) and names_more:
            return (place,)
    if len(question.split()) > _SHORT_WORDS or _tells_both(both, first.snippet):
        return ()
    places = [_place_of(frozenset(side), hits, first.score * _NOT_FAR) for side in sides]
    return () if None in places else sorted({place for place in places if place is not None})


def _place_of(side: frozenset[str], hits: Sequence[Hit], enough: float) -> int | None:
    """The best hit whose title names this side."""
    named = (n for n, hit in enumerate(hits) if hit.score >= enough and side <= stems_of(hit.title))
    return next(named, None)


def _tells_both(sides: Collection[str], text: str) -> bool:
    """Whether a text speaks of each side more than in passing."""
    told = [_stem(word) for word in words_of(text)]
    return all(told.count(side) >= _COMPARED_TWICE for side in sides)


def _sides(question: str) -> Sequence[Sequence[str]] | None:
    """The words of each side in their order, nearest to "or" and only of that side: the last of the one, the
    first of the other; None when a question does not compare."""
    found = _COMPARES.search(question.casefold())
    if found is None:
        return None
    one, other = (_telling(found[a] or found[b] or "") for a, b in (("one", "first"), ("other", "second")))
    left, right = one[-_SIDE_WORDS:], other[:_SIDE_WORDS]
    sides = [word for word in left if word not in right], [word for word in right if word not in left]
    return sides if all(sides) else None


def _telling(text: str) -> list[str]:
    return [stem for stem in map(_stem, topic_words(text)) if stem not in ASKING_STEMS]


def _stem(word: str) -> str:
    for ending in shipped_words("endings"):
        if word.endswith(ending) and len(word) - len(ending) >= _STEM_MIN:
            return word[: -len(ending)]
    return word


ASKING_STEMS: Final = stems_of(" ".join(shipped_words("asking")))
"""What many questions have in common, whatever they are about."""
