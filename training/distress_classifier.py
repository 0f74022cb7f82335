"""Train the weights of finassist.adapters.classifier.distress and report how good they are.

    python training/distress_classifier.py DATA [--out FILE] [--words]
    python training/distress_classifier.py --test FILE…

DATA is the folder that question_classifier.py takes, too. The figures are of a cross-validation: the lines
of ``distress_sentences.py`` are split by hash into five parts, and each is judged, with all that it expands
to, by weights that saw the other four. What ships is trained on all of them. ``--test`` judges files that
nothing was trained on, by these weights, without DATA by those in place, and by the tuned layers of
``help_encoder.py``: lines of JSON with a ``text`` and a ``kind`` or ``level``, or those of
``questions/help_*.txt``, of which it judges the last message alone. ``--words`` fits the words of the
concerns alone, without a cross-validation, and keeps all else that ships, the networks too.
Needs scikit-learn; same input, same file.
"""

import argparse
import asyncio
import warnings
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np
from distress_sentences import (
    NONE,
    ORDINARY,
    PARTS,
    Example,
    Variations,
    examples_with,
    held_out,
    pairs,
)
from encoded import Encoded
from msgspec.structs import replace as replaced
from numpy.typing import NDArray
from question_classifier import column
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from finassist.adapters.classifier.distress import (
    Columns,
    DistressWeights,
    LinearDistressClassifier,
    MeaningColumn,
    pieces,
)
from finassist.adapters.classifier.language import FastTextLanguages
from finassist.adapters.classifier.meaning import DistressClassifierByMeaning
from finassist.adapters.classifier.weights import Column
from finassist.adapters.embeddings.minilm.embedder import MODEL, MiniLmEmbedder
from finassist.adapters.embeddings.network import NetworkWeights
from finassist.application.ports.knowledge import Vector
from finassist.domain.retrieval.hybrid import asked_for
from finassist.domain.safety import Concern, Sign

HERE = Path(__file__).parent
SHIPPED = HERE.parent / "src" / "finassist" / "data" / "classifiers" / "distress.msgpack"
LETTERS_SHARE = 0.6
"""What a run of letters counts for beside a word: olives are not about life."""
GRAM_OCCURS_MIN = 3
INVERSE_REGULARISATION = 100.0
LEAN = {
    Concern.SELF_HARM: 0.0,
    Concern.ABUSE: 0.05,
    Concern.FRAUD: -0.93,
    Concern.HOME: -1.0,
    Concern.BAILIFFS: 0.1,
    Concern.GAMBLING: -0.13,
    Concern.DEBT: -0.53,
    Concern.JOB_LOSS: -0.02,
    Concern.SCAM: -1.05,
}
"""Added to the log odds that words give. Chosen by cross-validation of all five parts so that most get help,
that for self-harm counting twelve times, at one false alarm in twenty-five of what only sounds alike. The
other two sets are chosen alike; then self-harm was made surer beside a vector, and less sure without one.
Since wordings of the entries in other languages are trained on, some are a little surer in both. Since
messages of people who are upset and need no help are, all need less in other languages, and self-harm less
beside a vector, too: in doubt a short text with an answer is given."""
BESIDE_VECTOR = {
    Concern.SELF_HARM: 1.4,
    Concern.ABUSE: 1.3,
    Concern.FRAUD: 1.1,
    Concern.HOME: 1.2,
    Concern.BAILIFFS: 2.2,
    Concern.GAMBLING: 0.95,
    Concern.DEBT: 1.65,
    Concern.JOB_LOSS: 0.0,
    Concern.SCAM: 1.9,
}
"""Added on top beside a vector."""
OTHER_LANGUAGES = {
    Concern.SELF_HARM: -1.5,
    Concern.ABUSE: -1.9,
    Concern.FRAUD: -0.42,
    Concern.HOME: -0.85,
    Concern.BAILIFFS: -1.65,
    Concern.GAMBLING: -1.3,
    Concern.DEBT: -2.04,
    Concern.JOB_LOSS: -2.0,
    Concern.SCAM: -1.65,
}
"""Added on top in another language than English, of which fewer lines are known."""
SHARES = (0.5, 0.5, 0.4)
"""What the three regressions of ``Trainer`` count for."""
SIGN_LEAN = 1.5
STEP_MIN = 3
"""Grams that weigh less for all concerns are left out, three of ten: no set of messages fares worse."""
SIGN_STEP_MIN = 4
"""Signs are told by their heaviest grams; the others would double the file."""
SIGN_INVERSE_REGULARISATION = 3.0
SIGN_STEPS = 32_000
SWINDLES = (Concern.FRAUD, Concern.SCAM)
"""What a second look tells from each other: whether money or data went."""
WENT = "went"
WENT_STEP_MIN = 6
UNITS = 64
NETWORKS = 6
EPOCHS = 14
VECTOR_SCALE = 8.0
"""The numbers of a vector of length one are small; the network learns sooner from larger ones."""


