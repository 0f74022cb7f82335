"""A model that needs no model: it calculates with the tools, or quotes what answers the question from the
files that came with it, or from the reference text."""

import asyncio
import math
import re
from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Sequence, Set
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Final

from finassist.adapters.llm.offline_calculation import calculation_in, number_needed, told
from finassist.adapters.llm.offline_documents import answer_from_files
from finassist.adapters.llm.offline_words import ASKING_STEMS, asks_figure, sides_of, stems_of
from finassist.application.ports.language_model import (
    ModelCapabilities,
    ModelEvent,
    ModelFinished,
    ModelRequest,
    TextDelta,
)
from finassist.domain.conversations.message import Role
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.queries import stands_alone
from finassist.domain.retrieval.words import words_of

_SENTENCES_MAX: Final = 6
_SENTENCES_PER_SOURCE: Final = 3
_SOURCES_MAX: Final = 3
_WORTH_QUOTING: Final = 0.5
"""Share of the best sentence's weight that another one needs to be quoted as well."""
_LONG_WORDS: Final = 35
_PIECES_AT_ONCE: Final = 8

# What a sentence's own words count beside the heading and the title that it stands under.
_HEADING_SHARE: Final = 0.4
_TITLE_SHARE: Final = 0.3
_EARLIER_SHARE: Final = 0.3
"""What the words of the question count that half a question leans on."""
_LEAD_BONUS: Final = 1.15
_DEFINITION_BONUS: Final = 1.5
_FIGURE_BONUS: Final = 0.25

_SENTENCE_END: Final = re.compile(r"(?:(?<=[.!?…])|(?<=[.!?…][\"”)]))\s+(?=[A-Z0-9“\"(])")
_SENTENCE_STOP: Final = re.compile(r"[.!…;][\"”)]*$")
_BULLETS: Final = ("-", "*", "•")
_PIECE: Final = re.compile(r"\s*\S+\s*")
_ASKS_DEFINITION: Final = re.compile(
    r"\bwhat(?:['\u2019]s| is| are| does)\b|\b(?:meaning|mean|define|explain)\b"
)
_DEFINES: Final = re.compile(r"(?:An?|The)? ?(?:[\w(),'\u2019-]+ ){1,6}(?:is|are|means)\b")
_FIGURE: Final = re.compile(r"\d|%|\b(?:one|two|three|four|five|six|ten|twelve)\b", re.IGNORECASE)

