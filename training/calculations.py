"""Fit what tells which calculation a question asks for: ``data/calculators/choice.msgpack``.

Reads the examples in ``data/calculators/examples.txt``, writes numbers in usual spellings into their places,
reads each as the service does and fits two softmax regressions: over vectors, words and numbers, and over
words and numbers alone. ``--measure`` prints, by five-fold cross-validation, how often each finds the label,
beside the nearest example and the vectors alone. Needs SciPy, which comes with scikit-learn::

    python training/calculations.py [--measure]
"""

import argparse
import asyncio
import hashlib
import random
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import logsumexp

from finassist.adapters.embeddings.minilm.embedder import MODEL, MiniLmEmbedder
from finassist.domain.calculators.recognition.choice import NO_CALCULATION, Choice, Column
from finassist.domain.calculators.recognition.reading import Reading, read

DATA: Final = Path(__file__).parents[1] / "src" / "finassist" / "data" / "calculators"
SPELLINGS: Final = {
    "MONEY": ("20000", "$5,000", "350k", "8 lakh", "£1,200", "2500", "€15.000", "12,000", "64.50", "1.5m"),
    "SMALL": ("45", "$12", "80", "9.50", "180", "60"),
    "RATE": ("8%", "6.5 %", "7 percent", "4.25%", "12 %"),
    "BARE": ("6.5", "4.25", "21.9", "5.875", "7.2"),
    "TERM": ("5 years", "30 yrs", "36 months", "10 years", "18 months"),
    "DAYS": ("90 days", "45 days"),
    "AGE": ("35", "60", "42"),
    "COUNT": ("3", "4", "5"),
    "NUMBER": ("0.92", "83.5", "1.17"),
    "TIMES": ("5 days a week", "3 times a week", "2 times a day", "4 loads a week", "twice a week"),
    "HOURS": ("5 hours a day", "8 hrs a day", "6h a day"),
    "HRS": ("40 hrs", "49 hours", "38 hours"),
    "WEEKHOURS": ("37.5 hours a week", "40 hrs a week", "25 hrs a wk"),
    "WEEKS": ("48 weeks", "52 wks", "46 weeks"),
    "DISTANCE": ("14,000 miles", "18000 km", "420 mi", "600 km"),
    "USE": ("19 mpg", "6.8 l/100km", "45 mpg", "15 kmpl"),
    "POWER": ("2kW", "1500 W", "60w", "1.5 kw"),
    "KWH": ("2.5kwh", "310 kWh", "0.9 kwh"),
    "SIZE": ("750g", "1.2kg", "500 ml", "2 litres"),
    "ITEMS": ("9 packs", "6 bottles", "4 items"),
    "SHARES": ("120 shares", "50 shares", "300 shares"),
    "MULTIPLE": ("30x", "3 times", "40x", "2.5 times", "3x", "36 times"),
    "PARTS": ("12x", "24 payments", "10 instalments", "36 monthly payments"),
}
CHOICES: Final = re.compile(r"\{([^{}]*)\}")
WORDINGS_MAX: Final = 6
FRAME_WEIGHT: Final = 0.5
"""What each wording of a frame weighs beside a line without choices."""
OF_SMALL_SUMS: Final = ("percentage", "tip_and_split", "margin_and_markup", "sales_tax")
SEEN_MIN: Final = 2
SHORTER_WEIGHT: Final = 0.35
BARE_EVERY: Final = 3
"""Of so many wordings one is also learned with rates that lack their percent sign."""
C: Final = 100.0
VECTOR_WEIGHT: Final = 1.0
FOLDS: Final = 5
STEPS_MAX: Final = 150
TINY: Final = 1e-300

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Examples:
    labels: Sequence[str]
    readings: Sequence[Reading]
    lines: NDArray[np.int64]
    """The line of the file that each is made of."""
    weights: Numbers
    vectors: Numbers

    @property
    def truth(self) -> NDArray[np.int64]:
        names = sorted(set(self.labels))
        return np.array([names.index(label) for label in self.labels])


