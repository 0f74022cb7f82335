"""Retrieval: finding the passages that answer a question (contract section 4, "Retrieval")."""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from finassist.application.ports.classifiers import FollowUpClassifier, LanguageDetector, QuestionClassifier
from finassist.application.ports.conversations import MessageRepository
from finassist.application.ports.knowledge import Embedder, KnowledgeBase
from finassist.application.retrieval.follow_ups import CompleteQuestion
from finassist.application.retrieval.rewriting import RewriteQuery
from finassist.domain.conversations.message import Message, Role
from finassist.domain.errors import FinassistError
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.glossary import HOME, in_english
from finassist.domain.retrieval.jurisdictions import (
    ELSEWHERE,
    countries_meant,
    countries_named,
    holds_in,
    in_order_for,
    is_foreign,
    name_of,
)
from finassist.domain.retrieval.languages import ENGLISH, shared_terms, shares_term
from finassist.domain.retrieval.queries import (
    BEYOND_DOUBT,
    EARLIER_TURNS,
    NEAR_SHARE,
    asking_clause,
    asks_something,
    is_small_talk,
    spelled_out,
    without_courtesy,
    without_politeness,
    without_sizes,
    worth_injecting,
)
from finassist.domain.retrieval.questions import Classification, only_thanks, refers_back, tells_situation
from finassist.domain.retrieval.spelling import corrected
from finassist.domain.retrieval.words import topic_words

_log = logging.getLogger(__name__)

_FIGURE: Final = re.compile(r"\S*\d\S*")

_WIDER: Final = 3
"""Times as many hits are looked through for those that hold in the user's country."""

_AGREEING: Final = 40
"""So many hits of two searches are looked through for those that both find."""

_ALONE: Final = 0.4
_ON_SUBJECT: Final = 0.4
"""What the score counts for with which a follow-up finds an entry by itself, beside what it finds with the
question before it, and the share of the best that this has to be. With less, what was just quoted hides what
the follow-up moved on to; with more, words that have another meaning elsewhere lead away."""

_MEANT: Final = 100
_MEANT_SHARE: Final = 0.4
"""What a question finds when the country is added to it was meant if the question alone finds it among so
many, with so much of the best score: the name of a country alone finds something, too."""

_DOUBTFUL: Final = 0.6
_CLEAR: Final = 0.85
"""A message that alone finds less than the first, and with the question before it at least the second, was
meant as a follow-up, though it does not sound so: "how much can i put in each yr" (docs/retrieval.md)."""

