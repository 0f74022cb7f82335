"""Fit what tells messages that ask something of the last answer: its sources, its reason, an example, a
shorter one, more of it, a text to send, what to choose, or what to do first.

Reads ``training/sentences/wishes.txt`` (the kind, a tab, the message). ``more`` is none of the kinds, and
neither are the other kinds, the messages of ``training/follow_ups.py`` and reactions. Writes a file for each
kind to ``data/retrieval`` and reports by cross-validation. Needs scikit-learn::

    python training/wishes.py
"""

import asyncio

import numpy as np
from follow_ups import conversations, others
from kernels import Example, cross_validated, report, save
from reactions import told_apart, vectors, wishes
from sklearn.svm import SVC

from finassist.adapters.embeddings.likeness import WISHES

LIKENESS = {"C": 3.0, "gamma": 1.0, "class_weight": "balanced"}
OTHERS_WEIGHT = 0.5
HELD_BACK = 0.005
"""The share of other messages that may be taken for one of a kind."""


def main() -> None:
    """Fit, report, write."""
    known = wishes()
    elsewhere: list[Example] = [
        (text, False, OTHERS_WEIGHT)
        for text, leans, _ in (*conversations(), *others(), *told_apart())
        if leans or len(text.split()) > 2
    ]
    examples = [*((text, False, 1.0) for _, text in known), *elsewhere]
    rows = asyncio.run(vectors(examples))
    alike = rows[len(known) :] @ rows[: len(known)].T
    clear = np.r_[np.full(len(known), True), alike.max(axis=1) < 0.7]  # some of the others are wishes, too
    rows, examples = rows[clear], [each for each, is_clear in zip(examples, clear, strict=True) if is_clear]
    weights = np.array([weight for _, _, weight in examples])
    for kind, file in WISHES.items():
        truth = np.array([*(each == kind for each, _ in known), *(False for _ in examples[len(known) :])])
        said = cross_validated(LIKENESS, rows, truth, weights, len(truth))
        least = float(np.quantile(said[~truth], 1 - HELD_BACK))
        labelled = [(text, bool(is_it), 1.0) for (text, _, _), is_it in zip(examples, truth, strict=True)]
        report(f"{kind}, cross-validated, from {least:.2f} on", list(said > least), labelled)
        for place in np.flatnonzero(~truth & (said > least)):
            print("   taken for it:", examples[place][0])
        fitted = SVC(**LIKENESS).fit(rows, truth, sample_weight=weights)
        save(file, fitted, least)


if __name__ == "__main__":
    main()
