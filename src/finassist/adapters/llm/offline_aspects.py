"""What a follow-up is about: a part of what was quoted just before, or another entry; told by meaning."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from finassist.adapters.llm.offline_nearness import Nearness
from finassist.adapters.llm.offline_parts import advises, lacked_in, parts_of
from finassist.adapters.llm.offline_words import ASKING_STEMS, shipped_words, stems_of
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.questions import telling_part
from finassist.domain.retrieval.words import words_of

_PART_LEAST: Final = 0.25
_PART_VAGUE: Final = 0.15
_PART_CLEAR: Final = 0.45
_PART_CLOSED: Final = 0.35
_ENTRY_LEAST: Final = 0.45
"""From so much likeness on a part, or a title, is what a message is about: less for "is that safe", which has
no telling word that a part could lack, and more when the search goes on to another entry, or the part was
just read: then less for a question for yes or no."""
_NEARER: Final = 0.1
"""How much more like the message another entry is than the part of one that was quoted."""
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
    says that the part surely is what is asked for; ``beside`` is a fresh entry that surely answers."""

    hit: Hit
    part: str = ""
    is_clear: bool = False
    beside: Hit | None = None


class Aspects:
    """Tells what a message is about."""

    def __init__(self, nearness: Nearness) -> None:
        self._nearness: Final = nearness

    async def of(
        self, message: str, quoted: Sequence[Hit], fresh: Sequence[Hit], *, goes_on: bool
    ) -> Aspect | None:
        """The part of one of the ``quoted`` entries, or the ``fresh`` entry, that a message is most
        like; or None. When the search ``goes_on`` to a fresh entry, and the message names something and is no
        more like the title of a quoted one ("who can have one"), a part has to be clear. What the message
        says that its writer does not have is no part that it is about, and what to do or to leave answers no
        question for yes or no."""
        if not quoted:
            return None
        is_closed = _asks_yes_or_no(message)
        parts = _parts(message, quoted[:_ENTRIES_MAX], is_closed=is_closed)
        rows = [part.rpartition("\n")[2] for _, part in parts]  # of a table, without its head
        least = _LIKELY * max((hit.score for hit in fresh), default=0.0)
        fresh = [hit for hit in fresh if hit.score >= least]
        texts = [*rows, *(hit.title for hit in (*fresh, *quoted[:_ENTRIES_MAX]))]
        words = stems_of(telling_part(message)) - ASKING_STEMS
        near = await self._nearness.to_message(message, texts)
        likeness = [
            cosine + _WORDS * _share(words, text) for text, cosine in zip(texts, near, strict=bool(near))
        ]
        of_parts, of_others = likeness[: len(parts)], likeness[len(parts) :]
        of_titles, of_quoted = of_others[: len(fresh)], of_others[len(fresh) :]
        part, title = max(of_parts, default=0.0), max(of_titles, default=0.0)
        goes_on = goes_on and bool(words) and title >= max(of_quoted, default=0.0)
        least = _PART_CLEAR if goes_on else _PART_LEAST if words else _PART_VAGUE
        if part >= max(title if goes_on else title - _NEARER, least):
            return Aspect(
                *parts[of_parts.index(part)],
                is_clear=not words or part >= (_PART_CLOSED if is_closed else _PART_CLEAR),
                beside=_sure(fresh, of_titles, max(_NAMED, *of_quoted)),
            )
        return Aspect(fresh[of_titles.index(title)]) if title >= _ENTRY_LEAST and not goes_on else None


def _parts(message: str, quoted: Sequence[Hit], *, is_closed: bool) -> Sequence[tuple[Hit, str]]:
    """The parts of entries that a message may be about."""
    lacked = lacked_in(message)
    return [
        (hit, part)
        for hit in quoted
        for part in parts_of(hit.snippet)
        if lacked.isdisjoint(stems_of(part)) and not (is_closed and advises(part))
    ]


def _sure(fresh: Sequence[Hit], titles: Sequence[float], least: float) -> Hit | None:
    """The entry that surely answers whose title is most like the message, if it is more so than ``least``."""
    sure = [
        (title, place)
        for place, (hit, title) in enumerate(zip(fresh, titles, strict=True))
        if hit.score >= _SURE and title > least
    ]
    return fresh[max(sure)[1]] if sure else None


def _asks_yes_or_no(message: str) -> bool:
    words = words_of(message)
    return ("?" in message or not _ASKS_WHETHER.isdisjoint(words[:1])) and _ASKS_OPENLY.isdisjoint(words)


def _share(words: frozenset[str], text: str) -> float:
    return len(words & stems_of(text)) / len(words) if words else 0.0
