"""A model that needs no model: it calculates with the tools, or quotes what answers the question from the
files that came with it, or from the reference text."""

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Final

from finassist.adapters.llm.offline.again import (
    CANNOT_WRITE,
    has_citation,
    is_calculated,
    is_quoted,
    is_said_again,
    said_again,
)
from finassist.adapters.llm.offline.aspects import Aspect, Aspects
from finassist.adapters.llm.offline.calculation import Calculations
from finassist.adapters.llm.offline.calls import (
    Then,
    ThenTold,
    calls_of,
    is_number_needed,
    next_call,
    number_needed,
    rest_of,
    sum_unclear,
)
from finassist.adapters.llm.offline.choices import beyond_country, lead_on, told_on
from finassist.adapters.llm.offline.documents import answer_from_files
from finassist.adapters.llm.offline.figures import Figures
from finassist.adapters.llm.offline.judgements import is_judged, wants_rule
from finassist.adapters.llm.offline.nearness import Nearness
from finassist.adapters.llm.offline.phrases import Phrases, ReplyTexts, phrases_in, texts_in
from finassist.adapters.llm.offline.quotes import (
    more_like,
    offer,
    offered,
    quote,
    quote_nearest,
)
from finassist.adapters.llm.offline.results import in_english, told
from finassist.adapters.llm.offline.statements.recognition import (
    STATEMENT,
    STATEMENT_CATEGORY,
    StatementQuestions,
)
from finassist.adapters.llm.offline.statements.telling import told_statement
from finassist.adapters.llm.offline.stories import CalculationsAndStories
from finassist.adapters.llm.offline.wishes import Feelings, Openings, Wishes, is_sure, opened
from finassist.adapters.llm.offline.words import shipped_words
from finassist.application.ports.knowledge import Embedder
from finassist.application.ports.language_model import (
    ModelCapabilities,
    ModelEvent,
    ModelFinished,
    ModelRequest,
    TextDelta,
    ToolAnswer,
)
from finassist.domain.calculators.recognition.follow_ups.chains import Continued
from finassist.domain.calculators.recognition.follow_ups.meaning import is_foreign
from finassist.domain.conversations.message import Role
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.retrieval.languages.reactions import Reaction, reaction_of
from finassist.domain.retrieval.openings import Opening
from finassist.domain.retrieval.queries import asks_something
from finassist.domain.retrieval.questions import asks_of_something
from finassist.domain.retrieval.wishes import Wish
from finassist.domain.retrieval.words import words_of
from finassist.domain.statements.phrases import languages

_WISHES: Final[Mapping[Reaction | None, Wish]] = {
    Reaction.DOUBT: Wish.DOUBT,
    Reaction.SHORTER: Wish.SHORTER,
}
_REPLIES_FELT: Final = 2
"""So many of the last replies are what a reaction is about."""
_PIECES_AT_ONCE: Final = 8
_PIECE: Final = re.compile(r"\s*\S+\s*")

_NOTHING: Final = (
    "I have nothing on that in my knowledge base, so I cannot answer it. I am a program, not a person: I run "
    "offline, quote from articles on personal finance and calculate, and sometimes I misunderstand a "
    "question; I am sorry if that happened. You could ask in other words, or about a more general term."
)
_NOTHING_MORE: Final = (
    "I find nothing more on that than what I quoted before. You could ask again in other words, or about a "
    "more general term."
)
_THANKS_WORDS: Final = frozenset(shipped_words("thanks"))
_GREETING_WORDS: Final = frozenset(shipped_words("greetings"))
_GREETING_WORDS_MAX: Final = 8


