"""What surrounds a question changes neither the entry that is found nor whether it answers.

200 plain questions (``tests/data/plain_questions.jsonl``) are asked as they stand and in twelve other ways.
Each way may change a few of them, all ways together one in twenty.
"""

import json
import random
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from finassist import Finassist, Settings, open_container
from finassist.adapters.embeddings.shipped import ShippedVectors
from remembered_vectors import VECTORS

DATA = Path(__file__).parents[2] / "data"
SAME_MIN = 0.95
NO_WAY_BELOW = 0.84
"""None of the ways may be much worse than the others."""


def with_a_slip(question: str) -> str:
    """Two letters of a long word change their places."""
    chance = random.Random(question)
    words = question.split()
    long_words = [place for place, word in enumerate(words) if len(word) > 5]
    if long_words:
        place = chance.choice(long_words)
        word = words[place]
        at = chance.randrange(1, len(word) - 2)
        words[place] = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return " ".join(words)


WAYS: dict[str, Callable[[str], str]] = {
    "a greeting": "Hello there! {}".format,
    "thanks": "{} Thanks so much!".format,
    "politeness": "Could you please tell me: {}".format,
    "small letters": lambda question: question.lower().rstrip("?."),
    "a slip": with_a_slip,
    "a filler": lambda question: f"ok so basically {question[0].lower()}{question[1:]}",
    "a sentence before": "Hi, I read about it in the newspaper. {}".format,
    "a sentence behind": "{} My sister and I were talking about it yesterday.".format,
    "a place": "{} I live in Leeds.".format,
    "an age and a sum": "I'm 35 and have 20k saved. {}".format,
    "plain words": lambda question: f"{question.rstrip('?')} in plain english?",
    "slang": lambda question: f"yo {question.lower().rstrip('?')} lol",
}


@pytest.fixture
async def finassist(tmp_path: Path) -> AsyncIterator[Finassist]:
    settings = Settings(data_dir=tmp_path / "data")
    async with open_container(settings, embedder=ShippedVectors(VECTORS)) as opened:
        yield opened


async def found(finassist: Finassist, question: str) -> tuple[str | None, bool]:
    """The first entry, and whether it answers."""
    result = await finassist.retrieve(await finassist.consider_message(question, None))
    hits = [*result.answering, *result.near]
    return (hits[0].article_id if hits else None, bool(result.answering))


@pytest.mark.timeout(240)
async def test_what_surrounds_a_question_changes_neither_the_entry_nor_the_decision(
    finassist: Finassist,
) -> None:
    lines = (DATA / "plain_questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["text"] for line in lines]
    decorated = [way(question) for way in WAYS.values() for question in questions]
    await VECTORS.embed([*questions, *decorated])
    plain = [await found(finassist, question) for question in questions]
    same: dict[str, tuple[float, float]] = {}
    for name, way in WAYS.items():
        other = [await found(finassist, way(question)) for question in questions]
        pairs = list(zip(plain, other, strict=True))
        same[name] = (
            sum(before[0] == after[0] for before, after in pairs) / len(pairs),
            sum(before[1] == after[1] for before, after in pairs) / len(pairs),
        )
    entries, decisions = (sum(each) / len(same) for each in zip(*same.values(), strict=True))
    assert entries >= SAME_MIN, same
    assert decisions >= SAME_MIN, same
    assert min(map(min, same.values())) >= NO_WAY_BELOW, same
