"""Train the weights of finassist.adapters.classifier.distress and report how good they are.

    python training/distress_classifier.py DATA [--out FILE]
    python training/distress_classifier.py --test FILE…

DATA is the folder that question_classifier.py takes, too. The figures are of a cross-validation: the lines
of ``distress_sentences.py`` are split by hash into five parts, and each is judged, with all that it expands
to, by weights that saw the other four. What ships is trained on all of them. ``--test`` judges files that
nothing was trained on, without DATA by the weights in place: lines of JSON with a ``text`` and a ``kind`` or
``level``. Needs scikit-learn; same input, same file.
"""

import argparse
import asyncio
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from importlib.resources import files
from pathlib import Path

import msgspec
import numpy as np
from distress_sentences import (
    LANGUAGES,
    NONE,
    ORDINARY,
    PARTS,
    Example,
    Variations,
    articles,
    distress,
    ordinary,
)
from msgspec.structs import replace as replaced
from numpy.typing import NDArray
from question_classifier import column, json_lines, normalised
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from finassist.adapters.classifier.distress import (
    Columns,
    DistressWeights,
    LinearDistressClassifier,
    MeaningColumn,
    pieces,
)
from finassist.adapters.classifier.meaning import DistressClassifierByMeaning
from finassist.adapters.classifier.weights import Column
from finassist.adapters.embeddings.minilm.embedder import MODEL
from finassist.adapters.embeddings.minilm.encoder import Encoder
from finassist.adapters.embeddings.minilm.weights import read_weights, vocabulary
from finassist.adapters.embeddings.minilm.wordpiece import WordPiece
from finassist.application.ports.knowledge import Vector
from finassist.domain.safety import EMERGENCIES, Concern, Sign

HERE = Path(__file__).parent
SHIPPED = HERE.parent / "src" / "finassist" / "data" / "distress_classifier.msgpack"
LEVELS = {"crisis": Concern.SELF_HARM, "crime": Concern.FRAUD, "eviction": Concern.HOME, "innocent": NONE}
"""How files of others call what they ask help for."""

LETTERS_SHARE = 0.6
"""What a run of letters counts for beside a word: olives are not about life."""
GRAM_OCCURS_MIN = 3
INVERSE_REGULARISATION = 30.0
LEAN = {concern: 0.3 if concern in EMERGENCIES else 0.4 for concern in Concern}
"""Added to the log odds that words give: the cross-validation's false alarms against what it misses. A false
alarm of other help costs less than one of an emergency, because an answer follows it."""
MEANING_LEAN = {concern: 0.65 if concern in EMERGENCIES else 2.8 for concern in Concern}
"""Added beside a vector, which makes the sum surer."""
SIGN_LEAN = 1.5
STEP_MIN = 4
"""Signs and languages are told by their heaviest grams; the others would double the file."""
MEANING_INVERSE_REGULARISATION = 3.0
MEANING_STEPS = 32_000
ENCODED_AT_ONCE = 16


