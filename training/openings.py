"""Fit what tells messages that ask nothing by what they say: how a conversation begins (good news, a
complaint, "you there?", "help", "should I do it?"), and what a reaction to a reply feels.

Reads ``training/sentences/openings.txt`` and ``feelings.txt`` (the kind, a tab, the message; ``other``,
``agreed`` and ``asks`` are none of the kinds). The questions of ``training/questions/answerable.jsonl``, and
small talk among openings, belong to no kind, unless they are much like one of a kind. Writes
``first_words/openings.npz`` and ``feelings.npz`` of ``data/retrieval`` and reports by cross-validation. Needs
scikit-learn::

    python training/openings.py
"""

import asyncio
import json
from collections.abc import Sequence
from enum import StrEnum
from importlib.resources.abc import Traversable

import numpy as np
from kernels import Example, cross_validated, report
from reactions import HERE, feelings, vectors
from sklearn.svm import SVC

from finassist.adapters.embeddings.likeness import FEELINGS, OPENINGS
from finassist.domain.retrieval.openings import Feeling, Opening

LIKENESS = {"C": 3.0, "gamma": 1.0, "class_weight": "balanced"}
OTHERS_WEIGHT = 0.3
EVERY = 3
"""One of so many questions is used."""
ALIKE = 0.75
HELD_BACK = 0.005
"""The share of other messages that may be taken for one of a kind."""
HELD_BACK_OF_REACTIONS = 0.03
"""The same for reactions to a reply: of those that say something else."""
SURE: dict[str, float] = {Opening.GOOD: 0.3}
"""What the log odds of a kind are lowered by besides: congratulations to bad news are worse than none."""


def main() -> None:
    """Fit, report, write."""
    lines = (HERE / "sentences" / "openings.txt").read_text(encoding="utf-8").splitlines()
    known = [(kind, text) for kind, _, text in (line.partition("\t") for line in lines)]
    asked = (HERE / "questions" / "answerable.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["text"] for line in asked[::EVERY]]
    talk = (HERE / "sentences" / "small_talk.txt").read_text(encoding="utf-8").splitlines()
    told = [each for each in Opening if each is not Opening.UNCLEAR]  # by unclear.py
    fit(OPENINGS, told, known, [*questions, *talk], HELD_BACK)
    fit(FEELINGS, list(Feeling), feelings(), questions, HELD_BACK_OF_REACTIONS)


def fit(
    file: Traversable,
    kinds: Sequence[StrEnum],
    known: Sequence[tuple[str, str]],
    others: Sequence[str],
    held_back: float,
) -> None:
    """Fit and write a file that tells the kinds."""
    examples: list[Example] = [
        *((text, False, 1.0) for _, text in known),
        *((text, False, OTHERS_WEIGHT) for text in others),
    ]
    rows = asyncio.run(vectors(examples))
    named = np.array([kind in kinds for kind, _ in known])
    alike = (rows[len(known) :] @ rows[: len(known)][named].T).max(axis=1)
    clear = np.r_[np.full(len(known), True), alike < ALIKE]
    rows, examples = rows[clear], [each for each, is_clear in zip(examples, clear, strict=True) if is_clear]
    weights = np.array([weight for _, _, weight in examples])
    judged = np.arange(len(rows)) < (len(known) if file is FEELINGS else len(rows))
    columns, intercepts = np.zeros((len(kinds), len(rows))), []
    for kind, column in zip(kinds, columns, strict=True):
        truth = np.array([*(each == kind for each, _ in known), *[False] * (len(rows) - len(known))])
        said = cross_validated(LIKENESS, rows, truth, weights, len(truth))
        others_said = said[judged & ~truth]
        least = float(np.quantile(others_said, 1 - held_back)) + SURE.get(kind, 0.0)
        labelled = [(text, bool(is_it), 1.0) for (text, _, _), is_it in zip(examples, truth, strict=True)]
        report(f"{kind}, cross-validated, from {least:.2f} on", list(said > least), labelled)
        fitted = SVC(**LIKENESS).fit(rows, truth, sample_weight=weights)
        column[fitted.support_] = fitted.dual_coef_[0]
        intercepts.append(fitted.intercept_[0] - least)
    used = np.any(columns != 0, axis=0)
    np.savez(
        str(file),
        kinds=np.array([str(kind) for kind in kinds]),
        examples=rows[used].astype(np.float16),
        weights=columns[:, used].astype(np.float32),
        intercepts=np.array(intercepts, np.float32),
        gamma=np.float64(str(LIKENESS["gamma"])),
    )


if __name__ == "__main__":
    main()
