"""Whether the best find answers a question, judged by words and by meaning.

The words alone (``answerability.py``) cannot tell "who invented the credit card" from "which credit card
suits me". Four more signs can: how much of an article's own wording the question has, how far the nearest
article is from all others, how near the article is that the words find first, and how much the question is
like others that articles answer. A logistic curve weighs them; the weights belong to one embedding model and
are fitted by ``training/answerability.py``.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

_LEAST: Final = 0.002
"""The lexical score of a question of which no word is found is taken for this much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a search found for one question: the score of the best article by ``words``, how much the question
    has of a wording of one of the best (``worded``), how many standard ``deviations`` the nearest article
    lies above the mean of all, the cosine of the article that the words find first (``agreed``), and by the
    question alone, in log odds, how much it is like questions that can be answered (``likeness``)."""

    words: float
    worded: float
    deviations: float
    agreed: float
    likeness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The fitted weights of one embedding model. ``likeness_max`` bounds the likeness either way. An entry
    with a cosine below ``cosine_min`` and fewer deviations than ``deviations_min`` hardly ever answers."""

    intercept: float
    words: float
    worded: float
    deviations: float
    agreed: float
    likeness: float
    likeness_max: float
    cosine_min: float = 0.0
    deviations_min: float = 0.0

    def score(self, evidence: Evidence) -> float:
        """How likely it is that the base answers the question, 0..1."""
        words = min(max(evidence.words, _LEAST), 1 - _LEAST)
        favour = (
            self.intercept
            + self.words * math.log(words / (1 - words))
            + self.worded * evidence.worded
            + self.deviations * evidence.deviations
            + self.agreed * evidence.agreed
            + self.likeness * min(max(evidence.likeness, -self.likeness_max), self.likeness_max)
        )
        return 1 / (1 + math.exp(-favour))


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What the vectors of an embedding model are worth.

    ``weight`` is what one standard deviation of nearness counts, in parts of the best lexical score. Without
    a ``judgement`` fitted to the model the words alone say whether the best find answers. ``likeness`` gives
    that of a question, by its vector.
    """

    weight: float
    judgement: Judgement | None = None
    likeness: Callable[[Sequence[float]], float] = lambda _: 0.0
