"""What the layers that were tuned for help change in what words and vector tell."""

from array import array
from collections.abc import Mapping, Sequence

import pytest

from finassist.adapters.classifier.distress import LinearDistressClassifier, without_idioms
from finassist.adapters.classifier.meaning import DistressClassifierByMeaning
from finassist.adapters.embeddings.help import HelpOdds
from finassist.adapters.embeddings.minilm.embedder import MODEL
from finassist.application.ports.knowledge import Vector
from finassist.domain.errors import EmbeddingError
from finassist.domain.safety import Concern, Distress

MESSAGE = "the letter from the council about the second flat came today"
CALM = "what is council tax"
DEBT = Distress(Concern.DEBT, 3.0)


class Told(LinearDistressClassifier):
    """Words that tell the same of every message but a calm one, beside a vector that adds nothing."""

    def __init__(self, odds: float, concern: Concern = Concern.DEBT, *, calm: bool = True) -> None:
        super().__init__()
        self._calm = CALM if calm else ""
        self._told = {**dict.fromkeys(Concern, -9.0), concern: odds}

    def margins(self, message: str) -> Mapping[Concern, float]:
        return dict.fromkeys(Concern, -9.0) if message == self._calm else self._told

    def meaning(self, vector: Vector) -> Mapping[Concern, float]:
        return dict.fromkeys(Concern, 0.0)


class Encoder:
    """An embedder whose tuned layers tell the same of every text but a calm one, or fail."""

    def __init__(
        self,
        odds: HelpOdds | None,
        *,
        model: str = MODEL,
        error: EmbeddingError | None = None,
        parts: Mapping[str, HelpOdds] | None = None,
    ) -> None:
        self.model = model
        self.asked: list[str] = []
        self._odds = odds
        self._error = error
        self._parts = {CALM: dict.fromkeys(Concern, -9.0), **(parts or {})}

    def understands(self, language: str) -> bool:
        return language == "en"

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        raise AssertionError

    async def embed_query(self, text: str) -> Vector:
        return array("f", [0.0] * 384)

    async def embed_search(self, text: str) -> Vector:
        raise AssertionError

    async def help_odds(self, text: str) -> HelpOdds | None:
        self.asked.append(text)
        if self._error:
            raise self._error
        return self._parts.get(text, self._odds)

    async def close(self) -> None:
        return None


def odds(likeliest: float, concern: Concern = Concern.DEBT, *, others: float = -9.0) -> HelpOdds:
    return {**dict.fromkeys(Concern, others), concern: likeliest}


async def found(
    told: float,
    tuned: HelpOdds,
    *,
    concern: Concern = Concern.DEBT,
    message: str = MESSAGE,
    history: Sequence[str] = (),
) -> Distress | None:
    classifier = DistressClassifierByMeaning(Told(told, concern), Encoder(tuned))
    return await classifier.distress(message, history)


async def test_what_both_tell_is_told_as_surely_as_by_words_and_vector() -> None:
    assert await found(3.0, odds(1.5)) == DEBT


async def test_what_the_layers_speak_against_gets_no_help() -> None:
    assert await found(3.0, odds(-2.7)) is None
    assert await found(3.0, odds(-2.3)) == DEBT


async def test_against_what_was_hardly_told_less_is_enough() -> None:
    assert await found(0.5, odds(-1.5)) is None
    assert await found(0.5, odds(-1.0)) is not None


async def test_against_an_emergency_they_have_to_be_surer() -> None:
    assert await found(3.0, odds(-3.1), concern=Concern.FRAUD) is not None
    assert await found(3.0, odds(-3.5), concern=Concern.FRAUD) is None


@pytest.mark.parametrize(
    ("words", "layers", "history", "is_told"),
    [
        (2.0, -1.4, [], True),
        (2.0, -1.6, [], False),
        (3.5, -2.9, [], True),
        (9.0, -3.1, [], False),
        (-5.0, 0.0, [], True),
        (2.0, 1.6, [CALM], True),
        (2.0, 1.4, [CALM], False),
        (3.5, -1.4, [CALM], True),
        (9.0, -1.6, [CALM], False),
        (-4.0, 3.6, [CALM], True),
        (-4.0, 3.4, [CALM], False),
    ],
)
async def test_of_thoughts_of_death_in_a_usual_message_the_layers_decide(
    words: float, layers: float, history: Sequence[str], is_told: bool
) -> None:
    despair = odds(layers, Concern.SELF_HARM)
    told = await found(words, despair, concern=Concern.SELF_HARM, history=history)
    assert (told is not None and told.concern is Concern.SELF_HARM) is is_told