async def examples() -> Examples:
    labels, readings, lines, weights = [], [], [], []
    label = ""
    for place, line in enumerate((DATA / "examples.txt").read_text("utf-8").splitlines()):
        if line.startswith("["):
            label = line.strip("[]")
        elif line and not line.startswith("#"):
            for weight, wording in wordings_of(line, label):
                weights.append(weight)
                labels.append(label)
                lines.append(place)
                readings.append(read(with_numbers(wording, zlib.crc32(line.encode()) + len(lines))))
    embedder = MiniLmEmbedder()
    vectors = np.array(await embedder.embed([reading.sketch for reading in readings]))
    await embedder.close()
    return Examples(labels, readings, np.array(lines), np.array(weights), vectors)


def wordings_of(line: str, label: str) -> list[tuple[float, str]]:
    """The wordings that a line stands for, with their weights: some of a frame's, and without a number."""
    made = expanded(line)
    weight = FRAME_WEIGHT if len(made) > 1 else 1.0
    found = []
    for wording in made:
        found.append((weight, wording))
        found += [(SHORTER_WEIGHT * weight, each) for each in without_a_number(wording, label)]
        if label.startswith(OF_SMALL_SUMS):
            found.append((weight, wording.replace("MONEY", "SMALL")))
        if zlib.crc32(wording.encode()) % BARE_EVERY == 0:
            found += [
                (SHORTER_WEIGHT * weight, bare)
                for bare in [wording.replace("RATE", "BARE")]
                if bare != wording
            ]
    return found


def expanded(frame: str) -> list[str]:
    """Some wordings of a frame, in which braces hold choices: ``{how much|what} is RATE of MONEY``."""
    chance = random.Random(zlib.crc32(frame.encode()))
    tries = (filled_in(frame, chance) for _ in range(2 * WORDINGS_MAX))
    return list(dict.fromkeys(re.sub(r" +(?=[,.:?]|$)|(?<= ) +|^ +", "", each) for each in tries))[
        :WORDINGS_MAX
    ]


def filled_in(frame: str, chance: random.Random) -> str:
    """One wording of a frame."""
    while match := CHOICES.search(frame):
        frame = frame[: match.start()] + chance.choice(match[1].split("|")) + frame[match.end() :]
    return frame


def without_a_number(line: str, label: str) -> list[str]:
    """The wording without its term, and without its rate: people leave out either."""
    if label == NO_CALCULATION:
        return []
    shorter = (
        re.sub(
            rf",? ?(?:(?:at|over|for|in|after|with|of|by|on) )?(?:a )?{kind}\b(?: interest)?",
            "",
            line,
            count=1,
        )
        for kind in ("TERM", "RATE")
    )
    return [each for each in shorter if each != line and re.search("MONEY|RATE|TERM", each)]


def with_numbers(line: str, chance: int) -> str:
    """The wording with a number in each of its places, another one each time."""
    used: Counter[str] = Counter()

    def number(match: re.Match[str]) -> str:
        kind = match[0]
        used[kind] += 1
        return SPELLINGS[kind][(chance + 3 * used[kind]) % len(SPELLINGS[kind])]

    return re.sub(rf"\b(?:{'|'.join(SPELLINGS)})\b", number, line)


def signs_of(readings: Sequence[Reading]) -> list[str]:
    seen = Counter(sign for reading in readings for sign in reading.signs)
    return sorted(sign for sign, count in seen.items() if count >= SEEN_MIN)


def sign_matrix(readings: Sequence[Reading], signs: Sequence[str]) -> csr_array:
    """A row for each reading; sparse, because each has few of all signs."""
    place_of = {sign: place for place, sign in enumerate(signs)}
    known = [[place_of[sign] for sign in reading.signs if sign in place_of] for reading in readings]
    values = [1 / np.sqrt(len(places)) for places in known for _ in places]
    starts = np.cumsum([0, *map(len, known)])
    return csr_array(
        (values, [place for places in known for place in places], starts), (len(known), len(signs))
    )


@dataclass(frozen=True)
class Features:
    """What a fit weighs: words and kinds of numbers, which are sparse, beside vectors, which are not."""

    words: csr_array
    vectors: Numbers

    def of(self, rows: NDArray[np.bool_]) -> "Features":
        return Features(self.words[rows], self.vectors[rows])

    def scores(self, weights: Numbers) -> Numbers:
        edge = self.words.shape[1]
        scores: Numbers = self.words @ weights[:edge] + self.vectors @ weights[edge:]
        return scores

    def summed(self, errors: Numbers) -> Numbers:
        return np.vstack([self.words.T @ errors, self.vectors.T @ errors])


