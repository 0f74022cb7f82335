"""Fit what tells what a later message wants of the calculation before it: a change, a difference, a share.

Reads ``training/sentences/calculation_follow_ups.txt`` (the kind, a tab, the message). ``none`` is none of
the kinds, and neither are the other messages of ``training/follow_ups.py``. Writes ``follow_ups.npz`` of
``data/calculators`` and reports by cross-validation. Needs scikit-learn::

    python training/calculation_follow_ups.py
"""

import asyncio
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from follow_ups import HERE, conversations, others
from kernels import Numbers
from numpy.typing import NDArray
from sklearn.svm import SVC

from finassist.adapters.embeddings.likeness import OF_CALCULATIONS
from finassist.adapters.embeddings.minilm.embedder import MiniLmEmbedder
from finassist.domain.calculators.recognition.follow_ups.meaning import KINDS
from finassist.domain.calculators.recognition.reading import read

LIKENESS = {"C": 3.0, "gamma": 1.0, "class_weight": "balanced"}
LEAST = -0.3
"""From here on a message is told to be of a kind: what it says has to fit the results as well."""
OTHERS_WEIGHT = 0.4
ALIKE = 0.75
"""Another message that is so much like one of a kind may well be of it."""
CHOICES = re.compile(r"\{([^{}]*)\}")
WORDINGS_MAX = 12
FOLDS = 5


def told_apart() -> Iterator[tuple[int, str, str]]:
    """The line, the kind and the text of each message; braces hold choices, of which some are taken."""
    lines = (HERE / "sentences" / "calculation_follow_ups.txt").read_text(encoding="utf-8").splitlines()
    for place, line in enumerate(lines):
        kind, _, frame = line.partition("\t")
        chance = random.Random(frame)
        for text in dict.fromkeys(filled_in(frame, chance) for _ in range(WORDINGS_MAX)):
            yield place, kind, text


def filled_in(frame: str, chance: random.Random) -> str:
    """One wording of a frame."""
    while match := CHOICES.search(frame):
        frame = frame[: match.start()] + chance.choice(match[1].split("|")) + frame[match.end() :]
    return " ".join(frame.split()).replace(" ,", ",")


async def vectors(texts: Sequence[str]) -> Numbers:
    """The vectors of messages as the offline model embeds them: with the same number for all of a kind."""
    embedder = MiniLmEmbedder(query_seconds=60)
    rows = [await embedder.embed_query(read(text).sketch) for text in texts]
    await embedder.close()
    return np.array(rows)


def odds(rows: Numbers, kinds: NDArray[np.str_], weights: Numbers) -> list[SVC]:
    """One kernel for each kind."""
    return [SVC(**LIKENESS).fit(rows, kinds == kind, sample_weight=weights) for kind in KINDS]


def measure(rows: Numbers, kinds: NDArray[np.str_], weights: Numbers, lines: NDArray[np.int64]) -> None:
    """Print how many are told, by kernels that have not seen any wording of the same line."""
    folds = (np.random.default_rng(0).permutation(lines.max() + 1) % FOLDS)[lines]
    said = np.zeros((len(kinds), len(KINDS)))
    for fold in range(FOLDS):
        train, held = folds != fold, folds == fold
        fitted = odds(rows[train], kinds[train], weights[train])
        said[held] = np.array([each.decision_function(rows[held]) for each in fitted]).T
    found = np.where(said.max(axis=1) > LEAST, np.array(KINDS)[said.argmax(axis=1)], "none")
    for kind in (*KINDS, "none"):
        print(f"{kind}: {np.mean(found[kinds == kind] == kind):.3f} told")


def main() -> None:
    """Fit, report, write."""
    known = list(told_apart())
    elsewhere = [text for text, _, _ in (*conversations(), *others()) if len(text.split()) > 2]
    rows = asyncio.run(vectors([*(text for _, _, text in known), *elsewhere]))
    named = np.array([kind != "none" for _, kind, _ in known])
    alike = (rows[len(known) :] @ rows[: len(known)][named].T).max(axis=1)
    clear = np.r_[np.full(len(known), True), alike < ALIKE]
    rows, others_left = rows[clear], int(clear.sum()) - len(known)
    kinds = np.array([*(kind for _, kind, _ in known), *["none"] * others_left])
    wordings = Counter(line for line, _, _ in known)
    weights = np.array([*(wordings[line] ** -0.5 for line, _, _ in known), *[OTHERS_WEIGHT] * others_left])
    lines = np.array([*(line for line, _, _ in known), *range(len(wordings), len(wordings) + others_left)])
    measure(rows, kinds, weights, lines)
    fitted = odds(rows, kinds, weights)
    columns = np.zeros((len(KINDS), len(rows)))
    for column, each in zip(columns, fitted, strict=True):
        column[each.support_] = each.dual_coef_[0]
    used = np.any(columns != 0, axis=0)
    np.savez(
        str(OF_CALCULATIONS),
        kinds=np.array(KINDS),
        examples=rows[used].astype(np.float16),
        weights=columns[:, used].astype(np.float32),
        intercepts=np.array([each.intercept_[0] - LEAST for each in fitted], np.float32),
        gamma=np.float64(str(LIKENESS["gamma"])),
    )


if __name__ == "__main__":
    main()
