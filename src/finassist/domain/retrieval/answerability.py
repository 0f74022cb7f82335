"""Whether a text answers a question at all, judged by words: a few signs, weighed by a logistic curve.

A base about money has "card", "credit" and "first" in many places, and none of them says when the first
credit card was invented. No single sign tells; together they mostly do. The weights are fitted by
``training/answering.py``, which prints them; docs/retrieval.md has what they do.
"""

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from finassist.domain.retrieval.place_names import PLACES
from finassist.domain.retrieval.words import words_of

PASSING: Final = frozenset(
    """
    able actually adult afraid afternoon already always anybody anymore anyone anything ask asked asking
    aunt basically best better bit boss boyfriend brother came cheap cheaper child children clever
    come comes common consider considering correct cousin currently dad daughter decide decided different
    difference easy especially evening ever everybody everyone everything exactly explain family fast father
    feel few fiance fiancee find folks found friend friends gave girl girlfriend give given good grandfather
    grandma grandmother grandparents grandson granddaughter great guess guy guys happen happened happens hard
    heard help high husband idea important instead keep kid kids kind lady large late lately least left less
    little look looking lose lot lots low lower man many maybe mean means mom month months morning mother
    mostly much neighbor nephew never new nice niece normal normally nowadays offer offered often okay old
    parent parents partner people perhaps person possible probably put question questions quick quickly quite
    rather read reason reasons recently right roommate safe said save say says see seems sense show sibling
    simple simply sister small smart somebody someone something sometimes somehow son soon sort spouse start
    started stuff suddenly sure take taken takes teenager think thinking together told took tried true try
    trying typical uncle understand useful usually versus vs wait wants wanted way ways wedding week weeks
    wife wish woman wonder wondering worried worry worth wrong year years young
    """.split()
)
"""Words of a question that need not stand in its answer: who asks, and how."""

ASIDE: Final = frozenset(
    """
    activate algorithm android animal api app apps battery become becoming bestseller board career
    careers ceo certificate chairman champion chess code coder coding compile cook cooking cv database
    degree design designed designer designs diploma documentary dress elected emoji encrypt etymology exam
    exams film films founded founder game games gdp headquarters history idiom install installed internship
    interview invent invented inventor invention iphone java javascript joke keyboard lecture library
    license licenses linux locate located login logo lottery lyrics macro manufactured medal menu minister
    mint minted movie movies museum novel password phd photo pin plot podcast poem poker politician premiere
    president printed printer professor program programming programs pronounce pronounced protein python
    recipe recruiter recruitment reset resume scholarship scrape script sing slogan smartphone song speech
    spell spelled sql statue summarize tattoo thesis today tomorrow tonight translate translated translation
    tutorial unlock username vba video weather weigh wikipedia windows winner wins won yesterday youtube
    """.split()
)
"""What else may be asked about money: its history, people, jobs, programs, games, news. An article is
about these when its title says so."""

_PLAIN_NUMBER: Final = re.compile(r"\d{1,2}|\d{5,}")
"""An age or a sum; three and four digits are as often a name, 529 or 1099."""
_NAME: Final = re.compile(r"(?<=[a-z0-9,] )[A-Z][^\W\d_]{2,}")
_WORD_START: Final = re.compile(r"\b[A-Z](?=[a-z])")
_OTHERS: Final = re.compile(
    r"\b(?:who|when|where|what|which|why|how)\b(?: \w+){0,3} (?:was|were|did)\b"
    r"|^how (?:do|does)\b(?!.* work)",
    re.IGNORECASE,
)
_LOOKED_UP: Final = re.compile(
    r"^(?:what|which|when|where|how (?:much|many|high))\b(?!.*\b(?:should|can|could|would|if)\b).*"
    r"\b(?:right now|at the moment|these days|currently|(?:this|last) (?:week|month|quarter))\b"
    r"|^(?:what|when|where|how (?:much|many|high))(?:['\u2019]?s| is| are| was) my\b"
    r"|^(?:show|increase|raise|change) my\b"
    r"|^how (?:much|many)\b.* did i\b|\byour (?:app|bank|branch|company|fees|office|rates?|service|staff)\b",
    re.IGNORECASE,
)
_NUMBERED: Final = re.compile(
    r"\b(?:form|item|part|publication|rule|schedule|section) (\w*\d\w*)\b", re.IGNORECASE
)
_OWN: Final = re.compile(r"\b(?:i|my|me|you|we|our)\b", re.IGNORECASE)
_HEADLINE: Final = 0.6
"""Share of words in capitals from which on a capital says nothing."""

