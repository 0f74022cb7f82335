"""Ordinary replies are not hidden: nothing that the shipped knowledge says looks like the shipped hidden
texts."""

import random
import re

import pytest

from finassist.adapters.data_files.articles import starter_articles
from finassist.adapters.data_files.seeds import read_seeds, shipped_seeds
from finassist.domain.chat.masking import HiddenText, Mask

REPLIES = 1000


@pytest.fixture(scope="module")
def mask() -> Mask:
    """All shipped hidden texts at once."""
    seeds = [read_seeds(file.name, file.read_bytes()) for file in shipped_seeds()]
    records = [record for seed in seeds for records in seed.values() for record in records]
    hidden = [record["maskedValue"] for record in records if "maskedValue" in record]
    assert len(hidden) >= 18
    return Mask([HiddenText(text, ()) for text in hidden])


@pytest.fixture(scope="module")
def answers() -> list[str]:
    articles = starter_articles()
    return [article.body for article in articles[:: max(1, len(articles) // REPLIES)]][:REPLIES]


@pytest.mark.whole_base
def test_a_thousand_answers_are_shown_as_they_are(mask: Mask, answers: list[str]) -> None:
    assert len(answers) == REPLIES
    assert [answer for answer in answers if mask.redact(answer) != answer] == []


def test_replies_made_of_many_answers_are_shown_as_they_are(mask: Mask, answers: list[str]) -> None:
    rng = random.Random(18)
    sentences = [sentence for answer in answers for sentence in re.split(r"(?<=[.!?])\s+", answer)]
    made = [" ".join(rng.sample(sentences, 8)) for _ in range(200)]
    listed = ["\n".join(f"- **{each[:60]}**" for each in rng.sample(sentences, 12)) for _ in range(100)]
    assert [reply for reply in (*made, *listed) if mask.redact(reply) != reply] == []
