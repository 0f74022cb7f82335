"""Train the weights of finassist.adapters.classifier and report how good they are.

    python training/question_classifier.py DATA [--test] [--out FILE]

DATA is a folder with ``small_talk_dev.jsonl`` (lines of ``text`` and ``label``: finance or small_talk) and
``fiqa_dev.jsonl`` (lines of ``id`` and ``question``). Their lines are split by hash: six tenths train, two
tenths dev, two tenths test. The figures on dev come from weights that saw train alone, and every choice is
made on them; the file that ships is trained on train and dev, and ``--test`` reports it on test.
The sentences beside this script are training data, too. Needs scikit-learn; same input, same file.
"""

import argparse
import hashlib
import json
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from finassist.adapters.classifier.grams import grams
from finassist.adapters.classifier.linear import LinearQuestionClassifier, Weights
from finassist.adapters.classifier.weights import Column
from finassist.adapters.data_files.articles import starter_articles
from finassist.adapters.data_files.vocabulary import vocabulary

HERE = Path(__file__).parent
SENTENCES = HERE / "sentences"
HELD_OUT = HERE.parent / "tests" / "data"
SHIPPED = HERE.parent / "src" / "finassist" / "data" / "classifiers" / "question.msgpack"

SMALL_TALK = ("small_talk", "other_topics")
NO_CATEGORY = "other"
GRAM_OCCURS_MIN = 3
INVERSE_REGULARISATION = 10.0
ARTICLE_WEIGHT = 0.3
"""A sentence of an article counts less than a question: it shares the words, not the wording."""
TERM_WEIGHT = 0.3
"""A name alone counts less, too: its words matter, its letters and its shortness do not."""
FOLLOW_UP_WEIGHT = 2.0
ARTICLE_SENTENCE_LENGTHS = range(21, 200)
CARRIED_SOURCES = ("finance", "terms", "other_topics")
CARRIED_WEIGHT = 0.3
DEFINITION_WEIGHT = 0.06
CARRIERS = (
    "can you tell me {}", "could you tell me {}", "would you mind telling me {}", "please tell me {}",
    "tell me {}", "let me know {}", "i want to know {}", "i would like to know {}", "do you know {}",
    "do you have any idea, {}", "can you help me, {}", "i have a question, {}", "hi, {}", "hello, {}",
    "good morning, {}", "hey, {}", "ok, {}", "thanks, but {}", "please, {}", "i need help, {}",
)  # fmt: skip
"""What people wrap any question in; it must not make small talk of it."""
DEFINITION_CARRIERS = ("what's a {}", "what's an {}", "what's {}", "what is an {}")
"""What every term is asked with, too: small talk is full of "what's", and names are all that differs."""
ABBREVIATION_LETTERS_MIN = 3
TERM_CARRIERS = (
    "what is {}", "what is a {}", "what are {}", "tell me about {}", "explain {}", "how does {} work",
    "{} meaning", "do you know {}", "is {} good", "what does {} mean",
)  # fmt: skip
BASIC_WEIGHT = 0.1
"""The first words of money count more than a name in a definition: they are asked alone, and by everybody."""
BASIC_CARRIERS = ("{}", "what is {}", "what are {}", "what's {}", "explain {}", "define {}")
BASIC_PAIRS = ("{} or {}", "{} vs {}")
WEIGHT_MAX = 127
SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Example:
    """A text of known kind. ``category`` is None where nobody said; ``other`` is none of the ten."""

    text: str
    is_finance: bool
    source: str
    category: str | None = None
    weight: float = 1.0
    history: tuple[str, ...] = ()


def normalised(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def part_of(text: str) -> str:
    """``train``, ``dev`` or ``test``, by the hash of the text."""
    tenth = int(hashlib.sha256(normalised(text).encode()).hexdigest(), 16) % 10
    return "train" if tenth < 6 else "dev" if tenth < 8 else "test"


def json_lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]


