"""Fit what tells which entry a follow-up moves on to.

Reads ``training/questions/later_turns.jsonl``: what was asked ``earlier``, the ``text`` of a later turn, and
what that is ``about``, written out in full. The entry that the question in full finds is the right one;
where it finds none, or the one that was quoted just before, no other is. What the earlier question finds was
quoted; where that is a follow-up, too, ``before`` has it in full. Lines of ``later_turns_of_entries.jsonl``
have the titles of the right ``entries`` as well, and those of ``later_turns_answered.jsonl`` them alone.
Writes ``in_context.json`` of ``data/retrieval`` and reports by cross-validation. Needs scikit-learn::

    python training/in_context.py
"""

import asyncio
import json
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from finassist import open_container
from finassist.application.retrieval.inquiry import Inquiry
from finassist.application.retrieval.search import Retrieve
from finassist.composition.application import Finassist
from finassist.config import Settings
from finassist.domain.conversations.whereabouts import country_about
from finassist.domain.retrieval.in_context import Searches, Signs, signs_in_context
from finassist.domain.retrieval.queries import without_politeness, without_sizes
from finassist.domain.retrieval.questions import Classification
from finassist.domain.retrieval.spelling import corrected

HERE = Path(__file__).parent
FILE = HERE.parent / "src" / "finassist" / "data" / "retrieval" / "in_context.json"
FINANCE = Classification(is_finance=True, confidence=1.0)
RIGHT = 0.9
"""The share of the best score from which an entry answers the question in full as well."""
LEAST = 0.22
"""From this likelihood on an entry is worth being quoted: a wrong one is worse than the titles that are
offered in its place, and a right one better by more."""
NUMBERS = NDArray[np.float64]


@dataclass(frozen=True)
class Turn:
    """The signs of what a later turn finds, and which of it is right; ``is_judged`` if chosen by hand."""

    text: str
    ids: Sequence[str]
    signs: NUMBERS
    right: NDArray[np.bool_]
    is_judged: bool


async def _turn(retrieve: Retrieve, line: dict[str, Any]) -> Turn:
    earlier, text = line["earlier"], corrected(without_politeness(line["text"]))
    country = country_about(text, earlier, None)
    in_full = line.get("before")
    before = Inquiry(
        text=in_full or earlier[-1], earlier=[] if in_full else earlier[:-1], classification=FINANCE
    )
    quoted = (await retrieve(before, country)).answering[:1]
    joined = await retrieve.complete_question.joined(text, earlier) or text
    subject = next((hit.title for hit in quoted), without_sizes(joined))
    found = await retrieve.search_in_context.searches(text, joined, subject, country)
    right = await _right(retrieve, line, found, country)
    signs = signs_in_context(found, [hit.article_id for hit in quoted], country)
    return Turn(
        text=line["text"],
        ids=list(signs),
        signs=np.array([astuple(each) for each in signs.values()]),
        right=np.array([each in right for each in signs]),
        is_judged="entries" in line,
    )


async def _right(
    retrieve: Retrieve, line: dict[str, Any], found: Searches, country: str | None
) -> Collection[str]:
    """The ids of the right entries."""
    if "entries" in line:
        return {hit.article_id for hit in found.hits if hit.title in line["entries"]}
    asked = Inquiry(text=line["about"], earlier=[], classification=FINANCE)
    answers = (await retrieve(asked, country)).answering
    return {hit.article_id for hit in answers if hit.score >= RIGHT * answers[0].score}


async def turns() -> Sequence[Turn]:
    """The later turns that ask something, searched for as the service does."""
    lines = [
        line
        for file in ("later_turns", "later_turns_of_entries", "later_turns_answered")
        for line in (HERE / "questions" / f"{file}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    rows = [line for line in map(json.loads, lines) if line.get("about") or line.get("entries")]
    with tempfile.TemporaryDirectory() as folder:
        service: Finassist
        async with open_container(Settings(data_dir=Path(folder))) as service:
            found = [await _turn(service.retrieve, row) for row in rows]
    return [turn for turn in found if len(turn.ids)]


def _fitted(chosen: Sequence[Turn]) -> LogisticRegression:
    return LogisticRegression(C=10.0, max_iter=2000).fit(
        np.vstack([turn.signs for turn in chosen]), np.concatenate([turn.right for turn in chosen])
    )


def report(found: Sequence[Turn]) -> None:
    """Print how often what is quoted is right, cross-validated."""
    first: list[tuple[float, bool]] = []
    among: dict[bool, list[tuple[bool, bool, bool]]] = {True: [], False: []}
    groups = np.arange(len(found))
    for train, held in GroupKFold(5).split(groups, groups=groups):
        curve = _fitted([found[each] for each in train])
        for turn in (found[each] for each in held):
            likely = curve.predict_proba(turn.signs)[:, 1]
            first.append((float(likely.max()), bool(turn.right[likely.argmax()])))
            best = turn.right[np.argsort(-likely)]
            if best.any():
                among[turn.is_judged].append((best[0], best[:2].any(), best[:3].any()))
    has_one = sum(turn.right.any() for turn in found)
    all_right = sum(right for _, right in first) / has_one
    print(f"{len(found)} turns, {has_one} of them move on; first {all_right:.3f}")
    for is_judged, ranks in among.items():
        shares, how = np.mean(ranks, axis=0).round(3), "chosen by hand" if is_judged else "found"
        print(f"{len(ranks)} turns, entries {how}: right first, among two, among three {shares}")
    for least in (0.1, 0.15, 0.2, LEAST, 0.25, 0.3, 0.4, 0.5):
        given = [right for likely, right in first if likely >= least]
        print(
            f"from {least}: {len(given)} given, right {np.mean(given):.3f}, found {sum(given) / has_one:.3f}"
        )


def main() -> None:
    """Fit, report, write."""
    found = asyncio.run(turns())
    report(found)
    curve = _fitted(found)
    names = ("intercept", *Signs.__slots__)
    intercept = curve.intercept_[0] + np.log((1 - LEAST) / LEAST)
    weights = dict(zip(names, map(float, (intercept, *curve.coef_[0])), strict=True))
    FILE.write_text(json.dumps({name: round(each, 3) for name, each in weights.items()}, indent=2) + "\n")


if __name__ == "__main__":
    main()