class OfflineModel:
    """``LanguageModel`` without a model: deterministic, extractive, citing ``[1]`` as it goes; calculations
    are left to the tools."""

    provider = "offline"
    default_model = "offline-extractive"
    models = (default_model,)

    def __init__(self, embedder: Embedder | None = None) -> None:
        """``embedder`` tells which calculation a question means; without one its words do."""
        self._calculations = CalculationsAndStories(Calculations(embedder), embedder)
        self._figures = Figures(embedder)
        self._statements = StatementQuestions(embedder)
        self._wishes = Wishes(embedder)
        self._nearness = Nearness(embedder)
        self._aspects = Aspects(self._nearness)
        self._openings = Openings(embedder)
        self._feelings = Feelings(embedder, self._nearness)

    def capabilities_of(self, model: str) -> ModelCapabilities:
        """It calls tools and quotes, and neither sees nor writes."""
        return ModelCapabilities(tools=True, writes=False)

    async def close(self) -> None:
        """Nothing to close."""

    @asynccontextmanager
    async def stream(self, request: ModelRequest) -> AsyncGenerator[AsyncGenerator[ModelEvent, None], None]:
        """Call a tool, read out its result, or answer from files or references, word by word."""
        async with aclosing(self._answer(request)) as events:
            yield events

    async def _answer(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        question = request.messages[-1].content
        earlier = [message.content for message in request.messages[:-1] if message.role is Role.USER]
        reason = "stop"
        if request.rounds:
            last = request.rounds[-1]
            made = len(request.rounds)
            call = next_call(last.answers[-1], last.state, made) if request.may_call_tools else None
            if call is not None:
                yield call
                yield ModelFinished("tool_calls", state=last.state)
                return
            text = _told(request, [*earlier, question]) + _entry_below(question, request)
        else:
            asked = await self._asked(question, earlier, request)
            if called := await self._called(asked, request):
                for event in called:
                    yield event
                return
            wish = None if asked else await self._wish(request)
            again = "" if asked else await self._again_or_felt(wish, request)
            aspect = None if asked or again else await self._aspect(question, request)
            unclear = "" if asked or again else await self._unclear(question, request)
            text, reason = (again, reason) if again else _text(question, request, asked, aspect, unclear)
            if asked is None:
                text, reason = await self._opened(request, text, reason)
            if wish is Wish.WRITE and not again:
                text = f"{CANNOT_WRITE}\n\n{text}"
        for number, piece in enumerate(_PIECE.findall(text)):
            if number % _PIECES_AT_ONCE == 0:
                await asyncio.sleep(0)  # a long answer must not keep other streams waiting
            yield TextDelta(piece)
        yield ModelFinished(reason)

    async def _called(self, asked: Continued | None, request: ModelRequest) -> Sequence[ModelEvent]:
        """The calls of tools with which an answer begins: for bank statements, or for a calculation."""
        if asked is None or _offers(asked):
            of_statements = await self._statements.asked(request)
            if of_statements is not None:
                return of_statements, ModelFinished("tool_calls")
        calls = calls_of(asked, request.tools) if asked else ()
        return (*calls, ModelFinished("tool_calls", state=rest_of(asked))) if asked and calls else ()

    async def _asked(self, question: str, earlier: Sequence[str], request: ModelRequest) -> Continued | None:
        """The calculation that is asked for; the one before once more when the message doubts it."""
        if not request.tools:
            return None
        asked = await self._calculations.asked(question, earlier, language=request.language)
        replies = [message.content for message in request.messages if message.role is Role.ASSISTANT]
        answers = bool(replies) and is_number_needed(replies[-1])
        is_doubtful = asked is not None and not (answers or _offers(asked))
        if is_doubtful and not await self._asks_for_figure(question, request):
            asked = None
        if asked is not None or not replies or not is_calculated(replies[-1]):
            return asked
        is_doubted = request.language == ENGLISH and await self._wishes.of(question) == Wish.DOUBT
        return await self._calculations.checked(earlier, language=request.language) if is_doubted else None

    async def _asks_for_figure(self, question: str, request: ModelRequest) -> bool:
        """Whether a message may ask for a figure; what is not in English may."""
        return (
            request.language != ENGLISH or is_foreign(question) or await self._figures.may_be_asked(question)
        )

    async def _unclear(self, question: str, request: ModelRequest) -> str:
        """What to say to a message that asks for a figure of numbers that nothing was made of."""
        is_found = _has_texts(request) and not request.near
        unclear = sum_unclear(question) if request.language == ENGLISH and not is_found else ""
        return unclear if unclear and await self._asks_for_figure(question, request) else ""

    async def _aspect(self, question: str, request: ModelRequest) -> Aspect | None:
        """What of an answer that was quoted, or beside it, the message is about."""
        if request.language != ENGLISH or request.near or request.lacks_country or not _has_texts(request):
            return None
        found = offered(question, request.references, request.messages, request.country)
        return await self._aspects.of(question, found.quoted, found.fresh, goes_on=found.goes_on)

    async def _opened(self, request: ModelRequest, text: str, reason: str) -> tuple[str, str]:
        """The reply to the first words of a conversation, with a fitting word where they ask nothing yet.
        What comes with a file is about that."""
        [first, *later] = request.messages
        if later or first.parts or request.language != ENGLISH:
            return text, reason
        question = first.content
        only_greets = _GREETING_WORDS.issuperset(words_of(question))
        opening = await self._openings.of(question)
        may_ask = opening in (Opening.TROUBLE, Opening.UNDECIDED)
        is_open = opening in (Opening.UNDECIDED, Opening.UNCLEAR)
        names_subject = request.is_vague and bool(request.references)
        if (
            opening is None
            or (opening is Opening.PRESENCE and only_greets)
            or (is_open and names_subject)
            or (may_ask and asks_of_something(question))
        ):
            return text, reason
        said = opened(opening, request, text)
        return said, "fallback" if opening is Opening.UNCLEAR and said != text else "stop"

    async def _again_or_felt(self, wish: Wish | None, request: ModelRequest) -> str:
        again = "" if wish is None else await self._again(wish, request)
        return again or await self._felt(request)

    async def _felt(self, request: ModelRequest) -> str:
        """A word that fits a reaction in a conversation; empty for a message that asks something."""
        if not request.asks_nothing or len(request.messages) == 1 or request.language != ENGLISH:
            return ""
        *before, reaction = request.messages
        replies = [message.content for message in before if message.role is Role.ASSISTANT]
        last_first = replies[: -_REPLIES_FELT - 1 : -1]
        word = await self._feelings.word(reaction.content, last_first)
        return "" if word in last_first else word

    async def _wish(self, request: ModelRequest) -> Wish | None:
        """What the message asks of the replies before it."""
        if len(request.messages) == 1:
            return None
        message = request.messages[-1].content
        if request.language != ENGLISH:
            return _WISHES.get(reaction_of(message, request.language))
        return await self._wishes.of(message)

    async def _again(self, wish: Wish, request: ModelRequest) -> str:
        """The last reply in another way, or what goes on from it; empty when it has nothing of the kind."""
        *before, asked = request.messages
        replies = [message.content for message in before if message.role is Role.ASSISTANT]
        if wish in (Wish.CHOICE, Wish.DETAIL, Wish.STEP):
            text = await told_on(wish, request, self._nearness) if request.language == ENGLISH else ""
            more = more_like(request.references, [*replies, text])
            return f"{text}\n\n{more}".rstrip() if text else ""
        last_first = (text for text in reversed(replies) if not is_said_again(text))
        if request.language != ENGLISH:  # what was said of an entry in another way does not quote it
            last_first = (text for text in last_first if _quotes_one_of(request.references, text))
        reply = next(last_first, "")
        text = ""
        if reply:
            text = await said_again(wish, asked.content, reply, request.references, self._nearness)
        return f"{text}\n\n{more_like(request.references, [reply])}".rstrip() if text else ""


def _text(
    question: str, request: ModelRequest, asked: Continued | None, aspect: Aspect | None, unclear: str
) -> tuple[str, str]:
    """The reply, and why it ended: ``fallback`` when nothing was found. ``unclear`` is what to say where only
    a sum was asked for that was not understood."""
    from_files = answer_from_files(question, request.messages)
    is_lacking = asked is not None and (asked.draft.missing or asked.choice or asked.lacking)
    needed = number_needed(asked) if asked is not None and is_lacking else ""
    lacks_one = asked is not None and len(asked.draft.missing) == 1
    is_choice = asked is not None and bool(asked.choice or asked.lacking)
    has_references = _has_texts(request) and (request.is_vague or not request.near)
    is_alone = is_choice or (lacks_one and not wants_rule(question))
    if from_files or (needed and (is_alone or not has_references)):
        return from_files or in_english(needed, request.language), "stop"
    if request.asks_nothing:
        return _reaction(question, request), "stop"
    texts, say = _texts_around(request)
    if request.lacks_country:
        return beyond_country(request.references, request.near, request.messages, request.country), "stop"
    if request.is_vague:
        reason = "stop" if request.references else "fallback"
        return lead_on(request.references, request.near, request.country), reason
    if has_references:
        heading = "" if texts is None else f"{texts.quoted}\n\n"
        quoted = quote(question, request.references, request.messages, request.country, aspect)
        needed = needed and f"\n\n{in_english(needed, request.language) if texts is None else needed}"
        return f"{heading}{quoted}{needed}", "stop"
    chat = _chat(question, request)
    return (chat, "stop") if chat else (_not_found(request, texts, say, unclear), "fallback")


def _offers(asked: Continued) -> bool:
    """Whether a calculation was found that a message names without a number for it."""
    return bool(asked.draft.missing) and not asked.draft.filled


def _has_texts(request: ModelRequest) -> bool:
    """Whether any reference has a text that can be quoted."""
    return any(hit.snippet.strip() for hit in request.references)


def _chat(question: str, request: ModelRequest) -> str:
    """What to say to small talk that finds nothing; empty for a question."""
    is_question = len(request.messages) > 1 and asks_something(question)
    if request.near or request.language != ENGLISH or is_question:
        return ""
    return _small_talk(question) or ""


def _not_found(request: ModelRequest, texts: ReplyTexts | None, say: Phrases, unclear: str) -> str:
    """What to say where nothing answers: what is nearest, or how to type a sum that was not understood."""
    if request.near and _has_texts(request):
        above = "" if texts is None else texts.near
        nearest = quote_nearest(request.references[0], request.near, request.country, above)
        return f"{unclear}\n\n{nearest}".lstrip()
    if unclear:
        return unclear
    if request.near:
        titles = [hit.title for hit in request.near]
        return offer(titles, say.near if texts is None else texts.near)
    if texts is not None:
        return texts.nothing
    is_quoted = any(has_citation(each.content) for each in request.messages if each.role is Role.ASSISTANT)
    return _NOTHING_MORE if is_quoted else _NOTHING


def _told(request: ModelRequest, said: Sequence[str]) -> str:
    """What the tools of a turn returned, in words."""
    last = request.rounds[-1]
    if _is_of_statements(last.answers[-1]):
        text = told_statement(last.answers[-1], request.language)
        return text if request.language in languages() else in_english(text, request.language)
    state = last.state
    if not isinstance(state, ThenTold):
        told_of = state if isinstance(state, Then) else Then()
        state = ThenTold(changed=told_of.changed, left_open=told_of.left_open)
    answers = [answer for each in request.rounds for answer in each.answers]
    return told(answers, said, state, language=request.language)


def _entry_below(question: str, request: ModelRequest) -> str:
    """The entry that answers a message which asks what to think of its numbers, below their result."""
    if request.language != ENGLISH or not (is_sure(request) and _has_texts(request) and is_judged(question)):
        return ""
    return f"\n\n{quote(question, request.references, request.messages, request.country)}"


def _is_of_statements(answer: ToolAnswer) -> bool:
    return answer.call.name in (STATEMENT, STATEMENT_CATEGORY)


def _quotes_one_of(references: Sequence[Hit], reply: str) -> bool:
    return is_calculated(reply) or any(is_quoted(hit, [reply]) for hit in references)


def _texts_around(request: ModelRequest) -> tuple[ReplyTexts | None, Phrases]:
    """The texts around an article in another language than the question, None when it is in the same one;
    and those around one in the same."""
    found = (*request.references, *request.near)
    is_own = bool(found) and found[0].language == request.language
    return None if is_own else texts_in(request.language), phrases_in(request.language)


def _reaction(message: str, request: ModelRequest) -> str:
    """What to say to small talk, thanks and other reactions, in the language of the message."""
    say = phrases_in(request.language)
    reaction = reaction_of(message, request.language)
    if reaction is Reaction.THANKS:
        return say.thanks
    if reaction is Reaction.GREETING:
        return say.greeting
    return _small_talk(message) or (say.agreed if len(request.messages) > 1 else say.greeting)


def _small_talk(question: str) -> str | None:
    said = words_of(question)
    if not _THANKS_WORDS.isdisjoint(said):
        return phrases_in(ENGLISH).thanks
    if len(said) <= _GREETING_WORDS_MAX and not _GREETING_WORDS.isdisjoint(said):
        return phrases_in(ENGLISH).greeting
    return None
