"""Whether the best find answers a question, judged by words and by meaning.

The words alone (``answerability.py``) cannot tell "who invented the credit card" from "which credit card
suits me". Four more signs can: how near the nearest article is, how far that is from all others, how near the
article is that the words find first, and what the question itself is about. A logistic curve weighs them; the
weights belong to one embedding model and are fitted by ``training/answerability.py``.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul
from typing import Final

_LEAST: Final = 0.002
"""The lexical score of a question of which no word is found is taken for this much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a search found for one question: the score of the best article by ``words``, the cosine of the
    ``nearest`` article and its ``deviations`` above the mean of all, the cosine of the article that the words
    find first (``agreed``), and the ``question`` as a vector."""

    words: float
    nearest: float
    deviations: float
    agreed: float
    question: Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The fitted weights of one embedding model. ``topics`` weigh the question's own vector; what they say is
    cut to ``topics_max`` either way, because they have seen some hundred questions only."""

    intercept: float
    words: float
    nearest: float
    deviations: float
    agreed: float
    topics_weight: float
    topics_intercept: float
    topics_max: float
    topics: Sequence[float]

    def score(self, evidence: Evidence) -> float:
        """How likely it is that the base answers the question, 0..1."""
        words = min(max(evidence.words, _LEAST), 1 - _LEAST)
        topic = self.topics_intercept + sum(map(mul, self.topics, evidence.question))
        favour = (
            self.intercept
            + self.words * math.log(words / (1 - words))
            + self.nearest * evidence.nearest
            + self.deviations * evidence.deviations
            + self.agreed * evidence.agreed
            + self.topics_weight * min(max(topic, -self.topics_max), self.topics_max)
        )
        return 1 / (1 + math.exp(-favour))


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What the vectors of an embedding model are worth.

    ``weight`` is what one standard deviation of nearness counts, in parts of the best lexical score. Without
    a ``judgement`` fitted to the model the words alone say whether the best find answers.
    """

    weight: float
    judgement: Judgement | None = None
