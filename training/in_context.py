"""Fit what tells which entry a later message asks for.

Reads ``later_turns_graded.jsonl`` of ``training/questions``: what was asked ``earlier``, the ``text`` of a
later message, the titles of what was ``quoted`` before, and the ``grades`` that readers gave to entries: 3
answers it, 2 in part, 1 is on the subject, 0 is about something else; ``later_turns_measured.jsonl`` has such
grades of other messages, which are measured: the curve is not fitted to them, but the search layers have
learned its 735 messages of ``later_turns_answered.jsonl``. The entries are compared with messages that they
are known to answer (``messages.py``), so each conversation is searched with those of other conversations
alone. Writes ``in_context.json`` of ``data/retrieval`` and reports by cross-validation. Takes half an hour;
needs scikit-learn::

    python training/in_context.py
"""

import asyncio
import hashlib
import json
import tempfile
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from knowledge import write_wordings
from lines import lines_of
from messages import USEFUL
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from finassist import open_container
from finassist.adapters.embeddings.minilm.embedder import MiniLmEmbedder
from finassist.adapters.embeddings.shipped import ShippedVectors
from finassist.adapters.embeddings.wordings import ShippedWordings
from finassist.application.retrieval.search import Retrieve
from finassist.composition.application import Finassist
from finassist.config import Settings
from finassist.domain.conversations.whereabouts import country_about
from finassist.domain.retrieval.in_context import Signs, signs_in_context
from finassist.domain.retrieval.queries import without_politeness, without_sizes
from finassist.domain.retrieval.spelling import corrected

HERE = Path(__file__).parent
FILE = HERE.parent / "src" / "finassist" / "data" / "retrieval" / "in_context.json"
FOLDS = 4
LEAST = 0.15
"""From this likelihood on it is quoted. Of what is less likely a fifth is useful, too, but then the titles
that are offered in its place may be as good."""
GRADED = "later_turns_graded"
FILES = (GRADED, "later_turns_measured")
NUMBERS = NDArray[np.float64]


@dataclass(frozen=True)
class Turn:
    """The signs of what a later message finds, the ``grades`` of it, and the file that it is from."""

    file: str
    opening: str
    signs: NUMBERS
    grades: NUMBERS

    @property
    def useful(self) -> NDArray[np.bool_]:
        """Which of it is worth being quoted."""
        return self.grades >= USEFUL


def lines() -> Sequence[tuple[str, dict[str, Any]]]:
    """The later messages that were graded, with the name of their file."""
    return [(file, line) for file in FILES for line in lines_of(f"{file}.jsonl")]


async def turn_of(retrieve: Retrieve, file: str, line: dict[str, Any]) -> Turn:
    """A later message, searched for as the service does."""
    earlier, text = line["earlier"], corrected(without_politeness(line["text"]))
    country = country_about(text, earlier, None)
    joined = await retrieve.complete_question.joined(text, earlier) or text
    quoted, grades = line["quoted"], line["grades"]
    subject = next(iter(quoted), without_sizes(joined))
    found = await retrieve.search_in_context.searches(text, joined, subject, country, earlier[0])
    titles = {hit.article_id: hit.title for hit in found.hits}
    signs = signs_in_context(found, [each for each, title in titles.items() if title in quoted], country)
    known = [each for each in signs if titles[each] in grades]
    return Turn(
        file=file,
        opening=earlier[0],
        signs=np.array([astuple(signs[each]) for each in known]),
        grades=np.array([grades[titles[each]] for each in known]),
    )


def fold_of(line: dict[str, Any]) -> int:
    """The fold of a message, which is that of its conversation."""
    return hashlib.sha256(line["earlier"][0].encode()).digest()[0] % FOLDS


async def turns_of(fold: int) -> Sequence[Turn]:
    """The later messages of a fold that find anything, searched for without what is known of them."""
    wanted = [(file, line) for file, line in lines() if fold_of(line) == fold]
    with tempfile.TemporaryDirectory() as folder:
        known = Path(folder) / "wordings.safetensors"
        write_wordings(known, {line["earlier"][0] for _, line in wanted})
        embedder, settings = ShippedVectors(MiniLmEmbedder()), Settings(data_dir=Path(folder))
        wordings = ShippedWordings(embedder, file=known)
        service: Finassist
        async with open_container(settings, embedder=embedder, entry_wordings=wordings) as service:
            found = [await turn_of(service.retrieve, file, line) for file, line in wanted]
    return [turn for turn in found if len(turn.grades)]


def fitted(chosen: Sequence[Turn]) -> LogisticRegression:
    """The curve for some messages."""
    learned = [turn for turn in chosen if turn.file == GRADED]
    signs = np.vstack([turn.signs for turn in learned])
    useful = np.concatenate([turn.useful for turn in learned])
    return LogisticRegression(C=10.0, max_iter=2000).fit(signs, useful)


def report(found: Sequence[Turn]) -> None:
    """Print how useful what is quoted is, cross-validated; a conversation is in one fold."""
    openings = {opening: place for place, opening in enumerate(dict.fromkeys(turn.opening for turn in found))}
    groups = np.array([openings[turn.opening] for turn in found])
    said: list[tuple[Turn, NUMBERS]] = []
    for train, held in GroupKFold(5).split(groups, groups=groups):
        curve = fitted([found[each] for each in train])
        said += [(found[each], curve.predict_proba(found[each].signs)[:, 1]) for each in held]
    for file in FILES:
        best = [turn.grades[np.argsort(-likely)] for turn, likely in said if turn.file == file]
        among = [np.mean([each[:most].max() >= USEFUL for each in best]) for most in (1, 2, 3)]
        print(f"{file}: {len(best)}, useful first, among two, among three {np.round(among, 3)}")
    judged = [(turn, likely) for turn, likely in said if turn.file == GRADED]
    graded = [(likely.max(), turn.grades[likely.argmax()]) for turn, likely in judged]
    print(f"about something else first: {np.mean([grade == 0 for _, grade in graded]):.3f}")
    for least in (0.05, LEAST, 0.15, 0.2, 0.3, 0.4, 0.5):
        given = [grade >= USEFUL for likely, grade in graded if likely >= least]
        left = [grade >= USEFUL for likely, grade in graded if likely < least]
        shares = f"useful {np.mean(given):.3f}; of {len(left)} left {np.mean(left):.3f}"
        print(f"from {least}: {len(given)} given, {shares}")


def main() -> None:
    """Fit, report, write."""
    found = [turn for fold in range(FOLDS) for turn in asyncio.run(turns_of(fold))]
    report(found)
    curve = fitted(found)
    names = ("intercept", *Signs.__slots__)
    intercept = curve.intercept_[0] + np.log((1 - LEAST) / LEAST)
    weights = dict(zip(names, map(float, (intercept, *curve.coef_[0])), strict=True))
    FILE.write_text(json.dumps({name: round(each, 3) for name, each in weights.items()}, indent=2) + "\n")


if __name__ == "__main__":
    main()
