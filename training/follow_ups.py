"""Fit what tells messages that make sense only with what came before them from whole questions.

Reads ``training/questions/follow_ups.jsonl`` (``first``, ``second`` and whether the second ``leans`` on the
first), ``training/sentences/follow_ups.txt``, which all do, and the answerable questions of
``training/questions/answerable.jsonl``, which do not. Writes ``follow_ups.npz`` of ``data/retrieval`` and
reports by cross-validation. Needs scikit-learn::

    python training/follow_ups.py
"""

import asyncio
import json
from collections.abc import Iterator, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from finassist.adapters.embeddings.likeness import FOLLOW_UPS
from finassist.adapters.embeddings.minilm.embedder import MiniLmEmbedder
from finassist.domain.retrieval.hybrid import asked_for
from finassist.domain.retrieval.queries import without_politeness
from finassist.domain.retrieval.questions import leans_on_earlier
from finassist.domain.retrieval.spelling import corrected

HERE = Path(__file__).parent
TESTS = HERE.parent / "tests" / "data"
LIKENESS = {"C": 3.0, "gamma": 1.0}
SENTENCE_WEIGHT, QUESTION_WEIGHT = 0.7, 0.4
"""Beside 1 for a message of a conversation."""

Numbers = NDArray[np.float64]
Example = tuple[str, bool, float]
"""A message, whether it leans on what came before it, and its weight."""


def conversations() -> Iterator[Example]:
    """Second messages."""
    for line in (HERE / "questions" / "follow_ups.jsonl").read_text(encoding="utf-8").splitlines():
        turn = json.loads(line)
        yield turn["second"], turn["leans"], 1.0


def others() -> Iterator[Example]:
    """Follow-ups without their question, and questions without a follow-up."""
    for text in (HERE / "sentences" / "follow_ups.txt").read_text(encoding="utf-8").splitlines():
        yield text, True, SENTENCE_WEIGHT
    for line in (HERE / "questions" / "answerable.jsonl").read_text(encoding="utf-8").splitlines():
        question = json.loads(line)
        if question["answerable"]:
            yield question["text"], False, QUESTION_WEIGHT


def held_out() -> Iterator[Example]:
    """What the tests have, and nothing is trained on."""
    for line in (TESTS / "follow_ups_in_full.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)["second"], True, 1.0
    for line in (TESTS / "plain_questions.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)["text"], False, 1.0


async def vectors(examples: Sequence[Example]) -> Numbers:
    """The vectors of the messages as the service embeds them."""
    embedder = MiniLmEmbedder(query_seconds=60)
    rows = [
        await embedder.embed_query(asked_for(corrected(without_politeness(text)))) for text, _, _ in examples
    ]
    await embedder.close()
    return np.array(rows)


def report(name: str, leaning: Sequence[bool], examples: Sequence[Example]) -> None:
    """Print the shares of both kinds that are told."""
    pairs = [(found, example[1]) for found, example in zip(leaning, examples, strict=True)]
    found = [np.mean([said == truth for said, truth in pairs if truth == kind]) for kind in (True, False)]
    print(f"{name}: {found[0]:.3f} of those that are it, {found[1]:.3f} of the others are told")


def main() -> None:
    """Fit, report, write."""
    turns, test = list(conversations()), list(held_out())
    examples = [*turns, *others()]
    rows = asyncio.run(vectors(examples))
    leans, weights = np.array([each[1] for each in examples]), np.array([each[2] for each in examples])
    said = np.zeros(len(turns))
    rest = np.arange(len(turns), len(examples))
    folds = StratifiedKFold(5, shuffle=True, random_state=1)
    for train, held in folds.split(rows[: len(turns)], leans[: len(turns)]):
        chosen = np.r_[train, rest]
        fitted = SVC(**LIKENESS).fit(rows[chosen], leans[chosen], sample_weight=weights[chosen])
        said[held] = fitted.decision_function(rows[held])
    report("by words", [leans_on_earlier(text) for text, _, _ in turns], turns)
    report("by meaning, cross-validated", list(said > 0), turns)
    fitted = SVC(**LIKENESS).fit(rows, leans, sample_weight=weights)
    report("by words, tests", [leans_on_earlier(text) for text, _, _ in test], test)
    report("by meaning, tests", list(fitted.decision_function(asyncio.run(vectors(test))) > 0), test)
    save(FOLLOW_UPS, fitted)


def save(file: Traversable, fitted: SVC, least: float = 0.0) -> None:
    """Write what ``Likeness`` reads; from ``least`` on a message is told to be of the first kind."""
    np.savez(
        str(file),
        examples=fitted.support_vectors_.astype(np.float16),
        weights=fitted.dual_coef_[0].astype(np.float32),
        intercept=fitted.intercept_[0] - least,
        gamma=LIKENESS["gamma"],
    )


if __name__ == "__main__":
    main()
