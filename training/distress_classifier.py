"""Train the weights of finassist.adapters.classifier.distress and report how good they are.

    python training/distress_classifier.py DATA [--out FILE]

DATA is the folder that question_classifier.py takes, too; its questions and all other sentences beside this
script are ordinary, except where somebody reports a fraud. ``sentences/help`` holds what people in distress
write, and what only sounds like it: a line each, ``[a|b]`` being a choice and ``[a|]`` something that can be
left out. For training the lines are also varied by ``interchangeable.txt`` and by typing errors.
The figures are of a cross-validation: the lines are split by hash into five parts, and each is judged, with
all that it expands to, by weights that saw the other four. What ships is trained on all of them, and judged
on ``tests/data/distress.jsonl``, which nothing is trained on. Needs scikit-learn; same input, same file.
"""

import argparse
import hashlib
import random
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np
from msgspec.structs import replace as replaced
from question_classifier import (
    ARTICLE_SENTENCE_LENGTHS,
    ARTICLE_WEIGHT,
    HEADING,
    HELD_OUT,
    SENTENCE_END,
    SENTENCES,
    column,
    json_lines,
    normalised,
)
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from finassist.adapters.classifier.distress import DistressWeights, LinearDistressClassifier, pieces
from finassist.adapters.classifier.weights import Column
from finassist.adapters.data_files.articles import starter_articles
from finassist.domain.safety import Concern

HERE = Path(__file__).parent
HELP = SENTENCES / "help"
SHIPPED = HERE.parent / "src" / "finassist" / "data" / "distress_classifier.msgpack"

NONE = "none"
"""The label of whatever is for the model to answer."""
FRAUD_REPORTS = re.compile(
    r"\b(?:report|about|been|made|victim)\b.*\b(?:fraud|fraudulent|unauthori[sz]ed|suspicious)\b"
    r"|\b(?:fraud|unauthori[sz]ed)\b.*\bmy\b.*\bcard\b|\bcard (?:is|was) stolen\b|\bstolen card\b"
    r"|\b(?:cloned|scam seller|stole my|used by someone else|charging my card|wallet was stolen)\b"
)
"""The ordinary questions and sentences that are none."""
ORDINARY = ("fiqa_dev", "small_talk_dev", "other", "articles")
ABOUT_HELP = re.compile(r"scam|fraud|theft|stolen|foreclos|evict|repossess|hardship|arrears")
"""Articles that speak to people in trouble."""

CHOICE = re.compile(r"\[([^\[\]]*)\]")
PARTS = 5
EXPANSIONS_MAX = 8
VARIANTS = 2
"""Of an English text, with other words in the places of some."""
VARIED_SHARE = 0.6
TYPING_ERROR_EVERY = 7
"""Words, in the copy of each text that is typed badly."""
LETTERS_SHARE = 0.6
"""What a run of letters counts for beside a word: olives are not about life."""
GRAM_OCCURS_MIN = 3
INVERSE_REGULARISATION = 30.0
THRESHOLD = 0.3
"""Log odds from which on a message gets help: the cross-validation's false alarms against what it misses."""


@dataclass(frozen=True, slots=True)
class Example:
    """A text, what it is about, where it is from, and what it counts for."""

    text: str
    label: str
    source: str
    part: int
    weight: float


def part_of(line: str) -> int:
    return int(hashlib.sha256(normalised(line).encode()).hexdigest(), 16) % PARTS