_PASSING_WEIGHT: Final = 0.25
_PLAIN: Final = 0.2
"""What the commonest word counts, beside 1 for one that stands nowhere."""
_SATURATION: Final = 1.6
_LONG: Final = 6
_BEYOND: Final = 0.25
"""From the seventh term on a query tells a story, and a quarter of it has to be found."""
_TERMS: Final = (3, 8)
_MISSING_MAX: Final = 3.0

DOUBT: Final = -4.4
TITLED: Final = 2.4
DEEP: Final = 2.8
EARLY: Final = 1.75
TERMS: Final = 0.98
MISSING: Final = -1.68
STRAY: Final = -2.65


def says_little(word: str) -> bool:
    """Whether a word of a question need not stand in its answer."""
    return word in PASSING or _PLAIN_NUMBER.fullmatch(word) is not None


def named_in(text: str) -> frozenset[str]:
    """The numbers of forms and paragraphs, the places, and the words in capitals that a capital says
    something of: not the first, not those of a headline. Who asks and speaks of himself names places and
    people that are no more than the story around the question."""
    numbers = frozenset(words_of(" ".join(_NUMBERED.findall(text))))
    if _OWN.search(text):
        return numbers
    named = numbers | PLACES.intersection(words_of(text))
    headline = len(_WORD_START.findall(text)) > _HEADLINE * len(text.split())
    return named if headline else named.union(words_of(" ".join(_NAME.findall(text))))


def asks_elsewhere(text: str) -> bool:
    """Whether a question is about what once was, about how others do what they do ("how do banks print
    checks?"), or about what only today's paper or the asker's bank can tell."""
    if _LOOKED_UP.search(text):
        return True
    return _OTHERS.search(text) is not None and _OWN.search(text) is None


@dataclass(frozen=True, slots=True)
class Asked:
    """What the wording of a question says of its terms: ``passing`` say little, ``aside`` have to be in the
    title of an answer, and ``named`` somewhere in it. ``elsewhere``: see ``asks_elsewhere``."""

    passing: Collection[str] = ()
    aside: Collection[str] = ()
    named: Collection[str] = ()
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for an answer and against it.

    ``titled``, ``deep`` and ``early`` are shares of the question by the weight of its terms, 0..1: in the
    title; found, more for a term that stands there often; in the title or the first words. ``terms`` is how
    many there are, from three to eight: much of a long question says more than much of a short one.
    ``missing`` is the weight of those that are not there. ``stray``: the question asks for something aside,
    for what no article tells, or of somebody or some place that the text does not name.
    """

    titled: float
    deep: float
    early: float
    terms: int
    missing: float
    stray: bool

    @property
    def score(self) -> float:
        """How likely it is that the text answers the question, 0..1."""
        favour = (
            DOUBT
            + TITLED * self.titled
            + DEEP * self.deep
            + EARLY * self.early
            + TERMS * self.terms
            + MISSING * self.missing
            + STRAY * self.stray
        )
        return 1 / (1 + math.exp(-favour))


class Judge:
    """Tells whether a text answers one question. ``rarities`` are those of the terms that an answer has to
    have: 0 for one that stands everywhere, 1 for one that stands nowhere."""

    def __init__(self, rarities: Mapping[str, float], asked: Asked) -> None:
        self._asked = asked
        self._shares = {
            term: (rarity + _PLAIN) * (_PASSING_WEIGHT if term in asked.passing else 1)
            for term, rarity in rarities.items()
        }
        count = max(1, len(rarities))
        beyond = max(0, count - _LONG) * (1 - _BEYOND)
        self._everything = sum(self._shares.values()) * (1 - beyond / count)

    def signs(self, title: Collection[str], early: Collection[str], counts: Mapping[str, float]) -> Signs:
        """The signs of a text. ``title`` and ``early`` are the terms in its title and among its first words,
        ``counts`` says how often each stands anywhere, the title counting more."""
        asked = self._asked
        least, most = _TERMS
        missing = sum(share for term, share in self._shares.items() if term not in counts)
        return Signs(
            titled=self._share(dict.fromkeys(title, 1.0)),
            deep=self._share({term: count / (count + _SATURATION) for term, count in counts.items()}),
            early=self._share(dict.fromkeys((*title, *early), 1.0)),
            terms=min(max(least, len(self._shares)), most),
            missing=min(missing, _MISSING_MAX),
            stray=asked.elsewhere
            or any(term not in title for term in asked.aside)
            or any(term not in counts for term in asked.named),
        )

    def _share(self, found: Mapping[str, float]) -> float:
        """How much of the question this is, each term found as far as it says."""
        total = sum(self._shares.get(term, 0.0) * far for term, far in found.items())
        return min(1.0, total / self._everything) if self._everything else 0.0
