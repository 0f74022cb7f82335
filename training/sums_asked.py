"""Fit what tells messages that ask for a sum of their numbers from others that have numbers.

Reads ``questions/plain_sums.jsonl``, messages written to ask for a sum or, with numbers as well, for none,
and ``questions/messages_of_entries.jsonl``: of those with two numbers or more hardly any asks for a sum. What
is compared are the sketches of the messages, in which each quantity stands as its kind. Writes
``calculators/sums_asked.npz`` and reports by cross-validation. Needs scikit-learn::

    python training/sums_asked.py
"""

import re

import numpy as np
from encoded import Encoded
from kernels import cross_validated, save
from lines import lines_of
from sklearn.svm import SVC

from finassist.adapters.embeddings.likeness import SUMS_ASKED
from finassist.domain.calculators.recognition.reading import read

KERNEL = {"C": 3.0, "gamma": 1.0}
OTHERS = 3_500
LOST = 0.01
"""The share of messages that ask for a sum which may be taken for others."""
_NUMBER = re.compile(r"\d[\d,.]*")


def main() -> None:
    """Fit, report, write."""
    plain, written = lines_of("plain_sums.jsonl"), lines_of("messages_of_entries.jsonl")
    others = [line["text"] for line in written if len(_NUMBER.findall(line["text"])) > 1]
    chosen = np.random.default_rng(0).permutation(len(others))[:OTHERS]
    texts = [line["text"] for line in plain] + [others[place] for place in chosen]
    truth = np.array([line["sum"] for line in plain] + [False] * len(chosen))
    rows = Encoded().of([read(text).sketch for text in texts]).astype(float)
    said = cross_validated(KERNEL, rows, truth, np.ones(len(truth)), len(truth))
    least = float(np.quantile(said[truth], LOST))
    print(f"from {least:.2f} on: {np.mean(said[~truth] > least):.1%} of {sum(~truth)} others are told")
    save(SUMS_ASKED, SVC(**KERNEL).fit(rows, truth), least)


if __name__ == "__main__":
    main()