class Trainer:
    """Logistic regression, one concern against everything else, over the grams that occur often enough."""

    def __init__(self, examples: Sequence[Example], vectors: "Vectors | None") -> None:
        self._examples = examples
        self._vectors = vectors
        self._rows = [pieces(example.text) for example in examples]
        counts = Counter(gram for row in self._rows for gram in row)
        self._grams = sorted(gram for gram, count in counts.items() if count >= GRAM_OCCURS_MIN)
        self._shares = np.array([share_of(gram) for gram in self._grams])

    def weights(self) -> DistressWeights:
        concerns = [
            self._column(concern, [e.label == concern for e in self._examples], lean=LEAN[concern])
            for concern in Concern
        ]
        signs = [
            self._column(sign, [sign in each.signs for each in self._of(self._scams)], SIGN_LEAN, self._scams)
            for sign in Sign
        ]
        languages = [
            self._column(code, [each.source == name for each in self._of(self._written)], 0.0, self._written)
            for name, code in LANGUAGES.items()
        ]
        return DistressWeights(
            self._columns(concerns),
            self._columns(signs, STEP_MIN),
            self._columns(languages, STEP_MIN),
            MODEL,
            self._vectors.columns(self._examples) if self._vectors else [],
        )

    @property
    def _scams(self) -> list[int]:
        return [place for place, each in enumerate(self._examples) if each.label == Concern.SCAM]

    @property
    def _written(self) -> list[int]:
        return [place for place, each in enumerate(self._examples) if each.source in LANGUAGES]

    def _of(self, places: Sequence[int]) -> list[Example]:
        return [self._examples[place] for place in places]

    def _column(
        self, label: str, wanted: Sequence[bool], lean: float, among: Sequence[int] | None = None
    ) -> Column:
        """``among``: the places of the examples to learn from, or None for all."""
        model = LogisticRegression(C=INVERSE_REGULARISATION, max_iter=1000)
        places = np.arange(len(self._examples)) if among is None else np.array(among)
        importance = np.array([example.weight for example in self._examples])[places]
        model.fit(self._matrix[places], wanted, sample_weight=importance)
        return column(label, model.intercept_[0] + lean, model.coef_[0] * self._shares)

    def _columns(self, columns: Sequence[Column], step_min: int = 1) -> Columns:
        """The columns without grams that weigh less than ``step_min`` in all of them."""
        steps = np.array([np.frombuffer(each.weights, np.int8) for each in columns])
        used = (np.abs(steps.astype(int)) >= step_min).any(axis=0)
        return Columns(
            [gram for gram, keep in zip(self._grams, used, strict=True) if keep],
            [replaced(each, weights=row[used].tobytes()) for each, row in zip(columns, steps, strict=True)],
        )

    @cached_property
    def _matrix(self) -> csr_matrix:
        known = {gram: place for place, gram in enumerate(self._grams)}
        rows = [sorted(known[gram] for gram in row if gram in known) for row in self._rows]
        starts = np.cumsum([0, *map(len, rows)])
        values = [1 / np.sqrt(len(row)) for row in rows for _ in row]
        places = [place for row in rows for place in row]
        counts = csr_matrix((values, places, starts), shape=(len(rows), len(self._grams)))
        return csr_matrix(counts.multiply(self._shares))


class Vectors:
    """What the shipped sentence encoder makes of texts, and the weights for it. Each text is encoded once."""

    def __init__(self) -> None:
        arrays = read_weights(files("finassist.data") / "sentence_encoder" / "weights.safetensors")
        self._pieces, self._encoder = WordPiece(vocabulary(arrays)), Encoder(arrays)
        self._vectors: dict[str, NDArray[np.float32]] = {}

    def of(self, texts: Iterable[str]) -> NDArray[np.float32]:
        """The vectors of texts, a row each."""
        wanted = list(texts)
        missing = sorted(set(wanted) - self._vectors.keys(), key=lambda text: (len(text), text))
        for start in range(0, len(missing), ENCODED_AT_ONCE):
            some = missing[start : start + ENCODED_AT_ONCE]
            rows = self._encoder.encode([self._pieces.ids(text) for text in some])
            rows = rows.astype(np.float16).astype(np.float32)  # the same in whatever company it is encoded
            self._vectors.update(zip(some, rows, strict=True))
        return np.array([self._vectors[text] for text in wanted])

    def columns(self, examples: Sequence[Example]) -> list[MeaningColumn]:
        """The weights of each concern, and among possible scams of each sign. Variations are not used: the
        encoder knows synonyms."""
        own = [each for each in examples if not each.is_varied]
        scams = [each for each in own if each.label == Concern.SCAM]
        return [
            *(
                self._column(concern, own, [each.label == concern for each in own], MEANING_LEAN[concern])
                for concern in Concern
            ),
            *(self._column(sign, scams, [sign in each.signs for each in scams], 0.0) for sign in Sign),
        ]

    def _column(
        self, label: str, among: Sequence[Example], wanted: Sequence[bool], lean: float
    ) -> MeaningColumn:
        model = LogisticRegression(C=MEANING_INVERSE_REGULARISATION, max_iter=300)
        model.fit(self.of(e.text for e in among), wanted, sample_weight=[e.weight for e in among])
        scale = float(np.abs(model.coef_).max()) / MEANING_STEPS
        steps = np.rint(model.coef_[0] / scale).astype(np.int16)
        return MeaningColumn(str(label), round(float(model.intercept_[0]) + lean, 4), scale, steps.tobytes())


def share_of(gram: str) -> float:
    """What a gram counts for: words end in ``_``, pairs have a blank, all else are runs of letters."""
    return 1.0 if gram.endswith("_") or " " in gram else LETTERS_SHARE


