"""Fit what judges whether the knowledge base answers a question: by words, and by words and meaning.

Reads ``training/questions/answerable.jsonl``, questions as people type them, each with whether a library on
personal finance should answer it; nobody who wrote them had seen the articles. What is like them also learns
from ``told_of_entries.jsonl`` and a quarter of ``messages_of_entries.jsonl``, messages that were written for
entries. Searches the shipped articles
as the service does and writes ``lexical.json``, ``judgement.json`` and ``answerable.npz`` of
``data/retrieval``. Both curves are moved so that one in ten of the questions that cannot be answered scores
above 0.5, by cross-validation. ``--ablate`` says what each sign is worth, ``--test`` measures the files
on other questions as well. Needs scikit-learn::

    python training/answerability.py [--ablate] [--test FILE]
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from lines import lines_of
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from finassist.adapters.data_files.articles import starter_articles
from finassist.adapters.embeddings.minilm.embedder import MiniLmEmbedder
from finassist.adapters.embeddings.shipped import ShippedVectors, shipped_meaning
from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.sqlite.retrieval.knowledge import SqliteKnowledge
from finassist.adapters.sqlite.retrieval.section_search import SectionQuery
from finassist.adapters.sqlite.retrieval.vectors import SqliteVectors
from finassist.adapters.system.clock import SystemClock
from finassist.application.retrieval.embedding import EmbedArticles, HybridKnowledge
from finassist.domain.retrieval.hybrid import asked_for
from finassist.domain.retrieval.queries import without_politeness
from finassist.domain.retrieval.spelling import corrected

ROOT = Path(__file__).parents[1]
DATA = ROOT / "src" / "finassist" / "data" / "retrieval"

STRAY = 0.1
LEXICAL_WEIGHTS = {"titled": 2.4, "deep": 2.8, "early": 1.75, "terms": 0.98, "missing": -1.68}
SIGNS = ("words", "worded", "deviations", "agreed", "likeness")
LIKENESS = {"C": 3.0, "gamma": 1.0}
LIKENESS_MAX = 2.5
OF_ENTRIES_WEIGHT = 0.3
"""Of a message that was written for an entry, beside 1: who writes it has seen what it shall find."""
UNLIKE = {"cosine_min": 0.45, "deviations_min": 4.0}
"""Chosen on 260 answers that strangers and the author graded (docs/retrieval.md)."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Observed:
    """What the search says of each question: lexical signs, signs of meaning, vectors; and the truth."""

    lexical: Numbers
    meaning: Numbers
    vectors: Numbers
    answerable: Numbers
    of_entries: Numbers
    """The vectors of the messages that were written for entries."""


async def observe(lines: Sequence[dict[str, Any]]) -> Observed:
    """Search for every question in a base of the shipped articles."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder) / "knowledge.db", "knowledge")
        await database.open()
        lexical, vectors = SqliteKnowledge(database), SqliteVectors(database)
        embedder = ShippedVectors(MiniLmEmbedder())
        await lexical.store_edition(starter_articles(), edition="training")
        await EmbedArticles(vector_index=vectors, embedder=embedder, clock=SystemClock())()
        rows = [await _row(line["text"], lexical, vectors, embedder) for line in lines]
        written = [*lines_of("told_of_entries.jsonl"), *lines_of("messages_of_entries.jsonl")[::4]]
        told = [line["text"] for line in written]
        of_entries = [await embedder.embed_query(asked_for(_cleaned(text))) for text in told]
        await embedder.close()
        await database.close()
    signs, meaning, questions = zip(*rows, strict=True)
    truth = np.array([line["answerable"] for line in lines], float)
    return Observed(np.array(signs), np.array(meaning), np.array(questions), truth, np.array(of_entries))


async def _row(
    text: str, lexical: SqliteKnowledge, vectors: SqliteVectors, embedder: ShippedVectors
) -> tuple[Sequence[float], Sequence[float], Sequence[float]]:
    text = _cleaned(text)
    asked = SectionQuery(text, lexical.vocabulary, lexical._stemmer)
    signs = lexical.database.lookup(asked.signs) if asked else None
    vector = await embedder.embed_query(asked_for(text))
    searched = await embedder.embed_search(asked_for(text))
    searching = asyncio.ensure_future(lexical.search(text, limit=24))
    near = await vectors.nearest(searched, model=embedder.model, limit=24, including=searching) or ()
    hits = await searching
    found = [hit.article_id for hit in hits]
    worded = max((hit.worded for hit in hits), default=0.0)
    nearest = max(near, key=lambda each: each.cosine)
    cosines = {each.hit.article_id: each.cosine for each in near}
    agreed = cosines.get(found[0], 0.0) if found else 0.0
    return (
        [0.0] * len(LEXICAL_WEIGHTS) if signs is None else [float(sign) for sign in astuple(signs)],
        [worded, nearest.deviations, agreed],
        list(vector),
    )


def _cleaned(text: str) -> str:
    return corrected(without_politeness(text))


def fit_lexical(seen: Observed) -> tuple[dict[str, float], Numbers]:
    """The weights by words, and the log odds that they give each question.

    The weights were fitted to small bases of long articles, and hold for an operator's own; those of the
    shipped entries alone would refuse what a base of five articles answers. Only the intercept is fitted.
    """
    odds = seen.lexical @ np.array(list(LEXICAL_WEIGHTS.values()))
    shift = threshold(odds, seen.answerable)
    return {"intercept": -shift, **LEXICAL_WEIGHTS}, odds - shift


def fit_judgement(
    seen: Observed, words: Numbers, without: str | None = None
) -> tuple[dict[str, float], Numbers]:
    """The weights by words and meaning, and what cross-validation gives each question."""
    signs = np.c_[words, seen.meaning, np.clip(likeness_held_out(seen), -LIKENESS_MAX, LIKENESS_MAX)]
    if without:
        signs[:, SIGNS.index(without)] = 0.0
    held_out = np.zeros(len(words))
    for train, test in _folds(10, seen.answerable):
        held_out[test] = _curve(signs[train], seen.answerable[train]).decision_function(signs[test])
    fitted = _curve(signs, seen.answerable)
    shift = threshold(held_out, seen.answerable)
    weights = dict(zip(SIGNS, map(float, fitted.coef_[0]), strict=True))
    intercept = float(fitted.intercept_[0]) - shift
    fixed = {"likeness_max": LIKENESS_MAX, **UNLIKE}
    return {"intercept": intercept, **weights, **fixed}, held_out - shift


def _curve(signs: Numbers, answerable: Numbers) -> LogisticRegression:
    return LogisticRegression(C=10, max_iter=5000).fit(signs, answerable)


def likeness_held_out(seen: Observed) -> Numbers:
    """What the questions' own vectors say, each by a fit that has not seen it."""
    said = np.zeros(len(seen.answerable))
    for train, test in _folds(5, seen.answerable):
        said[test] = _like(seen, train).decision_function(seen.vectors[test])
    return said


