"""What kind of question a message is (contract section 4, "Retrieval")."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.retrieval.words import topic_words, words_of
from finassist.patterns import late_pattern

CATEGORY_NAMES: Final[Mapping[str, str]] = {
    "AssetAllocation": "Asset allocation",
    "Debt_Fix_Income": "Debt and fixed income",
    "EmergencyFund": "Emergency fund",
    "Goal_Based_Investing": "Goal-based investing",
    "Insurance": "Insurance",
    "Mutual_Funds": "Mutual funds",
    "Portfolio_Review": "Portfolio review",
    "Real_Estate": "Real estate",
    "Retirement_Planning": "Retirement planning",
    "Tax_Planning": "Tax planning",
}
"""The ten finance categories (spec "Visual embed and category") by key, as they are shown."""

TOPICS_SHOWN: Final = 5

_DATA: Final = cast("dict[str, Any]", shipped("retrieval/questions"))
_LEANING_WORDS_MAX: Final = 10
_LEANING_TOPIC_WORDS_MAX: Final = 2
_CONNECTIVES: Final = frozenset(_DATA["connectives"].split())
_CONNECTIVE_PAIRS: Final = frozenset({("how", "about"), ("what", "about"), ("what", "if")})
_POINTERS: Final = frozenset(_DATA["pointers"].split())
_VAGUE: Final = frozenset(_DATA["vague"].split())
"""Words that no question is about: "how big should it be?" is not about what is big."""
_HESITATING: Final = frozenset(_DATA["hesitating"].split())
_ASPECTS: Final = frozenset(_DATA["aspects"].split())
"""What anything may have: "what are the fees?" asks for those of what was spoken of."""


_REFERENTS: Final = _POINTERS | frozenset(_DATA["referents"].split())
_BEFORE_REFERENT_MAX: Final = 1
_OPENERS: Final = rf"(?:(?:{_DATA['openers']})\b[\s,.!]*)*"
_GOES_ON: Final = late_pattern(rf"^\W*{_OPENERS}(?:{_DATA['going_on']})\b", re.IGNORECASE)
_TURNS_TO: Final = late_pattern(
    rf"^\W*{_OPENERS}(?:(?:and )?(?:what|how) about|(?:and|but|what) if) \w", re.IGNORECASE
)
_THANKS: Final = late_pattern(
    r"\b(?:thanks?|thank you|thx|ty|cheers)(?: (?:so|very) much| a lot)?\W*$", re.IGNORECASE
)
_OBJECTS: Final = late_pattern(rf"^\W*{_OPENERS}but\b", re.IGNORECASE)
_IMPERSONAL: Final = late_pattern(r"\bis it (?:\w+ ){1,2}(?:to|that|if|for)\b", re.IGNORECASE)
_TELLS: Final = late_pattern(rf"^\W*{_OPENERS}(?:and |but |also )?(?:{_DATA['telling']})\b", re.IGNORECASE)
_ASKS_OF_IT: Final = late_pattern(
    rf"^\W*{_OPENERS}(?:and |but )?(?:{_DATA['asking_of_it']})\b", re.IGNORECASE
)
_NAMED_MIN: Final = 2
_SUM: Final = late_pattern(r"\b\d[\d,.]*(?:\d{2}|k)\b", re.IGNORECASE)
_STATED: Final = "".join(rf"(?<!\b{word} )" for word in _DATA["stated_by"].split())
"""What comes before the verb of a statement: "I can keep it"."""
_FORM: Final = late_pattern(
    rf"(?<![\w£$€])(?:{_DATA['forms']}|(?!{_DATA['no_forms']})[a-z]{{1,2}}-\d{{1,4}}[a-z]?"
    rf"|(?:{_DATA['numbered_forms']})(?:-(?:{_DATA['form_endings']})(?!-)|(?<=\d{{4}})[a-jln-rt-z]))(?!\w)",
    re.IGNORECASE,
)
"""The code of a form, of letters and digits: P45, W-2, V5C, SA302, 1099-MISC."""
_ASKS: Final = late_pattern(
    rf"\?|\b(?:{_DATA['asking_words']}|{_STATED}(?:{_DATA['asked_verbs']})|{_DATA['requests']})\b",
    re.IGNORECASE,
)

_OPPOSITES: Final = [
    tuple(late_pattern(rf"\b(?:{side})\b", re.IGNORECASE) for side in sides) for sides in _DATA["opposites"]
]
"""What cannot be true of one person at once: to have come and to leave, a death and dying."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """Whether a message is about money, and which of the ten finance categories it belongs to.

    ``confidence`` is that of ``is_finance``, 0.5..1. ``category`` is None for small talk and wherever no
    category is likely enough; ``category_confidence`` is the probability of the likeliest, 0 for small talk.
    """

    is_finance: bool
    confidence: float
    category: str | None = None
    category_confidence: float = 0.0


def told_otherwise(text: str, titles: Sequence[str]) -> Sequence[bool]:
    """Whether each title is about the opposite of what a message tells: "what happens if I leave Canada" for
    somebody who just came, "my parent is dying" for a dead one."""
    told = [
        (mine, other)
        for one, two in _OPPOSITES
        for mine, other in ((one, two), (two, one))
        if mine.search(text) and not other.search(text)
    ]
    return [any(other.search(title) and not mine.search(title) for mine, other in told) for title in titles]


def telling_part(text: str) -> str:
    """The text without the words that no question is about."""
    vague = _VAGUE | _REFERENTS
    pieces = [(piece, words_of(piece)) for piece in text.split()]
    return " ".join(piece for piece, words in pieces if not words or not vague.issuperset(words))


def asks_in_words(text: str) -> bool:
    """Whether a message has a question mark or a number, or begins to ask about what was said ("is it a good
    idea"): not only a reaction."""
    return any(sign == "?" or sign.isdigit() for sign in text) or _ASKS_OF_IT.match(text) is not None


def leans_on_earlier(text: str) -> bool:
    """Whether a message is half a question, to be read with what came before: "and for ten years?", "what
    are the risks?"."""
    words = words_of(text)
    if not words or len(words) > _LEANING_WORDS_MAX:
        return False
    if words[0] in _CONNECTIVES or tuple(words[:2]) in _CONNECTIVE_PAIRS:
        return True
    topic = [word for word in topic_words(text) if word not in _VAGUE]
    return _ASPECTS.issuperset(topic) or (
        len(topic) <= _LEANING_TOPIC_WORDS_MAX and not _POINTERS.isdisjoint(words)
    )


def only_asks_whether(text: str) -> bool:
    """Whether a message asks whether to do what it does not name: "not sure if i should"."""
    return "should" in words_of(text) and _HESITATING.issuperset(topic_words(text))


def refers_back(text: str) -> bool:
    """Whether a message goes on from another ("and for my wife?"), or names its subject by a pronoun that
    nothing in it stands for: "do I have to pay it if I move"; but not "is it legal to", where it means
    nothing."""
    if _GOES_ON.match(text):
        return True
    words = words_of(_IMPERSONAL.sub("", text))
    place = next((place for place, word in enumerate(words) if word in _REFERENTS), None)
    return place is not None and len(topic_words(" ".join(words[:place]))) <= _BEFORE_REFERENT_MAX


def only_thanks(text: str) -> bool:
    """Whether a message ends a subject with thanks, whatever it says before them, and asks nothing more."""
    return _THANKS.search(text) is not None and not _ASKS.search(text)


def turns_to(text: str) -> bool:
    """Whether a message turns to something else, or supposes it: "what about my super can i touch that",
    "and if i just dont tell them"."""
    return _TURNS_TO.match(text) is not None


def objects(text: str) -> bool:
    """Whether a message speaks against what was said: "but my friend got his money out"."""
    return _OBJECTS.match(text) is not None and not _ASKS.search(text)


def asks(text: str) -> bool:
    """Whether a message asks anything, by its words or a question mark."""
    return _ASKS.search(text) is not None


def asks_of_something(text: str) -> bool:
    """Whether a message asks, and names what it asks about by two words at least: "should i renovate or
    move", but neither "should i go for it" nor "help im broke"."""
    unnamed = _VAGUE | _REFERENTS | _HESITATING
    named = [word for word in topic_words(text) if word not in unnamed and not asks(word)]
    return asks(text) and len(named) >= _NAMED_MIN


def asks_about_sum(text: str) -> bool:
    """Whether a message asks, and names a sum: "i got 5k what now"."""
    return asks(text) and _SUM.search(text) is not None


def names_form(text: str) -> bool:
    """Whether a message names a form by its code: "who do i give my p45 to"."""
    return _FORM.search(text) is not None


def asks_of_nothing(words: Iterable[str]) -> bool:
    """Whether no question is about any of these words."""
    return (_VAGUE | _REFERENTS).issuperset(words)


def names_nothing(text: str) -> bool:
    """Whether a message has no word that a question could be about: "what is the best one"."""
    return asks_of_nothing([word for word in topic_words(text) if word not in _ASPECTS])


def tells_situation(text: str) -> bool:
    """Whether a message asks nothing, but tells of its writer: "I have two kids and a mortgage"."""
    return _TELLS.match(text) is not None and not _ASKS.search(text)


@dataclass(frozen=True, slots=True)
class Topic:
    """A category that somebody asked about ``count`` times, ``last_asked_at`` for the last time."""

    category: str
    count: int
    last_asked_at: datetime

    @property
    def display_name(self) -> str:
        """The category as it is shown."""
        return CATEGORY_NAMES.get(self.category, self.category)


def latest_topics(topics: Iterable[Topic]) -> list[Topic]:
    """The five that were asked about last, newest first."""
    return sorted(topics, key=lambda topic: (topic.last_asked_at, topic.category), reverse=True)[
        :TOPICS_SHOWN
    ]


def frequent_topics(topics: Iterable[Topic]) -> list[Topic]:
    """The five that were asked about most often; of equals the newer one first."""
    return sorted(topics, key=lambda topic: (topic.count, topic.last_asked_at, topic.category), reverse=True)[
        :TOPICS_SHOWN
    ]
