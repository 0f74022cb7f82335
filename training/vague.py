"""Fit what tells vague questions, which name a subject and not what they want to know of it ("should i
invest?"), from others.

Reads ``training/sentences/vague.txt`` (``vague`` or ``specific``, a tab, the question); the questions of
``training/questions/answerable.jsonl`` are specific, and so is small talk, unless they are much like a vague
one. Writes ``first_words/vague.npz`` of ``data/retrieval`` and reports by cross-validation. Needs
scikit-learn::

    python training/vague.py
"""

import asyncio
import json

import numpy as np
from kernels import Example, cross_validated, report, save
from reactions import HERE, vectors
from sklearn.svm import SVC

from finassist.adapters.embeddings.likeness import VAGUE

LIKENESS = {"C": 3.0, "gamma": 1.0, "class_weight": "balanced"}
OTHERS_WEIGHT = 0.3
ALIKE = 0.75
HELD_BACK = 0.02
"""The share of specific questions, written to be short, that may be taken for vague ones."""


def main() -> None:
    """Fit, report, write."""
    lines = (HERE / "sentences" / "vague.txt").read_text(encoding="utf-8").splitlines()
    known: list[Example] = [
        (text, kind == "vague", 1.0) for kind, _, text in (x.partition("\t") for x in lines)
    ]
    asked = (HERE / "questions" / "answerable.jsonl").read_text(encoding="utf-8").splitlines()
    talk = (HERE / "sentences" / "small_talk.txt").read_text(encoding="utf-8").splitlines()
    others = (*(json.loads(line)["text"] for line in asked), *talk)
    examples = [*known, *((text, False, OTHERS_WEIGHT) for text in others)]
    rows = asyncio.run(vectors(examples))
    truth = np.array([is_it for _, is_it, _ in examples])
    alike = rows[len(known) :] @ rows[: len(known)][truth[: len(known)]].T
    clear = np.r_[np.full(len(known), True), alike.max(axis=1) < ALIKE]
    rows, truth = rows[clear], truth[clear]
    weights = np.array([weight for _, _, weight in examples])[clear]
    said = cross_validated(LIKENESS, rows, truth, weights, len(known))
    least = float(np.quantile(said[~truth[: len(known)]], 1 - HELD_BACK))
    report(f"vague, cross-validated, from {least:.2f} on", list(said > least), known)
    for (text, is_it, _), score in zip(known, said, strict=True):
        if is_it != (score > least):
            print("   ", "missed:" if is_it else "taken for it:", text)
    save(VAGUE, SVC(**LIKENESS).fit(rows, truth, sample_weight=weights), least)


if __name__ == "__main__":
    main()
