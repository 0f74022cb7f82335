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
from pathlib import Path

import numpy as np
from kernels import Example, Numbers, cross_validated, report, save
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


def main() -> None:
    """Fit, report, write."""
    turns, test = list(conversations()), list(held_out())
    examples = [*turns, *others()]
    rows = asyncio.run(vectors(examples))
    leans, weights = np.array([each[1] for each in examples]), np.array([each[2] for each in examples])
    said = cross_validated(LIKENESS, rows, leans, weights, len(turns))
    report("by words", [leans_on_earlier(text) for text, _, _ in turns], turns)
    report("by meaning, cross-validated", list(said > 0), turns)
    fitted = SVC(**LIKENESS).fit(rows, leans, sample_weight=weights)
    report("by words, tests", [leans_on_earlier(text) for text, _, _ in test], test)
    report("by meaning, tests", list(fitted.decision_function(asyncio.run(vectors(test))) > 0), test)
    save(FOLLOW_UPS, fitted)


if __name__ == "__main__":
    main()