_UNDERSTOOD: Final = 0.6
"""The least share of a question in another language that has to be understood for an entry to answer it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """A message, what the same user wrote before it, oldest first, what kind of question it is, and the
    language that it is in. ``calculated`` is what a calculation right before it came to, in words."""

    text: str
    earlier: Sequence[str]
    classification: Classification
    language: str = ENGLISH
    calculated: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsiderMessage:
    """Classify a message by its text and by what the same user wrote before it, and tell its language."""

    messages: MessageRepository
    question_classifier: QuestionClassifier
    language_detector: LanguageDetector

    async def __call__(self, text: str, conversation_id: str | None) -> Inquiry:
        earlier: list[str] = []
        calculated = ""
        if conversation_id is not None:
            latest = await self.messages.latest(conversation_id, limit=2 * EARLIER_TURNS)
            earlier = [message.asked for message in latest if message.role is Role.USER]
            replies = [message for message in latest if message.role is Role.ASSISTANT]
            calculated = _in_words(replies[-1]) if replies and replies[-1].tool_calls else ""
        return Inquiry(
            text=text,
            earlier=earlier,
            classification=self.question_classifier.classify(spelled_out(text), earlier),
            language=await self.language_detector.language_of(text),
            calculated=calculated,
        )


def _in_words(reply: Message) -> str:
    """What the first paragraph of a reply says, without its figures."""
    told, _, _ = reply.content.partition("\n\n")
    return " ".join(dict.fromkeys(topic_words(_FIGURE.sub(" ", told))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was found for a question, best first: passages that are likely to answer it, and passages ``near``
    it that may not. ``asks_nothing`` says that the message is small talk or a reaction."""

    answering: Sequence[Hit] = ()
    near: Sequence[Hit] = ()
    asks_nothing: bool = False

    @property
    def best(self) -> float:
        """The score of the first passage, 0 without one."""
        return max((hit.score for hit in (*self.answering, *self.near)), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieve:
    """Find the passages that a question can be answered from. Small talk and reactions get none; a question
    that only makes sense after earlier ones is searched for together with them.

    A question that may be about something other than money gets only clear matches: an operator's articles
    may cover other topics too.

    A question in another language is searched for as it is when the embedder understands that language.
    Otherwise a glossary puts its terms into English, and what they find clearly answers it; of a language
    without a glossary titles that share an abbreviation or a name are near, and nothing answers.

    An entry on the rules of another country than the question names answers nothing, but is near; one that
    the glossary found is left out.

    A message that finds little by itself, and something clear together with the question before it, is
    answered as a follow-up, too; so is one that seems to refer back. A follow-up gets first what it finds
    both with the question before it and by itself.
    A message of which the asking part alone finds something clear is answered by that.

    A failing knowledge base is no error: the reply goes on without passages, and the log says so.
    """

    knowledge: KnowledgeBase
    question_classifier: QuestionClassifier
    follow_up_classifier: FollowUpClassifier
    complete_question: CompleteQuestion
    rewrite_query: RewriteQuery
    rag_enabled: bool
    rag_min_score: float
    embedder: Embedder | None
    passages: int = 4

    async def __call__(self, inquiry: Inquiry, country: str | None = None) -> Found:
        """``country`` is the user's: of entries that fit about as well, those that hold there come first."""
        if not self.rag_enabled:
            return Found()
        if inquiry.language != ENGLISH:
            return await self._across_languages(inquiry, country)
        if inquiry.earlier and await self._asks_nothing(inquiry.text):
            return Found(asks_nothing=True)
        text = corrected(without_politeness(spelled_out(inquiry.text)))
        asked = self._asked_before(inquiry)
        whole = await self.complete_question(text, asked)
        if whole is None and not inquiry.classification.is_finance:
            return await self._of_other_topics(inquiry, text, country)
        rewritten = await self.rewrite_query(inquiry.text, inquiry.earlier)
        if rewritten is not None:
            return await self._search(rewritten, self.rag_min_score, country)
        if whole is not None:
            return await self._agreed(text, f"{whole} {inquiry.calculated}".rstrip(), country)
        return await self._by_itself(text, asked, country)

    async def _of_other_topics(self, inquiry: Inquiry, text: str, country: str | None) -> Found:
        if is_small_talk(inquiry.classification):
            return Found(asks_nothing=True)
        if not asks_something(text):
            return Found()
        found = await self._search(text, max(self.rag_min_score, BEYOND_DOUBT), country)
        return Found(answering=found.answering)

    async def _by_itself(self, text: str, asked: Sequence[str], country: str | None) -> Found:
        """What a whole message finds. One that only tells of its writer, and one that may refer back, is
        tried with the question before it first; one that finds little afterwards."""
        joined = await self.complete_question.joined(text, asked)
        if joined is not None and tells_situation(text):
            return await self._agreed(text, joined, country)
        refers = refers_back(text)
        in_context = await self._in_context(text, joined, country) if refers else None
        if in_context is not None:
            return in_context
        found = await self._search(without_sizes(text), self.rag_min_score, country)
        if refers or found.best >= _DOUBTFUL:
            return found
        return await self._in_context(text, joined, country) or await self._by_clause(text, country) or found

    async def _by_clause(self, text: str, country: str | None) -> Found | None:
        """What the part of a message finds that asks something, if that is clear."""
        clause = asking_clause(text)
        if clause is None:
            return None
        found = await self._search(without_sizes(clause), self.rag_min_score, country)
        return found if found.best >= BEYOND_DOUBT else None

    async def _asks_nothing(self, text: str) -> bool:
        return only_thanks(text) or await self.follow_up_classifier.asks_nothing(text)

    async def _agreed(self, text: str, joined: str, country: str | None) -> Found:
        """What a follow-up finds ``joined`` with the question before it; first what both find."""
        query, itself = without_sizes(joined), without_sizes(text)
        hits = await self._hits(query, country, _AGREEING)
        alone = {hit.article_id: hit.score for hit in await self._hits(itself, country, _AGREEING)}
        enough = _ON_SUBJECT * max((hit.score for hit in hits), default=0.0)
        favour = {
            hit.article_id: hit.score + _ALONE * alone.get(hit.article_id, 0.0) * (hit.score >= enough)
            for hit in hits
        }
        share = max((hit.score for hit in hits), default=0.0) / (max(favour.values(), default=0.0) or 1.0)
        agreed = [replace(hit, score=round(favour[hit.article_id] * share, 4)) for hit in hits]
        ranked = sorted(agreed, key=lambda hit: hit.score, reverse=True)
        return self._judged(ranked, query, self.rag_min_score, country)

    async def _in_context(self, text: str, joined: str | None, country: str | None) -> Found | None:
        """What a message finds with the question before it, if that is clear."""
        found = None if joined is None else await self._agreed(text, joined, country)
        return found if found is not None and found.best >= _CLEAR else None

    def _asked_before(self, inquiry: Inquiry) -> Sequence[str]:
        """The questions that a message may follow."""
        classify = self.question_classifier.classify
        asked = [
            text for text in inquiry.earlier if asks_something(text) or not is_small_talk(classify(text))
        ]
        return [corrected(without_courtesy(text)) for text in asked]

    async def _across_languages(self, inquiry: Inquiry, country: str | None) -> Found:
        if self.embedder is not None and self.embedder.understands(inquiry.language):
            return await self._search(inquiry.text, self.rag_min_score, country)
        found = await self._by_glossary(inquiry, country)
        if found.answering or found.near:
            return found
        terms = shared_terms(inquiry.text)
        found = await self._search(" ".join(terms), 0.0, country) if terms else Found()
        return Found(near=[hit for hit in found.answering if shares_term(hit.title, terms)])

    async def _by_glossary(self, inquiry: Inquiry, country: str | None) -> Found:
        """What the English terms of a question find; entries on the rules of a country that it is not about
        answer nothing, and are not near."""
        query = in_english(inquiry.text, inquiry.language)
        if not query.text:
            return Found()
        meant = frozenset(
            countries_meant(inquiry.text) or (country or HOME.get(inquiry.language, ELSEWHERE),)
        )
        found = await self._search(query.text, self.rag_min_score, min(meant))
        answering, near = (
            [hit for hit in hits if holds_in(hit.jurisdiction, meant)]
            for hits in (found.answering, found.near)
        )
        if query.understood < _UNDERSTOOD:
            return Found(near=[*answering, *near])
        return Found(answering=answering, near=near)

    async def _search(self, query: str, min_score: float, country: str | None) -> Found:
        return self._judged(await self._hits(query, country, self.passages), query, min_score, country)

    def _judged(self, hits: Sequence[Hit], query: str, min_score: float, country: str | None) -> Found:
        """What of the hits answers, and what is near."""
        first = in_order_for(hits, country, query)[: self.passages]
        chosen = worth_injecting(first, min_score * NEAR_SHARE)
        named = countries_named(query)
        answering = [hit for hit in chosen if hit.score >= min_score and holds_in(hit.jurisdiction, named)]
        return Found(answering=answering, near=[hit for hit in chosen if hit not in answering])

    async def _hits(self, query: str, country: str | None, limit: int) -> Sequence[Hit]:
        """What is found, best first; nothing when the search fails. When the rules of a country that nobody
        named come first, what the user's own has on it goes before."""
        wide = limit if country is None else limit * _WIDER
        try:
            hits = await self.knowledge.search(query, limit=wide)
            if country in (None, ELSEWHERE) or countries_named(query):
                return hits
            if not hits or not is_foreign(hits[0].jurisdiction, country):
                return hits
            own = await self.knowledge.search(f"{query} in {name_of(country)}", limit=wide)
            if not own or own[0].jurisdiction != country or own[0].score < _CLEAR:
                return hits
            every = await self.knowledge.search(query, limit=_MEANT)
        except FinassistError as error:
            _log.warning("retrieval failed, the reply goes on without it: %s", error.code)
            return ()
        least = _MEANT_SHARE * hits[0].score
        is_meant = any(hit.article_id == own[0].article_id and hit.score >= least for hit in every)
        return own if is_meant else hits