_CLOSING: Final = "(Quoted from the articles in my knowledge base.)"
_GREETING: Final = (
    "Hello! I answer questions about personal finance from a small library of articles: saving, debt, "
    "insurance, investing, retirement, tax and property. I also calculate loans, savings and returns, with "
    "every step shown. I run offline: I quote from those articles and write nothing of my own. What would "
    "you like to know?"
)
_THANKS: Final = "You are welcome! Ask me whenever another money question comes up."
_NOTHING: Final = (
    "I have nothing on that in my knowledge base, so I cannot answer it. I run offline and only quote from "
    "the articles that I was given. You could ask in other words, or about a more general term."
)
_THANKS_WORDS: Final = frozenset(("thanks", "thank", "thx", "cheers", "bye", "goodbye"))
_GREETING_WORDS: Final = frozenset(
    "hello hi hey hiya howdy yo morning afternoon evening you your name help".split()
)
_GREETING_WORDS_MAX: Final = 8


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence, and where it stands: ``source`` counts from 1, ``place`` within the passage from 0."""

    text: str
    source: int
    place: int
    words: frozenset[str]
    heading: frozenset[str]


class OfflineModel:
    """``LanguageModel`` without a model: deterministic, extractive, citing ``[1]`` as it goes; calculations
    are left to the tools."""

    provider = "offline"
    default_model = "offline-extractive"
    models = (default_model,)

    def capabilities_of(self, model: str) -> ModelCapabilities:
        """It calls tools and quotes, and neither sees nor writes."""
        return ModelCapabilities(tools=True, writes=False)

    async def close(self) -> None:
        """Nothing to close."""

    @asynccontextmanager
    async def stream(self, request: ModelRequest) -> AsyncGenerator[AsyncGenerator[ModelEvent, None], None]:
        """Call a tool, read out its result, or answer from files or references, word by word."""
        async with aclosing(_answer(request)) as events:
            yield events


async def _answer(request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
    question = request.messages[-1].content
    earlier = [message.content for message in request.messages[:-1] if message.role is Role.USER]
    if request.rounds:
        text = told(request.rounds[-1].answers[-1].outcome, [*earlier, question])
    else:
        call = calculation_in(question, request.tools, earlier)
        if call is not None:
            yield call
            yield ModelFinished("tool_calls")
            return
        text = (
            answer_from_files(question, request.messages)
            or number_needed(question, request.tools)
            or answer(question, request.references, earlier)
        )
    for number, piece in enumerate(_PIECE.findall(text)):
        if number % _PIECES_AT_ONCE == 0:
            await asyncio.sleep(0)  # a long answer must not keep other streams waiting
        yield TextDelta(piece)
    yield ModelFinished("stop")


def answer(question: str, references: Sequence[Hit], earlier: Sequence[str] = ()) -> str:
    """The sentences of the references that answer the question, each with its source. ``earlier`` is what
    the user wrote before, oldest first: half a question is answered as the whole one that it makes."""
    sentences = [
        sentence
        for source, hit in enumerate(references, start=1)
        for sentence in _sentences(hit.snippet, source)
    ]
    if not sentences:
        return _without_references(question)
    weights = _Weights(question, references, sentences, earlier)
    chosen = _choose(weights, sentences)
    chosen += _untold_sides(question, weights, sentences, chosen)
    paragraphs = []
    for source in sorted({sentence.source for sentence in chosen}):
        quoted = sorted((s for s in chosen if s.source == source), key=lambda sentence: sentence.place)
        paragraphs.append(" ".join(f"{sentence.text} [{source}]" for sentence in quoted))
    return "\n\n".join([*paragraphs, _CLOSING])


def _without_references(question: str) -> str:
    words = words_of(question)
    if any(word in _THANKS_WORDS for word in words):
        return _THANKS
    if len(words) <= _GREETING_WORDS_MAX and any(word in _GREETING_WORDS for word in words):
        return _GREETING
    return _NOTHING


class _Weights:
    """How well sentences answer one question: the rare words that they share with it, or that their
    heading and title share, and whether they have the shape of an answer."""

    def __init__(
        self,
        question: str,
        references: Sequence[Hit],
        sentences: Sequence[_Sentence],
        earlier: Sequence[str],
    ) -> None:
        titles = [stems_of(hit.title) for hit in references]
        found = frozenset().union(*titles, *(sentence.words for sentence in sentences))
        own = stems_of(question)
        # Thanks and greetings are no question to lean on, and nothing that was found speaks of them.
        whole = stands_alone(question, [text for text in earlier if stems_of(text) & found])
        asked = own | stems_of(whole)
        asked = asked - ASKING_STEMS or asked
        frequency = Counter(word for sentence in sentences for word in sentence.words & asked)
        self._weights = {
            word: (1.0 if word in own else _EARLIER_SHARE)
            * math.log(1 + len(sentences) / (1 + frequency[word]))
            for word in asked
        }
        self._all = sum(self._weights.values()) or 1.0
        self._titles = [_TITLE_SHARE * self._share(title) for title in titles]
        best = max(hit.score for hit in references) or 1.0
        self._closeness = [(hit.score / best) ** 2 for hit in references]
        self._wants_definition = _ASKS_DEFINITION.search(question.casefold()) is not None
        self._wants_figure = asks_figure(question)

    def of(self, sentence: _Sentence) -> float:
        """The weight of a sentence, comparable within one question only."""
        reference = sentence.source - 1
        own = self._share(sentence.words)
        weight = own + _HEADING_SHARE * self._share(sentence.heading) + self._titles[reference]
        if weight and self._wants_figure and _FIGURE.search(sentence.text):
            weight += _FIGURE_BONUS
        weight *= self._closeness[reference]
        if sentence.place == 0:
            weight *= _LEAD_BONUS
        if self._wants_definition and own and _DEFINES.match(sentence.text):
            weight *= _DEFINITION_BONUS
        return weight * min(1.0, _LONG_WORDS / max(1, sentence.text.count(" ")))

    def _share(self, words: Set[str]) -> float:
        return sum(weight for word, weight in self._weights.items() if word in words) / self._all


def _choose(weights: _Weights, sentences: Sequence[_Sentence]) -> list[_Sentence]:
    """The best sentences of few sources; at least one."""
    weighed = sorted(((weights.of(sentence), sentence) for sentence in sentences), key=lambda pair: -pair[0])
    enough = weighed[0][0] * _WORTH_QUOTING
    chosen: list[_Sentence] = []
    quoted: Counter[int] = Counter()
    texts: set[str] = set()
    for weight, sentence in weighed:
        if chosen and (weight < enough or weight == 0.0 or len(chosen) == _SENTENCES_MAX):
            break
        room = quoted[sentence.source] or len(quoted) < _SOURCES_MAX
        if room and quoted[sentence.source] < _SENTENCES_PER_SOURCE and sentence.text not in texts:
            chosen.append(sentence)
            quoted[sentence.source] += 1
            texts.add(sentence.text)
    return chosen


def _untold_sides(
    question: str, weights: _Weights, sentences: Sequence[_Sentence], chosen: Sequence[_Sentence]
) -> Iterator[_Sentence]:
    """The best sentence on a side of a comparison that nothing chosen speaks of."""
    for side in sides_of(question) or ():
        if not any(sentence.words & side for sentence in chosen):
            of_side = [sentence for sentence in sentences if sentence.words & side]
            if of_side:
                yield max(of_side, key=weights.of)


def _sentences(passage: str, source: int) -> Iterator[_Sentence]:
    """The sentences of a passage; a line that does not end like one is the heading of what follows."""
    place = 0
    heading: frozenset[str] = frozenset()
    lines = [line.strip() for line in passage.split("\n") if line.strip()]
    for line in lines:
        if line is not lines[-1] and not line.startswith(_BULLETS) and not _SENTENCE_STOP.search(line):
            heading = stems_of(line)
            continue
        for text in _SENTENCE_END.split(line):
            if not text.endswith("?"):
                yield _Sentence(text, source, place, stems_of(text), heading)
                place += 1
