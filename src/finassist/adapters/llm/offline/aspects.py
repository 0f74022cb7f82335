"""What a follow-up is about: a part of what was quoted just before, or another entry; told by meaning."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from finassist.adapters.llm.offline.nearness import Nearness, fit_in_conversation
from finassist.adapters.llm.offline.parts import advises, lacked_in, parts_of
from finassist.adapters.llm.offline.words import ASKING_STEMS, shipped_words, stems_of
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.questions import telling_part
from finassist.domain.retrieval.words import words_of

_PART_LEAST: Final = 0.25
_PART_VAGUE: Final = 0.15
_PART_CLEAR: Final = 0.45
_PART_CLOSED: Final = 0.28
"""From so much likeness on a part is what a message is about: less for "is that safe", which has no telling
word that a part could lack, and more when the search goes on to another entry, or the part was just read:
then less for a question for yes or no."""
_FAR_OFF: Final = 0.05
_ASKS_IT: Final = 0.45
"""What fits less than the first is far off; what fits at least the second is what a message asks."""
_NEARER: Final = 0.1
"""How much better another entry fits than a part of what was quoted; and how much worse it may than how the
answer begins."""
_WORDS: Final = 0.2
"""What it counts for that a text has all telling words of the message, beside the cosine of both."""
_LIKELY: Final = 0.33
"""The least share of the best score of an entry that a message may be about."""
_ENTRIES_MAX: Final = 2
_SURE: Final = 0.9
_NAMED: Final = 0.3
"""From the first score and above the second likeness of its title an entry is told in place of what was just
read, if its title is also more like the message than those of what was quoted."""
_ASKS_OPENLY: Final = frozenset(shipped_words("openQuestions"))
_ASKS_WHETHER: Final = frozenset(shipped_words("closedQuestions"))


@dataclass(frozen=True, slots=True)
class Aspect:
    """The entry that a message is about, and the part of it; without one it is about the whole. ``is_clear``
    says that the part surely is what is asked for; ``beside`` is a fresh entry that surely answers,
    ``instead`` one for a part that was just read, and ``nearest`` are those that are not far off, best
    first."""

    hit: Hit | None = None
    part: str = ""
    is_clear: bool = False
    beside: Hit | None = None
    instead: Hit | None = None
    nearest: Sequence[Hit] = ()


class Aspects:
    """Tells what a message is about."""

    def __init__(self, nearness: Nearness) -> None:
        self._nearness: Final = nearness

    async def of(
        self, message: str, quoted: Sequence[Hit], fresh: Sequence[Hit], *, goes_on: bool
    ) -> Aspect | None:
        """The part of one of the ``quoted`` entries, or the ``fresh`` entry, that a message is most
        like, and which fresh ones are near; None when that cannot be told. When the search ``goes_on`` to a
        fresh entry, and the message names something and is no more like the title of a quoted one ("who can
        have one"), a part has to be clear. One that names nothing ("is that safe") is about what was told,
        unless a title is clearly more like it. What the message says that its writer does not have is no part
        that it is about, and what to do or to leave answers no question for yes or no."""
        if not quoted:
            return None
        is_closed = _asks_yes_or_no(message)
        parts = _parts(message, quoted[:_ENTRIES_MAX], is_closed=is_closed)
        rows = [part.rpartition("\n")[2] for _, part in parts]  # of a table, without its head
        texts = [*rows, *(hit.title for hit in (*fresh, *quoted[:_ENTRIES_MAX]))]
        words = stems_of(telling_part(message)) - ASKING_STEMS
        near, in_context = await self._nearness.alone_and_in_context(message, quoted[0].title, texts)
        if not near:
            return None
        likeness = [cosine + _WORDS * _share(words, text) for text, cosine in zip(texts, near, strict=True)]
        of_parts, of_others = likeness[: len(parts)], likeness[len(parts) :]
        of_titles, of_quoted = of_others[: len(fresh)], of_others[len(fresh) :]
        others = _Others(fresh, in_context[len(parts) :][: len(fresh)], of_titles)
        part = max(of_parts, default=0.0)
        moves_on = goes_on and bool(words) and others.title >= max(of_quoted, default=0.0)
        if part >= _needed(others, moves_on=moves_on, names_something=bool(words)):
            hit, text = parts[of_parts.index(part)]
            least = part - _NEARER if hit.answer.startswith(text) else part + _NEARER
            return Aspect(
                hit,
                text,
                is_clear=not words or part >= (_PART_CLOSED if is_closed else _PART_CLEAR),
                beside=others.sure(max(_NAMED, *of_quoted)),
                instead=others.instead(least if goes_on else math.inf, near[of_parts.index(part)]),
                nearest=others.nearest,
            )
        asks_it = others.fit >= _ASKS_IT and not goes_on
        return Aspect(others.nearest[0] if asks_it else None, nearest=others.nearest)


@dataclass(frozen=True, slots=True)
class _Others:
    """The fresh entries, how near their titles are in the conversation, and how like the message they
    are."""

    hits: Sequence[Hit]
    near: Sequence[float]
    titles: Sequence[float]

    @property
    def fits(self) -> Sequence[float]:
        """How well each fits in the conversation."""
        return [fit_in_conversation(hit, near) for hit, near in zip(self.hits, self.near, strict=True)]

    @property
    def title(self) -> float:
        """The likeness of the title that is most like the message, of those that may be meant."""
        least = _LIKELY * max((hit.score for hit in self.hits), default=0.0)
        return max(
            (title for hit, title in zip(self.hits, self.titles, strict=True) if hit.score >= least),
            default=0.0,
        )

    @property
    def fit(self) -> float:
        """How well the best fits."""
        return max(self.fits, default=_FAR_OFF)

    @property
    def nearest(self) -> Sequence[Hit]:
        """Those that are not far off, best first."""
        near = [(fit, hit) for fit, hit in zip(self.fits, self.hits, strict=True) if fit >= _FAR_OFF]
        return [hit for _, hit in sorted(near, key=lambda each: -each[0])]

    def sure(self, least: float) -> Hit | None:
        """The entry that surely answers whose title is most like the message, if it is more so than
        ``least``."""
        sure = [
            (title, place)
            for place, (hit, title) in enumerate(zip(self.hits, self.titles, strict=True))
            if hit.score >= _SURE and title > least
        ]
        return self.hits[max(sure)[1]] if sure else None

    def instead(self, least: float, part: float) -> Hit | None:
        """The best entry that surely answers and fits so well, or that asks the message and is nearer to it
        than a ``part``."""
        fitting = [
            (fit, place)
            for place, (hit, fit, near) in enumerate(zip(self.hits, self.fits, self.near, strict=True))
            if (hit.score >= _SURE and fit >= least) or (fit >= _ASKS_IT and near >= part + _NEARER)
        ]
        return self.hits[max(fitting)[1]] if fitting else None


def _needed(others: _Others, *, moves_on: bool, names_something: bool) -> float:
    """How much like a message a part has to be that it is about, rather than about another entry."""
    if moves_on:
        return max(others.title, _PART_CLEAR)
    if names_something:
        return max(others.fit - _NEARER, _PART_LEAST)
    return max(others.title - _NEARER, _PART_VAGUE)


def _parts(message: str, quoted: Sequence[Hit], *, is_closed: bool) -> Sequence[tuple[Hit, str]]:
    """The parts of entries that a message may be about."""
    lacked = lacked_in(message)
    return [
        (hit, part)
        for hit in quoted
        for part in parts_of(hit.snippet)
        if lacked.isdisjoint(stems_of(part)) and not (is_closed and advises(part))
    ]


def _asks_yes_or_no(message: str) -> bool:
    words = words_of(message)
    return ("?" in message or not _ASKS_WHETHER.isdisjoint(words[:1])) and _ASKS_OPENLY.isdisjoint(words)


def _share(words: frozenset[str], text: str) -> float:
    return len(words & stems_of(text)) / len(words) if words else 0.0