def fit(features: Features, truth: NDArray[np.int64], weights: Numbers) -> tuple[Numbers, Numbers]:
    """Softmax regression with a penalty on the squares of the weights: weights (features x labels) and
    intercepts."""
    labels, size = int(truth.max()) + 1, features.words.shape[1] + features.vectors.shape[1]
    places = np.arange(len(truth))

    def loss(flat: Numbers) -> tuple[float, Numbers]:
        made = flat.reshape(size + 1, labels)
        scores = features.scores(made[:-1]) + made[-1]
        shares = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
        cost = -C * float(weights @ np.log(shares[places, truth] + TINY)) + 0.5 * float(
            (made[:-1] ** 2).sum()
        )
        shares[places, truth] -= 1
        errors = C * weights[:, None] * shares
        slope = np.vstack([features.summed(errors) + made[:-1], errors.sum(axis=0)[None]])
        return cost, slope.ravel()

    start = np.zeros((size + 1) * labels)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS_MAX})
    made = found.x.reshape(size + 1, labels)
    return made[:-1], made[-1]


def packed(weights: Numbers) -> tuple[float, bytes]:
    scale = float(np.abs(weights).max(initial=0.0)) / 127 or 1.0
    return scale, np.rint(weights / scale).astype(np.int8).tobytes()


def columns(weights: Numbers, intercepts: Numbers, signs: int) -> list[Column]:
    made = []
    for label, intercept in enumerate(intercepts):
        signs_scale, sign_bytes = packed(weights[:signs, label])
        vector_scale, vector_bytes = packed(VECTOR_WEIGHT * weights[signs:, label])
        made.append(Column(float(intercept), signs_scale, sign_bytes, vector_scale, vector_bytes))
    return made


def measure(given: Examples) -> None:
    truth, names = given.truth, sorted(set(given.labels))
    folds = (np.random.default_rng(0).permutation(given.lines.max() + 1) % FOLDS)[given.lines]
    found = {name: np.zeros(len(truth), int) for name in ("nearest", "vectors", "words", "all")}
    for fold in range(FOLDS):
        train, test = folds != fold, folds == fold
        signs = signs_of([given.readings[place] for place in np.flatnonzero(train).tolist()])
        words, vectors = sign_matrix(given.readings, signs), VECTOR_WEIGHT * given.vectors
        no_words, no_vectors = csr_array((len(truth), 0)), np.zeros((len(truth), 0))
        found["nearest"][test] = truth[train][(given.vectors[test] @ given.vectors[train].T).argmax(1)]
        for name, features in (
            ("vectors", Features(no_words, vectors)),
            ("words", Features(words, no_vectors)),
            ("all", Features(words, vectors)),
        ):
            weights, intercepts = fit(features.of(train), truth[train], given.weights[train])
            found[name][test] = (features.of(test).scores(weights) + intercepts).argmax(1)
    none = truth == names.index(NO_CALCULATION)
    for name, labels in found.items():
        right = labels == truth
        print(
            f"{name:8} right {right.mean():.3f}  of calculations {right[~none].mean():.3f}"
            f"  taken for none {(labels[~none] == names.index(NO_CALCULATION)).mean():.3f}"
            f"  none taken for one {1 - right[none].mean():.3f}"
        )


def write(given: Examples) -> None:
    truth, names = given.truth, sorted(set(given.labels))
    signs = signs_of(given.readings)
    words, vectors = sign_matrix(given.readings, signs), VECTOR_WEIGHT * given.vectors
    no_vectors = np.zeros((len(truth), 0))
    by_words = columns(*fit(Features(words, no_vectors), truth, given.weights), len(signs))
    by_meaning = columns(*fit(Features(words, vectors), truth, given.weights), len(signs))
    digest = hashlib.sha256((DATA / "examples.txt").read_bytes()).hexdigest()
    choice = Choice(MODEL, digest, names, signs, by_meaning, by_words)
    (DATA / "choice.msgpack").write_bytes(msgspec.msgpack.encode(choice))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", action="store_true", help="print figures by cross-validation")
    asked = parser.parse_args()
    given = asyncio.run(examples())
    if asked.measure:
        measure(given)
    write(given)


if __name__ == "__main__":
    main()