def _like(seen: Observed, chosen: NDArray[np.intp]) -> SVC:
    vectors = np.r_[seen.vectors[chosen], seen.of_entries]
    answerable = np.r_[seen.answerable[chosen], np.ones(len(seen.of_entries))]
    weights = np.r_[np.ones(len(chosen)), np.full(len(seen.of_entries), OF_ENTRIES_WEIGHT)]
    return SVC(**LIKENESS).fit(vectors, answerable, sample_weight=weights)


def write_likeness(seen: Observed) -> None:
    """Write the questions that decide, and their weights."""
    fitted = _like(seen, np.arange(len(seen.answerable)))
    np.savez(
        DATA / "answerable.npz",
        examples=fitted.support_vectors_.astype(np.float16),
        weights=fitted.dual_coef_[0].astype(np.float32),
        intercept=fitted.intercept_[0],
        gamma=LIKENESS["gamma"],
    )
    questions = len(seen.answerable) + len(seen.of_entries)
    print(f"{len(fitted.support_)} of {questions} questions decide what another is like")


def _folds(count: int, truth: Numbers) -> Any:
    return StratifiedKFold(count, shuffle=True, random_state=1).split(np.zeros(len(truth)), truth)


def threshold(odds: Numbers, answerable: Numbers, stray: float = STRAY) -> float:
    """Above it lies this share of the questions that cannot be answered."""
    return float(np.quantile(odds[answerable == 0], 1 - stray))


def report(name: str, odds: Numbers, answerable: Numbers) -> None:
    """Print the share of answerable questions that are missed."""
    for stray in (0.05, STRAY):
        missed = (odds[answerable == 1] <= threshold(odds, answerable, stray)).mean()
        print(f"{name}: {missed:.3f} of the answerable questions are missed at {stray:.0%} stray")
    passed = [float((odds[answerable == kind] > 0).mean()) for kind in (1, 0)]
    print(f"{name}: above 0.5 are {passed[0]:.3f} of the answerable, {passed[1]:.3f} of the others")


async def measure(name: str, lines: Sequence[dict[str, Any]]) -> None:
    """Measure the files as the service uses them."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder) / "knowledge.db", "knowledge")
        await database.open()
        embedder = ShippedVectors(MiniLmEmbedder())
        lexical, vectors = SqliteKnowledge(database), SqliteVectors(database)
        knowledge = HybridKnowledge(
            lexical=lexical, vectors=vectors, embedder=embedder, meaning=shipped_meaning()
        )
        await knowledge.store_edition(starter_articles(), edition="training")
        await EmbedArticles(vector_index=vectors, embedder=embedder, clock=SystemClock())()
        scores = []
        for line in lines:
            hits = await knowledge.search(_cleaned(line["text"]), limit=1)
            scores.append(hits[0].score if hits else 0.0)
        await embedder.close()
        await database.close()
    report(name, np.array(scores) - 0.5, np.array([line["answerable"] for line in lines], float))


def main() -> None:
    """Fit, write, report."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--test", metavar="FILE", type=Path, help="measure on these questions, too")
    parser.add_argument("--ablate", action="store_true", help="say what each sign is worth, too")
    chosen = parser.parse_args()
    lines = lines_of("answerable.jsonl")
    seen = asyncio.run(observe(lines))
    lexical, words = fit_lexical(seen)
    judgement, held_out = fit_judgement(seen, words)
    report("words", words, seen.answerable)
    report("words and meaning", held_out, seen.answerable)
    (DATA / "lexical.json").write_text(json.dumps(lexical, indent=2) + "\n")
    (DATA / "judgement.json").write_text(json.dumps(judgement, indent=2) + "\n")
    write_likeness(seen)
    for sign in SIGNS if chosen.ablate else ():
        report(f"without {sign}", fit_judgement(seen, words, without=sign)[1], seen.answerable)
    if chosen.test:
        asyncio.run(measure("test", [json.loads(line) for line in chosen.test.read_text().splitlines()]))


if __name__ == "__main__":
    main()