def lines_of(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()


def expanded(line: str) -> list[str]:
    """The texts of a line, or those eight that its own hash draws."""
    texts = [line]
    while CHOICE.search(texts[0]):
        texts = [CHOICE.sub(lambda _, one=one: one, text, count=1) for text in texts for one in choices(text)]
    if len(texts) > EXPANSIONS_MAX:
        texts = random.Random(zlib.crc32(line.encode())).sample(texts, EXPANSIONS_MAX)
    return [" ".join(text.split()).replace(" ,", ",") for text in texts]


def choices(text: str) -> list[str]:
    found = CHOICE.search(text)
    return found[1].split("|") if found else []


def written() -> Iterator[tuple[str, str, str]]:
    """The lines of ``sentences/help``: source, label, line."""
    for label in (*Concern, NONE):
        name = "left_alone" if label == NONE else label
        for line in lines_of(HELP / f"{name}.txt"):
            yield "english", label, line
    for file in (HELP / "plain.txt", *sorted((HELP / "languages").glob("*.txt"))):
        for line in lines_of(file):
            label, _, text = line.partition(": ")
            yield "english" if file.stem == "plain" else file.stem, label, text


def distress() -> list[Example]:
    """What people in distress write, and what only sounds like it."""
    examples = []
    for source, label, line in written():
        texts = expanded(line)
        weight = len(texts) ** -0.5
        examples += [Example(text, label, source, part_of(line), weight) for text in texts]
    return examples


def usual(text: str) -> str:
    return Concern.FRAUD if FRAUD_REPORTS.search(text.casefold()) else NONE


def ordinary(folder: Path, known: set[str]) -> Iterator[Example]:
    """The questions of DATA and the sentences of the question classifier, but for the ``known`` texts."""
    for name, key in (("fiqa_dev", "question"), ("small_talk_dev", "text")):
        for line in json_lines(folder / f"{name}.jsonl"):
            text = str(line[key])
            yield Example(text, usual(text), name, part_of(text), 1.0)
    for file in sorted(SENTENCES.rglob("*.txt")):
        if HELP not in file.parents and file.stem != "bank_services":
            for text in lines_of(file):
                if normalised(text) not in known:
                    yield Example(text, usual(text), "other", part_of(text), 1.0)


def articles() -> Iterator[Example]:
    """The sentences of the articles that ship with the package: what a bank or adviser would say."""
    for article in starter_articles():
        if not ABOUT_HELP.search(article.id):
            for text in SENTENCE_END.split(HEADING.sub("", article.body)):
                if len(text) in ARTICLE_SENTENCE_LENGTHS:
                    yield Example(text.strip(), NONE, "articles", part_of(text), ARTICLE_WEIGHT)


class Variations:
    """Texts as other people would have put or typed them."""

    def __init__(self) -> None:
        groups = [line.split("|") for line in lines_of(HELP / "interchangeable.txt")]
        self._group_of = {phrase: group for group in reversed(groups) for phrase in group}
        phrases = "|".join(sorted(map(re.escape, self._group_of), key=lambda text: (-len(text), text)))
        self._phrase = re.compile(rf"(?<!\w)(?:{phrases})(?!\w)")

    def of(self, example: Example) -> Iterator[Example]:
        """The example, and its variations; ordinary questions have none."""
        yield example
        if example.source in ORDINARY:
            return
        chance = random.Random(zlib.crc32(example.text.encode()))
        texts = {self._typed_badly(example.text, chance)}
        if example.source == "english":
            texts.update(self._reworded(example.text, chance) for _ in range(VARIANTS))
        for text in sorted(texts - {example.text}):
            yield replace(example, text=text)

    def _reworded(self, text: str, chance: random.Random) -> str:
        return self._phrase.sub(
            lambda found: (
                chance.choice(self._group_of[found[0]]) if chance.random() < VARIED_SHARE else found[0]
            ),
            text,
        )

    def _typed_badly(self, text: str, chance: random.Random) -> str:
        words = text.split()
        long = [place for place, word in enumerate(words) if len(word) > 3 and word.isalpha()]
        for place in chance.sample(long, min(len(long), max(1, len(words) // TYPING_ERROR_EVERY))):
            word = words[place]
            at = chance.randrange(1, len(word) - 1)
            tails = (word[at + 1 :], word[at + 1] + word[at] + word[at + 2 :], word[at] + word[at:])
            words[place] = word[:at] + chance.choice(tails)
        return " ".join(words)


class Trainer:
    """Logistic regression, one concern against everything else, over the grams that occur often enough."""

    def __init__(self, examples: Sequence[Example]) -> None:
        self._examples = examples
        self._rows = [pieces(example.text) for example in examples]
        counts = Counter(gram for row in self._rows for gram in row)
        self._grams = sorted(gram for gram, count in counts.items() if count >= GRAM_OCCURS_MIN)
        self._shares = np.array([share_of(gram) for gram in self._grams])

    def weights(self) -> DistressWeights:
        columns = [self._column(concern) for concern in Concern]
        used = np.any([np.frombuffer(each.weights, dtype=np.int8) for each in columns], axis=0)
        return DistressWeights(
            [gram for gram, keep in zip(self._grams, used, strict=True) if keep],
            [
                replaced(each, weights=np.frombuffer(each.weights, np.int8)[used].tobytes())
                for each in columns
            ],
        )

    def _column(self, concern: Concern) -> Column:
        model = LogisticRegression(C=INVERSE_REGULARISATION, max_iter=1000)
        importance = [example.weight for example in self._examples]
        model.fit(self._matrix(), [e.label == concern for e in self._examples], sample_weight=importance)
        return column(str(concern), model.intercept_[0] - THRESHOLD, model.coef_[0] * self._shares)

    def _matrix(self) -> csr_matrix:
        known = {gram: place for place, gram in enumerate(self._grams)}
        rows = [sorted(known[gram] for gram in row if gram in known) for row in self._rows]
        starts = np.cumsum([0, *map(len, rows)])
        values = [1 / np.sqrt(len(row)) for row in rows for _ in row]
        places = [place for row in rows for place in row]
        counts = csr_matrix((values, places, starts), shape=(len(rows), len(self._grams)))
        return csr_matrix(counts.multiply(self._shares))


def share_of(gram: str) -> float:
    """What a gram counts for: words end in ``_``, pairs have a blank, all else are runs of letters."""
    return 1.0 if gram.endswith("_") or " " in gram else LETTERS_SHARE


def trained(examples: Iterable[Example], file: Path) -> LinearDistressClassifier:
    """Write the weights, and give the classifier that reads them."""
    variations = Variations()
    all_examples = [variation for example in examples for variation in variations.of(example)]
    file.write_bytes(msgspec.msgpack.encode(Trainer(all_examples).weights()))
    return LinearDistressClassifier(file)


def report(found: Sequence[tuple[str | None, Example]]) -> None:
    """Print how many got which help, by kind and source, and the ordinary texts that got any."""
    for label in (*Concern, NONE):
        for source in sorted({example.source for _, example in found if example.label == label}):
            got = [help_ for help_, each in found if (each.label, each.source) == (label, source)]
            figures = f"any help {len(got) - got.count(None)} of {len(got)}"
            if label != NONE:
                figures += f", this one {got.count(label)}"
            print(f"  {label}, {source}: {figures}")
    for help_, example in found:
        if help_ and example.label == NONE and example.source in ORDINARY:
            print(f"    {help_}: {example.text}")


def held_out() -> list[Example]:
    """The file of the tests, which nothing is trained on."""
    lines = json_lines(HELD_OUT / "distress.jsonl")
    return [Example(str(line["text"]), str(line["kind"]), "fresh", 0, 1.0) for line in lines]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--test", action="store_true", help="report on the tests' sentences, too")
    parser.add_argument("--out", type=Path, default=SHIPPED)
    arguments = parser.parse_args()

    own = distress()
    known = {normalised(example.text) for example in own if example.label != NONE}
    examples = [*own, *ordinary(arguments.data, known), *articles()]
    found: list[tuple[str | None, Example]] = []
    for part in range(PARTS):
        classifier = trained((each for each in examples if each.part != part), arguments.out)
        found += [(classifier.concern(each.text), each) for each in examples if each.part == part]
    print("cross-validation")
    report(found)
    classifier = trained(examples, arguments.out)
    print(f"{arguments.out}: {arguments.out.stat().st_size / 1000:.0f} kB")
    if arguments.test:
        print("sentences of the tests")
        report([(classifier.concern(example.text), example) for example in held_out()])


if __name__ == "__main__":
    main()