def given(folder: Path) -> Iterator[Example]:
    """The lines of DATA, without repetitions."""
    labelled = json.loads((SENTENCES / "fiqa_categories.json").read_text())
    categories = {question: category for category, questions in labelled.items() for question in questions}
    seen = set()
    for line in json_lines(folder / "fiqa_dev.jsonl"):
        text = str(line["question"])
        seen.add(normalised(text))
        yield Example(text, True, "fiqa", categories.get(str(line["id"])))
    for line in json_lines(folder / "small_talk_dev.jsonl"):
        text, is_finance = str(line["text"]), line["label"] == "finance"
        if normalised(text) not in seen:
            seen.add(normalised(text))
            yield Example(text, is_finance, "banking" if is_finance else "small_talk")


def written() -> Iterator[Example]:
    """The sentences beside this script."""
    for name in SMALL_TALK:
        for line in (SENTENCES / f"{name}.txt").read_text(encoding="utf-8").splitlines():
            yield Example(line, False, name)
    for folder, weight in (("finance", 1.0), ("terms", TERM_WEIGHT)):
        for file in sorted((SENTENCES / folder).glob("*.txt")):
            for line in file.read_text(encoding="utf-8").splitlines():
                yield Example(line, True, folder, file.stem, weight)


def carried(example: Example) -> Example:
    """The example as people wrap it; its own hash chooses how."""
    carriers = TERM_CARRIERS if example.source == "terms" else CARRIERS
    carrier = carriers[zlib.crc32(example.text.encode()) % len(carriers)]
    return replace(example, text=carrier.format(example.text), weight=CARRIED_WEIGHT)


def abbreviations() -> Iterator[Example]:
    """The abbreviations of the field, except those that are words of small talk: tips, fire."""
    spoken = {word for name in SMALL_TALK for word in (SENTENCES / f"{name}.txt").read_text().split()}
    for name in vocabulary().abbreviations:
        if len(name) >= ABBREVIATION_LETTERS_MIN and name not in spoken:
            yield Example(name, True, "terms", None, TERM_WEIGHT)


def defined(terms: Iterable[Example]) -> list[Example]:
    """The terms as people ask what they are, and as many everyday things by weight: only names differ."""
    names = [term for term in terms if not term.text.startswith("what ")]
    everyday = (SENTENCES / "everyday.txt").read_text(encoding="utf-8").splitlines()
    weight = DEFINITION_WEIGHT * len(names) / len(everyday)
    return [
        replace(each, text=carrier.format(each.text))
        for carrier in DEFINITION_CARRIERS
        for each in (
            *(replace(name, weight=DEFINITION_WEIGHT) for name in names),
            *(Example(text, False, "everyday", weight=weight) for text in everyday),
        )
    ]


def basics() -> Iterator[Example]:
    """The first words of money, as short as people ask."""
    words = (SENTENCES / "basics.txt").read_text(encoding="utf-8").splitlines()
    for carrier in BASIC_CARRIERS:
        yield from (Example(carrier.format(word), True, "basics", weight=BASIC_WEIGHT) for word in words)
    for pair in BASIC_PAIRS:
        yield from (
            Example(pair.format(*two), True, "basics", weight=BASIC_WEIGHT) for two in pairwise(words)
        )


def follow_ups() -> list[Example]:
    """Messages that are about money when they follow a question about money."""
    lines = (SENTENCES / "follow_ups.txt").read_text(encoding="utf-8").splitlines()
    return [Example(line, True, "follow_ups", weight=FOLLOW_UP_WEIGHT) for line in lines]


def articles() -> Iterator[Example]:
    """The titles, headings and sentences of the articles that ship with the package."""
    services = set((SENTENCES / "bank_services.txt").read_text().split())
    for article in starter_articles():
        category = NO_CATEGORY if article.id in services else article.category
        yield Example(article.title, True, "articles", category)
        sentences = SENTENCE_END.split(HEADING.sub("", article.body))
        for text in [*HEADING.findall(article.body), *(sentence.strip() for sentence in sentences)]:
            if text and (len(text) in ARTICLE_SENTENCE_LENGTHS or f"# {text}" in article.body):
                yield Example(text, True, "articles", category, ARTICLE_WEIGHT)


