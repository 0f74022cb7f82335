"""A model that needs no model: it calculates with the tools, or quotes what answers the question from the
files that came with it, or from the reference text."""

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from typing import Final

from finassist.adapters.llm.offline_calculation import calculation_in, number_needed, told
from finassist.adapters.llm.offline_documents import answer_from_files
from finassist.adapters.llm.offline_languages import texts_in
from finassist.adapters.llm.offline_quotes import offer, quote
from finassist.application.ports.language_model import (
    ModelCapabilities,
    ModelEvent,
    ModelFinished,
    ModelRequest,
    TextDelta,
)
from finassist.domain.conversations.message import Role
from finassist.domain.retrieval.words import words_of

_PIECES_AT_ONCE: Final = 8
_PIECE: Final = re.compile(r"\s*\S+\s*")

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
    reason = "stop"
    if request.rounds:
        text = told(request.rounds[-1].answers[-1].outcome, [*earlier, question])
    else:
        call = calculation_in(question, request.tools, earlier)
        if call is not None:
            yield call
            yield ModelFinished("tool_calls")
            return
        text, reason = _text(question, request)
    for number, piece in enumerate(_PIECE.findall(text)):
        if number % _PIECES_AT_ONCE == 0:
            await asyncio.sleep(0)  # a long answer must not keep other streams waiting
        yield TextDelta(piece)
    yield ModelFinished(reason)


def _text(question: str, request: ModelRequest) -> tuple[str, str]:
    """The reply, and why it ended: ``fallback`` when nothing was found."""
    found = answer_from_files(question, request.messages) or number_needed(question, request.tools)
    if found:
        return found, "stop"
    texts = texts_in(request.language)
    if any(hit.snippet.strip() for hit in request.references):
        heading = "" if texts is None else f"{texts.quoted}\n\n"
        return heading + quote(question, request.references, request.messages, request.country), "stop"
    if request.near:
        titles = [hit.title for hit in request.near]
        return (offer(titles) if texts is None else offer(titles, texts.near)), "fallback"
    if texts is not None:
        return texts.nothing, "fallback"
    chat = _small_talk(question)
    return (_NOTHING, "fallback") if chat is None else (chat, "stop")


def _small_talk(question: str) -> str | None:
    words = words_of(question)
    if any(word in _THANKS_WORDS for word in words):
        return _THANKS
    if len(words) <= _GREETING_WORDS_MAX and any(word in _GREETING_WORDS for word in words):
        return _GREETING
    return None
