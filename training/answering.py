"""Fit the weights by which a find is judged an answer: constants of ``domain/retrieval/answerability.py``.

    python training/answering.py

Reads the questions of ``tests/data`` that the starter articles can answer or cannot, searches them as the
service does, and prints the weights of a logistic regression over the signs of the best find, with what each
file loses and lets through at each threshold when the part it is measured on was left out of the fit. Of
``starter_questions.jsonl`` those count whose article is among the first two. Needs numpy.
"""

import asyncio
import json
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import astuple, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from finassist.adapters.data_files.articles import starter_articles
from finassist.adapters.data_files.vocabulary import vocabulary
from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.sqlite.retrieval.knowledge import SqliteKnowledge
from finassist.adapters.sqlite.retrieval.section_search import SectionQuery
from finassist.adapters.sqlite.retrieval.stems import Stemmer
from finassist.domain.retrieval.answerability import Signs

DATA = Path(__file__).parents[1] / "tests" / "data"
FITTED = ("retrieval.jsonl", "retrieval_held_out.jsonl", "retrieval_near.jsonl")
FOLDS = 8
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7)

Example = tuple[str, bool, Sequence[float]]


def examples(connection: sqlite3.Connection) -> Iterator[Example]:
    """The file, whether it has an answer, and the signs of the best find, of each question."""
    stemmer, words = Stemmer(), vocabulary()
    ids = dict(connection.execute("SELECT number, id FROM articles"))
    for name in (*FITTED, "starter_questions.jsonl"):
        for line in map(json.loads, (DATA / name).read_text("utf-8").splitlines()):
            asked = SectionQuery(line.get("text") or line["question"], words, stemmer)
            found = [ids[section.article] for section in asked.find(connection, 2)]
            signs = asked.signs(connection)
            if signs is not None and line.get("id", "") in ("", *found):
                yield name, line.get("answerable", True), _numbers(signs)


def _numbers(signs: Signs) -> Sequence[float]:
    return [1.0, *map(float, astuple(signs))]


def fit(signs: NDArray[np.float64], answerable: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weights that make the labels likeliest, with a small penalty on all but the first."""
    weights = np.zeros(signs.shape[1])
    penalty = np.ones(signs.shape[1])
    penalty[0] = 1e-6
    for _ in range(40):
        likely = 1 / (1 + np.exp(-signs @ weights))
        slope = signs.T @ (likely - answerable) + penalty * weights
        curve = (signs * (likely * (1 - likely))[:, None]).T @ signs + np.diag(penalty)
        weights -= np.linalg.solve(curve, slope)
    return weights


async def _store(path: Path) -> None:
    database = Database(path, "knowledge")
    await database.open()
    await SqliteKnowledge(database).add(list(starter_articles()))
    await database.close()


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "knowledge.db"
        asyncio.run(_store(path))
        found = list(examples(sqlite3.connect(path)))
    names = np.array([name for name, _, _ in found])
    answerable = np.array([float(label) for _, label, _ in found])
    signs = np.array([numbers for _, _, numbers in found])
    for name, weight in zip(["doubt", *(f.name for f in fields(Signs))], fit(signs, answerable), strict=True):
        print(f"{name:<8} {weight:6.2f}")
    part = np.random.default_rng(0).integers(0, FOLDS, len(found))
    likely = np.zeros(len(found))
    for fold in range(FOLDS):
        weights = fit(signs[part != fold], answerable[part != fold])
        likely[part == fold] = 1 / (1 + np.exp(-signs[part == fold] @ weights))
    for name in dict.fromkeys(names):
        for label, what in ((0, "stray"), (1, "found")):
            chosen = likely[(names == name) & (answerable == label)]
            if len(chosen):
                shares = "  ".join(f"{t:.1f}: {float((chosen > t).mean()):.3f}" for t in THRESHOLDS)
                print(f"{name:<26} {what}  {shares}")


if __name__ == "__main__":
    main()