def without(examples: Iterable[Example], texts: Iterable[str]) -> list[Example]:
    """The examples that are none of the texts, not even with the words in another order."""
    barred = {frozenset(normalised(text).split()) for text in texts}
    return [each for each in examples if frozenset(normalised(each.text).split()) not in barred]


class Trainer:
    """Logistic regression over the grams that occur often enough."""

    def __init__(self, examples: Sequence[Example], follow_ups: Sequence[Example]) -> None:
        self._examples = examples
        self._after_finance = [*without(examples, [example.text for example in follow_ups]), *follow_ups]
        counts = Counter(gram for example in [*examples, *follow_ups] for gram in grams(example.text))
        terms = [example.text for example in examples if example.source == "terms"]
        named = {gram for term in terms for gram in grams(term) if gram.endswith("_")}
        self._grams = sorted(named | {gram for gram, count in counts.items() if count >= GRAM_OCCURS_MIN})
        self._places = {gram: place for place, gram in enumerate(self._grams)}

    def weights(self) -> Weights:
        with_category = [example for example in self._examples if example.category]
        return Weights(
            self._grams,
            self._about_money(self._examples),
            self._about_money(self._after_finance),
            list(self._fit(with_category, [str(e.category) for e in with_category], evenly=0.5).values()),
        )

    def _about_money(self, examples: Sequence[Example]) -> Column:
        return self._fit(examples, [str(example.is_finance) for example in examples], evenly=1.0)["True"]

    def _fit(self, examples: Sequence[Example], labels: Sequence[str], *, evenly: float) -> dict[str, Column]:
        """A column for each label. ``evenly`` 1 gives all labels the same weight in all, 0 leaves them."""
        totals: dict[str, float] = defaultdict(float)
        for example, label in zip(examples, labels, strict=True):
            totals[label] += example.weight
        mean = sum(totals.values()) / len(totals)
        share = {label: (mean / total) ** evenly for label, total in totals.items()}
        importance = [e.weight * share[label] for e, label in zip(examples, labels, strict=True)]
        model = LogisticRegression(C=INVERSE_REGULARISATION, max_iter=1000)
        model.fit(self._matrix(examples), labels, sample_weight=importance)
        names = model.classes_ if len(model.classes_) > 2 else model.classes_[1:]
        return {
            str(name): column("" if name == NO_CATEGORY else str(name), intercept, weights)
            for name, intercept, weights in zip(names, model.intercept_, model.coef_, strict=True)
        }

    def _matrix(self, examples: Sequence[Example]) -> csr_matrix:
        rows = [sorted(self._places[g] for g in grams(e.text) if g in self._places) for e in examples]
        starts = np.cumsum([0, *map(len, rows)])
        values = [1 / np.sqrt(len(row)) for row in rows for _ in row]
        places = [place for row in rows for place in row]
        return csr_matrix((values, places, starts), shape=(len(rows), len(self._grams)))


