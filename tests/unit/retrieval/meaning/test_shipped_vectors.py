"""The embedder that knows the vectors of what ships."""

from array import array
from collections.abc import Sequence

from finassist.adapters.embeddings.help import HelpOdds
from finassist.adapters.embeddings.shipped import ShippedVectors
from finassist.application.ports.knowledge import Vector
from finassist.domain.calculators.stories.scores import StoryScores
from finassist.domain.calculators.stories.story import NONE
from finassist.domain.safety import Concern


class Counting:
    """An embedder that notes which queries it is asked for."""

    model = "counting"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def understands(self, language: str) -> bool:
        return language == "en"

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        raise AssertionError

    async def embed_query(self, text: str) -> Vector:
        self.asked.append(text)
        return array("f", [len(self.asked)])

    async def embed_search(self, text: str) -> Vector:
        return await self.embed_query(text)

    async def close(self) -> None:
        return None


class Reading(Counting):
    """One that was tuned for help, too."""

    async def help_odds(self, text: str) -> HelpOdds:
        self.asked.append(text)
        return dict.fromkeys(Concern, float(len(self.asked)))


class Telling(Counting):
    """One that was tuned for stories, too."""

    async def story_scores(self, text: str, starts: Sequence[int]) -> StoryScores:
        self.asked.append(f"{text} {starts}")
        return StoryScores({NONE: float(len(self.asked))}, ())


async def test_a_story_that_is_read_in_each_turn_is_read_once() -> None:
    telling = Telling()
    embedder = ShippedVectors(telling)
    first = await embedder.story_scores("I owe 200", [6])
    for number in range(15):
        await embedder.story_scores(f"then {number}", [5])
        assert await embedder.story_scores("I owe 200", [6]) is first
    assert len(telling.asked) == 16
    assert await embedder.story_scores("I owe 200", [2]) is not first


async def test_of_stories_the_ones_that_were_read_long_ago_are_forgotten() -> None:
    telling = Telling()
    embedder = ShippedVectors(telling)
    for number in range(17):
        await embedder.story_scores(f"I owe {number}", [6])
    await embedder.story_scores("I owe 16", [6])
    assert len(telling.asked) == 17
    await embedder.story_scores("I owe 0", [6])
    assert len(telling.asked) == 18


async def test_a_message_that_is_classified_and_searched_for_is_embedded_once() -> None:
    counting = Counting()
    embedder = ShippedVectors(counting)
    assert await embedder.embed_query("I lost my job") == await embedder.embed_query("I lost my job")
    assert counting.asked == ["I lost my job"]


async def test_the_vectors_of_the_latest_queries_alone_are_kept() -> None:
    counting = Counting()
    embedder = ShippedVectors(counting)
    for number in range(100):
        await embedder.embed_query(f"question {number}")
    await embedder.embed_query("question 99")
    await embedder.embed_query("question 0")
    assert counting.asked[100:] == ["question 0"]


async def test_what_a_message_asks_help_for_is_read_once() -> None:
    reading = Reading()
    embedder = ShippedVectors(reading)
    assert await embedder.help_odds("I lost my job") == dict.fromkeys(Concern, 1.0)
    assert await embedder.help_odds("I lost my job") == dict.fromkeys(Concern, 1.0)
    assert reading.asked == ["I lost my job"]


async def test_an_embedder_that_was_not_tuned_for_help_tells_nothing_of_it() -> None:
    counting = Counting()
    assert await ShippedVectors(counting).help_odds("I lost my job") is None
    assert counting.asked == []
