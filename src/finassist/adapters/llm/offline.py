"""A model that needs no model: it quotes the sentences of the reference text that answer the question."""

import asyncio
import math
import re
from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Final

from finassist.application.ports.gateways import (
    ModelCapabilities,
    ModelEvent,
    ModelFinished,
    ModelRequest,
    TextDelta,
)
from finassist.domain.knowledge import Hit

_SENTENCES_MAX: Final = 5
_SENTENCES_PER_SOURCE: Final = 3
_WORTH_QUOTING: Final = 0.45
"""Share of the best sentence's weight that another one needs to be quoted as well."""
_FIRST_SENTENCE_BONUS: Final = 1.25
_RANK_DISCOUNT: Final = 0.85
_SHORTEST: Final = 30

_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9“\"'(])")
_WORD: Final = re.compile(r"[^\W_]+")
_PIECE: Final = re.compile(r"\s*\S+\s*")
_ENDINGS: Final = ("ations", "ation", "ments", "ment", "ings", "ing", "ies", "ed", "es", "s", "y")
_STOP_WORDS: Final = frozenset(
    "a about an and are as at be been but by can could did do does for from had has have how i if in into "
    "is it its me my not of on or our should so that the their them there these they this to was we were "
    "what when where which who why will with would you your".split()
)

_GREETING: Final = (
    "Hello! I answer questions about personal finance from a small library of articles: saving, debt, "
    "insurance, investing, retirement, tax and property. What would you like to know?"
)
_THANKS: Final = "You are welcome! Ask me whenever another money question comes up."
_NOTHING: Final = (
    "I have nothing on that in my knowledge base, so I cannot answer it. I run offline and only quote from "
    "the articles that I was given. You could ask in other words, or about a more general term."
)
_THANKS_WORDS: Final = frozenset(("thanks", "thank", "thx", "cheers", "bye", "goodbye"))
_GREETING_WORDS: Final = frozenset(
    "hello hi hey hiya howdy yo morning afternoon evening you your name help who".split()
)
_GREETING_WORDS_MAX: Final = 8


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    source: int
    place: int
    words: frozenset[str]
    weight: float = 0.0


class OfflineModel:
    """``LanguageModel`` without a model: extractive, deterministic, citing ``[1]`` as it goes."""

    provider = "offline"
    default_model = "offline-extractive"
    models = (default_model,)
    capabilities = ModelCapabilities()

    async def close(self) -> None:
        """Nothing to close."""

    @asynccontextmanager
    async def stream(self, request: ModelRequest) -> AsyncGenerator[AsyncGenerator[ModelEvent, None], None]:
        """Answer from ``request.references``, word by word."""
        async with aclosing(_say(answer(request.messages[-1].content, request.references))) as events:
            yield events


async def _say(text: str) -> AsyncGenerator[ModelEvent, None]:
    for piece in _PIECE.findall(text):
        yield TextDelta(piece)
        await asyncio.sleep(0)  # a long answer must not keep other streams waiting
    yield ModelFinished("stop")


def answer(question: str, references: Sequence[Hit]) -> str:
    """The sentences of the references that answer the question, each with its source."""
    if not references:
        return _without_references(question)
    chosen = _choose(question, references)
    paragraphs = []
    for source in dict.fromkeys(sentence.source for sentence in chosen):
        quoted = sorted((s for s in chosen if s.source == source), key=lambda sentence: sentence.place)
        paragraphs.append(" ".join(f"{sentence.text} [{source}]" for sentence in quoted))
    return "\n\n".join(paragraphs)


def _without_references(question: str) -> str:
    words = _WORD.findall(question.casefold())
    if any(word in _THANKS_WORDS for word in words):
        return _THANKS
    if len(words) <= _GREETING_WORDS_MAX and any(word in _GREETING_WORDS for word in words):
        return _GREETING
    return _NOTHING


def _choose(question: str, references: Sequence[Hit]) -> list[_Sentence]:
    """The best sentences, best source first; at least one, and none that says little to the question."""
    sentences = [
        sentence
        for source, hit in enumerate(references, start=1)
        for sentence in _sentences(hit.snippet, source)
    ]
    weighed = sorted(_weigh(question, references, sentences), key=lambda sentence: -sentence.weight)
    chosen: list[_Sentence] = []
    per_source: Counter[int] = Counter()
    for sentence in weighed:
        if len(chosen) == _SENTENCES_MAX or sentence.weight < weighed[0].weight * _WORTH_QUOTING:
            break
        if per_source[sentence.source] < _SENTENCES_PER_SOURCE:
            chosen.append(sentence)
            per_source[sentence.source] += 1
    return sorted(chosen, key=lambda sentence: sentence.source)


def _weigh(question: str, references: Sequence[Hit], sentences: Sequence[_Sentence]) -> Iterator[_Sentence]:
    """Weigh by the rare words shared with the question, for short sentences of good sources more."""
    asked = _stems(question)
    frequency = Counter(word for sentence in sentences for word in sentence.words)
    for sentence in sentences:
        shared = sentence.words & asked
        weight = sum(math.log(1 + len(sentences) / frequency[word]) for word in shared)
        weight /= math.sqrt(len(sentence.words) + 8)
        weight *= 1 + len(asked & _stems(references[sentence.source - 1].title)) / (len(asked) + 1)
        weight *= _RANK_DISCOUNT ** (sentence.source - 1)
        if sentence.place == 0:
            weight *= _FIRST_SENTENCE_BONUS
        yield _Sentence(sentence.text, sentence.source, sentence.place, sentence.words, weight)


def _sentences(passage: str, source: int) -> Iterator[_Sentence]:
    place = 0
    for paragraph in passage.split("\n"):
        if not paragraph.strip() or paragraph.startswith("#"):
            continue
        for text in _SENTENCE_END.split(paragraph.strip()):
            if len(text) >= _SHORTEST and text[-1] in ".!":
                yield _Sentence(text, source, place, _stems(text))
                place += 1


def _stems(text: str) -> frozenset[str]:
    """The telling words of a text, without their endings."""
    words = (word for word in _WORD.findall(text.casefold()) if word not in _STOP_WORDS)
    return frozenset(_stem(word) for word in words)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