def trained(
    examples: Iterable[Example], file: Path, vectors: Vectors | None = None
) -> LinearDistressClassifier:
    """Write the weights, and give the classifier that reads them."""
    variations = Variations()
    all_examples = [variation for example in examples for variation in variations.of(example)]
    file.write_bytes(msgspec.msgpack.encode(Trainer(all_examples, vectors).weights()))
    return LinearDistressClassifier(file)


class KnownVectors:
    """``Embedder`` of texts that were encoded at once."""

    model = MODEL

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def understands(self, language: str) -> bool:
        return language == "en"

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        return [await self.embed_query(text) for text in texts]

    async def embed_query(self, text: str) -> Vector:
        return array("f", self._vectors.of([text])[0].tobytes())

    async def close(self) -> None:
        return None


Judged = Sequence[tuple[str, Example]]
"""What was found, or ``none``, for each example."""


def judged(classifier: DistressClassifierByMeaning, examples: Iterable[Example]) -> Judged:
    async def judge() -> Judged:
        return [(await classifier.concern(each.text) or NONE, each) for each in examples]

    return asyncio.run(judge())


def report(title: str, found: Judged) -> None:
    """Print how many got which help, by kind and source, and the ordinary texts that got any."""
    print(title)
    for label in (*Concern, NONE):
        for source in sorted({example.source for _, example in found if example.label == label}):
            some = [
                (help_, each.weight) for help_, each in found if (each.label, each.source) == (label, source)
            ]
            total = sum(weight for _, weight in some)
            any_help = sum(weight for help_, weight in some if help_ != NONE) / total
            right = sum(weight for help_, weight in some if help_ == label) / total
            print(f"  {label}, {source} ({len(some)}): any help {any_help:.1%}, right {right:.1%}")
    for help_, example in found:
        if help_ != NONE and example.label == NONE and example.source in ORDINARY:
            print(f"    {help_}: {example.text}")


def matrix(title: str, found: Judged) -> None:
    """Print what was found (columns) for what was meant (rows), and what was missed or found in vain."""
    labels = [*map(str, Concern), NONE]
    counts = Counter((str(example.label), str(help_)) for help_, example in found)
    print(f"{title}\n| | {' | '.join(labels)} |\n|{'---|' * (len(labels) + 1)}")
    for meant in labels:
        if any(counts[meant, each] for each in labels):
            print(f"| {meant} | {' | '.join(str(counts[meant, each]) for each in labels)} |")
    for help_, example in found:
        if (help_ == NONE) != (example.label == NONE):
            print(f"    {example.label} -> {help_}: {example.text}")


def held_out(file: Path) -> list[Example]:
    """The lines of a file that nothing was trained on."""
    examples = []
    for line in json_lines(file):
        level = str(line.get("level") or line.get("kind"))
        examples.append(Example(str(line["text"]), LEVELS.get(level, level), "fresh", 0, 1.0))
    return examples


def tested(paths: Sequence[Path], weights: Path) -> None:
    classifier = DistressClassifierByMeaning(LinearDistressClassifier(weights), KnownVectors(Vectors()))
    for path in paths:
        matrix(path.name, judged(classifier, held_out(path)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--test", type=Path, nargs="+", default=[], help="judge these files")
    parser.add_argument("--out", type=Path, default=SHIPPED)
    arguments = parser.parse_args()
    if arguments.data is None:
        return tested(arguments.test, arguments.out)

    own = distress()
    known = {normalised(example.text) for example in own if example.label != NONE}
    examples = [*own, *ordinary(arguments.data, known), *articles()]
    vectors = Vectors()
    by_words: list[tuple[str, Example]] = []
    by_both: list[tuple[str, Example]] = []
    for part in range(PARTS):
        words = trained((each for each in examples if each.part != part), arguments.out, vectors)
        unseen = [each for each in examples if each.part == part]
        by_words += judged(DistressClassifierByMeaning(words, None), unseen)
        by_both += judged(DistressClassifierByMeaning(words, KnownVectors(vectors)), unseen)
    report("cross-validation, words alone", by_words)
    report("cross-validation, words and meaning", by_both)
    trained(examples, arguments.out, vectors)
    print(f"{arguments.out}: {arguments.out.stat().st_size / 1000:.0f} kB")
    return tested(arguments.test, arguments.out)


if __name__ == "__main__":
    main()
