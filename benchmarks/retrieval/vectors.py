"""The search by words and by meaning in bases of different sizes."""

import asyncio
import random
import statistics
import time
from array import array
from datetime import timedelta
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks.report import Figure, Section
from benchmarks.retrieval.search import FEW, MANY, answers_and_questions, passages_of
from finassist.adapters.data_files.articles import starter_articles
from finassist.adapters.embeddings.minilm.embedder import MiniLmEmbedder
from finassist.adapters.embeddings.shipped import ShippedVectors, shipped_meaning
from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.sqlite.retrieval.knowledge import SqliteKnowledge
from finassist.adapters.sqlite.retrieval.vectors import SqliteVectors
from finassist.adapters.system.clock import SystemClock
from finassist.application.retrieval.embedding import HybridKnowledge
from finassist.domain.retrieval.hybrid import texts_to_embed

MILLISECONDS = 25.0
_QUESTIONS = 300
_BATCH = 5_000
_HOUR = timedelta(hours=1)
_NOISE = 0.03

_NOTES = f"""\
The bases of the chapter before, with vectors: those of the shipped entries, and for each made-up passage a
point between two of them with some noise, which is closer to a question than a made-up text would be. The
time is the median over {_QUESTIONS} questions, the headings of entries, with what it takes to embed one; the
baseline is the search by words. Recall is compared with a search that multiplies all vectors."""


def measure(directory: Path) -> Section:
    """Few passages and many."""
    figures = [
        figure
        for size in (FEW, MANY)
        for figure in asyncio.run(_measure(directory / f"vectors-{size}", size))
    ]
    return Section(title="Search by meaning", notes=_NOTES, figures=figures)


async def _measure(directory: Path, size: int) -> list[Figure]:
    database = Database(directory / "knowledge.db", "knowledge")
    await database.open()
    embedder = ShippedVectors(MiniLmEmbedder())
    try:
        lexical, vectors = SqliteKnowledge(database), SqliteVectors(database)
        articles, questions = answers_and_questions()
        passages = passages_of(articles, size)
        while batch := list(islice(passages, _BATCH)):
            await lexical.add(batch)
        await _embed(vectors, embedder)
        chosen = random.Random(9).sample(questions, _QUESTIONS)
        searches: dict[str, SqliteKnowledge | HybridKnowledge] = {
            "words": lexical,
            "both": _hybrid(lexical, vectors, embedder),
            "exact": _hybrid(lexical, SqliteVectors(database, exact_rows=size), embedder),
        }
        times: dict[str, list[float]] = {name: [] for name in searches}
        found = dict.fromkeys(searches, 0)
        for question in [chosen[0], *chosen]:
            for name, search in searches.items():
                started = time.perf_counter()
                hits = await search.search(question.text, limit=5)
                times[name].append((time.perf_counter() - started) * 1000)
                found[name] += question.article_id in [hit.article_id for hit in hits]
    finally:
        await embedder.close()
        await database.close()
    return _figures(size, {name: statistics.median(each) for name, each in times.items()}, found)


def _hybrid(lexical: SqliteKnowledge, vectors: SqliteVectors, embedder: ShippedVectors) -> HybridKnowledge:
    return HybridKnowledge(lexical=lexical, vectors=vectors, embedder=embedder, meaning=shipped_meaning())


async def _embed(vectors: SqliteVectors, embedder: ShippedVectors) -> None:
    """Store the vectors of all passages."""
    shipped = {
        article.id: texts_to_embed(article.title, article.body, quotable=article.quotable)
        for article in starter_articles()
    }
    rows = np.array(await embedder.embed([texts[0] for texts in shipped.values()]), np.float32)
    of_answers = dict(zip(shipped, rows, strict=True))
    random_numbers = np.random.default_rng(3)
    clock = SystemClock()
    while taken := await vectors.take(limit=_BATCH, now=clock.now(), until=clock.now() + _HOUR):
        one, other = (rows[random_numbers.integers(len(rows), size=len(taken))] for _ in range(2))
        share = random_numbers.random((len(taken), 1), dtype=np.float32)
        noise = random_numbers.standard_normal(one.shape, dtype=np.float32)
        made_up = share * one + (1 - share) * other + _NOISE * noise
        made_up /= np.linalg.norm(made_up, axis=1, keepdims=True)
        await vectors.store(
            [
                (
                    article,
                    [array("f", of_answers.get(article.article_id, row).tobytes())] * len(article.texts),
                )
                for article, row in zip(taken, made_up, strict=True)
            ],
            model=embedder.model,
        )


def _figures(size: int, medians: dict[str, float], found: dict[str, int]) -> list[Figure]:
    asked = _QUESTIONS + 1
    loss = (found["exact"] - found["both"]) / asked
    return [
        Figure(
            what=f"search by words and meaning, {size:,} passages",
            measured=f"{medians['both']:.1f} ms",
            baseline=f"words {medians['words']:.1f} ms",
            compared=f"{medians['both'] - medians['words']:+.1f} ms",
            target=f"at most {MILLISECONDS:g} ms" if size == MANY else "",
            met=medians["both"] <= MILLISECONDS if size == MANY else None,
        ),
        Figure(
            what=f"recall at 5 by words and meaning, {size:,} passages",
            measured=f"{found['both'] / asked:.3f}",
            baseline=f"all products {found['exact'] / asked:.3f}, words {found['words'] / asked:.3f}",
            compared=f"{-loss:+.3f}",
            target="at most 0.01 less",
            met=loss <= 0.01,
        ),
    ]