@pytest.mark.parametrize(("layers", "is_hardly_told"), [(-0.5, True), (0.5, False)])
async def test_thoughts_of_death_that_are_less_likely_than_not_are_told_in_doubt(
    layers: float, is_hardly_told: bool
) -> None:
    told = await found(2.0, odds(layers, Concern.SELF_HARM), concern=Concern.SELF_HARM)
    assert told is not None
    assert told.is_hardly_told is is_hardly_told


async def test_another_need_that_is_likelier_is_told_in_place_of_thoughts_of_death() -> None:
    layers = {**odds(1.0, Concern.SELF_HARM), Concern.DEBT: 4.0}
    assert await found(3.0, layers) == DEBT
    hidden = {**layers, Concern.SELF_HARM: 5.0}
    told = await found(3.0, hidden)
    assert told is not None
    assert told.concern is Concern.SELF_HARM


async def test_thoughts_of_death_in_doubt_do_not_take_the_place_of_another_emergency() -> None:
    layers = {**odds(5.0, Concern.SELF_HARM), Concern.ABUSE: 6.0}
    told = await found(6.0, layers, concern=Concern.ABUSE)
    assert told is not None
    assert told.concern is Concern.ABUSE


@pytest.mark.parametrize(("sentence", "is_told"), [(2.5, True), (1.5, False)])
async def test_thoughts_of_death_that_one_sentence_tells_are_not_hidden_by_the_others(
    sentence: float, is_told: bool
) -> None:
    plain = "I want to die."
    parts = {plain: odds(sentence, Concern.SELF_HARM)}
    classifier = DistressClassifierByMeaning(Told(3.0, Concern.SELF_HARM), Encoder(odds(3.0), parts=parts))
    told = await classifier.distress(f"I lost it all on slots. {plain}")
    assert (told is not None and told.concern is Concern.SELF_HARM) is is_told


async def test_the_layers_are_enough_where_they_are_sure() -> None:
    sure = await found(-3.0, odds(1.4, Concern.BAILIFFS))
    assert sure is not None
    assert sure.concern is Concern.BAILIFFS
    assert sure.odds == pytest.approx(1.4, abs=0.01)
    assert await found(-3.0, odds(0.9, Concern.BAILIFFS)) is None


async def test_an_emergency_that_words_and_vector_speak_against_is_in_doubt() -> None:
    wrong_number = await found(-3.0, odds(3.0, Concern.FRAUD), concern=Concern.FRAUD)
    assert wrong_number is not None
    assert wrong_number.odds == pytest.approx(1.5, abs=0.01)


@pytest.mark.parametrize(("message", "history"), [(MESSAGE, [CALM]), ("the letter came today", [])])
async def test_in_a_conversation_and_of_a_few_words_they_have_to_be_surer(
    message: str, history: Sequence[str]
) -> None:
    assert await found(-1.5, odds(2.8), message=message, history=history) is None
    assert await found(-1.5, odds(3.2), message=message, history=history) is not None


async def test_what_the_words_are_far_from_is_not_found_in_a_conversation() -> None:
    text = "he's saying i agreed to it in a text, i only said ok i'll look at it"
    assert await found(-3.0, odds(4.0), message=text, history=[CALM]) is None
    assert await found(-3.0, odds(4.0), message=text) is not None


async def test_in_a_conversation_both_looks_together_have_to_tell_of_need() -> None:
    assert await found(4.0, odds(-1.5), history=[CALM]) is None
    assert await found(4.0, odds(-1.2), history=[CALM]) is not None
    assert await found(4.0, odds(-1.5)) is not None


@pytest.mark.parametrize("told", [1.0, -1.5])
async def test_help_that_was_given_a_moment_ago_is_not_repeated_for_what_the_layers_find(told: float) -> None:
    assert await found(told, odds(4.0), history=["i cannot pay any of my cards"]) is None
    assert await found(-1.5, odds(4.0), history=[CALM]) is not None