class Trainer:
    """Logistic regression over the grams that occur often enough.

    A concern's weights are mixed of three: of this concern against everything else, of all concerns together
    against the rest, and of all concerns against those lines alone that were written to sound alike. The
    second sees nine times as many calls for help as any of the first; the third is not outnumbered by
    ordinary questions, which are easily told.
    """

    def __init__(self, examples: Sequence[Example], vectors: "Vectors") -> None:
        self._examples = examples
        self._vectors = vectors
        self._rows = [pieces(example.text) for example in examples]
        counts = Counter(gram for row in self._rows for gram in row)
        self._grams = sorted(gram for gram, count in counts.items() if count >= GRAM_OCCURS_MIN)
        self._shares = np.array([share_of(gram) for gram in self._grams])

    def concerns(self) -> Columns:
        """What tells the concerns by words."""
        near = self._near()
        any_concern = self._fitted([e.label != NONE for e in self._examples])
        beside_alike = self._fitted([self._examples[place].label != NONE for place in near], near)
        concerns = []
        for concern in Concern:
            this = self._fitted([e.label == concern for e in self._examples])
            fits = zip(SHARES, (this, any_concern, beside_alike), strict=True)
            parts = [(share * intercept, share * weights) for share, (intercept, weights) in fits]
            intercept, weights = sum(part[0] for part in parts), np.sum([part[1] for part in parts], axis=0)
            concerns.append(column(concern, intercept + LEAN[concern], weights))
        return self._columns(concerns, STEP_MIN)

    def weights(self) -> DistressWeights:
        concerns = self.concerns()
        scams = [place for place, each in enumerate(self._examples) if each.label == Concern.SCAM]
        signs = []
        for sign in Sign:
            intercept, weights = self._fitted([sign in self._examples[place].signs for place in scams], scams)
            signs.append(column(sign, intercept + SIGN_LEAN, weights))
        went = Trainer([*self._of(*SWINDLES), *variations_of(pairs())], self._vectors).went()
        return DistressWeights(
            concerns,
            self._columns(signs, SIGN_STEP_MIN),
            MODEL,
            self._vectors.network(self._examples),
            self._vectors.network([self._examples[place] for place in self._near()]),
            {str(concern): lean for concern, lean in BESIDE_VECTOR.items()},
            {str(concern): lean for concern, lean in OTHER_LANGUAGES.items()},
            self._vectors.columns(self._examples),
            *went,
        )

    def went(self) -> tuple[Columns, MeaningColumn]:
        """What tells, among examples of swindles, whether money or data went: by words, and by the vector."""
        is_lost = [each.label == Concern.FRAUD for each in self._examples]
        intercept, weights = self._fitted(is_lost)
        own = [each for each in self._examples if not each.is_varied]
        meaning = self._vectors.column(WENT, own, [each.label == Concern.FRAUD for each in own])
        return self._columns([column(WENT, intercept, weights)], WENT_STEP_MIN), meaning

    def _near(self) -> list[int]:
        """The places of calls for help and of what was written to sound alike."""
        return [place for place, each in enumerate(self._examples) if each.source not in ORDINARY]

    def _of(self, *labels: str) -> list[Example]:
        return [each for each in self._examples if each.label in labels]

    def _fitted(
        self, wanted: Sequence[bool], among: Sequence[int] | None = None
    ) -> tuple[float, NDArray[np.float64]]:
        """Intercept and weights. ``among``: the places of the examples to learn from, or None for all."""
        model = LogisticRegression(C=INVERSE_REGULARISATION, solver="liblinear", tol=1e-2, max_iter=300)
        places = np.arange(len(self._examples)) if among is None else np.array(among)
        importance = np.array([example.weight for example in self._examples])[places]
        model.fit(self._matrix[places], wanted, sample_weight=importance)
        return float(model.intercept_[0]), model.coef_[0] * self._shares

    def _columns(self, columns: Sequence[Column], step_min: int) -> Columns:
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


class Vectors(Encoded):
    """The weights for the vectors of texts."""

    def network(self, examples: Sequence[Example]) -> NetworkWeights:
        """A network that tells the concerns from each other and from the others: several that were fitted to
        other draws, whose scores are averaged, side by side in one, because each alone is sure where it only
        guesses. Variations are not used: the encoder knows synonyms. Examples are drawn as often as they
        count, because the library knows no weights."""
        own = [each for each in examples if not each.is_varied]
        counts = np.array([each.weight for each in own])
        vectors, labels = self._of_examples(own) * VECTOR_SCALE, np.array([str(each.label) for each in own])
        fitted = []
        for seed in range(NETWORKS):
            drawn = np.random.default_rng(seed).choice(len(own), len(own), p=counts / counts.sum())
            fitted.append(network_of(vectors[drawn], labels[drawn], seed))
        hidden, output = (np.concatenate([each.coefs_[at] for each in fitted], 1 - at) for at in (0, 1))
        hidden_bias = np.concatenate([each.intercepts_[0] for each in fitted])
        output_bias = np.mean([each.intercepts_[1] for each in fitted], 0)
        parts = (hidden * VECTOR_SCALE, hidden_bias, output / NETWORKS, output_bias)
        return NetworkWeights(
            list(map(str, fitted[0].classes_)), *(part.astype(np.float16).tobytes() for part in parts)
        )

    def columns(self, examples: Sequence[Example]) -> list[MeaningColumn]:
        """The weights of each sign among possible scams."""
        scams = [each for each in examples if each.label == Concern.SCAM and not each.is_varied]
        return [self.column(sign, scams, [sign in each.signs for each in scams]) for sign in Sign]

    def column(self, label: str, examples: Sequence[Example], wanted: Sequence[bool]) -> MeaningColumn:
        """The weights for what is ``wanted`` among the examples."""
        model = LogisticRegression(C=SIGN_INVERSE_REGULARISATION, max_iter=300)
        model.fit(self._of_examples(examples), wanted, sample_weight=[e.weight for e in examples])
        scale = float(np.abs(model.coef_).max()) / SIGN_STEPS
        steps = np.rint(model.coef_[0] / scale).astype(np.int16)
        return MeaningColumn(str(label), round(float(model.intercept_[0]), 4), scale, steps.tobytes())

    def _of_examples(self, examples: Sequence[Example]) -> NDArray[np.float32]:
        return self.of(asked_for(each.text) for each in examples)


