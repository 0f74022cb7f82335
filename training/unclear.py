"""Fit what tells first messages that nobody can understand who does not know what came before ("the second
letter came") from others that are as short.

Reads ``training/sentences/unclear.txt`` (``unclear`` or ``clear``, a tab, the message); short questions of
``training/questions/answerable.jsonl`` are clear, and so is small talk. Writes ``unclear.npz`` of
``data/retrieval/first_words`` and reports by cross-validation. Needs scikit-learn::

    python training/unclear.py
"""

import asyncio

import numpy as np
from kernels import Example, cross_validated, report, save
from lines import lines_of
from reactions import HERE, vectors
from sklearn.svm import SVC

from finassist.adapters.embeddings.likeness import UNCLEAR

LIKENESS = {"C": 3.0, "gamma": 1.0, "class_weight": "balanced"}
OTHERS_WEIGHT = 0.3
WORDS_MAX = 12
"""Longer messages are never taken for unclear ones."""
HELD_BACK = 0.03
"""The share of clear messages, written to be as short, that may be taken for unclear ones: only what finds no
entry that asks much the same is asked back."""


def main() -> None:
    """Fit, report, write."""
    lines = (HERE / "sentences" / "unclear.txt").read_text(encoding="utf-8").splitlines()
    known: list[Example] = [
        (text, kind == "unclear", 1.0) for kind, _, text in (line.partition("\t") for line in lines)
    ]
    asked = [line["text"] for line in lines_of("answerable.jsonl")]
    short = [text for text in asked if len(text.split()) <= WORDS_MAX]
    talk = (HERE / "sentences" / "small_talk.txt").read_text(encoding="utf-8").splitlines()
    examples = [*known, *((text, False, OTHERS_WEIGHT) for text in (*short, *talk))]
    rows = asyncio.run(vectors(examples))
    truth = np.array([is_it for _, is_it, _ in examples])
    weights = np.array([weight for _, _, weight in examples])
    said = cross_validated(LIKENESS, rows, truth, weights, len(known))
    least = float(np.quantile(said[~truth[: len(known)]], 1 - HELD_BACK))
    report(f"unclear, cross-validated, from {least:.2f} on", list(said > least), known)
    save(UNCLEAR, SVC(**LIKENESS).fit(rows, truth, sample_weight=weights), least)


if __name__ == "__main__":
    main()
