"""Whether a text answers a question, judged by words: a few signs, weighed by a logistic curve.

A base about money has "card", "credit" and "first" in many places, and none of them says when the first
credit card was invented. No single sign tells; together they mostly do, and with the meaning of both texts
(``judgement.py``) much better. The weights are fitted by ``training/answerability.py``.
"""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from finassist.data import shipped

_PLAIN_NUMBER: Final = re.compile(r"\d{1,2}|\d{5,}|\d{1,2}[km]|\d+0[km]")
"""An age or a sum; three and four digits are as often a name, 529 or 1099, and so is 401k."""
_PLAIN: Final = 0.2
"""What the commonest word counts, beside 1 for one that stands nowhere."""
_SATURATION: Final = 1.6
_LONG: Final = 6
_BEYOND: Final = 0.25
"""From the seventh term on a query tells a story, and a quarter of it has to be found."""
_TERMS: Final = (3, 8)
_MISSING_MAX: Final = 3.0

_WEIGHTS: Final = shipped("retrieval/lexical")


def is_plain_number(word: str) -> bool:
    """Whether a word is an age or a sum: no text answers a question because it has that number."""
    return _PLAIN_NUMBER.fullmatch(word) is not None


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for an answer and against it.

    ``titled``, ``deep`` and ``early`` are shares of the question by the weight of its terms, 0..1: in the
    title, or in that other wording of it which has most; found, more for a term that stands there often; in
    the title or the first words. ``terms`` is how
    many there are, from three to eight: much of a long question says more than much of a short one.
    ``missing`` is the weight of those that are not there.
    """

    titled: float
    deep: float
    early: float
    terms: int
    missing: float

    @property
    def score(self) -> float:
        """How likely it is that the text answers the question, 0..1."""
        favour = (
            _WEIGHTS["intercept"]
            + _WEIGHTS["titled"] * self.titled
            + _WEIGHTS["deep"] * self.deep
            + _WEIGHTS["early"] * self.early
            + _WEIGHTS["terms"] * self.terms
            + _WEIGHTS["missing"] * self.missing
        )
        return 1 / (1 + math.exp(-favour))


class Judge:
    """Tells whether a text answers one question. ``rarities`` are those of the terms that an answer has to
    have: 0 for one that stands everywhere, 1 for one that stands nowhere."""

    def __init__(self, rarities: Mapping[str, float]) -> None:
        self._shares = {term: rarity + _PLAIN for term, rarity in rarities.items()}
        count = max(1, len(rarities))
        beyond = max(0, count - _LONG) * (1 - _BEYOND)
        self._everything = sum(self._shares.values()) * (1 - beyond / count)

    def signs(
        self, titles: Sequence[Collection[str]], early: Collection[str], counts: Mapping[str, float]
    ) -> Signs:
        """The signs of a text. ``titles`` are the terms in its title and in each other wording of that,
        ``early`` those among its first words, ``counts`` says how often each stands anywhere, the title
        counting more."""
        title = titles[0]
        least, most = _TERMS
        missing = sum(share for term, share in self._shares.items() if term not in counts)
        return Signs(
            titled=max(self._share(dict.fromkeys(each, 1.0)) for each in titles),
            deep=self._share({term: count / (count + _SATURATION) for term, count in counts.items()}),
            early=self._share(dict.fromkeys((*title, *early), 1.0)),
            terms=min(max(least, len(self._shares)), most),
            missing=min(missing, _MISSING_MAX),
        )

    def _share(self, found: Mapping[str, float]) -> float:
        """How much of the question this is, each term found as far as it says."""
        total = sum(self._shares.get(term, 0.0) * far for term, far in found.items())
        return min(1.0, total / self._everything) if self._everything else 0.0
