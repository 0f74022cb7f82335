"""How many of whole sets of messages get help: the figures of docs/safety.md."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import pytest

from finassist.adapters.classifier.distress import LinearDistressClassifier
from finassist.adapters.classifier.language import FastTextLanguages
from finassist.adapters.classifier.meaning import DistressClassifierByMeaning
from finassist.application.ports.knowledge import Vector
from finassist.domain.retrieval.languages import ENGLISH, hardly_tells_language
from finassist.domain.safety import Concern
from remembered_vectors import VECTORS
from tables import json_lines

pytestmark = pytest.mark.whole_base

QUESTIONS: Final = Path(__file__).parents[4] / "training" / "questions"
LEVELS: Final = {"crisis": "self_harm", "crime": "fraud", "eviction": "home", "innocent": "none"}
NONE: Final = "none"


class WithoutLayers:
    """The embedder that ships, without the layers that were tuned for help."""

    model = VECTORS.model

    def understands(self, language: str) -> bool:
        return VECTORS.understands(language)

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        return await VECTORS.embed(texts)

    async def embed_query(self, text: str) -> Vector:
        return await VECTORS.embed_query(text)

    async def embed_search(self, text: str) -> Vector:
        return await VECTORS.embed_search(text)

    async def close(self) -> None:
        return None


@pytest.fixture(scope="module")
def classifier() -> DistressClassifierByMeaning:
    return DistressClassifierByMeaning(LinearDistressClassifier(), VECTORS)


def last_messages(name: str) -> list[tuple[str, str]]:
    """What is asked help for, and the message, of a file of ``training/questions``."""
    lines = (QUESTIONS / name).read_text("utf-8").splitlines()
    columns = [line.split("\t") for line in lines if line]
    return [(LEVELS.get(level, level), turns[-1]) for level, *turns in columns]


async def counted(
    classifier: DistressClassifierByMeaning, messages: Iterable[tuple[str, str]], *, english: bool
) -> Counter[str]:
    """How many need help, of these despair, and get any, and how many get it without need."""
    languages, counts = FastTextLanguages(), Counter[str]()
    for level, text in messages:
        language = await languages.language_of(text)
        if english and language != ENGLISH:
            continue
        helped = await classifier.concern(text, language=language) is not None
        kinds = ["innocent"] if level == NONE else ["need"]
        kinds += ["despair"] if level == Concern.SELF_HARM else []
        counts.update([*kinds, *(f"{kind}, helped" for kind in kinds if helped)])
    return counts


async def test_sober_questions_in_hardship(classifier: DistressClassifierByMeaning) -> None:
    found = await counted(classifier, last_messages("help_sober.txt"), english=True)
    assert (found["need"], found["innocent"], found["despair"]) == (150, 302, 17)
    assert found["need, helped"] >= 114
    assert found["despair, helped"] >= 9
    assert found["innocent, helped"] <= 60


async def test_ordinary_messages_that_readers_labelled(classifier: DistressClassifierByMeaning) -> None:
    lines = [json.loads(line) for line in (QUESTIONS / "help_messages.jsonl").read_text("utf-8").splitlines()]
    messages = [(line["kind"], line["text"]) for line in lines]
    found = await counted(classifier, messages, english=True)
    assert (found["need"], found["innocent"]) == (196, 461)
    assert found["need, helped"] >= 149
    assert found["despair, helped"] == found["despair"]
    assert found["innocent, helped"] <= 57


async def test_people_who_are_upset_and_need_no_help(classifier: DistressClassifierByMeaning) -> None:
    found = await counted(classifier, last_messages("help_upset.txt"), english=True)
    assert found["innocent"] == 395
    assert found["innocent, helped"] <= 11


async def test_later_turns_of_conversations_on_serious_subjects(
    classifier: DistressClassifierByMeaning,
) -> None:
    languages, counts = FastTextLanguages(), Counter[str]()
    for line in (QUESTIONS / "help_talks.jsonl").read_text("utf-8").splitlines():
        talk = json.loads(line)
        for place, need in enumerate(talk["needs"][1:], start=1):
            *earlier, text = talk["turns"][: place + 1]
            told = f"{earlier[-1]} {text}" if hardly_tells_language(text) else text
            language = await languages.language_of(told)
            helped = await classifier.concern(text, earlier, language=language) is not None
            kind = "innocent" if need in (NONE, "?") else "need"
            counts.update([kind, f"{kind}, helped"] if helped else [kind])
    assert (counts["need"], counts["innocent"]) == (35, 250)
    assert counts["need, helped"] >= 34
    assert counts["innocent, helped"] <= 7


async def test_emergencies(classifier: DistressClassifierByMeaning) -> None:
    lines = json_lines("distress/first.jsonl")
    found = await counted(classifier, [(line["kind"], line["text"]) for line in lines], english=False)
    assert (found["need"], found["innocent"], found["despair"]) == (270, 153, 90)
    assert found["need, helped"] >= 261
    assert found["despair, helped"] >= 87
    assert found["innocent, helped"] <= 2


@pytest.mark.parametrize("joint", [". ", ", ", " and "])
async def test_despair_behind_an_innocent_sentence(
    classifier: DistressClassifierByMeaning, joint: str
) -> None:
    lines = [(line["kind"], line["text"]) for line in json_lines("distress/first.jsonl")]
    lines = [(kind, text) for kind, text in lines if text.isascii()]
    innocent = [text.rstrip(".!? ") for kind, text in lines if kind == NONE]
    despair = [text for kind, text in lines if kind == Concern.SELF_HARM]
    both = [(Concern.SELF_HARM, joint.join(pair)) for pair in zip(innocent, despair, strict=False)]
    without = DistressClassifierByMeaning(LinearDistressClassifier(), WithoutLayers())
    before = await counted(without, both, english=True)
    after = await counted(classifier, both, english=True)
    assert after["despair, helped"] >= before["despair, helped"] > 0


async def test_hinted_thoughts_of_death_and_what_only_sounds_like_them(
    classifier: DistressClassifierByMeaning,
) -> None:
    found = Counter[tuple[str, bool]]()
    for line in json_lines("distress/hinted.jsonl"):
        told = await classifier.concern(line["text"])
        found[line["kind"], told is Concern.SELF_HARM] += 1
    assert found["self_harm", True] + found["self_harm", False] == 120
    assert found["none", True] + found["none", False] == 320
    assert found["self_harm", True] >= 99
    assert found["none", True] <= 10
