"""Fit what tells messages that ask for nothing ("thanks, i'll try that") from those that ask something.

Reads ``training/questions/reactions.jsonl`` (``first``, ``second`` and whether the second is a
``reaction``), ``training/sentences/feelings.txt`` (what a reaction says, or ``asks``, a tab, the message) and
``training/sentences/small_talk.txt``, whose lines are reactions; the messages of ``training/follow_ups.py``
and some of ``training/sentences/wishes.txt`` ask something. Writes ``reactions.npz`` of ``data/retrieval``
and reports by cross-validation. Needs scikit-learn::

    python training/reactions.py
"""

import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from follow_ups import conversations, others
from kernels import Example, Numbers, cross_validated, report, save
from sklearn.svm import SVC

from finassist.adapters.embeddings.likeness import REACTIONS
from finassist.adapters.embeddings.minilm.embedder import MiniLmEmbedder
from finassist.domain.retrieval.hybrid import asked_for
from finassist.domain.retrieval.wishes import Wish

HERE = Path(__file__).parent
ASKING_WISHES = (Wish.CHOICE, Wish.DETAIL, "more")
"""What a message may ask of the last answer that sounds like talk about it."""
LIKENESS = {"C": 3.0, "gamma": 0.5}
HELD_BACK = 0.05
"""The share of messages that ask something of which it may be missed: those of ``reactions.jsonl`` sound like
reactions, others hardly ever do."""
SMALL_TALK_WEIGHT, ASKING_WEIGHT = 0.4, 0.5
"""Beside 1 for a message that was written to tell the two apart."""


def told_apart() -> Iterator[Example]:
    """Second messages of either kind."""
    lines = (HERE / "questions" / "reactions.jsonl").read_text(encoding="utf-8").splitlines()
    for line in lines:
        turn = json.loads(line)
        yield turn["second"], turn["reaction"], 1.0
    written = {turn["second"] for turn in map(json.loads, lines)}
    yield from ((text, kind != "asks", 1.0) for kind, text in feelings() if text not in written)


def wishes() -> Sequence[tuple[str, str]]:
    """What each message asks of the last answer, and its text."""
    lines = (HERE / "sentences" / "wishes.txt").read_text(encoding="utf-8").splitlines()
    return [(kind, text) for kind, _, text in (line.partition("\t") for line in lines)]


def feelings() -> Sequence[tuple[str, str]]:
    """What each reaction says, and its text; some ask something instead."""
    lines = (HERE / "sentences" / "feelings.txt").read_text(encoding="utf-8").splitlines()
    return [(kind, text) for kind, _, text in (line.partition("\t") for line in lines)]


def known() -> Iterator[Example]:
    """Small talk, follow-ups and questions."""
    for text in (HERE / "sentences" / "small_talk.txt").read_text(encoding="utf-8").splitlines():
        yield text, True, SMALL_TALK_WEIGHT
    for text, _, weight in (*conversations(), *others()):
        yield text, False, ASKING_WEIGHT * weight
    yield from ((text, False, 1.0) for kind, text in wishes() if kind in ASKING_WISHES)


async def vectors(examples: Sequence[Example]) -> Numbers:
    """The vectors of the messages as they stand: politeness is what tells most reactions."""
    embedder = MiniLmEmbedder(query_seconds=60)
    rows = [await embedder.embed_query(asked_for(text)) for text, _, _ in examples]
    await embedder.close()
    return np.array(rows)


def main() -> None:
    """Fit, report, write."""
    turns = list(told_apart())
    examples = [*turns, *known()]
    rows = asyncio.run(vectors(examples))
    reaction, weights = np.array([each[1] for each in examples]), np.array([each[2] for each in examples])
    said = cross_validated(LIKENESS, rows, reaction, weights, len(turns))
    least = float(np.quantile(said[~reaction[: len(turns)]], 1 - HELD_BACK))
    report(f"by meaning, cross-validated, from {least:.2f} on", list(said > least), turns)
    fitted = SVC(**LIKENESS).fit(rows, reaction, sample_weight=weights)
    save(REACTIONS, fitted, least)


if __name__ == "__main__":
    main()