async def test_help_after_a_fraud_is_not_repeated_where_the_layers_take_it_for_an_offer() -> None:
    paid = "i sent the man 2000 by bank transfer yesterday and now his number is off"
    offer = odds(4.0, Concern.SCAM)
    first = await found(-4.0, offer, concern=Concern.SCAM, message=paid)
    assert first is not None
    assert first.concern is Concern.FRAUD
    assert await found(-4.0, offer, concern=Concern.SCAM, message=paid, history=[paid]) is None


async def test_a_level_that_the_layers_are_sure_of_counts() -> None:
    assert await found(3.0, odds(4.0, Concern.BAILIFFS)) == Distress(Concern.BAILIFFS, 4.0)
    unsure = odds(4.0, Concern.BAILIFFS, others=2.0)
    assert await found(3.0, unsure) == DEBT


async def test_a_level_of_the_layers_is_as_sure_as_they_are_of_it() -> None:
    assert await found(6.0, odds(1.5, Concern.HOME)) == Distress(Concern.HOME, 1.5)


async def test_what_the_words_are_far_from_is_not_read() -> None:
    encoder = Encoder(odds(9.0))
    assert await DistressClassifierByMeaning(Told(-7.0), encoder).distress(MESSAGE) is None
    assert encoder.asked == []


async def test_a_message_is_read_as_it_was_written() -> None:
    encoder = Encoder(odds(1.0))
    await DistressClassifierByMeaning(Told(3.0), encoder).distress(" what do i do now about it? ")
    assert encoder.asked == ["what do i do now about it?"]


async def test_an_idiom_of_money_is_read_in_plain_words() -> None:
    encoder = Encoder(odds(1.0))
    message = "how do we stop living beyond our means?"
    await DistressClassifierByMeaning(Told(3.0), encoder).distress(message)
    assert encoder.asked == [without_idioms(message)] != [message]


@pytest.mark.parametrize(
    "encoder",
    [
        Encoder(None, error=EmbeddingError("It is down.", kind="test", retryable=True)),
        Encoder(None),
        Encoder(odds(-9.0), model="another-model"),
    ],
)
async def test_without_the_layers_words_and_vector_decide(encoder: Encoder) -> None:
    classifier = DistressClassifierByMeaning(Told(3.0), encoder)
    assert await classifier.distress(MESSAGE) == DEBT


@pytest.mark.parametrize(
    "message", ["pati meri salary le lete hai aur marte hai", "he perdido todo mi sueldo en apuestas"]
)
async def test_what_only_passes_for_english_is_not_read(message: str) -> None:
    encoder = Encoder(odds(-9.0))
    assert await DistressClassifierByMeaning(Told(3.0), encoder).distress(message) == DEBT
    assert encoder.asked == []


@pytest.mark.parametrize(("message", "language"), [(MESSAGE, "de"), (f"{MESSAGE}. " * 80, "en")])
async def test_neither_very_long_messages_nor_other_languages_are_read(message: str, language: str) -> None:
    encoder = Encoder(odds(-9.0))
    classifier = DistressClassifierByMeaning(Told(3.0), encoder)
    assert await classifier.distress(message, language=language) is not None
    assert encoder.asked == []


STORY = "I am the stepdaughter, he raised me from six on. I've tried everything with the bank. " * 4


async def test_a_long_story_that_the_layers_hold_to_be_far_from_thoughts_of_death_gets_no_help_for_them() -> (
    None
):
    classifier = DistressClassifierByMeaning(Told(3.0, Concern.SELF_HARM), Encoder(odds(-9.0)))
    assert await classifier.distress(STORY) is None


async def test_a_long_story_is_believed_where_the_layers_leave_thoughts_of_death_open() -> None:
    read = Encoder({**odds(-9.0), Concern.SELF_HARM: -2.0})
    told = await DistressClassifierByMeaning(Told(3.0, Concern.SELF_HARM), read).distress(STORY)
    assert told is not None
    assert told.concern is Concern.SELF_HARM
    assert read.asked == [STORY.strip()], "it is read whole"
