"""Fit what tells which entry a later message asks for.

Reads ``later_turns_graded.jsonl`` of ``training/questions``: what was asked ``earlier``, the ``text`` of a
later message, the titles of what was ``quoted`` before, and the ``grades`` that readers gave to entries: 3
answers it, 2 in part, 1 is on the subject, 0 is about something else; ``later_turns_measured.jsonl`` has such
grades of other messages, which are measured and not learnt from. Lines of ``later_turns_answered.jsonl``
and ``later_turns_of_entries.jsonl`` have the titles of the right ``entries``. ``later_turns.jsonl`` has what
the message is ``about``, written out in full: what that finds is right. Of ``follow_ups.jsonl`` the
``second`` messages that do not lean on the first ask for what they find alone. Where nothing else is said,
what the question before finds was quoted; where that is a follow-up, too, ``before`` has it in full. Writes
``in_context.json`` of ``data/retrieval`` and reports by cross-validation. Needs scikit-learn::

    python training/in_context.py
"""

import asyncio
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from lines import lines_of
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from finassist import open_container
from finassist.application.retrieval.inquiry import Inquiry
from finassist.application.retrieval.search import Retrieve
from finassist.composition.application import Finassist
from finassist.config import Settings
from finassist.domain.conversations.whereabouts import country_about
from finassist.domain.retrieval.in_context import Signs, signs_in_context
from finassist.domain.retrieval.queries import without_politeness, without_sizes
from finassist.domain.retrieval.questions import Classification
from finassist.domain.retrieval.spelling import corrected

HERE = Path(__file__).parent
FILE = HERE.parent / "src" / "finassist" / "data" / "retrieval" / "in_context.json"
FINANCE = Classification(is_finance=True, confidence=1.0)
ANSWERS = 0.9
"""The share of the best score from which an entry answers a question in full as well."""
USEFUL = 2
"""From this grade on an entry is worth being quoted."""
LEAST = 0.1
"""From this likelihood on it is quoted. Of what is less likely a third is useful, too, but then the titles
that are offered in its place may be as good."""
GRADED = "later_turns_graded"
FILES = {
    GRADED: 1.0,
    "later_turns_measured": 0.0,
    "later_turns_answered": 0.3,
    "later_turns_of_entries": 0.3,
    "later_turns": 0.3,
    "follow_ups": 0.3,
}
"""What a line of each file counts: of the first two alone all entries were graded that may be meant."""
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


def lines() -> Iterator[tuple[str, dict[str, Any]]]:
    """The later messages that ask something, with the name of their file."""
    for file in FILES:
        for line in lines_of(f"{file}.jsonl"):
            if file == "follow_ups":
                alone = {"earlier": [line["first"]], "text": line["second"], "about": line["second"]}
                line = {} if line["leans"] else alone
            if line.get("grades") or line.get("entries") or line.get("about"):
                yield file, line


async def turn_of(retrieve: Retrieve, file: str, line: dict[str, Any]) -> Turn:
    """A later message, searched for as the service does."""
    earlier, text = line["earlier"], corrected(without_politeness(line["text"]))
    country = country_about(text, earlier, None)
    joined = await retrieve.complete_question.joined(text, earlier) or text
    quoted = line["quoted"] if "quoted" in line else await _quoted(retrieve, line, country)
    subject = next(iter(quoted), without_sizes(joined))
    found = await retrieve.search_in_context.searches(text, joined, subject, country, earlier[0])
    titles = {hit.article_id: hit.title for hit in found.hits}
    signs = signs_in_context(found, [each for each, title in titles.items() if title in quoted], country)
    grades = await _grades(retrieve, line, country)
    known = [each for each in signs if "grades" not in line or titles[each] in grades]
    return Turn(
        file=file,
        opening=earlier[0],
        signs=np.array([astuple(signs[each]) for each in known]),
        grades=np.array([grades.get(titles[each], 0) for each in known]),
    )


async def _quoted(retrieve: Retrieve, line: dict[str, Any], country: str | None) -> Sequence[str]:
    earlier, in_full = line["earlier"], line.get("before")
    before = Inquiry(
        text=in_full or earlier[-1], earlier=[] if in_full else earlier[:-1], classification=FINANCE
    )
    return [hit.title for hit in (await retrieve(before, country)).answering[:1]]


async def _grades(retrieve: Retrieve, line: dict[str, Any], country: str | None) -> Mapping[str, int]:
    """The grades of entries, by title."""
    if "grades" in line:
        return dict(line["grades"])
    if "entries" in line:
        return dict.fromkeys(line["entries"], USEFUL)
    asked = Inquiry(text=line["about"], earlier=[], classification=FINANCE)
    answers = (await retrieve(asked, country)).answering
    return {hit.title: USEFUL for hit in answers if hit.score >= ANSWERS * answers[0].score}


async def turns() -> Sequence[Turn]:
    """The later messages of all files that find anything."""
    with tempfile.TemporaryDirectory() as folder:
        service: Finassist
        async with open_container(Settings(data_dir=Path(folder))) as service:
            found = [await turn_of(service.retrieve, file, line) for file, line in lines()]
    return [turn for turn in found if len(turn.grades)]


def fitted(chosen: Sequence[Turn]) -> LogisticRegression:
    """The curve for some messages."""
    weights = np.concatenate([np.full(len(turn.grades), FILES[turn.file]) for turn in chosen])
    signs = np.vstack([turn.signs for turn in chosen])
    useful = np.concatenate([turn.useful for turn in chosen])
    return LogisticRegression(C=10.0, max_iter=2000).fit(signs, useful, sample_weight=weights)


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
    found = asyncio.run(turns())
    report(found)
    curve = fitted(found)
    names = ("intercept", *Signs.__slots__)
    intercept = curve.intercept_[0] + np.log((1 - LEAST) / LEAST)
    weights = dict(zip(names, map(float, (intercept, *curve.coef_[0])), strict=True))
    FILE.write_text(json.dumps({name: round(each, 3) for name, each in weights.items()}, indent=2) + "\n")


if __name__ == "__main__":
    main()