def column(label: str, intercept: float, weights: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Column:
    scale = float(np.abs(weights).max()) / WEIGHT_MAX
    steps = np.rint(weights / scale).astype(np.int8)
    return Column(label, round(float(intercept), 4), round(scale, 6), steps.tobytes())


def trained(
    examples: Sequence[Example], follow_ups: Sequence[Example], file: Path
) -> LinearQuestionClassifier:
    """Write the weights, and give the classifier that reads them."""
    file.write_bytes(msgspec.msgpack.encode(Trainer(examples, follow_ups).weights()))
    return LinearQuestionClassifier(file)


def report(title: str, classifier: LinearQuestionClassifier, examples: Sequence[Example]) -> None:
    """Print balanced accuracy, the figures of each source, and what went wrong."""
    right: Counter[str] = Counter()
    wrong = []
    for example in examples:
        result = classifier.classify(example.text, example.history)
        if result.is_finance == example.is_finance:
            right.update([example.source, f"is {example.is_finance}"])
        else:
            wrong.append(f"    {example.source}, {result.confidence:.2f}: {example.text}")
    totals = Counter(example.source for example in examples)
    kinds = Counter(f"is {example.is_finance}" for example in examples)
    balanced = sum(right[kind] / total for kind, total in kinds.items()) / len(kinds)
    sources = ", ".join(f"{source} {right[source]}/{total}" for source, total in sorted(totals.items()))
    print(f"{title}: balanced accuracy {balanced:.4f} ({sources})", *wrong, sep="\n")


def report_categories(title: str, classifier: LinearQuestionClassifier, examples: Sequence[Example]) -> None:
    """Print how often a category was given, how often it was right, and what went wrong."""
    answers = [(classifier.classify(example.text, example.history).category, example) for example in examples]
    named = [(answer, example) for answer, example in answers if example.category != NO_CATEGORY]
    right = sum(answer == example.category for answer, example in named)
    given_all = [(answer, example) for answer, example in answers if answer]
    precise = sum(answer == example.category for answer, example in given_all)
    unnamed = [answer for answer, example in answers if example.category == NO_CATEGORY]
    print(
        f"{title}: of {len(named)} questions with a category {right / len(named):.3f} got it, "
        f"{sum(answer is not None for answer, _ in named) / len(named):.3f} got any; "
        f"of {len(given_all)} given {precise / len(given_all):.3f} were right; "
        f"of {len(unnamed)} without one {unnamed.count(None)} got none",
        *(f"    {a} for {e.category}: {e.text}" for a, e in given_all if a != e.category),
        sep="\n",
    )


def held_out(name: str) -> list[Example]:
    """A file of the tests, which nothing is trained on."""
    return [
        Example(
            str(line["text"]),
            line["kind"] == "finance",
            str(line["kind"]),
            str(line.get("category") or NO_CATEGORY),
            history=tuple(line.get("history", ())),
        )
        for line in json_lines(HELD_OUT / name)
    ]


def after_finance(examples: Iterable[Example]) -> list[Example]:
    """The small talk of the examples and the follow-ups of dev, as they come after a question about money."""
    talk = [example for example in examples if not example.is_finance]
    later = [example for example in follow_ups() if part_of(example.text) == "dev"]
    return [replace(example, history=("how much interest does a bond pay",)) for example in (*talk, *later)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--test", action="store_true", help="report on test and the tests' questions, too")
    parser.add_argument("--out", type=Path, default=SHIPPED)
    arguments = parser.parse_args()

    parts: dict[str, list[Example]] = {"train": [], "dev": [], "test": []}
    for example in given(arguments.data):
        parts[part_of(example.text)].append(example)
    questions, next_turns = held_out("questions.jsonl"), held_out("follow_ups.jsonl")
    short = held_out("short_questions.jsonl")
    barred = [example.text for example in (*parts["test"], *questions)]
    own = without([*written(), *abbreviations(), *articles()], barred)
    asked = without(defined(example for example in own if example.source == "terms"), barred)
    own += [carried(example) for example in own if example.source in CARRIED_SOURCES]
    own += [*asked, *without(basics(), barred)]
    later = without(follow_ups(), [example.text for example in next_turns])

    classifier = trained(
        without(own, [example.text for example in parts["dev"]]) + parts["train"],
        [example for example in later if part_of(example.text) != "dev"],
        arguments.out,
    )
    report("dev", classifier, parts["dev"])
    report("dev, after a question about money", classifier, after_finance(parts["dev"]))

    classifier = trained([*own, *parts["train"], *parts["dev"]], later, arguments.out)
    print(f"{arguments.out}: {arguments.out.stat().st_size / 1000:.0f} kB")
    if arguments.test:
        report("test", classifier, parts["test"])
        report("short questions of the tests", classifier, short)
        for title, examples in (("questions", questions), ("follow-ups", next_turns)):
            report(f"{title} of the tests", classifier, examples)
            report_categories(f"categories of the {title}", classifier, [e for e in examples if e.is_finance])


if __name__ == "__main__":
    main()
