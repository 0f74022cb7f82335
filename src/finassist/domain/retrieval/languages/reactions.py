"""Messages in other languages that ask nothing new: greetings, thanks, and wishes about the last answer."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from functools import cache
from itertools import chain
from typing import Final

from finassist.data import shipped
from finassist.domain.retrieval.languages.folding import HINDI, folded_words, language_written
from finassist.domain.retrieval.words import ENTRY_WORDS, STOP_WORDS

_ALIKE: Final = 0.7
"""The least share of the runs of three letters that a message has in common with a wording."""
_WORDS_MAX: Final = 8
_RUN: Final = 3
_EVERY_LANGUAGE: Final = "*"


class Reaction(StrEnum):
    """What such a message is: the last three wish something of the answer before it."""

    GREETING = "greeting"
    THANKS = "thanks"
    AGREED = "agreed"
    DOUBT = "doubt"
    SHORTER = "shorter"
    MORE = "more"

    @property
    def wants_passages(self) -> bool:
        """Whether it is answered from what was quoted before it."""
        return self in (Reaction.DOUBT, Reaction.SHORTER, Reaction.MORE)


_IN_ORDER: Final = (
    Reaction.AGREED,
    Reaction.GREETING,
    Reaction.THANKS,
    Reaction.MORE,
    Reaction.SHORTER,
    Reaction.DOUBT,
)
"""The one that wants a reply most comes last."""


def reaction_of(text: str, language: str) -> Reaction | None:
    """The reaction whose wordings a short message is most like, if it is much like one. Of two in one
    message, "I see, thanks", it is the one that wants a reply."""
    words = folded_words(text, language)
    if not words or len(words) > _WORDS_MAX:
        return None
    whole = _likest(words, language)
    if whole is not None:
        return whole
    for end in range(1, len(words)):
        both = _likest(words[:end], language), _likest(words[end:], language)
        if None not in both:
            return max(filter(None, both), key=_IN_ORDER.index)
    return None


def is_plain_reaction(text: str, language: str) -> bool:
    """Whether a message is a wording of a reaction word for word: it asks nothing else, whatever it finds."""
    said = " ".join(folded_words(text, _EVERY_LANGUAGE))
    return language_written(language) in _languages_by_wording().get(said, ())


def language_of_reaction(text: str) -> str | None:
    """The language of a message that is a greeting, thanks or the like in one language alone and has words
    that are not English: "hoi", "merci". Nothing else tells the language of a single word."""
    words = folded_words(text, _EVERY_LANGUAGE)
    said = " ".join(words)
    if len(said) < _RUN or all(word in ENTRY_WORDS or word in STOP_WORDS for word in words):
        return None
    languages = _languages_by_wording().get(said, ())
    return next(iter(languages)) if len(languages) == 1 and HINDI not in languages else None


@cache
def _languages_by_wording() -> Mapping[str, Collection[str]]:
    """The languages that have a wording."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for language, reactions in shipped("languages/reactions").items():
        if language == _EVERY_LANGUAGE:
            continue
        for text in chain.from_iterable(reactions.values()):
            found[" ".join(folded_words(text, _EVERY_LANGUAGE))].add(language)
    return found


def _likest(words: Sequence[str], language: str) -> Reaction | None:
    runs = _runs(words)
    likeness = {
        reaction: max((_likeness(runs, each) for each in wordings), default=0.0)
        for reaction, wordings in _wordings(language_written(language)).items()
    }
    likest = max(likeness, key=likeness.__getitem__, default=None)
    return likest if likest is not None and likeness[likest] >= _ALIKE else None


@cache
def _wordings(language: str) -> Mapping[Reaction, Collection[frozenset[str]]]:
    shipped_wordings = shipped("languages/reactions")
    if language not in shipped_wordings:
        return {}
    return {
        reaction: [
            _runs(folded_words(text, language))
            for of in (language, _EVERY_LANGUAGE)
            for text in shipped_wordings[of].get(reaction.value, ())
        ]
        for reaction in Reaction
    }


def _runs(words: Collection[str]) -> frozenset[str]:
    text = f" {' '.join(words)} "
    return frozenset(text[start : start + _RUN] for start in range(len(text) - _RUN + 1))


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other))