def network_of(vectors: NDArray[np.float32], labels: NDArray[np.str_], seed: int) -> MLPClassifier:
    """One network of those that are averaged."""
    model = MLPClassifier(
        (UNITS,), alpha=1e-3, batch_size=128, learning_rate_init=2e-3, max_iter=EPOCHS, random_state=seed
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # after so few epochs on purpose
        return model.fit(vectors, labels)


def share_of(gram: str) -> float:
    """What a gram counts for: words end in ``_``, pairs have a blank, all else are runs of letters."""
    return 1.0 if gram.endswith("_") or " " in gram else LETTERS_SHARE


def variations_of(examples: Iterable[Example]) -> list[Example]:
    variations = Variations()
    return [variation for example in examples for variation in variations.of(example)]


def trained(examples: Iterable[Example], file: Path, vectors: Vectors) -> LinearDistressClassifier:
    """Write the weights, and give the classifier that reads them."""
    file.write_bytes(msgspec.msgpack.encode(Trainer(variations_of(examples), vectors).weights()))
    return LinearDistressClassifier(file)


class KnownVectors:
    """``Embedder`` of texts that were encoded at once; it has no layers that were tuned for help, which have
    seen all lines."""

    model = MODEL

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def understands(self, language: str) -> bool:
        return language == "en"

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        return [await self.embed_query(text) for text in texts]

    async def embed_query(self, text: str) -> Vector:
        return array("f", self._vectors.of([text])[0].tobytes())

    async def embed_search(self, text: str) -> Vector:
        return await self.embed_query(text)

    async def close(self) -> None:
        return None


Judged = Sequence[tuple[str, Example]]
"""What was found, or ``none``, for each example."""


def judged(classifier: DistressClassifierByMeaning, examples: Iterable[Example]) -> Judged:
    languages = FastTextLanguages()

    async def judge() -> Judged:
        found = []
        for each in examples:
            language = await languages.language_of(each.text)
            found.append((await classifier.concern(each.text, language=language) or NONE, each))
        return found

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
    """Print what was found (columns) for what was meant (rows), and what was missed or falsely found."""
    labels = [*map(str, Concern), NONE]
    counts = Counter((str(example.label), str(help_)) for help_, example in found)
    print(f"{title}\n| | {' | '.join(labels)} |\n|{'---|' * (len(labels) + 1)}")
    for meant in labels:
        if any(counts[meant, each] for each in labels):
            print(f"| {meant} | {' | '.join(str(counts[meant, each]) for each in labels)} |")
    for help_, example in found:
        if (help_ == NONE) != (example.label == NONE):
            print(f"    {example.label} -> {help_}: {example.text}")


def tested(paths: Sequence[Path], weights: Path) -> None:
    classifier = DistressClassifierByMeaning(
        LinearDistressClassifier(weights), MiniLmEmbedder(query_seconds=60)
    )
    for path in paths:
        matrix(path.name, judged(classifier, held_out(path)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--test", type=Path, nargs="+", default=[], help="judge these files")
    parser.add_argument("--out", type=Path, default=SHIPPED)
    parser.add_argument("--words", action="store_true", help="fit the words of the concerns alone")
    arguments = parser.parse_args()
    if arguments.data is None:
        return tested(arguments.test, arguments.out)

    examples = examples_with(arguments.data)
    vectors = Vectors()
    if arguments.words:
        shipped = msgspec.msgpack.decode(SHIPPED.read_bytes(), type=DistressWeights)
        concerns = Trainer(variations_of(examples), vectors).concerns()
        arguments.out.write_bytes(msgspec.msgpack.encode(replaced(shipped, concerns=concerns)))
        return tested(arguments.test, arguments.out)
    by_words: list[tuple[str, Example]] = []
    by_both: list[tuple[str, Example]] = []
    with TemporaryDirectory() as folder:
        for part in range(PARTS):
            file = Path(folder, f"{part}.msgpack")  # one for each part: what is read of a file is kept
            words = trained((each for each in examples if each.part != part), file, vectors)
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
