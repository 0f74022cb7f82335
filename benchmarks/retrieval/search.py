"""The search of the knowledge base, beside what SQLite's full-text search does by itself."""

import asyncio
import random
import re
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from benchmarks.report import Figure, Section
from finassist.adapters.data_files.articles import starter_articles
from finassist.adapters.sqlite.engine.database import Database
from finassist.adapters.sqlite.retrieval.knowledge import SqliteKnowledge
from finassist.adapters.sqlite.retrieval.plain_search import PlainSearch
from finassist.application.retrieval.knowledge import Question
from finassist.domain.knowledge import Article, Hit

FEW, MANY = 10_000, 200_000
ROUNDS = {FEW: 3, MANY: 1}
QUESTIONS = 500
MILLISECONDS = 3.0
TIMES_FASTER = 5.0
RECALL_LOSS = 0.01

_CUTOFF = 5
_BATCH = 5_000
_WORDS = range(60, 200)
_OTHER_WORDS = 0.4
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_HEADING = re.compile(r"^#+ .*$", re.MULTILINE)

Search = Callable[[str], Awaitable[Sequence[Hit]]]

_NOTES = f"""\
A base of passages of {_WORDS.start} to {_WORDS.stop} words, which is what the service cuts articles into. The
passages that answer are the openings of the starter articles, without their titles; the titles are what is
searched for. All other passages are made of sentences from anywhere in the articles, with {_OTHER_WORDS:.0%}
of their words replaced by words drawn as often as they are used: so they are about the same things, and
words are as common and as rare as in real text. The baseline is FTS5 with Porter stems and BM25, asked for
any of the words that are no stop words. Both are asked {QUESTIONS} of the questions in turn, {_CUTOFF} hits
each, without HTTP; the time is the median over all of them. Recall is the share of the questions
whose article is among the hits."""


class Measured:
    """One way to search: how long each question took, and how many found what answers them."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._seconds: list[float] = []
        self._found: list[bool] = []

    async def ask(self, question: Question) -> None:
        """Search, and note how it went."""
        started = time.perf_counter()
        hits = await self._search(question.text)
        self._seconds.append(time.perf_counter() - started)
        self._found.append(question.article_id in [hit.article_id for hit in hits])

    @property
    def milliseconds(self) -> float:
        """The median."""
        return statistics.median(self._seconds) * 1000

    @property
    def recall(self) -> float:
        """The share of the questions that were answered."""
        return statistics.mean(self._found)


def measure(directory: Path) -> Section:
    """Few passages and many, each searched by the service and by plain FTS5."""
    few, many = (_measured(directory / str(size), size) for size in (FEW, MANY))
    figures = [_fast_enough(*few), _faster(*many), _as_good(FEW, *few), _as_good(MANY, *many)]
    return Section(title="Search of the knowledge base", notes=_NOTES, figures=figures)


def _fast_enough(ours: Measured, plain: Measured) -> Figure:
    return Figure(
        what=f"search, {FEW:,} passages",
        measured=f"{ours.milliseconds:.1f} ms",
        baseline=f"plain FTS5 {plain.milliseconds:.1f} ms",
        compared=f"{plain.milliseconds / ours.milliseconds:.1f} times faster",
        target=f"at most {MILLISECONDS:g} ms",
        met=ours.milliseconds <= MILLISECONDS,
    )


def _faster(ours: Measured, plain: Measured) -> Figure:
    faster = plain.milliseconds / ours.milliseconds
    return Figure(
        what=f"search, {MANY:,} passages",
        measured=f"{ours.milliseconds:.1f} ms",
        baseline=f"plain FTS5 {plain.milliseconds:.1f} ms",
        compared=f"{faster:.1f} times faster",
        target=f"at least {TIMES_FASTER:g} times",
        met=faster >= TIMES_FASTER,
    )


def _as_good(passages: int, ours: Measured, plain: Measured) -> Figure:
    return Figure(
        what=f"recall at {_CUTOFF}, {passages:,} passages",
        measured=f"{ours.recall:.3f}",
        baseline=f"plain FTS5 {plain.recall:.3f}",
        compared=f"{ours.recall - plain.recall:+.3f}",
        target=f"at most {RECALL_LOSS:g} less",
        met=ours.recall >= plain.recall - RECALL_LOSS,
    )


def _measured(directory: Path, size: int) -> tuple[Measured, Measured]:
    directory.mkdir()
    return asyncio.run(_measure(directory, size))


async def _measure(directory: Path, size: int) -> tuple[Measured, Measured]:
    articles, questions = answers_and_questions()
    database = Database(directory / "knowledge.db", "knowledge")
    await database.open()
    try:
        with PlainSearch(directory / "plain.db") as plain:
            knowledge = SqliteKnowledge(database)
            passages = passages_of(articles, size)
            while batch := list(islice(passages, _BATCH)):
                await knowledge.add(batch)
                plain.add(batch)
            ours = Measured(lambda text: knowledge.search(text, limit=_CUTOFF))
            theirs = Measured(lambda text: plain.search(text, limit=_CUTOFF))
            chosen = random.Random(11).sample(questions, QUESTIONS)
            for _ in range(ROUNDS[size]):
                for question in chosen:
                    await ours.ask(question)
                    await theirs.ask(question)
    finally:
        await database.close()
    return ours, theirs


def answers_and_questions() -> tuple[list[Article], list[Question]]:
    """The passages that answer, and what they answer."""
    articles, questions = [], []
    for article in starter_articles():
        opening, *_ = _HEADING.split(article.body, 1)
        body = " ".join((opening.strip() or article.body).split()[: _WORDS.stop])
        articles.append(Article(id=article.id, title="", body=body))
        questions.append(Question(text=article.title, article_id=article.id))
    return articles, questions


def passages_of(answers: Sequence[Article], size: int) -> Iterator[Article]:
    """The answers, scattered among made-up passages."""
    pick = random.Random(6)
    sentences = [
        sentence.split()
        for article in starter_articles()
        for sentence in _SENTENCE_END.split(_HEADING.sub("", article.body))
    ]
    words = [word for sentence in sentences for word in sentence]
    places = dict(zip(pick.sample(range(size), len(answers)), answers, strict=True))
    for number in range(size):
        if number in places:
            yield places[number]
        else:
            yield Article(id=f"made-up-{number}", title="", body=_made_up(pick, sentences, words))


def _made_up(pick: random.Random, sentences: Sequence[Sequence[str]], words: Sequence[str]) -> str:
    size = pick.choice(_WORDS)
    text: list[str] = []
    while len(text) < size:
        text += pick.choice(sentences)
    return " ".join(pick.choice(words) if pick.random() < _OTHER_WORDS else word for word in text)
