"""Fit what tells how a conversation begins that asks nothing yet: with good news, a complaint, "you there?",
"help", "should I do it?".

Reads ``training/sentences/openings.txt`` (the kind, a tab, the message; ``other`` is none of the kinds). The
questions of ``training/questions/answerable.jsonl`` and small talk belong to no kind, unless they are much
like one of a kind. Writes ``openings.npz`` of ``data/retrieval`` and reports by cross-validation. Needs
scikit-learn::

    python training/openings.py
"""

import asyncio
import json

import numpy as np
from kernels import Example, cross_validated, report
from reactions import HERE, vectors
from sklearn.svm import SVC

from finassist.adapters.embeddings.likeness import OPENINGS
from finassist.domain.retrieval.openings import Opening

LIKENESS = {"C": 3.0, "gamma": 1.0, "class_weight": "balanced"}
OTHERS_WEIGHT = 0.3
EVERY = 3
"""One of so many questions is used."""
ALIKE = 0.75
HELD_BACK = 0.005
"""The share of other messages that may be taken for one of a kind."""
SURE = {Opening.GOOD: 0.3}
"""What the log odds of a kind are lowered by besides: congratulations to bad news are worse than none."""


def main() -> None:
    """Fit, report, write."""
    lines = (HERE / "sentences" / "openings.txt").read_text(encoding="utf-8").splitlines()
    known = [(kind, text) for kind, _, text in (line.partition("\t") for line in lines)]
    asked = (HERE / "questions" / "answerable.jsonl").read_text(encoding="utf-8").splitlines()
    talk = (HERE / "sentences" / "small_talk.txt").read_text(encoding="utf-8").splitlines()
    others = (*(json.loads(line)["text"] for line in asked[::EVERY]), *talk)
    examples: list[Example] = [
        *((text, False, 1.0) for _, text in known),
        *((text, False, OTHERS_WEIGHT) for text in others),
    ]
    rows = asyncio.run(vectors(examples))
    named = np.array([kind in list(Opening) for kind, _ in known])
    alike = (rows[len(known) :] @ rows[: len(known)][named].T).max(axis=1)
    clear = np.r_[np.full(len(known), True), alike < ALIKE]
    rows, examples = rows[clear], [each for each, is_clear in zip(examples, clear, strict=True) if is_clear]
    weights = np.array([weight for _, _, weight in examples])
    columns, intercepts = np.zeros((len(Opening), len(rows))), []
    for kind, column in zip(Opening, columns, strict=True):
        truth = np.array([*(each == kind for each, _ in known), *[False] * (len(rows) - len(known))])
        said = cross_validated(LIKENESS, rows, truth, weights, len(truth))
        least = float(np.quantile(said[~truth], 1 - HELD_BACK)) + SURE.get(kind, 0.0)
        labelled = [(text, bool(is_it), 1.0) for (text, _, _), is_it in zip(examples, truth, strict=True)]
        report(f"{kind}, cross-validated, from {least:.2f} on", list(said > least), labelled)
        fitted = SVC(**LIKENESS).fit(rows, truth, sample_weight=weights)
        column[fitted.support_] = fitted.dual_coef_[0]
        intercepts.append(fitted.intercept_[0] - least)
    used = np.any(columns != 0, axis=0)
    np.savez(
        str(OPENINGS),
        kinds=np.array([str(kind) for kind in Opening]),
        examples=rows[used].astype(np.float16),
        weights=columns[:, used].astype(np.float32),
        intercepts=np.array(intercepts, np.float32),
        gamma=np.float64(str(LIKENESS["gamma"])),
    )


if __name__ == "__main__":
    main()
