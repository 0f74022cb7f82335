"""Retrieval: finding the passages that answer a question (contract section 4, "Retrieval")."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from finassist.application.ports.classifiers import FollowUpClassifier, QuestionClassifier
from finassist.application.ports.knowledge import Embedder, KnowledgeBase
from finassist.application.retrieval.follow_ups import CompleteQuestion, on_a_subject
from finassist.application.retrieval.found import NEAR_COSINE, Found, judged
from finassist.application.retrieval.in_context import WIDE, SearchInContext
from finassist.application.retrieval.inquiry import Inquiry
from finassist.application.retrieval.languages import SearchInLanguage
from finassist.application.retrieval.national import SearchInCountry
from finassist.application.retrieval.rewriting import RewriteQuery
from finassist.application.retrieval.vague import LeadOn
from finassist.domain.conversations.whereabouts import only_tells_country
from finassist.domain.errors import FinassistError
from finassist.domain.retrieval.definition_questions import defines, term_in_story
from finassist.domain.retrieval.glossary import HOME, in_english, is_hardly_a_question, last_in_english
from finassist.domain.retrieval.jurisdictions import (
    ELSEWHERE,
    GENERAL,
    countries_meant,
    holds_in,
    is_foreign,
    without_countries,
)
from finassist.domain.retrieval.languages import ENGLISH, shared_terms, shares_term
from finassist.domain.retrieval.queries import (
    BEYOND_DOUBT,
    asking_clause,
    asks_in_english,
    asks_something,
    is_bare,
    is_small_talk,
    is_undecided,
    names_something,
    spelled_out,
    tells_something,
    without_courtesy,
    without_sizes,
    worth_injecting,
    written_out,
)
from finassist.domain.retrieval.questions import (
    asks,
    names_nothing,
    only_thanks,
    refers_back,
    turns_to,
)
from finassist.domain.retrieval.spelling import corrected

_SAME_QUESTION: Final = 0.66
"""From this cosine on an entry asks what a message asks."""

_MUCH_THE_SAME: Final = 0.52
"""From this cosine on an entry answers a message that names nothing, or the asking part of one that sounds of
no money (docs/retrieval.md)."""
_WORDS_WITHOUT_SUBJECT: Final = 10

_DOUBTFUL: Final = 0.6
"""Of a first message that finds less a part is tried, too."""

_UNDERSTOOD: Final = 0.6
"""The least share of a question in another language that has to be understood for an entry to answer it."""
_HALF_UNDERSTOOD: Final = 0.4
"""The least share with which the entry is shown that would answer what was understood."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieve:
    """Find the passages that a question can be answered from. Small talk and reactions get none; a question
    that only makes sense after earlier ones is searched for together with them.
    A question that may be about something other than money gets only clear matches: an operator's articles
    may cover other topics too. A first one that the classifier cannot decide is searched for as any other.

    A question in another language gets what the entries in that language have (``languages.py``). When none
    is near, it is searched for as it is if the embedder understands that language; otherwise a
    glossary puts its terms into English, and what they find clearly answers it; of a language without a
    glossary titles that share an abbreviation or a name are near, and nothing answers.
    An entry on the rules of another country than the question names answers nothing, but is near; one that
    the glossary found is left out.

    A later message that an entry asks is answered by that, any other by what it finds with the question
    before it, with the one that opened the conversation, on the subject of what was quoted, and by itself,
    all at once. A first message of which the asking part alone finds something clear is answered by that. A
    vague first question gets the widest entry on its subject, and what else can be asked about it.
    A failing knowledge base is no error: the reply goes on without passages, and the log says so.
    """

    knowledge: KnowledgeBase
    question_classifier: QuestionClassifier
    follow_up_classifier: FollowUpClassifier
    complete_question: CompleteQuestion
    rewrite_query: RewriteQuery
    lead_on: LeadOn
    search_in_language: SearchInLanguage
    search_in_country: SearchInCountry
    search_in_context: SearchInContext
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
        asked = self._asked_before(inquiry)
        in_country = await self._asked_again(inquiry, asked, country)
        if in_country is not None:
            return in_country
        if inquiry.earlier and await self._asks_nothing(inquiry.text):
            return Found(asks_nothing=True)
        text = inquiry.plain_text
        whole = await self.complete_question(text, asked, inquiry.calculated)
        is_alone = not (inquiry.earlier or inquiry.story_around(text))
        first = await self._defined(inquiry, country)
        first = first or (await self._vague(text, country) if is_alone else None)
        first = first or await self._without_subject(inquiry, text, country)
        if first is not None:
            return first
        if whole is None and not inquiry.classification.is_finance:
            return await self._of_other_topics(inquiry, text, asked, country)
        rewritten = await self.rewrite_query(inquiry.text, inquiry.earlier)
        if rewritten is not None:
            return await self._search(rewritten, self.rag_min_score, country)
        if asked:
            leans = whole is not None or refers_back(text)
            alone = None if leans else await self._asked_alone(text, country)
            return alone or await self._in_context(inquiry, text, whole, asked, country)
        found = await self._by_itself(inquiry, text, country)
        is_nothing = not (found.answering or found.near or found.asks_nothing)
        return await self._asked_back(inquiry, text, country) if is_nothing else found

    async def _asked_alone(self, text: str, country: str | None) -> Found | None:
        """What a later message finds by itself, if an entry asks much the same."""
        found = await self._search(without_sizes(text), self.rag_min_score, country)
        return found if found.stands_alone else None

    async def _in_context(
        self, inquiry: Inquiry, text: str, whole: str | None, asked: Sequence[str], country: str | None
    ) -> Found:
        """What a message finds in a conversation in which something was ``asked`` before; ``whole`` is the
        message with that, where it makes no sense alone."""
        joined = whole or await self.complete_question.joined(text, asked, inquiry.calculated) or text
        return await self.search_in_context(inquiry, text, joined, country, asked[0])

    async def _asked_back(self, inquiry: Inquiry, text: str, country: str | None) -> Found:
        """What a message about money gets that finds nothing: when it is a first one that only says what
        happened, in short, the questions that it may lead to."""
        if inquiry.earlier or asks(text) or len(text.split()) > _WORDS_WITHOUT_SUBJECT:
            return Found()
        try:
            leads = await self.lead_on(text, country, finds_nothing=True)
        except FinassistError:
            return Found()
        hits = leads.hits[: self.passages - 1] if leads is not None else ()
        return Found(near=worth_injecting(hits, 0.0), is_vague=True)

    async def _asked_again(self, inquiry: Inquiry, asked: Sequence[str], country: str | None) -> Found | None:
        """What a message gets that only tells the country of the question before it: what that country has on
        the question, or else what holds everywhere; None for any other message."""
        if country is None or not only_tells_country(inquiry.text):
            return None
        question = await self.complete_question.asked_last(asked)
        if question is None:
            return None
        offices = countries_meant(without_countries(question))
        if offices and country not in offices:
            return None
        try:
            national = await self.search_in_country.asked_again(question, country)
            if inquiry.subject and not national.answering:
                of_subject = await self.search_in_country.asked_again(inquiry.subject, country)
                national = of_subject if of_subject.answering or of_subject.near else national
        except FinassistError:
            return None
        quoted = [hit for hit in national.answering if hit.title == inquiry.subject]
        if quoted:
            near = [hit for hit in (*national.answering, *national.near) if hit not in quoted]
            return Found(answering=quoted, near=near, lacks_country=True)
        if national.answering:
            return Found(answering=national.answering, near=national.near)
        found = await self._search(without_countries(question), self.rag_min_score, country)
        everywhere = [hit for hit in found.answering if hit.jurisdiction in (None, GENERAL)][:1]
        return Found(answering=everywhere, near=national.near or found.near, lacks_country=True)

    async def _defined(self, inquiry: Inquiry, country: str | None) -> Found | None:
        """What a first message gets that asks what a thing is and tells a story beside: the entry that says
        so, however much another has of the story; none of another country than the one that is known."""
        term = "" if inquiry.earlier else term_in_story(without_courtesy(spelled_out(inquiry.text)))
        if not term:
            return None
        query = f"what is {term}"
        hits = await self.search_in_country.or_nothing(query, country, WIDE)
        here = [hit for hit in hits if defines(hit.title, term) and not is_foreign(hit.jurisdiction, country)]
        found = judged(here, query, self.rag_min_score, country, passages=self.passages)
        return Found(answering=found.answering[:1]) if found.answering else None

    async def _vague(self, text: str, country: str | None) -> Found | None:
        """What a vague question gets: the widest entry on its subject, when that is plain, and others."""
        try:
            leads = await self.lead_on(text, country)
        except FinassistError:
            return None
        if leads is None:
            return None
        is_plain = leads.is_plain or max(hit.score for hit in leads.hits) >= self.rag_min_score
        answering = leads.hits[:1] if is_plain else ()
        near = worth_injecting(leads.hits[len(answering) :][: self.passages - len(answering)], 0.0)
        return Found(answering=answering, near=near, is_vague=True)

    async def _without_subject(self, inquiry: Inquiry, text: str, country: str | None) -> Found | None:
        """What a short first message gets that names nothing ("is that normal?") and that no entry asks: what
        it may be about."""
        is_short = not inquiry.earlier and len(inquiry.text.split()) <= _WORDS_WITHOUT_SUBJECT
        may_ask = refers_back(text) or not is_small_talk(inquiry.classification)
        if not (is_short and may_ask and names_nothing(text)) or only_thanks(text):
            return None
        found = await self._search(text, self.rag_min_score, country)
        hits = (*found.answering, *found.near)
        asked_so = (hit.cosine for hit in found.answering if hit.asked_so)
        if any(hit.cosine >= _MUCH_THE_SAME for hit in found.answering) or any(
            not cosine or cosine >= NEAR_COSINE for cosine in asked_so
        ):
            return None
        return Found(near=[hit for hit in hits if hit.cosine >= NEAR_COSINE], is_vague=True)

    async def _of_other_topics(
        self, inquiry: Inquiry, text: str, asked: Sequence[str], country: str | None
    ) -> Found:
        """What a message gets that does not sound of money: what is clear, also with the one before."""
        names = names_something(text)
        if is_small_talk(inquiry.classification) and not names:
            return await self._same_question(text, country) or Found(asks_nothing=True)
        found = Found()
        is_first = not (inquiry.earlier or await self._asks_nothing(text))
        if is_first and is_undecided(inquiry.classification):
            found = await self._search(text, self.rag_min_score, country)
        elif names or asks_something(text) or (is_first and tells_something(text)):
            found = await self._search(text, max(self.rag_min_score, BEYOND_DOUBT), country)
            found = Found(answering=found.answering)
        goes_on = bool(inquiry.quoted and asked) and not found.answering
        together = await self._in_context(inquiry, text, None, asked, country) if goes_on else Found()
        clear = together if together.is_clear else None
        return clear or await self._in_so_many_words(inquiry, text, found, country) or found

    async def _in_so_many_words(
        self, inquiry: Inquiry, text: str, found: Found, country: str | None
    ) -> Found | None:
        """What a first message gets that found no answer and is a wording of an entry: "lien"."""
        if found.answering or inquiry.earlier or not is_bare(text):
            return None
        asked = [
            hit
            for hit in await self.search_in_country.or_nothing(text, country, self.passages)
            if hit.asked_so
        ]
        sure = [replace(hit, score=max(hit.score, BEYOND_DOUBT)) for hit in asked if hit.quotable]
        named = judged(sure, text, self.rag_min_score, country, passages=1) if sure else Found()
        return named if named.answering else None

    async def _same_question(self, text: str, country: str | None) -> Found | None:
        """What a question finds that sounds of no money, if an entry asks the same: "how do I make a
        will"; or much the same as the part of a message that asks something."""
        question = text if asks_in_english(text) else asking_clause(text)
        if question is None:
            return None
        found = await self._search(question, max(self.rag_min_score, BEYOND_DOUBT), country)
        least = _SAME_QUESTION if question is text else _MUCH_THE_SAME
        same = [hit for hit in found.answering if hit.cosine >= least]
        return Found(answering=same) if same else None

    async def _by_itself(self, inquiry: Inquiry, text: str, country: str | None) -> Found:
        """What a first message finds: a part of it, or it in other words, where the whole finds little."""
        found = await self._with_story(inquiry, text, country)
        if refers_back(text) or found.best >= _DOUBTFUL:
            return found
        clear = await self._by_clause(text, country)
        clear = clear or await self._in_full(without_sizes(text), found, country)
        return clear or await self._in_so_many_words(inquiry, text, found, country) or found

    async def _with_story(self, inquiry: Inquiry, text: str, country: str | None) -> Found:
        """What a question finds by itself, if an entry asks the same; or else with the story around it, if
        that answers it: "we are getting divorced, what do I need to sort out first?"."""
        story = inquiry.story_around(text)
        query = without_sizes(text)
        if not story:
            return await self._search(query, self.rag_min_score, country)
        anywhere = await self._search(query, self.rag_min_score, None)
        if next((hit.cosine for hit in anywhere.answering), 0.0) < _SAME_QUESTION:
            told = await self._search(without_sizes(story), self.rag_min_score, country)
            if told.answering:
                return told
        return anywhere if country is None else await self._search(query, self.rag_min_score, country)

    async def _in_full(self, text: str, first: Found, country: str | None) -> Found | None:
        """What a message finds written out as the embedder knows it better, if that answers it."""
        for full, least in written_out(text, first.lacks_cosines):
            found = Found() if full == text else await self._search(full, self.rag_min_score, country)
            if any(hit.cosine >= least for hit in found.answering[:1]):
                return found
        return None

    async def _by_clause(self, text: str, country: str | None) -> Found | None:
        """What the part of a message finds that asks something, if that is clear."""
        clause = asking_clause(text)
        if clause is None:
            return None
        found = await self._search(without_sizes(clause), self.rag_min_score, country)
        return found if found.best >= BEYOND_DOUBT else None

    async def _asks_nothing(self, text: str) -> bool:
        if only_thanks(text) or turns_to(text):
            return only_thanks(text)
        return await self.follow_up_classifier.asks_nothing(text)

    def _asked_before(self, inquiry: Inquiry) -> Sequence[str]:
        """The questions on a subject that a message may follow."""
        classify = self.question_classifier.classify
        asked = [
            text for text in inquiry.earlier if asks_something(text) or not is_small_talk(classify(text))
        ]
        return on_a_subject([corrected(without_courtesy(text)) for text in asked])

    async def _across_languages(self, inquiry: Inquiry, country: str | None) -> Found:
        """What the entries in the language of a question have for it, or else an English one that answers it;
        titles are rather in that language."""
        own = await self.search_in_language(
            inquiry.text, inquiry.language, country, earlier=inquiry.earlier, quoted=inquiry.quoted
        )
        if own.answering or own.nearest or own.asks_nothing:
            return own
        english = await self._in_english(inquiry, country)
        return own if own.near and english.near and not english.answering else english

    async def _in_english(self, inquiry: Inquiry, country: str | None) -> Found:
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
            countries_meant(inquiry.text, inquiry.language)
            or (country or HOME.get(inquiry.language, ELSEWHERE),)
        )
        found = Found()
        before = last_in_english(inquiry.earlier, inquiry.language)
        if before and is_hardly_a_question(query.text, inquiry.text):
            joined = f"{before} {query.text}"
            found = await self.search_in_context(inquiry, query.text, joined, min(meant))
        if all(hit.article_id in inquiry.quoted for hit in found.answering):
            found = await self._search(query.text, self.rag_min_score, min(meant))
        answering, near = (
            [hit for hit in hits if holds_in(hit.jurisdiction, meant)]
            for hits in (found.answering, found.near)
        )
        if query.understood < _UNDERSTOOD:
            nearest = next(iter(answering), None) if query.understood >= _HALF_UNDERSTOOD else None
            return Found(near=[*answering, *near], nearest=nearest)
        return Found(answering=answering, near=near)

    async def _search(self, query: str, min_score: float, country: str | None) -> Found:
        hits = await self.search_in_country.or_nothing(query, country, self.passages)
        return judged(hits, query, min_score, country, passages=self.passages)
